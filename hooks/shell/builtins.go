package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"nomograph/internal/pattern"
)

// noEffect programs neither read the content of files nor print their arguments.
func noEffect(*state, *call) value { return unknown(0) }

// printEnvironment handles printenv, which prints all variables or one.
func printEnvironment(s *state, c *call) value {
	if len(c.args) == 0 {
		s.noteEnvironment()
		return unknown(secret | fromFile)
	}
	out := unknown(fromFile)
	for _, name := range c.words("") {
		for _, v := range s.vars[name.text] {
			out = concat(out, v.with(v.text+"\n"))
		}
	}
	return out
}

// noteEnvironment notes that all variables are printed, with those of a .env file that the command has read.
func (s *state) noteEnvironment() {
	if s.readsEnvironment {
		add(&s.effects.ReadsOf, Environment)
	}
}

// setArgs handles set, which assigns the positional parameters or prints all variables.
func setArgs(s *state, c *call) value {
	if len(c.args) == 0 {
		s.noteEnvironment()
		return unknown(secret)
	}
	for i, a := range c.args {
		if a.text == "+o" && i+1 < len(c.args) && c.args[i+1].text == "history" {
			add(&s.effects.Protections, "the history of the shell")
			return value{}
		}
		if a.text == "--" || !strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "+") &&
			(i == 0 || c.args[i-1].text != "-o") {
			if a.text == "--" {
				i++
			}
			s.args = c.args[i:]
			break
		}
	}
	return value{}
}

func changeDir(s *state, c *call) value {
	words, before := c.words(""), ""
	if old := s.vars["OLDPWD"]; len(old) == 1 && !old[0].incomplete {
		before = old[0].text
	}
	if delete(s.vars, "OLDPWD"); s.cwd != "" {
		s.vars["OLDPWD"] = []value{known(s.cwd)}
	}
	if len(words) == 0 {
		s.cwd = "~"
		return value{}
	}
	if words[0].text == "-" && s.conditional == 0 && before != "" {
		s.cwd, s.vars["PWD"] = s.absolute(before), []value{known(s.absolute(before))}
		return value{}
	}
	if words[0].incomplete && strings.HasPrefix(words[0].text, "$") || words[0].text == "-" {
		s.cwd, s.leftProject = "", true
		return value{}
	}
	s.cwd = s.absolute(words[0].text)
	s.vars["PWD"] = []value{known(s.cwd)}
	return value{}
}

// maxFolders is the maximum number of folders that pushd stores.
const maxFolders = 100

// pushFolder handles pushd: it stores the current folder for popd, and changes it. After a number as an argument, the
// folder is unknown.
func pushFolder(s *state, c *call) value {
	before := s.cwd
	if len(c.args) == 0 {
		if n := len(s.folders); n > 0 {
			s.returnTo(s.folders[n-1])
			s.folders = append(slices.Clone(s.folders[:n-1]), before)
		}
		return value{}
	}
	s.folders = append(slices.Clip(s.folders[max(0, len(s.folders)+1-maxFolders):]), before)
	if numberedFolderPattern.MatchString(c.args[0].text) {
		s.cwd, s.leftProject = "", true
		return value{}
	}
	return changeDir(s, c)
}

// popFolder handles popd, which returns to the folder before the last pushd.
func popFolder(s *state, _ *call) value {
	if n := len(s.folders); n > 0 {
		to := s.folders[n-1]
		s.folders = s.folders[:n-1]
		s.returnTo(to)
	}
	return value{}
}

// returnTo changes to a folder stored by pushd; "" if unknown.
func (s *state) returnTo(folder string) {
	if folder == "" {
		s.cwd, s.leftProject = "", true
		return
	}
	changeDir(s, &call{name: "cd", args: []value{known(folder)}})
}

// numberedFolderPattern matches a position in the list of folders of pushd.
var numberedFolderPattern = pattern.New(`^[+-]\d+$`)

func workingDir(s *state, _ *call) value {
	if s.cwd == "" {
		return unknown(0)
	}
	return known(s.cwd + "\n")
}

// shift drops the first of the positional parameters.
func shift(s *state, c *call) value {
	n := 1
	if len(c.args) > 0 {
		n, _ = strconv.Atoi(c.args[0].text)
	}
	s.args = s.args[min(max(n, 0), len(s.args)):]
	return value{}
}

func eval(s *state, c *call) value {
	code := joinArgs(c.args)
	s.noteCode(code)
	if len(code.text) > maxText || code.text == "" {
		return unknown(code.labels)
	}
	s.depth++
	defer func() { s.depth-- }()
	return s.runHere(code)
}

