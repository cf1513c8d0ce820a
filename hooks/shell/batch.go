package shell

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"nomograph/internal/pattern"
)

// batchCommands maps commands of cmd to Unix programs.
var batchCommands = sync.OnceValue(func() map[string]string { return textsWith("batch") })

var batchSwitchPattern = pattern.New(`^/[A-Za-z-]+(?::\S*)?$`)

// batchStatement translates a line of cmd.
func (t *translator) batchStatement() string {
	for t.peek() == '@' || t.peek() == '(' || t.peek() == ')' {
		t.at++
		t.space(false)
	}
	rest := t.text[t.at:]
	if found := batchTestPattern.FindString(rest); found != "" {
		t.at += len(found)
		return t.batchStatement()
	}
	if found := batchLoopPattern.FindStringSubmatch(rest); found != nil {
		t.at += len(found[0])
		items := t.inner(found[2])
		var words []string
		for w, ok := items.argument(); ok; w, ok = items.argument() {
			words = append(words, w.script)
		}
		name, list := strings.ToLower(found[1]), strings.Join(words, " ")
		return "for batch_" + name + " in " + list + "; do " + group(t.list()) + "; done"
	}
	return t.list()
}

var batchVariablePattern = pattern.New(`^%(?:%?~?([a-zA-Z])\b|(\w+)(?::[^%\n]*)?%|~?[0-9*])`)

func (t *translator) batchVariable() (word, bool) {
	found := batchVariablePattern.FindStringSubmatch(t.text[t.at:min(len(t.text), t.at+200)])
	switch {
	case found == nil:
		return word{}, false
	case found[2] != "":
		t.at += len(found[0])
		return variable("env:", found[2]), true
	}
	t.at += len(found[0])
	return word{script: `"$batch_` + strings.ToLower(found[1]) + `"`}, true
}

// batchCommand translates a command of cmd.
func (t *translator) batchCommand() string {
	name, ok := t.argument()
	if !ok {
		return ""
	}
	lower, from := strings.ToLower(name.literal), t.at
	program, own := batchCommands()[lower]
	args, switches, redirects := t.batchArguments(own)
	line := strings.TrimSpace(t.text[from:t.at])
	switch {
	case lower == "set":
		return setVariable(line) + redirects
	case lower == "start":
		if strings.HasPrefix(line, `"`) && len(args) > 0 { // the title of the window
			args = args[1:]
		}
	case lower == "mklink" && len(args) > 1:
		return "ln -s " + args[len(args)-1].script + " " + args[len(args)-2].script
	case lower == "robocopy":
		return mirror(append(args, fixedWord(strings.Join(switches, "")))) + redirects
	case (lower == "findstr" || lower == "find") && len(args) == 0:
		return "true"
	case slices.Contains(switches, "/s") && own: // also what is in folders
		program = cmp.Or(recursiveCommands[program], program)
	case !own:
		program = name.script
	}
	return joinWords(program, scripts(args)) + redirects
}

// recursiveCommands maps programs to those that also work on what is in folders.
var recursiveCommands = map[string]string{"rm -f": "rm -rf", "rmdir": "rm -rf", "ls": "find", "cp": "cp -r"}

// batchArguments reads the arguments of a command. Commands of cmd itself have switches such as /s.
func (t *translator) batchArguments(own bool) (args []word, switches []string, redirects string) {
	for w, ok := t.argument(); ok; w, ok = t.argument() {
		switch {
		case w.redirects != "":
			redirects += " " + w.redirects + w.script
		case own && w.bare && batchSwitchPattern.MatchString(w.literal):
			switches = append(switches, strings.ToLower(w.literal))
		default:
			args = append(args, w)
		}
	}
	return args, switches, redirects
}

// setVariable translates the arguments of set, which prints variables if it has none.
func setVariable(line string) string {
	name, value, ok := strings.Cut(strings.Trim(line, `"`), "=")
	switch {
	case line == "":
		return "env"
	case ok && isVariableName(name):
		return strings.ToUpper(name) + "=" + quote(pathSlashes(value))
	}
	return "true"
}

// windows handles cmd, whose arguments are code.
func windows(s *state, c *call) value {
	args := c.args
	for len(args) > 0 && strings.HasPrefix(args[0].text, "/") {
		args = args[1:]
	}
	if len(args) == 0 {
		return unknown(0)
	}
	return s.runDialect(joinArgs(args), Cmd)
}
