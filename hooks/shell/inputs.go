package shell

import (
	"slices"
	"strconv"
	"strings"

	"nomograph/internal/pattern"
)

// inputs are the forms in which code of a language asks for its arguments and for variables of the environment.
type inputs struct {
	argument *pattern.Pattern // one argument, with its number
	first    int              // the number of the first argument
	all      *pattern.Pattern // the list of all arguments
	variable *pattern.Pattern // one variable of the environment, whose name is in the first group that is not empty
}

const quotedName = `\(?\[?\{?\s*['"]?(\w+)['"]?`

var (
	pythonInputs = inputs{
		argument: pattern.New(`(?:\bsys\.|__import__\(\s*['"]sys['"]\s*\)\.|\b)argv\[\s*(\d+)\s*\]`), first: 1,
		all:      pattern.New(`(?:\bsys\.|__import__\(\s*['"]sys['"]\s*\)\.|\b)argv\[\s*1\s*:\s*\]`),
		variable: pattern.New(`(?:\bos\.|__import__\(\s*['"]os['"]\s*\)\.|\b)(?:environ\[\s*['"](\w+)['"]\s*\]|environ\.get\(\s*['"](\w+)['"][^()]*\)|getenv\(\s*['"](\w+)['"][^()]*\))`),
	}
	nodeInputs = inputs{
		argument: pattern.New(`\bprocess\.argv\[\s*(\d+)\s*\]`), first: 1,
		all:      pattern.New(`\bprocess\.argv\.slice\(\s*1\s*\)`),
		variable: pattern.New(`\bprocess\.env(?:\.(\w+)|\[\s*['"](\w+)['"]\s*\])`),
	}
	rubyInputs = inputs{
		argument: pattern.New(`\bARGV\[\s*(\d+)\s*\]`),
		all:      pattern.New(`\*ARGV\b`),
		variable: pattern.New(`\bENV(?:\[\s*['"](\w+)['"]\s*\]|\.fetch\(\s*['"](\w+)['"][^()]*\))`),
	}
	perlInputs = inputs{
		argument: pattern.New(`\$ARGV\[\s*(\d+)\s*\]`),
		all:      pattern.New(`@ARGV\b`),
		variable: pattern.New(`\$ENV\{\s*['"]?(\w+)['"]?\s*\}`),
	}
	phpInputs = inputs{
		argument: pattern.New(`\$argv\[\s*(\d+)\s*\]`), first: 1,
		variable: pattern.New(`\bgetenv\(\s*['"](\w+)['"]\s*\)|\$_(?:ENV|SERVER)\[\s*['"](\w+)['"]\s*\]`),
	}
	luaInputs = inputs{
		argument: pattern.New(`\barg\[\s*(\d+)\s*\]`), first: 1,
		variable: pattern.New(`\bos\.getenv\(\s*['"](\w+)['"]\s*\)`),
	}
)

// inputsOf returns the forms of a language. ok is false for a language with unknown forms.
func inputsOf(language string) (forms inputs, ok bool) {
	switch {
	case strings.HasPrefix(language, "py"), language == "ipython":
		return pythonInputs, true
	case javaScript[language]:
		return nodeInputs, true
	case language == "ruby":
		return rubyInputs, true
	case language == "perl":
		return perlInputs, true
	case language == "php":
		return phpInputs, true
	case strings.HasPrefix(language, "lua"):
		return luaInputs, true
	}
	return inputs{}, false
}

// runner matches functions that run a text. The group is load, which reads data in most languages.
const runner = `(?:^|[^.\w]|Kernel\.)(load)|exec|eval|system|popen|execSync|Function|runIn\w*Context|loadstring|os\.execute|shell_exec|passthru`

// Patterns of code that runs only a value from outside: an argument that is not given, or a variable that the command does
// not set.
var (
	runsArgumentPattern = pattern.New(`(?:` + runner + `)\s*\(?\s*(?:compile\(\s*|File\.read\(?\s*|open\(\s*|(?:require\(['"]fs['"]\)|fs)\.readFileSync\(\s*|file_get_contents\(\s*)?` +
		`(?:(?:sys\.|__import__\(\s*['"]sys['"]\s*\)\.)?argv\[|process\.argv\[|ARGV\b|\$ARGV\[|\$argv\[|arg\[)`)
	runsEnvironmentPattern = pattern.New(`(?:` + runner + `)\s*\(?\s*(?:compile\(\s*)?(?:open\(\s*)?` +
		`(?:(?:os\.|__import__\(\s*['"]os['"]\s*\)\.)?(?:environ|getenv)|process\.env\b|ENV\b|\$ENV|\$_ENV|\$_SERVER|getenv|os\.getenv)` + `(?:\.get|\.fetch|\.)?` + quotedName + `['"]?\s*[\])}]*\s*(?:[;),]|$|\.read)`)
	// runsNamedFilePattern matches code that evaluates a file whose name is a variable.
	runsNamedFilePattern = pattern.New(`(?:^|[^.\w])(?:exec|eval)\s*\(\s*(?:compile\(\s*)?open\(\s*([A-Za-z_]\w*)\s*[,)]`)
)