func source(s *state, c *call) value {
	if len(c.args) == 0 {
		return value{}
	}
	file := c.args[0]
	var content value
	if end, ok := s.descriptor(file.text); ok || file.text == "/dev/stdin" {
		content = s.read(file)
		if end.network {
			content = unknown(network)
		}
	} else {
		content = s.content(file)
		content.labels &^= secret
	}
	if content.labels&unread != 0 || len(content.text) > maxText {
		s.noteCode(value{labels: bounded(content).labels})
	}
	s.readsEnvironment = s.readsEnvironment || isEnvironment(s.absolute(file.text))
	if content.text == "" {
		s.doubtVariables()
	}
	if content.incomplete && hiddenCodePattern.MatchString(strings.TrimSpace(content.text)) {
		s.noteCode(content)
	}
	if content.text != "" && len(content.text) <= maxText && (!content.incomplete || content.labels != 0) {
		s.depth++
		defer func() { s.depth-- }()
		return s.runHere(content)
	}
	return unknown(0)
}

// isVariableName reports whether a word can be the name of a variable.
func isVariableName(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r > 127 || !isNameByte(byte(r)) }) &&
		(text[0] < '0' || text[0] > '9')
}

func unset(s *state, c *call) value {
	for _, a := range c.args {
		delete(s.vars, a.text)
		if s.conditional == 0 && isVariableName(a.text) && a.text != "HOME" {
			s.vars[a.text] = []value{known("")}
		}
		if name, index, ok := strings.Cut(strings.TrimSuffix(a.text, "]"), "["); ok {
			delete(s.arrays[name], index)
		}
		s.noteVariable(a.text, "")
	}
	return value{}
}

// readVar handles read and mapfile, which store their input in variables and arrays.
func readVar(s *state, c *call) value {
	input, lines := s.inputOf(c), c.name != "read"
	if end, ok := c.option("-d"); ok && end.text != "" {
		if lines {
			input.text = strings.ReplaceAll(input.text, end.text[:1], "\n")
		} else {
			input.text, _, _ = strings.Cut(input.text, end.text[:1])
		}
	}
	input.text = strings.TrimRight(input.text, "\n")
	mayBeEmpty := input.text == "" && (input.incomplete || !s.hasStdin) // a person may answer with an empty line
	if mayBeEmpty {
		input.text, input.incomplete = "$(input)", true
	}
	words := strings.FieldsFunc(input.text, func(r rune) bool { return strings.ContainsRune(s.fieldSeparators(), r) })
	if lines || c.has("-a") {
		if lines {
			words = strings.Split(input.text, "\n")
		}
		s.storeArray(c, words, input)
		return value{}
	}
	names := c.words("udnptNi")
	if len(names) == 0 {
		names = []value{known("REPLY")}
	}
	for i, name := range names {
		one := input
		if len(names) > 1 && !input.incomplete {
			one.text = strings.Join(words[min(i, len(words)):min(i+1, len(words))], "")
			if i == len(names)-1 {
				one.text = strings.Join(words[min(i, len(words)):], " ")
			}
		}
		values := []value{one}
		if mayBeEmpty {
			values = append(values, known(""))
		}
		s.assign(name.text, values)
		if name.incomplete {
			s.doubtVariables()
		}
	}
	return value{}
}

// inputOf returns the input of read: of standard input, or of the descriptor in -u NUMBER.
func (s *state) inputOf(c *call) value {
	number := clusterValue(c, 'u')
	end, ok := s.fds[number]
	switch {
	case !ok || number == "":
		return s.stdin
	case end.network:
		return unknown(network)
	case end.path != "" && end.content.text == "":
		return s.read(known(end.path))
	}
	return end.content
}

// storeArray stores words of the input in an array.
func (s *state) storeArray(c *call, words []string, input value) {
	name, valued := "MAPFILE", "dnOsuCc"
	if c.name == "read" {
		valued = "udnptNi"
	}
	if names := c.words(valued); len(names) > 0 {
		name = names[0].text
	}
	s.assign(name, []value{input})
	s.arrays[name] = map[string]value{}
	for i, word := range words[:min(len(words), maxListed)] {
		s.arrays[name][strconv.Itoa(i)] = input.with(word)
	}
}

func trap(s *state, c *call) value {
	if words := c.words("lp"); len(words) > 1 {
		sub := s.child()
		sub.conditional++
		eval(sub, &call{name: c.name, args: words[:1]})
		s.vars = sub.vars // the code of a trap may run at any time
	}
	return value{}
}

// alias defines a command. Its text is evaluated where the name is used.
func alias(s *state, c *call) value {
	for _, a := range c.args {
		name, text, ok := strings.Cut(a.text, "=")
		if body := aliasBody(text); ok && body != nil {
			s.functions[name], s.isAlias[name] = body, true
		}
	}
	return value{}
}

// aliasBody returns the statement that an alias stands for: its text with the arguments. nil if it cannot be parsed.
func aliasBody(text string) *syntax.Stmt {
	stmts, ok := parse(text + ` "$@"`)
	if !ok || len(stmts) == 0 {
		return nil
	}
	if len(stmts) == 1 {
		return stmts[0]
	}
	return &syntax.Stmt{Cmd: &syntax.Block{Stmts: stmts}}
}

func quote(text string) string {
	quoted, err := syntax.Quote(text, syntax.LangBash)
	if err != nil {
		return "''"
	}
	return quoted
}
