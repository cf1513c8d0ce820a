package shell

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"nomograph/internal/pattern"
)

// wrapper is a program that runs the command in its arguments.
type wrapper struct {
	valued  string   // short options that take a value
	long    []string // long options that take a value as the next word
	skip    int      // words before the command
	assigns bool     // NAME=VALUE may come before the command
}

// wrappers maps programs to the way in which they run the command in their arguments.
var wrappers = sync.OnceValue(func() map[string]wrapper {
	byName := map[string]wrapper{}
	for name, words := range programsWith("wraps") {
		w := wrapper{}
		for _, word := range words {
			switch {
			case word == "NAME=VALUE":
				w.assigns = true
			case strings.HasPrefix(word, "--"):
				w.long = append(w.long, word)
			case word[0] == '-':
				w.valued += word[1:]
			default:
				w.skip, _ = strconv.Atoi(word)
			}
		}
		byName[name] = w
	}
	return byName
})

// wrapped returns the command that a wrapper runs, and the variables that it sets for the command.
func (w wrapper) wrapped(args []value) (command, assigned []value) {
	skip := w.skip
	for i := 0; i < len(args); i++ {
		text := args[i].text
		switch {
		case text == "--":
			if skip == 0 {
				return args[i+1:], assigned
			}
		case text == "-":
		case strings.HasPrefix(text, "--"):
			for _, long := range w.long {
				if text == long {
					i++
					break
				}
			}
		case strings.HasPrefix(text, "-") && len(text) > 1:
			last := text[len(text)-1]
			if strings.IndexByte(w.valued, last) >= 0 {
				i++
			}
		case w.assigns && (assignmentAt(text) > 0 || isExportedFunction(text)):
			assigned = append(assigned, args[i])
		case skip > 0:
			skip--
		default:
			return args[i:], assigned
		}
	}
	return nil, assigned
}