// fillInInputs puts the arguments and the variables that a command gives to code into it. Code that runs a value that is
// still unknown is noted as hidden code.
func (s *state) fillInInputs(language string, code value, args []value) value {
	if len(code.text) > maxText || s.steps > maxSteps {
		return code
	}
	if _, ok := inputsOf(language); !ok {
		return s.addGiven(code.text, code, args)
	}
	written := code.text
	code = s.fillIn(language, code, args)
	s.noteHiddenInput(language, code.text)
	s.noteFreeNames(language, code.text)
	s.noteGivenNames(language, code.text, args)
	return s.addGiven(written, code, args)
}

// fillIn puts known arguments and variables into code.
func (s *state) fillIn(language string, code value, args []value) value {
	if language == "tclsh" || language == "wish" {
		return fillInTcl(code, args)
	}
	forms, ok := inputsOf(language)
	if !ok || len(code.text) > maxText || s.steps > maxSteps {
		return code
	}
	text, fits := code.text, true
	if strings.Contains(text, "argv") || strings.Contains(text, "ARGV") || strings.Contains(text, "arg[") {
		words := literals{}
		text, fits = s.replaceIn(forms.argument, text, func(groups []string) (string, bool) {
			number, err := strconv.Atoi(groups[0])
			if at := number - forms.first; err == nil && at >= 0 && at < len(args) && !args[at].incomplete {
				return words.of(args[at].text), true
			}
			return "", false
		})
		if list, known := listOf(language, args); fits && forms.all != nil && known {
			text, fits = s.replaceIn(forms.all, text, func([]string) (string, bool) { return list, true })
		}
	}
	if fits && len(s.vars) > 0 && strings.Contains(strings.ToLower(text), "env") {
		words := literals{}
		text, fits = s.replaceIn(forms.variable, text, func(groups []string) (string, bool) {
			name := strings.Join(groups, "")
			if values := s.vars[name]; name != "HOME" && len(values) == 1 && !values[0].incomplete {
				return words.of(values[0].text), true
			}
			return "", false
		})
	}
	if !fits {
		s.unresolved(TooComplex)
		return code
	}
	if text != code.text {
		text = joinInserted(language, text)
	}
	code.text = text
	return code
}

// fillInTcl puts known arguments into code of Tcl: [lindex $argv 0], {*}$argv.
func fillInTcl(code value, args []value) value {
	if !strings.Contains(code.text, "$argv") || len(code.text)*(1+len(args)) > maxText {
		return code
	}
	const maxArgument = 1000 // bytes, because the code may name an argument many times
	var forms []string
	for i, a := range args[:min(len(args), maxItems)] {
		if !a.incomplete && len(a.text) < maxArgument {
			forms = append(forms, "[lindex $argv "+strconv.Itoa(i)+"]", a.text)
		}
	}
	if all := joinArgs(args); !all.incomplete && len(all.text) < maxArgument {
		forms = append(forms, "{*}$argv", all.text)
	}
	filled := code
	if filled.text = strings.NewReplacer(forms...).Replace(code.text); len(filled.text) > maxText {
		return code
	}
	return filled
}

// Forms in which languages insert a text that fillIn has filled in into another text.
var (
	insertedPythonPattern = pattern.New(`(\b[rR]?[fF]['"][^'"\n]*)\{'([^'"\\\n{}]*)'\}`)
	insertedScriptPattern = pattern.New(`[#$]\{'([^'"\\\n{}]*)'\}`) // JavaScript and Ruby
	insertedStartPattern  = pattern.New(`"'([^'"\\\n]*)'([/"])`)    // Perl and PHP, only at the beginning
)

// joinInserted joins inserted texts with the texts around them: a folder and the path below it are one path.
func joinInserted(language, text string) string {
	switch {
	case javaScript[language], language == "ruby":
		return insertedScriptPattern.ReplaceAllString(text, "$1")
	case language == "perl", language == "php":
		return insertedStartPattern.ReplaceAllString(text, `"$1$2`)
	case strings.HasPrefix(language, "py"), language == "ipython":
		for range 3 {
			text = insertedPythonPattern.ReplaceAllString(text, "$1$2")
		}
	}
	return text
}

