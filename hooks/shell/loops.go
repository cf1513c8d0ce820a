package shell

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// minEndless is the number of repetitions at which a loop counts as endless.
const minEndless = 5000

// endless reports whether a while loop never ends by its condition.
func (s *state) endless(c *syntax.WhileClause) bool {
	if len(c.Cond) == 0 {
		return false
	}
	result, always := s.outcome(c.Cond[len(c.Cond)-1])
	return always && result != c.Until
}

// endlessCount reports whether a counting loop never ends, or only after minEndless repetitions or more.
func endlessCount(l *syntax.CStyleLoop) bool {
	if l.Cond == nil {
		return true
	}
	if tooLarge(l.Cond) {
		return false
	}
	if n, ok := arithmetic(l.Cond); ok {
		return n != 0
	}
	post, counts := l.Post.(*syntax.UnaryArithm)
	if cond, ok := l.Cond.(*syntax.BinaryArithm); ok {
		counter, isWord := cond.X.(*syntax.Word)
		limit, known := arithmetic(cond.Y)
		if !isWord || !known {
			return false
		}
		up := counts && post.Op == syntax.Inc && sameWord(post.X, counter)
		down := counts && post.Op == syntax.Dec && sameWord(post.X, counter)
		switch cond.Op {
		case syntax.Lss, syntax.Leq, syntax.Neq:
			return l.Post == nil || down || up && limit >= minEndless
		case syntax.Geq, syntax.Gtr:
			return l.Post == nil || up
		}
	}
	word, ok := l.Cond.(*syntax.Word)
	return ok && counts && post.Op == syntax.Inc && sameWord(post.X, word)
}

func sameWord(x syntax.ArithmExpr, word *syntax.Word) bool {
	other, ok := x.(*syntax.Word)
	return ok && other.Lit() == word.Lit()
}

// longRange reports whether a word is a range such as {1..100000}.
func longRange(word *syntax.Word) bool {
	inner, ok := strings.CutPrefix(word.Lit(), "{")
	from, to, isRange := strings.Cut(strings.TrimSuffix(inner, "}"), "..")
	if !ok || !isRange {
		return false
	}
	to, _, _ = strings.Cut(to, "..")
	a, errA := strconv.Atoi(from)
	b, errB := strconv.Atoi(to)
	return errA == nil && errB == nil && max(a-b, b-a) >= minEndless
}

// sequence handles seq. Very many numbers count as endless data.
func sequence(_ *state, c *call) value {
	words := c.words("sf", "--separator", "--format")
	if len(words) == 0 {
		return unknown(0)
	}
	last := words[len(words)-1].text
	if n, err := strconv.ParseFloat(last, 64); err == nil && n >= minEndless || strings.EqualFold(last, "inf") {
		return unknown(endlessData)
	}
	return unknown(0)
}

// outcome returns the result of a condition if the result is constant.
func (s *state) outcome(stmt *syntax.Stmt) (succeeds, always bool) {
	succeeds, always = s.outcomeOf(stmt.Cmd)
	return succeeds != stmt.Negated, always
}

// succeeds reports whether a short statement always succeeds. It adds no steps, because the statement was counted before.
func (s *state) succeeds(stmt *syntax.Stmt) bool {
	if s.steps > maxSteps || stmt.End().Offset()-stmt.Pos().Offset() > maxCondition || substitutes(stmt) {
		return false
	}
	before := s.steps
	result, always := s.outcome(stmt)
	s.steps = before
	return result && always
}

// maxCondition is the maximum length of a statement that is searched for a constant result, and maxName that of a program's
// name, in bytes.
const (
	maxCondition = 1 << 10
	maxName      = 64
)

// substitutes reports whether a statement has command substitutions, which must not run twice, or a very long program name.
func substitutes(stmt *syntax.Stmt) (found bool) {
	syntax.Walk(stmt, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		case *syntax.CallExpr:
			found = found || len(n.Args) > 0 && n.Args[0].End().Offset()-n.Args[0].Pos().Offset() > maxName
		}
		return !found
	})
	return found
}

