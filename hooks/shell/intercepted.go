package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"nomograph/internal/pattern"
)

// typedCommands are commands that people type in a terminal to look around. Scripts and their tests have few reasons to replace them.
const typedCommands = `ls cd cat pwd ps cp mv mkdir rmdir touch whoami grep find echo vi vim nano less man sudo`

// shownCommands are those of typedCommands that only show something or open it. changingCommands are others, which functions
// replace in order to print what they would do.
const (
	shownCommands    = `ls cd cat pwd ps whoami vi vim nano less man`
	changingCommands = `cp mv mkdir rmdir touch exit`
)

// intercepted returns the typed command with which code compares a variable, such as $BASH_COMMAND in a trap before each
// command. It follows the functions that the code calls.
func (s *state) intercepted(stmts []*syntax.Stmt, variable string) (command string) {
	names := []string{variable}
	compares := func(word *syntax.Word) {
		text, _ := fixedText(word)
		if text == "" { // "$line" == ls*
			text = word.Lit()
		}
		first := strings.TrimLeft(text, `^*"'( `)
		if at := strings.IndexAny(first, ` |)*"'$\[`); at >= 0 {
			first = first[:at]
		}
		if command == "" && first != "" && slices.Contains(strings.Fields(typedCommands), path.Base(first)) {
			command = path.Base(first)
		}
	}
	about := func(word *syntax.Word) bool {
		return word != nil && slices.ContainsFunc(names, func(name string) bool { return namesVariable(word, name) })
	}
	mentions := slices.ContainsFunc(stmts, func(stmt *syntax.Stmt) bool { return namesVariable(stmt, variable) })
	visited := map[string]bool{}
	var visit func(n syntax.Node) bool
	visit = func(n syntax.Node) bool {
		if s.steps++; s.steps > maxSteps {
			return false
		}
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && about(n.Value) {
				names = append(names, n.Name.Value)
			}
		case *syntax.CaseClause:
			if about(n.Word) {
				for _, item := range n.Items {
					for _, one := range item.Patterns {
						compares(one)
					}
				}
			}
		case *syntax.BinaryTest:
			x, isWord := n.X.(*syntax.Word)
			if y, ok := n.Y.(*syntax.Word); ok && isWord && about(x) {
				compares(y)
			}
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				return true
			}
			name := n.Args[0].Lit()
			if (name == "[" || name == "test") && slices.ContainsFunc(n.Args, about) {
				for _, word := range n.Args[1:] {
					compares(word)
				}
			}
			if mentions && name == "grep" {
				for _, word := range n.Args[1:] {
					compares(word)
				}
			}
			if body := s.functions[name]; body != nil && !visited[name] {
				visited[name] = true
				if slices.ContainsFunc(n.Args[1:], about) {
					names = append(names, "1")
				}
				syntax.Walk(body, visit)
			}
		}
		return true
	}
	for _, stmt := range stmts {
		syntax.Walk(stmt, visit)
	}
	return command
}

// noteIntercepted notes code that treats commands differently from what their names say.
func (s *state) noteIntercepted(stmts []*syntax.Stmt, variable string) {
	if command := s.intercepted(stmts, variable); command != "" {
		add(&s.effects.Protections, "the command "+command)
	}
}

// colorPattern matches options and escape codes of colors: -ne, \e[0m.
var colorPattern = pattern.New(`^(?:-[neE]+|(?:\\(?:e|E|033|x1b|x1B)\[[\d;]*m)+)$`)

// noteDebugTrap notes a trap before each command that blocks commands, prints a fixed text or reports commands to another machine.
func (s *state) noteDebugTrap(code string) {
	stmts, ok := parse(code)
	if !ok {
		return
	}
	s.noteIntercepted(stmts, "BASH_COMMAND")
	s.debugTrap = true
	stops := s.extdebug
	for _, stmt := range stmts {
		call, isCall := stmt.Cmd.(*syntax.CallExpr)
		if !isCall || len(call.Args) == 0 {
			continue
		}
		name := call.Args[0].Lit()
		if body := s.functions[name]; body != nil {
			if block, ok := body.Cmd.(*syntax.Block); ok && len(block.Stmts) == 1 {
				if inner, ok := block.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(inner.Args) > 0 {
					call, name = inner, inner.Args[0].Lit()
				}
			}
		}
		fixed := len(call.Args) > 1 && !slices.ContainsFunc(call.Args[1:], func(word *syntax.Word) bool { _, ok := fixedText(word); return !ok })
		if fixed && !slices.ContainsFunc(call.Args[1:], func(word *syntax.Word) bool { text, _ := fixedText(word); return !colorPattern.MatchString(text) }) {
			continue // resets the colors of the prompt
		}
		stops = stops || slices.Contains([]string{"kill", "pkill", "exit", "logout"}, name) || fixed && (name == "echo" || name == "printf")
	}
	hosts := len(s.effects.Hosts)
	if sub := s.child(); sub.step() {
		sub.conditional++
		sub.stmts(stmts)
	}
	if stops || len(s.effects.Hosts) > hosts && strings.Contains(code, "BASH_COMMAND") {
		add(&s.effects.Protections, "every command")
	}
}