// fillInScript puts known arguments into code that a program reads from a file or from standard input.
func (s *state) fillInScript(language string, code value, args []value) value {
	if len(args) == 0 {
		return code
	}
	if javaScript[language] { // process.argv[1] is the file
		args = append([]value{unknown(0)}, args...)
	}
	return s.addGiven(code.text, s.fillIn(language, code, args), args)
}

// replaceIn replaces the matches of a pattern by texts of their groups. ok is false if the result would be longer than maxText, and nothing is replaced.
func (s *state) replaceIn(p *pattern.Pattern, text string, with func(groups []string) (string, bool)) (filled string, ok bool) {
	s.steps += len(text) / 64
	var b strings.Builder
	from := 0
	for _, at := range p.FindAllStringSubmatchIndex(text, -1) {
		groups := make([]string, 0, len(at)/2)
		for i := 2; i < len(at); i += 2 {
			if at[i] >= 0 {
				groups = append(groups, text[at[i]:at[i+1]])
			}
		}
		given, known := with(groups)
		if !known {
			continue
		}
		if b.Len()+at[0]-from+len(given)+len(text)-at[1] > maxText {
			s.steps += maxText / 64
			return text, false
		}
		b.WriteString(text[from:at[0]])
		b.WriteString(given)
		from = at[1]
	}
	b.WriteString(text[from:])
	return b.String(), true
}

// listOf writes arguments as a list of a language. ok is false without arguments, for too many, and for an unknown one.
func listOf(language string, args []value) (list string, ok bool) {
	if len(args) == 0 || len(args) > maxItems || slices.ContainsFunc(args, func(a value) bool { return a.incomplete }) {
		return "", false
	}
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = literal(a.text)
	}
	list = strings.Join(words, ", ")
	if language != "perl" && language != "ruby" {
		list = "[" + list + "]"
	}
	return list, true
}

// literals caches how a language writes texts, because an argument may be used a thousand times.
type literals map[string]string

func (l literals) of(text string) string {
	written, ok := l[text]
	if !ok {
		written = literal(text)
		l[text] = written
	}
	return written
}

// runsTexts reports whether a function runs a text in a language: load reads data in most of them.
func runsTexts(language, function string) bool {
	return function != "load" || language == "ruby" || strings.HasPrefix(language, "lua")
}

// noteHiddenInput notes code that runs a value that only its caller knows.
func (s *state) noteHiddenInput(language, text string) {
	if strings.Contains(text, "argv") || strings.Contains(text, "ARGV") || strings.Contains(text, "arg[") {
		if s.runsUnknown(language, text, runsArgumentPattern) {
			return
		}
	}
	if !strings.Contains(text, "env") && !strings.Contains(text, "ENV") && !strings.Contains(text, "open(") {
		return
	}
	if s.runsUnknown(language, text, runsEnvironmentPattern) {
		return
	}
	if found := runsNamedFilePattern.FindStringSubmatch(text); found != nil && !bindsName(text, found[1]) {
		s.unresolved(HiddenCode)
	}
}

// runsUnknown notes hidden code if a call of a pattern runs a value from outside. The last group is the name of a variable.
func (s *state) runsUnknown(language, text string, calls *pattern.Pattern) bool {
	for i, at := range calls.FindAllStringSubmatchIndex(text, -1) {
		function, name := "", ""
		if at[2] >= 0 {
			function = text[at[2]:at[3]]
		}
		if len(at) > 4 && at[4] >= 0 {
			name = text[at[4]:at[5]]
		}
		if runsTexts(language, function) && !slices.Contains(ownPrograms, name) && !(i < maxItems && isRegexExec(language, text, at[0])) {
			s.unresolved(HiddenCode)
			return true
		}
	}
	return false
}

// bindsName reports whether code gives a variable a value that does not come from outside.
func bindsName(text, name string) bool {
	for at := 0; ; {
		next := strings.Index(text[at:], name)
		if next < 0 {
			return false
		}
		start, end := at+next, at+next+len(name)
		at = end
		if start > 0 && isNameByte(text[start-1]) || end < len(text) && isNameByte(text[end]) {
			continue
		}
		before, after := strings.TrimRight(text[:start], " ("), strings.TrimLeft(text[end:], " ")
		switch {
		case strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "=="):
			given, _, _ := strings.Cut(after, "\n")
			given, _, _ = strings.Cut(given, ";")
			return !strings.Contains(given, "argv") && !strings.Contains(given, "environ") && !strings.Contains(given, "getenv") && !strings.Contains(given, "input(")
		case strings.HasSuffix(before, "for"), strings.HasSuffix(before, "for _,"), strings.HasSuffix(before, "lambda"), strings.HasSuffix(before, "as"), strings.HasSuffix(before, "def"):
			return true
		case strings.HasSuffix(before, ",") && strings.Contains(before, "for "): // for folder, name in
			return true
		}
	}
}