func (s *state) outcomeOf(command syntax.Command) (succeeds, always bool) {
	last := func(list []*syntax.Stmt) (bool, bool) {
		if len(list) == 0 {
			return false, false
		}
		return s.outcome(list[len(list)-1])
	}
	switch cond := command.(type) {
	case *syntax.Block:
		return last(cond.Stmts)
	case *syntax.Subshell:
		return last(cond.Stmts)
	case *syntax.TimeClause:
		if cond.Stmt == nil {
			return true, true
		}
		return s.outcome(cond.Stmt)
	case *syntax.BinaryCmd:
		left, leftAlways := s.outcome(cond.X)
		right, rightAlways := s.outcome(cond.Y)
		switch cond.Op {
		case syntax.AndStmt:
			return left && right, leftAlways && rightAlways || leftAlways && !left
		case syntax.OrStmt:
			return left || right, leftAlways && rightAlways || leftAlways && left
		}
		return right, rightAlways
	case *syntax.CallExpr:
		return s.outcomeOfCall(cond)
	case *syntax.ArithmCmd:
		if cond.X == nil {
			return false, false
		}
		n, ok := arithmetic(cond.X)
		return n != 0, ok
	case *syntax.LetClause:
		if len(cond.Exprs) == 0 {
			return false, false
		}
		n, ok := arithmetic(cond.Exprs[len(cond.Exprs)-1])
		return n != 0, ok
	case *syntax.TestClause:
		return testOutcome(cond.X)
	}
	return false, false
}

// arithmetic computes an expression of numbers.
func arithmetic(e syntax.ArithmExpr) (n int, ok bool) {
	switch e := e.(type) {
	case *syntax.Word:
		n, err := strconv.Atoi(e.Lit())
		return n, err == nil
	case *syntax.ParenArithm:
		return arithmetic(e.X)
	case *syntax.UnaryArithm:
		n, known := arithmetic(e.X)
		switch e.Op {
		case syntax.Not:
			return boolToInt(n == 0), known
		case syntax.Minus:
			return -n, known
		case syntax.Plus:
			return n, known
		}
	case *syntax.BinaryArithm:
		a, knownA := arithmetic(e.X)
		b, knownB := arithmetic(e.Y)
		if !knownA || !knownB {
			return 0, false
		}
		switch e.Op {
		case syntax.Add:
			return a + b, true
		case syntax.Sub:
			return a - b, true
		case syntax.Mul:
			return a * b, true
		case syntax.Quo:
			if b != 0 {
				return a / b, true
			}
		case syntax.Rem:
			if b != 0 {
				return a % b, true
			}
		case syntax.Shl:
			return a << min(max(b, 0), 62), true
		case syntax.Eql:
			return boolToInt(a == b), true
		case syntax.Neq:
			return boolToInt(a != b), true
		case syntax.Lss:
			return boolToInt(a < b), true
		case syntax.Gtr:
			return boolToInt(a > b), true
		case syntax.Leq:
			return boolToInt(a <= b), true
		case syntax.Geq:
			return boolToInt(a >= b), true
		case syntax.AndArit:
			return boolToInt(a != 0 && b != 0), true
		case syntax.OrArit:
			return boolToInt(a != 0 || b != 0), true
		}
	}
	return 0, false
}

