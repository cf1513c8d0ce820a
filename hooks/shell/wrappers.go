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
		case w.assigns && assignmentAt(text) > 0:
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

// wrap runs the command in the arguments of a wrapper, such as sudo.
func wrap(s *state, c *call) value {
	switch c.name {
	case "sudo", "doas", "pkexec":
		s.effects.Privileged = true
	case "command", "builtin":
		if len(c.args) > 0 && locatesPattern.MatchString(c.args[0].text) {
			return programPath(s, &call{name: c.name, args: c.args[1:]})
		}
	case "flock", "env":
		if code, ok := lineFor(c); ok {
			return s.runText(code, nil)
		}
	}
	command, assigned := wrappers()[c.name].wrapped(c.args)
	options := &call{args: c.args[:len(c.args)-len(command)]}
	switch {
	case len(command) == 0:
		return s.wrapNothing(c, assigned)
	case c.name == "parallel":
		return s.runParallel(command)
	case c.name == "watch":
		return s.runText(joinArgs(command), nil)
	}
	folder, ok := options.option("-C", "--chdir", "-D")
	changesFolder, limits := ok && (c.name == "env" || c.name == "sudo"), c.name == "timeout" || c.name == "gtimeout"
	if changesFolder || limits || len(assigned) > 0 {
		s = s.child()
		s.depth--
	}
	if changesFolder {
		s.cwd = s.absolute(folder.text)
	}
	for _, a := range assigned {
		at := assignmentAt(a.text)
		s.vars[a.text[:at]] = []value{a.with(a.text[at+1:])}
	}
	if limits {
		limit := options.args[len(options.args)-1]
		s.timeLimited = limit.incomplete || shortTimePattern.MatchString(limit.text)
	}
	s.skipFunctions = len(assigned) > 0 || c.name != "noglob" && c.name != "nocorrect" && c.name != "coproc"
	return s.run(command)
}

// lineFor returns the command line in flock -c LINE and env -S LINE WORD...
func lineFor(c *call) (line value, ok bool) {
	if c.name == "flock" {
		return c.option("-c", "--command")
	}
	at := slices.IndexFunc(c.args, func(a value) bool { return a.text == "-S" || a.text == "--split-string" })
	if at < 0 || at+1 == len(c.args) {
		return value{}, false
	}
	return joinArgs(c.args[at+1:]), true
}

// wrapNothing handles a wrapper without a command: env prints the environment, and sudo -s reads commands.
func (s *state) wrapNothing(c *call, assigned []value) value {
	switch {
	case c.name == "env" && len(assigned) == 0:
		s.noteEnvironment()
		return unknown(secret | fromFile)
	case s.hasStdin && (c.name == "sudo" && c.has("-i", "-s", "-S") || c.name == "parallel"):
		return s.runText(s.stdin, nil)
	}
	return unknown(s.stdin.labels)
}

// locatesPattern matches options with which command prints where a program is.
var locatesPattern = pattern.New(`^-p*[vV][pvV]*$`)

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
	w := wrapper{valued: "IinPLsdEa",
		long: []string{"--replace", "--max-args", "--max-procs", "--delimiter", "--arg-file", "--max-lines",
			"--max-chars"}}
	place, replaces := c.option("-I", "--replace")
	if c.has("-i") {
		w.valued = "InPLsdEa" // the value of -i may be left out
	}
	if c.has("-i") && !replaces {
		place, replaces = known("{}"), true
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
	sub := s.child()
	sub.stdin, sub.hasStdin = value{}, false
	text := strings.TrimSpace(strings.ReplaceAll(input.text, "\x00", "\n"))
	items := strings.Fields(text)
	if last := command[len(command)-1].text; !replaces && isCluster(last) && strings.HasSuffix(last, "c") &&
		c.has("-0", "-d", "--null", "--delimiter") {
		items = []string{text} // the whole input is one word, the code for a shell
	}
	if replaces && text != "" {
		items = strings.Split(text, "\n")
	}
	if input.incomplete || len(items) == 0 {
		items = append(items, "$(stdin)")
	}
	if !replaces || place.text == "" {
		return sub.runWithItems(command, items, input)
	}
	return sub.runForItems(command, place.text, items, input)
}

// runWithItems runs a command with items of its input as more arguments.
func (s *state) runWithItems(command []value, items []string, input value) value {
	if len(items) > maxBraces {
		s.unresolved(TooComplex)
	}
	run := slices.Clone(command)
	for _, item := range items[:min(len(items), maxBraces)] {
		run = append(run, input.with(item))
	}
	return s.run(run)
}