// literal writes a text as a literal that all languages read.
func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(text) + "'"
}

// Calls that run a variable.
var (
	runsNamePattern    = pattern.New(`(?:^|[^.\w$])(?:exec|eval|Function|loadstring|instance_eval|class_eval|system|shell_exec|passthru|popen|execSync|spawnSync)\s*\(\s*(?:(?:\w+\.)*(?:compile|loads|decompress)\(\s*)?(\$?[A-Za-z]\w*)\s*[,)]`)
	loadsNamePattern   = pattern.New(`(?:^|[^.\w$])load\s*\(\s*([A-Za-z]\w*)\s*[,)]`) // in Lua and Ruby; in other languages, load reads data
	startsNamePattern  = pattern.New(`(?:\bos\.(?:system|popen|exec\w+|spawn\w+|execute)|\bsubprocess\.\w+|\bio\.popen|__import__\([^()]*\)\.\w+|require\([^()]*\)\.\w+|\bchild_process\.\w+|\bvm\.run\w+|\bIO\.popen|\bKernel\.\w+|\bbuiltins\S*\.exec|\bpickle\.loads)\s*\(\s*(\$?[A-Za-z]\w*)\s*[,)]`)
	bareNamePattern    = pattern.New(`(?:^|[;\s])(?:eval|system|exec)\s+(\$?[A-Za-z]\w*)\s*(?:;|$)`)
	namesMethodPattern = pattern.New(`\b(?:getattr\(\s*\w+\s*,|__import__\()\s*([A-Za-z]\w*)\s*\)\s*[(.]`)
	callsNamePattern   = pattern.New(`(?:^|[;\s{])(\$[A-Za-z]\w*)\s*\(`) // in PHP
)

// givenNames are variables that a language sets itself.
var givenNames = []string{"$argv", "$argn", "$argi", "$argc", "$ARGV", "module", "exports", "require", "self", "this", "arguments", "binding"}

// noteFreeNames notes code that runs a variable to which it gives no value: the text that runs is unknown.
func (s *state) noteFreeNames(language, text string) {
	if strings.Contains(text, "import *") {
		return
	}
	patterns := namePatterns(language)
	for _, p := range patterns {
		for _, found := range p.FindAllStringSubmatch(text, maxItems) {
			name := found[1]
			if (language == "perl" || language == "php") != (name[0] == '$') || slices.Contains(givenNames, name) || isConstantName(name) {
				continue
			}
			if countName(shownNamePattern.ReplaceAllStringFunc(text, showsName(name)), name) == len(allOf(patterns, text, name)) {
				s.unresolved(HiddenCode)
				return
			}
		}
	}
}

// namePatterns returns the patterns of a language for calls that run a variable.
func namePatterns(language string) []*pattern.Pattern {
	patterns := []*pattern.Pattern{runsNamePattern, startsNamePattern, namesMethodPattern}
	switch language {
	case "perl":
		patterns = append(patterns, bareNamePattern)
	case "ruby":
		patterns = append(patterns, bareNamePattern, loadsNamePattern)
	case "lua", "luajit":
		patterns = append(patterns, loadsNamePattern)
	case "php":
		patterns = append(patterns, callsNamePattern)
	}
	return patterns
}

// isConstantName reports whether a name is a constant of all languages rather than a variable.
func isConstantName(name string) bool {
	return slices.Contains([]string{"None", "True", "False", "null", "undefined", "true", "false", "nil"}, name)
}

// allOf returns the calls of a text that run a variable.
func allOf(patterns []*pattern.Pattern, text, name string) (calls []string) {
	for _, p := range patterns {
		for _, found := range p.FindAllStringSubmatch(text, maxItems) {
			if found[1] == name {
				calls = append(calls, name)
			}
		}
	}
	return calls
}

// countName counts a name in a text as a whole word.
func countName(text, name string) (times int) {
	for at := 0; ; {
		next := strings.Index(text[at:], name)
		if next < 0 {
			return times
		}
		start, end := at+next, at+next+len(name)
		if (start == 0 || !isNameByte(text[start-1])) && (end == len(text) || !isNameByte(text[end])) {
			times++
		}
		at = end
	}
}