func boolToInt(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

// testOutcome returns the result of a condition in [[ ]] if it is constant.
func testOutcome(e syntax.TestExpr) (succeeds, always bool) {
	switch e := e.(type) {
	case *syntax.Word:
		text, fixed := fixedText(e)
		return text != "", fixed
	case *syntax.ParenTest:
		return testOutcome(e.X)
	case *syntax.UnaryTest:
		if e.Op == syntax.TsNot {
			result, always := testOutcome(e.X)
			return !result, always
		}
		word, ok := e.X.(*syntax.Word)
		if !ok {
			return false, false
		}
		text, fixed := fixedText(word)
		switch e.Op {
		case syntax.TsEmpStr:
			return text == "", fixed
		case syntax.TsNempStr:
			return text != "", fixed
		}
		return slices.Contains(alwaysThere, text), fixed && slices.Contains(alwaysThere, text)
	case *syntax.BinaryTest:
		switch e.Op {
		case syntax.AndTest, syntax.OrTest:
			a, alwaysA := testOutcome(e.X)
			b, alwaysB := testOutcome(e.Y)
			if e.Op == syntax.AndTest {
				return a && b, alwaysA && alwaysB || alwaysA && !a
			}
			return a || b, alwaysA && alwaysB || alwaysA && a
		}
		left, ok := e.X.(*syntax.Word)
		right, isRight := e.Y.(*syntax.Word)
		if !ok || !isRight {
			return false, false
		}
		a, fixedA := fixedText(left)
		b, fixedB := fixedText(right)
		result, known := a == b, e.Op.String() == "=" || e.Op.String() == "=="
		return result, fixedA && fixedB && known
	}
	return false, false
}

// alwaysThere lists files that exist on every machine.
var alwaysThere = []string{"/", ".", "/etc", "/tmp", "/bin", "/usr", "/bin/sh", "/etc/passwd", "/etc/hosts", "/dev/null"}

// fixedText returns the text of a word without expansions.
func fixedText(word *syntax.Word) (text string, fixed bool) {
	var b strings.Builder
	for _, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(unescapeQuoted(lit.Value))
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// transparent lists commands that return the exit code of the command in their arguments.
var transparent = []string{"command", "builtin", "env", "exec", "eval", "time", "busybox", "nice", "nohup", "sudo"}

func (s *state) outcomeOfCall(cond *syntax.CallExpr) (succeeds, always bool) {
	if len(cond.Args) == 0 { // an assignment
		for _, a := range cond.Assigns {
			if a.Value != nil {
				if _, fixed := fixedText(a.Value); !fixed {
					return false, false
				}
			}
		}
		return true, len(cond.Assigns) > 0
	}
	name := path.Base(strings.TrimPrefix(s.text(cond.Args[0]).text, `\`))
	words, fixed := []string{}, true
	for _, word := range cond.Args[1:] {
		text, ok := fixedText(word)
		words, fixed = append(words, text), fixed && ok
	}
	for len(words) > 0 && slices.Contains(transparent, name) {
		name, words = path.Base(words[0]), words[1:]
	}
	if (name == "bash" || name == "sh") && len(words) == 2 && words[0] == "-c" {
		name, words = path.Base(words[1]), nil
	}
	switch name {
	case "true", ":", "echo", "printf", "pwd":
		return true, fixed
	case "cd":
		return true, len(words) == 0 || slices.Contains(alwaysThere, words[0])
	case "sleep":
		return true, fixed && len(words) > 0 && shortTime(words[0])
	case "let":
		return true, fixed && len(words) > 0 && words[len(words)-1] != "0"
	case "false":
		return false, true
	case "[", "test":
		if !fixed {
			return false, false
		}
		if name == "[" && len(words) > 0 {
			words = words[:len(words)-1]
		}
		return testResult(words)
	}
	return false, false
}

// testResult returns the result of the command test with known words if it is constant.
func testResult(words []string) (succeeds, always bool) {
	if len(words) > 1 && words[0] == "!" {
		succeeds, always = testResult(words[1:])
		return !succeeds, always
	}
	switch len(words) {
	case 0:
		return false, true
	case 1:
		return words[0] != "", true
	case 2:
		switch words[0] {
		case "-z":
			return words[1] == "", true
		case "-n":
			return words[1] != "", true
		}
		found := slices.Contains(alwaysThere, words[1])
		return found, found
	case 3:
		return words[0] == words[2], words[1] == "="
	}
	return false, false
}

// shortTime reports whether sleep with this argument ends soon.
func shortTime(word string) bool {
	n, err := strconv.ParseFloat(strings.TrimRight(word, "s"), 64)
	return err == nil && n < 1
}

// noteLoop notes a fork bomb: an endless loop that starts processes and never waits for them.
func (s *state) noteLoop(endless bool, body []*syntax.Stmt) {
	if !endless {
		return
	}
	if len(body) > 0 && body[len(body)-1].End().Offset()-body[0].Pos().Offset() > maxBody {
		s.unresolved(TooComplex)
		return
	}
	w := work{functions: map[string]bool{}}
	for name := range s.functions {
		w.functions[name] = true
	}
	for _, stmt := range body {
		w.addStatement(s, stmt)
	}
	if w.starts && !w.pauses && (w.detached || !w.waits) {
		add(&s.effects.Resources, "fork bomb")
	}
}

// work counts the processes of one repetition of a loop.
type work struct {
	starts, detached bool // whether it starts processes, and whether some are detached, so that wait does not wait for them
	waits, pauses    bool
	unreachable      bool
	functions        map[string]bool
}

func (w *work) addStatement(s *state, stmt *syntax.Stmt) {
	w.starts = w.starts || stmt.Background || stmt.Disown
	if f, ok := stmt.Cmd.(*syntax.FuncDecl); ok && f.Name != nil {
		w.functions[f.Name.Value] = true
	}
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && !stmt.Background {
		args := call.Args
		for len(args) > 1 && (args[0].Lit() == "builtin" || args[0].Lit() == "command") {
			args = args[1:]
		}
		name, first := args[0].Lit(), ""
		if len(args) > 1 {
			first = args[1].Lit()
		}
		reached := !w.unreachable && !w.functions[name]
		switch name {
		case "sleep":
			w.pauses = w.pauses || reached && len(args) > 1 && !shortTime(first)
		case "wait":
			number, err := strconv.Atoi(first)
			w.waits = w.waits || reached && !(err == nil && number > 0)
		case "read":
			w.pauses = w.pauses || reached && !(first == "-t" && len(args) > 2 && shortTime(args[2].Lit()))
		case "break", "exit", "return":
			w.pauses = w.pauses || reached
		case "continue":
			w.unreachable = true
		case "disown":
			w.detached = true
		case "daemonize", "start-stop-daemon":
			w.starts, w.detached = true, true
		case "setsid":
			if strings.HasPrefix(first, "-") && strings.Contains(first, "f") {
				w.starts, w.detached = true, true
			}
		}
	}
	subshells := 0
	var within []syntax.Node
	syntax.Walk(stmt, func(n syntax.Node) bool {
		if s.steps > maxSteps && n != nil {
			return false
		}
		if n == nil { // the walk leaves a node
			switch within[len(within)-1].(type) {
			case *syntax.Subshell, *syntax.CmdSubst:
				subshells--
			}
			within = within[:len(within)-1]
			return true
		}
		s.steps++
		within = append(within, n)
		switch inner := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst:
			subshells++
		case *syntax.Stmt:
			if inner.Background {
				w.starts, w.detached = true, w.detached || subshells > 0
			}
		case *syntax.CoprocClause:
			w.starts = true
		case *syntax.CallExpr:
		}
		return true
	})
}

// maxBody is the maximum size in bytes of a function or loop that is searched for calls of itself.
const maxBody = 8 << 10

func tooLarge(n syntax.Node) bool {
	return !n.End().IsRecovered() && n.End().Offset()-n.Pos().Offset() > maxBody // the end of a node that is cut off is not known
}

// multiplies reports whether a function calls itself in the background or on both sides of a pipe.
func multiplies(body *syntax.Stmt, name string) bool {
	calls := func(n syntax.Node) (count int) {
		syntax.Walk(n, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 && callsItself(call, name) {
				count++
			}
			return true
		})
		return count
	}
	found := false
	syntax.Walk(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			found = found || n.Background && calls(n) > 0
		case *syntax.BinaryCmd:
			found = found || (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && calls(n) > 1
		case *syntax.CoprocClause, *syntax.ProcSubst:
			found = found || calls(n) > 0
		}
		return !found
	})
	return found
}

// callsItself reports whether a call in a function calls the same function.
func callsItself(call *syntax.CallExpr, name string) bool {
	for _, word := range call.Args[:min(len(call.Args), 4)] {
		if word.Lit() == name {
			return true
		}
		for _, part := range word.Parts {
			if quoted, ok := part.(*syntax.DblQuoted); ok && len(quoted.Parts) == 1 {
				part = quoted.Parts[0]
			}
			if exp, ok := part.(*syntax.ParamExp); ok && exp.Param != nil && (exp.Param.Value == "FUNCNAME" || exp.Param.Value == "0") {
				return true
			}
		}
		if first := word.Lit(); first != "command" && first != "eval" && first != "exec" && first != "nohup" && first != "setsid" && first != "time" && first != "bash" && first != "sh" && first != "source" && first != "." {
			return false
		}
	}
	return false
}
