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
	cond, ok := l.Cond.(*syntax.BinaryArithm)
	if !ok || cond.Op != syntax.Lss && cond.Op != syntax.Leq {
		return false
	}
	limit, ok := arithmetic(cond.Y)
	return ok && limit >= minEndless
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

// succeeds reports whether a short statement always succeeds. It adds no steps, because the statement was counted
// before.
func (s *state) succeeds(stmt *syntax.Stmt) bool {
	if s.steps > maxSteps || stmt.End().Offset()-stmt.Pos().Offset() > maxCondition || substitutes(stmt) {
		return false
	}
	before := s.steps
	result, always := s.outcome(stmt)
	s.steps = before
	return result && always
}

// maxCondition is the maximum length of a statement that is searched for a constant result, and maxName that of a
// program's name, in bytes.
const (
	maxCondition = 1 << 10
	maxName      = 64
)

// substitutes reports whether a statement has command substitutions, which must not run twice, or a very long program
// name.
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
		return outcomeOfCall(cond)
	case *syntax.ArithmCmd:
		n, ok := arithmetic(cond.X)
		return n != 0, ok
	case *syntax.TestClause:
		if word, ok := cond.X.(*syntax.Word); ok { // [[ 1 ]]
			text, fixed := fixedText(word)
			return text != "", fixed
		}
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
		return -n, known && e.Op == syntax.Minus
	case *syntax.BinaryArithm:
		a, knownA := arithmetic(e.X)
		b, knownB := arithmetic(e.Y)
		known := knownA && knownB
		switch e.Op {
		case syntax.Add:
			return a + b, known
		case syntax.Sub:
			return a - b, known
		case syntax.Mul:
			return a * b, known
		}
	}
	return 0, false
}

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

func outcomeOfCall(cond *syntax.CallExpr) (succeeds, always bool) {
	if len(cond.Args) == 0 { // an assignment
		fixed := !slices.ContainsFunc(cond.Assigns, func(a *syntax.Assign) bool {
			if a.Value == nil {
				return false
			}
			_, fixed := fixedText(a.Value)
			return !fixed
		})
		return true, fixed
	}
	words, fixed := make([]string, len(cond.Args)), true
	for i, word := range cond.Args {
		text, ok := fixedText(word)
		words[i], fixed = text, fixed && ok
	}
	switch name := path.Base(words[0]); name {
	case "true", ":", "echo", "printf", "pwd":
		return true, fixed
	case "false":
		return false, true
	case "sleep":
		return true, fixed && len(words) > 1 && shortTime(words[1])
	case "[", "test":
		return testResult(strings.TrimSuffix(strings.Join(words[1:], " "), " ]"), fixed)
	}
	return false, false
}

// testResult returns the result of the command test with known words if it is constant: true, 1 = 1, 1 -eq 1.
func testResult(condition string, known bool) (succeeds, always bool) {
	words := strings.Fields(condition)
	switch {
	case len(words) == 1:
		return true, known
	case len(words) == 3 && (words[1] == "=" || words[1] == "-eq"):
		return words[0] == words[2], known
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
	var w work
	for _, stmt := range body {
		w.addStatement(s, stmt)
	}
	if w.starts && !w.pauses && (w.detached || !w.waits) {
		add(&s.effects.Resources, "fork bomb")
	}
}

// work counts the processes of one repetition of a loop.
type work struct {
	// whether it starts processes, and whether some are detached, so that wait does not wait for them
	starts, detached bool
	waits, pauses    bool
}

func (w *work) addStatement(s *state, stmt *syntax.Stmt) {
	w.starts = w.starts || stmt.Background || stmt.Disown
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && !stmt.Background {
		first := ""
		if len(call.Args) > 1 {
			first = call.Args[1].Lit()
		}
		switch call.Args[0].Lit() {
		case "sleep":
			w.pauses = w.pauses || len(call.Args) > 1 && !shortTime(first)
		case "wait":
			w.waits = true
		case "read", "break", "exit", "return":
			w.pauses = true
		case "disown":
			w.detached = true
		}
	}
	within := []syntax.Node{}
	syntax.Walk(stmt, func(n syntax.Node) bool {
		if s.steps > maxSteps && n != nil {
			return false
		}
		if n == nil { // the walk leaves a node
			within = within[:len(within)-1]
			return true
		}
		s.steps++
		within = append(within, n)
		if inner, ok := n.(*syntax.Stmt); ok && inner.Background {
			w.starts, w.detached = true, w.detached || slices.ContainsFunc(within, isSubshell)
		}
		return true
	})
}

func isSubshell(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.Subshell, *syntax.CmdSubst:
		return true
	}
	return false
}

// maxBody is the maximum size in bytes of a function or loop that is searched for calls of itself.
const maxBody = 8 << 10

func tooLarge(n syntax.Node) bool {
	// the end of a node that is cut off is not known
	return !n.End().IsRecovered() && n.End().Offset()-n.Pos().Offset() > maxBody
}

// multiplies reports whether a function calls itself in the background or on both sides of a pipe.
func multiplies(body *syntax.Stmt, name string) bool {
	calls := func(n syntax.Node) (count int) {
		syntax.Walk(n, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 && call.Args[0].Lit() == name {
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