func assignmentAt(text string) int {
	at := strings.IndexByte(text, '=')
	if at > 0 && strings.IndexFunc(text[:at], func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0 {
		return at
	}
	return 0
}

// exportedFunction starts the variables in which Bash passes functions to other shells: BASH_FUNC_NAME%%=() { ...; }.
const exportedFunction = "BASH_FUNC_"

func isExportedFunction(text string) bool {
	return strings.HasPrefix(text, exportedFunction) && strings.Contains(text, "=")
}

// importFunction defines the function in a variable of the environment.
func (s *state) importFunction(text string) {
	name, body, _ := strings.Cut(strings.TrimPrefix(text, exportedFunction), "=")
	name = strings.TrimRight(name, "%()")
	if stmts, ok := parse(name + " " + body); ok {
		s.stmts(stmts)
	}
}

func wrap(s *state, c *call) value {
	switch c.name {
	case "sudo", "doas", "pkexec":
		s.effects.Privileged = true
	case "command", "builtin":
		if len(c.args) > 0 && locatesPattern.MatchString(c.args[0].text) {
			c.args = c.args[1:]
			return programPath(s, c)
		}
	case "flock", "parallel", "watch", "env": // may take a command line for a shell
		for i, a := range c.args {
			if c.name == "flock" && a.text == "-c" && i+1 < len(c.args) {
				return s.runText(c.args[i+1], nil)
			}
			if c.name == "env" && (a.text == "-S" || a.text == "--split-string") && i+1 < len(c.args) {
				code := c.args[i+1]
				for _, rest := range c.args[i+2:] {
					code = concatWith(code, " ", value{text: quote(rest.text), incomplete: rest.incomplete, labels: rest.labels})
				}
				return s.runText(code, nil)
			}
			if text, ok := strings.CutPrefix(a.text, "--split-string="); c.name == "env" && ok {
				return s.runText(value{text: text, incomplete: a.incomplete, labels: a.labels}, nil)
			}
			if text, ok := strings.CutPrefix(a.text, "-S"); c.name == "env" && ok && text != "" {
				return s.runText(value{text: text, incomplete: a.incomplete, labels: a.labels}, nil)
			}
		}
	}
	w := wrappers()[c.name]
	if c.name == "setarch" && !namesMachine(c) {
		w.skip = 0
	}
	command, assigned := w.wrapped(c.args)
	if len(command) == 0 {
		if c.name == "env" && len(assigned) == 0 {
			s.noteEnvironment()
			return unknown(secret | fromFile)
		}
		if (c.name == "sudo" && c.has("-i", "-s", "-S") || c.name == "parallel") && s.hasStdin {
			return s.runText(s.stdin, nil)
		}
		return unknown(s.stdin.labels)
	}
	switch c.name {
	case "parallel":
		return s.runParallel(command)
	case "watch":
		return s.runText(joinArgs(command), nil)
	}
	if folder, ok := (&call{args: c.args[:len(c.args)-len(command)]}).option("-C", "--chdir", "-D"); ok && (c.name == "env" || c.name == "sudo") {
		s = s.child()
		s.depth--
		s.cwd = s.absolute(folder.text)
	}
	if len(assigned) > 0 {
		sub := s.child()
		sub.depth--
		for _, a := range assigned {
			if isExportedFunction(a.text) {
				sub.importFunction(a.text)
				continue
			}
			at := assignmentAt(a.text)
			sub.vars[a.text[:at]] = []value{{text: a.text[at+1:], incomplete: a.incomplete, labels: a.labels}}
		}
		sub.skipFunctions = true
		return sub.run(command)
	}
	if at := len(c.args) - len(command) - 1; at >= 0 && (c.name == "timeout" || c.name == "gtimeout") && (c.args[at].incomplete || shortTimePattern.MatchString(c.args[at].text)) {
		s = s.child()
		s.depth--
		s.timeLimited = true
	}
	s.skipFunctions = c.name != "noglob" && c.name != "nocorrect" && c.name != "coproc"
	return s.run(command)
}

// locatesPattern matches options with which command prints where a program is.
var locatesPattern = pattern.New(`^-p*[vV][pvV]*$`)

// namesMachine reports whether the first word of setarch is a machine, which may be left out.
func namesMachine(c *call) bool {
	words := c.words("")
	return len(words) > 0 && handlerOf(programName(words[0].text)) == nil && !slices.Contains(destroyers, programName(words[0].text))
}

// shortTimePattern matches a time limit that is too short to fill a disk. 0 means no limit.
var shortTimePattern = pattern.New(`^(?:0*[1-9]\d{0,2}(?:\.\d+)?|0?\.\d+)s?$`)

func argsBefore(args []value, end string) []value {
	for i, a := range args {
		if a.text == end {
			return args[:i]
		}
	}
	return args
}

// joinArgs joins arguments to the command line that a program passes to a shell.
func joinArgs(args []value) value {
	var text strings.Builder
	all := value{}
	for i, a := range args {
		all.incomplete, all.labels = all.incomplete || a.incomplete, all.labels|a.labels
		separator := " "[:min(i, 1)]
		if text.Len()+len(separator)+len(a.text) > maxText {
			all.incomplete, all.labels = true, all.labels|cutOff
			continue
		}
		text.WriteString(separator + a.text)
	}
	all.text = text.String()
	return all
}

// remoteCommand joins arguments to the command line that ssh sends.
func remoteCommand(args []value) value { return joinArgs(args) }

// runParallel runs a command of parallel for each item after ":::".
func (s *state) runParallel(words []value) value {
	command := argsBefore(words, ":::")
	items := words[min(len(command)+1, len(words)):]
	if len(items) == 0 {
		items = []value{{text: "$(stdin)", incomplete: true, labels: s.stdin.labels}}
	}
	out := value{}
	for _, item := range items {
		run, placed := slices.Clone(command), false
		for i, word := range run {
			placed = placed || strings.Contains(word.text, "{")
			run[i].text = strings.ReplaceAll(word.text, "{}", item.text)
		}
		if !placed {
			run = append(run, item)
		}
		if sub := s.child(); sub.step() {
			out = concat(out, sub.runText(joinArgs(run), nil))
		}
	}
	return out
}

// xargs runs its command with its input as arguments.
func xargs(s *state, c *call) value {
	w := wrapper{valued: "IinPLsdEa", long: []string{"--replace", "--max-args", "--max-procs", "--delimiter", "--arg-file", "--max-lines", "--max-chars"}}
	if c.has("-i") {
		w.valued = "InPLsdEa"
	}
	command, _ := w.wrapped(c.args)
	input := s.stdin
	if file, ok := c.option("-a", "--arg-file"); ok {
		input = s.read(file)
	}
	if len(command) == 0 {
		return input
	}
	if _, several := c.option("-P", "--max-procs"); several && input.labels&endlessData != 0 {
		add(&s.effects.Resources, "fork bomb")
	}
	place, replaces := c.option("-I", "--replace")
	if !replaces && c.has("-i") {
		place, replaces = known("{}"), true
	}
	items := strings.Fields(strings.ReplaceAll(input.text, "\x00", "\n"))
	if lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(input.text, "\x00", "\n")), "\n"); replaces && lines[0] != "" {
		items = lines
	}
	if input.incomplete || len(items) == 0 {
		items = append(items, "$(stdin)")
	}
	run := append([]value{}, command...)
	if !replaces {
		if len(items) > maxBraces {
			s.unresolved(TooComplex)
		}
		for _, item := range items[:min(len(items), maxBraces)] {
			run = append(run, value{text: item, incomplete: input.incomplete, labels: input.labels})
		}
	}
	if last := command[len(command)-1].text; !replaces && len(last) < 6 && strings.HasPrefix(last, "-") && strings.HasSuffix(last, "c") && !input.incomplete {
		if end := len(command); c.has("-0", "-d", "--null", "--delimiter") { // the whole input is one word, the code for a shell
			run = append(run[:end:end], value{text: strings.TrimSpace(input.text), labels: input.labels})
		}
	}
	sub := s.child()
	sub.stdin, sub.hasStdin = value{}, false
	if !replaces || place.text == "" {
		return sub.run(run)
	}
	out := value{}
	if places := sortByWeight(s, items, func(item string) string { return item }); places > maxItems {
		s.unresolved(TooComplex)
	}
	for _, item := range items[:min(len(items), maxItems)] {
		one := slices.Clone(run)
		for i := range one {
			if strings.Contains(one[i].text, place.text) {
				one[i] = value{text: strings.ReplaceAll(one[i].text, place.text, item), incomplete: one[i].incomplete || input.incomplete, labels: one[i].labels | input.labels}
			}
		}
		out = concat(out, sub.run(one))
	}
	return out
}