// shopt handles options of Bash. With extdebug, a trap decides which commands run.
func shopt(s *state, c *call) value {
	if c.has("-s") && slices.ContainsFunc(c.args, func(a value) bool { return a.text == "extdebug" }) {
		s.useExtdebug()
	}
	return unknown(0)
}

// useExtdebug notes that the result of a trap before each command decides whether the command runs.
func (s *state) useExtdebug() {
	if s.extdebug = true; s.debugTrap {
		add(&s.effects.Protections, "every command")
	}
}

// noteFakeShell notes a loop that reads commands from the user, runs them, and replaces some: while read LINE; do case $LINE in
// ls) ...;; *) eval "$LINE";; esac; done.
func (s *state) noteFakeShell(c *syntax.WhileClause) {
	if s.hasStdin {
		return
	}
	name := ""
	reads := func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 1 && call.Args[0].Lit() == "read" {
			name = call.Args[len(call.Args)-1].Lit()
		}
		return name == ""
	}
	for _, stmt := range slices.Concat(c.Cond, c.Do[:min(len(c.Do), 3)]) {
		syntax.Walk(stmt, reads)
	}
	if name == "" {
		return
	}
	runs := false
	for _, stmt := range c.Do {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
				program := call.Args[0].Lit()
				runs = runs || namesVariable(call.Args[0], name) || (program == "eval" || shellNames()[program]) && slices.ContainsFunc(call.Args, func(word *syntax.Word) bool { return namesVariable(word, name) })
			}
			return !runs
		})
	}
	if runs {
		s.noteIntercepted(c.Do, name)
	}
}

// hidesLines reports whether a function removes lines or changes the text that the real command prints.
func hidesLines(name string, body *syntax.Stmt) (hides bool) {
	syntax.Walk(body, func(n syntax.Node) bool {
		pipe, ok := n.(*syntax.BinaryCmd)
		if !ok || pipe.Op != syntax.Pipe {
			return !hides
		}
		right, isCall := pipe.Y.Cmd.(*syntax.CallExpr)
		if !isCall || len(right.Args) == 0 {
			return !hides
		}
		runs := false
		syntax.Walk(pipe.X, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok {
				runs = runs || slices.ContainsFunc(call.Args[:min(len(call.Args), 2)], func(word *syntax.Word) bool { return programName(word.Lit()) == name })
			}
			return !runs
		})
		program := right.Args[0].Lit()
		hides = hides || runs && (program == "rev" || program == "shuf" || program == "sed" || program == "grep" && len(right.Args) > 2 && strings.HasPrefix(right.Args[1].Lit(), "-v"))
		return !hides
	})
	return hides
}

// noteStub notes a function that replaces a typed command by a text or by nothing.
func (s *state) noteStub(name string, body *syntax.Stmt) {
	shows := slices.Contains(strings.Fields(shownCommands), name)
	if !shows && !slices.Contains(strings.Fields(changingCommands), name) {
		return
	}
	plain, takesArguments, acts := true, false, false
	syntax.Walk(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				program := n.Args[0].Lit()
				acts = acts || slices.Contains([]string{"echo", "printf", "exit", "logout"}, program) && (len(n.Args) > 1 || program == "exit" || program == "logout")
				plain = plain && slices.Contains([]string{"echo", "printf", "return", "true", "false", ":", "exit", "logout"}, program)
			}
		case *syntax.ParamExp:
			takesArguments = takesArguments || n.Param != nil && slices.Contains([]string{"@", "*", "1"}, n.Param.Value)
		case *syntax.CmdSubst:
			plain = false
		}
		return plain
	})
	switch {
	case !plain || takesArguments && !shows:
	case acts:
		s.stubs = append(s.stubs, name)
	default:
		s.emptyStubs = append(s.emptyStubs, name)
	}
}

// noteStubs notes the commands that functions have replaced, unless the command reads code of others: tests replace commands that the
// tested code calls. A single function without effect counts as such a test.
func (s *state) noteStubs() {
	if s.readsForeignCode || slices.Contains(s.effects.Programs, "bats") || slices.Contains(s.effects.Programs, "shellspec") {
		return
	}
	stubs := s.stubs
	if len(s.emptyStubs) > 1 {
		stubs = append(stubs, s.emptyStubs...)
	}
	for _, name := range stubs {
		add(&s.effects.Protections, "the command "+name)
	}
}

// startsOpenFile reports whether a replaced command starts a file in a folder that every user may write.
func startsOpenFile(body *syntax.Stmt) (starts bool) {
	syntax.Walk(body, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			for i, word := range call.Args[:min(len(call.Args), 3)] {
				starts = starts || inOpenFolder(word.Lit()) && (i == 0 || runsItsArguments(call.Args[i-1].Lit()))
			}
		}
		return !starts
	})
	return starts
}