// runForItems runs a command for each item of its input, which replaces place.
func (s *state) runForItems(command []value, place string, items []string, input value) value {
	if places := sortByWeight(s, items, func(item string) string { return item }); places > maxItems {
		s.unresolved(TooComplex)
	}
	out := value{}
	for _, item := range items[:min(len(items), maxItems)] {
		out = concat(out, s.run(replaced(command, place, input.with(item))))
	}
	return out
}

// replaced returns the words of a command with a value instead of a text such as {}.
func replaced(command []value, place string, with value) []value {
	words := slices.Clone(command)
	for i, word := range words {
		if strings.Contains(word.text, place) {
			words[i] = with.with(strings.ReplaceAll(word.text, place, with.text))
			words[i].incomplete, words[i].labels = word.incomplete || with.incomplete, word.labels|with.labels
		}
	}
	return words
}

// maxItems is the maximum number of input items for which the command of xargs is evaluated. Sensitive items come
// first.
const maxItems = 20

// sortByWeight sorts paths at sensitive places first, then programs that rules may stop. It returns the number of such
// paths.
func sortByWeight[T any](s *state, items []T, text func(T) string) (places int) {
	var first, second, others []T
	for _, item := range items {
		program, _, _ := strings.Cut(text(item), " ")
		switch full := s.absolute(text(item)); {
		case holdsSecrets(full) || len(deletePlaces(full, true, s.ownFolder())) > 0:
			first = append(first, item)
		case isDestroyer(program):
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
	starts, tests := startsOf(c)
	filtered := isFiltered(tests)
	found := slices.Clone(starts)
	for i, start := range starts {
		switch name := tests.after("-name", "-iname"); {
		case !filtered:
			found[i].labels |= tree
		case name.text != "":
			found[i].text = strings.TrimSuffix(start.text, "/") + "/" + name.text
		default:
			found[i].text = strings.TrimSuffix(start.text, "/") + "/found"
		}
	}
	out := joinLines(found)
	destroyed := slices.Clone(found) // a filter of all files is not followed
	for i, start := range starts {
		if s.absolute(start.text) == "/" {
			destroyed[i] = start
		}
	}
	for i := 0; i < len(tests.args); i++ {
		switch tests.args[i].text {
		case "-delete":
			for _, f := range destroyed {
				s.remove(f, true)
			}
		case "-exec", "-execdir", "-ok", "-okdir":
			command := argsBefore(argsBefore(tests.args[i+1:], ";"), "+")
			i += len(command)
			for j := range found {
				f := found[j]
				if len(command) > 0 && isOneOf(programName(command[0].text), "rm", "shred", "unlink") {
					f = destroyed[j]
				}
				out = concat(value{labels: out.labels}, s.child().run(replaced(command, "{}", f)))
			}
		case "-fprint", "-fprintf", "-fls", "-fprint0":
			if i+1 < len(tests.args) {
				s.write(tests.args[i+1], unknown(0))
			}
		}
	}
	return out
}

// startsOf returns the paths at which find starts, and its tests and actions.
func startsOf(c *call) (starts []value, tests *call) {
	options := []string{"-H", "-L", "-P", "-x", "-E"}
	at := slices.IndexFunc(c.args, func(a value) bool {
		return strings.HasPrefix(a.text, "-") && !slices.Contains(options, a.text) || a.text == "(" || a.text == "!"
	})
	if at < 0 {
		at = len(c.args)
	}
	for _, a := range c.args[:at] {
		if !strings.HasPrefix(a.text, "-") {
			starts = append(starts, a)
		}
	}
	if len(starts) == 0 {
		starts = []value{known(".")}
	}
	return starts, &call{name: c.name, args: c.args[at:]}
}

// isFiltered reports whether tests of find leave out files, other than by their depth.
func isFiltered(tests *call) (filtered bool) {
	for i, a := range tests.args[:max(0, len(tests.args)-1)] {
		if filterPattern.MatchString(a.text) && tests.args[i+1].text != "*" {
			filtered = true
		}
	}
	anyOf := tests.contains("-o", "-or") && !tests.contains("(")
	return (filtered || tests.contains("-empty", "-nouser")) && !anyOf
}

// filterPattern matches tests of find that have a value.
var filterPattern = pattern.New(`^-(?:i?name|i?path|i?regex|i?wholename|[amc]time|[amc]min|size|user|perm|newer|inum|links|group|xtype|samefile|lname)$`)

func joinLines(values []value) value {
	all := value{}
	for _, v := range values {
		all.text, all.incomplete, all.labels = all.text+v.text+"\n", all.incomplete || v.incomplete, all.labels|v.labels
	}
	return all
}