// maxItems is the maximum number of input items for which the command of xargs is evaluated. Sensitive items come first.
const maxItems = 20

// sortByWeight sorts paths at sensitive places first, then programs that rules may stop. It returns the number of such paths.
func sortByWeight[T any](s *state, items []T, text func(T) string) (places int) {
	var first, second, others []T
	for _, item := range items {
		program, _, _ := strings.Cut(text(item), " ")
		switch full := s.absolute(text(item)); {
		case holdsSecrets(full) || len(deletePlaces(full, true, s.ownFolder())) > 0:
			first = append(first, item)
		case slices.Contains(destroyers, programName(program)):
			second = append(second, item)
		default:
			others = append(others, item)
		}
	}
	copy(items, slices.Concat(first, second, others))
	return len(first)
}

// findCommand handles find: commands that it starts, and paths that it deletes and prints.
func findCommand(s *state, c *call) value {
	var starts []value
	at := 0
	for ; at < len(c.args); at++ {
		text := c.args[at].text
		if text == "-H" || text == "-L" || text == "-P" || text == "-x" || text == "-E" || strings.HasPrefix(text, "-O") {
			continue
		}
		if strings.HasPrefix(text, "-") || text == "(" || text == "!" || text == ")" {
			break
		}
		starts = append(starts, c.args[at])
	}
	if len(starts) == 0 {
		starts = []value{known(".")}
	}
	filtered := false
	for i := at; i < len(c.args); i++ {
		switch text := c.args[i].text; text {
		case "-name", "-iname", "-path", "-regex", "-iregex", "-ipath", "-wholename", "-iwholename", "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-size", "-user", "-perm", "-newer", "-empty", "-inum", "-maxdepth", "-links", "-group", "-nouser", "-xtype", "-samefile", "-lname":
			filtered = true
			if i+1 < len(c.args) && (c.args[i+1].text == "*" || text == "-maxdepth") {
				filtered = false
			}
		}
	}
	if slices.ContainsFunc(c.args[at:], func(a value) bool { return a.text == "-o" || a.text == "-or" }) && !slices.ContainsFunc(c.args[at:], func(a value) bool { return a.text == "(" }) {
		filtered = false
	}
	found := make([]value, len(starts))
	for i, start := range starts {
		found[i] = start
		if filtered {
			found[i].text = strings.TrimSuffix(start.text, "/") + "/found"
			if holds := c.after("-name", "-iname"); holds.text != "" {
				found[i].text = strings.TrimSuffix(start.text, "/") + "/" + holds.text
			}
		}
	}
	out := joinLines(found)
	if !filtered {
		out.labels |= tree
		for i := range found {
			found[i].labels |= tree
		}
	}
	for i := at; i < len(c.args); i++ {
		switch c.args[i].text {
		case "-delete":
			for j, f := range found {
				if full := s.absolute(starts[j].text); filtered && full == "/" {
					f = starts[j]
				}
				s.remove(f, true)
			}
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(c.args) && c.args[end].text != ";" && c.args[end].text != "+" {
				end++
			}
			command := append([]value{}, c.args[i+1:end]...)
			for j, f := range found {
				if filtered && s.absolute(starts[j].text) == "/" && len(command) > 0 && slices.Contains([]string{"rm", "shred", "unlink"}, programName(command[0].text)) {
					f = starts[j] // as with -delete
				}
				run := append([]value{}, command...)
				for k := range run {
					if strings.Contains(run[k].text, "{}") {
						run[k].text = strings.ReplaceAll(run[k].text, "{}", f.text)
						run[k].incomplete, run[k].labels = run[k].incomplete || f.incomplete, run[k].labels|f.labels
					}
				}
				if len(run) > 0 {
					out = concat(value{labels: out.labels}, s.child().run(run))
				}
			}
			i = end
		case "-fprint", "-fprintf", "-fls", "-fprint0":
			if i+1 < len(c.args) {
				s.write(c.args[i+1], unknown(0))
			}
		}
	}
	return out
}

func joinLines(values []value) value {
	all := value{}
	for _, v := range values {
		all.text, all.incomplete, all.labels = all.text+v.text+"\n", all.incomplete || v.incomplete, all.labels|v.labels
	}
	return all
}
