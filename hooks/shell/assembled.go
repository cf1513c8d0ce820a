package shell

import (
	"cmp"
	"slices"
	"strings"

	"nomograph/internal/pattern"
)

var (
	// buildsTextPattern matches an expression that builds a text from numbers or reverses a text.
	buildsTextPattern = pattern.New(`(?i)(?:^|[^.\w])pack\s*\(?\s*["'][HhBbu]|\b(?:chr|string\.char|char)\s*\([^)]*\)\s*(?:for\b|\.{1,2}|\+|,\s*\w+\))|string\.char\s*\(|map\s*[({]\s*(?:chr\b|&?:?chr\b)|\.pack\(\s*["'][cCUH]\*|%c%c|\[::-1\]|(?:^|[^\w.'"-])(?:str)?rev(?:erse)?(?:\s*\(|\s+["'$])|\bstring\.reverse\b|join\(\s*reversed\b|(?:split\(\s*(?:''|"")\s*\)|['"]\.split\([^)]*\)|\]|Array\.from\([^)]*\))\.reverse\(\)\.join|fromC(?:odePoint|harCode)`)
	// reversedListPattern matches reversed lists in Python, which are not texts.
	reversedListPattern = pattern.New(`\b(?:split|splitlines|sorted|listdir|glob|readlines|findall|range)\([^()]*\)\[::-1\]`)
	// runsCodePattern matches functions that run a text as code or as a command.
	runsCodePattern   = pattern.New(`\b(?:eval|exec|compile|assert|execSync|execFile|execFileSync|system|popen\d?|Popen|spawn\w*|shell_exec|passthru|proc_open|check_output|check_call|getoutput|getstatusoutput|subprocess\.\w+|os\.exec\w*|os\.execute|System\.cmd|IO\.popen|Open3\.\w+|Deno\.Command|Function|instance_eval|create_function|loadstring|load|__import__|getattr|getattribute|vm\.run\w*|runIn(?:New|This)?Context|runpy\.\w+|Code\.eval_string|sh)\b|` + "`|%x|qx")
	assignmentPattern = pattern.New(`(?:^|[^\w.])(?:my\s+|local\s+|const\s+|let\s+|var\s+)?([$@]?\w+)\s*(\+=|\.=|<<=?|=)([^=~>\n;][^\n;]*)`)
	// programAliasPattern matches a function such as os.system as a value, without a call.
	programAliasPattern = pattern.New(`\b(?:system|exec|execSync|eval|popen|Popen|check_output|check_call|getoutput|call|run|spawn\w*|execute|shell_exec|passthru|assert)['"]?\s*\)?\s*$`)
	// parameterPattern matches the parameters of functions.
	parameterPattern = pattern.New(`\blambda\s+([\w, ]+):|\bdef\s+\w+\s*\(([^)]*)\)|\bfunction\s*\w*\s*\(([^)]*)\)|\bsub\s*\{[^}]*\b(shift|_)\b`)
	characterPattern = pattern.New(`(?i)\b(?:chr|char|fromCharCode|fromCodePoint)\b`)
	namePattern      = pattern.New(`[$@]?\w+`)
	// regexpExecPattern matches the exec method of regular expressions in JavaScript, which starts no program.
	regexpExecPattern = pattern.New(`(/[a-z]*)\.exec\(`)
	anyExecPattern    = pattern.New(`([\w)\]])\.exec\(`)
)

// maxArguments is the maximum number of bytes of arguments that are searched for built texts.
const maxArguments = 4 * maxText

var (
	// functionPattern matches a named function with its parameters.
	functionPattern = pattern.New(`\b(?:def|function|sub)\s+(\w+)\s*\(([^)]*)\)|\b(\w+)\s*=\s*(?:async\s*)?(?:function\s*)?\(?([\w, ]*)\)?\s*=>|\b(\w+)\s*=\s*lambda\s+([\w, ]+):`)
	// anonymousFunctionPattern matches the parameters of anonymous functions and of blocks.
	anonymousFunctionPattern = pattern.New(`\blambda\s+([\w, ]+):|\bfunction\s*\(([^)]*)\)|\(([\w, ]*)\)\s*=>|\b(\w+)\s*=>|[{(]\s*\|\s*([\w, ]+)\|`)
	// forEachPattern matches a loop over the parts of a text.
	forEachPattern = pattern.New(`\bfor(?:each)?\s+(?:my\s+|const\s+|let\s+|var\s+)?\(?([$@\w, ]+?)\s*(?:\bin\b|\bof\b|\()\s*([^\n;:{]*)`)
	// inputPattern matches a call that starts a program named by a text, with data as its input.
	inputPattern       = pattern.New(`^\s*\(\s*\[?\s*['"]([\w./-]+)['"][\s\S]*\binput\s*[=:]`)
	inputOptionPattern = pattern.New(`\binput\s*[=:]`)
	decoders           = builder{finds: decodePattern, grows: decodePattern}
	assemblers         = builder{finds: buildsTextPattern, grows: characterPattern, anyParameter: true}
)

// builder matches code that assembles a text at run time.
type builder struct {
	finds, grows *pattern.Pattern // grows finds built texts that are appended to a variable
	anyParameter bool             // parameters of all functions may hold a built text
}

// runs reports whether code runs a built text, or a variable that holds one. It reads at most maxArguments bytes
// of arguments. Code with more counts as code that runs a built text.
func (b builder) runs(language, text string) bool {
	text = reversedListPattern.ReplaceAllString(text, "()")
	if !b.finds.MatchString(text) && !b.grows.MatchString(text) {
		return false
	}
	f := textTracker{builder: b, language: language, text: text, left: maxArguments, built: map[string]bool{}, programAliases: map[string]bool{},
		found: b.finds.FindAllStringIndex(text, -1), names: namePattern.FindAllStringIndex(text, -1)}
	f.collect()
	return f.runsBuilt()
}

// textTracker follows built texts through the variables and functions of one text. It finds names and built texts once, so that
// the time grows with the length of the code, also with many nested calls.
type textTracker struct {
	builder
	language, text        string
	left                  int             // bytes that may still be read a second time
	built, programAliases map[string]bool // variables that hold a built text, and functions that start programs
	found, names          [][]int         // places of built texts, and of names
	ends                  map[int]int     // ends of parentheses, by their start
	before                []int           // number of built names before each name, valid while built has counted names
	counted               int
}

// holds reports whether an expression is a built text, or names a variable that holds one.
func (f *textTracker) holds(expression string) bool {
	if f.finds.MatchString(expression) {
		return true
	}
	for _, name := range namePattern.FindAllString(expression, -1) {
		if f.built[name] {
			return true
		}
	}
	return false
}

// holdsBetween is holds for a part of the text.
func (f *textTracker) holdsBetween(from, to int) bool {
	starting := func(place []int, at int) int { return cmp.Compare(place[0], at) }
	if i, _ := slices.BinarySearchFunc(f.found, from, starting); i < len(f.found) && f.found[i][1] <= to {
		return true
	}
	if f.before == nil || f.counted != len(f.built) {
		f.before, f.counted = append(f.before[:0], 0), len(f.built)
		for i, place := range f.names {
			n := f.before[i]
			if f.built[f.text[place[0]:place[1]]] {
				n++
			}
			f.before = append(f.before, n)
		}
	}
	first, _ := slices.BinarySearchFunc(f.names, from, starting)
	last, _ := slices.BinarySearchFunc(f.names, to, starting)
	return f.before[last] > f.before[first]
}

// noteBuilt notes the names of parameters or variables as built.
func (f *textTracker) noteBuilt(names string) {
	for one := range strings.SplitSeq(names, ",") { // without its type and default
		if name := namePattern.FindString(one); name != "" {
			f.built[name], f.built[strings.TrimLeft(name, "$@")] = true, true
		}
	}
}

// argumentEnd returns the end of the arguments that start at a place: see argumentIn.
func (f *textTracker) argumentEnd(at int) int {
	if at < len(f.text) && f.text[at] == '(' {
		if f.ends == nil {
			f.ends = map[int]int{}
			var open []int
			for i := range len(f.text) {
				switch f.text[i] {
				case '(':
					open = append(open, i)
				case ')':
					if len(open) > 0 {
						f.ends[open[len(open)-1]] = i
						open = open[:len(open)-1]
					}
				}
			}
		}
		if end, ok := f.ends[at]; ok {
			return end
		}
		return len(f.text)
	}
	return at + len(argumentIn(f.text[at:]))
}

// collect finds the variables and parameters that hold a built text.
func (f *textTracker) collect() {
	if f.anyParameter {
		for _, found := range parameterPattern.FindAllStringSubmatch(f.text, -1) {
			f.noteBuilt(strings.Join(found[1:], ","))
		}
	}
	for range 2 { // a variable may be set after the function that uses it
		for _, found := range assignmentPattern.FindAllStringSubmatch(f.text, -1) {
			if found[2] == "=" && programAliasPattern.MatchString(strings.SplitN(found[3], ";", 2)[0]) {
				f.programAliases[found[1]] = true
			}
			if f.holds(found[3]) || found[2] != "=" && f.grows.MatchString(found[3]) {
				f.noteBuilt(found[1])
			}
		}
		if f.anyParameter {
			break
		}
		for _, found := range forEachPattern.FindAllStringSubmatch(f.text, -1) {
			if f.holds(found[2]) {
				f.noteBuilt(found[1])
			}
		}
		f.collectNameless()
		f.collectFunctions()
	}
}

// collectNameless finds parameters of anonymous functions in statements that contain a built text.
func (f *textTracker) collectNameless() {
	end, holds := -1, false
	for _, found := range anonymousFunctionPattern.FindAllStringSubmatchIndex(f.text, -1) {
		if found[0] >= end { // another statement
			start := strings.LastIndexAny(f.text[:found[0]], ";\n") + 1
			end = len(f.text)
			if at := strings.IndexAny(f.text[found[0]:], ";\n"); at >= 0 {
				end = found[0] + at
			}
			holds = f.holds(f.text[start:end])
		}
		for group := 2; holds && group < len(found); group += 2 {
			if found[group] >= 0 {
				f.noteBuilt(f.text[found[group]:found[group+1]])
			}
		}
	}
}

// collectFunctions finds parameters that receive a built text.
func (f *textTracker) collectFunctions() {
	for _, found := range functionPattern.FindAllStringSubmatch(f.text, maxFunctions) {
		name, given := found[1]+found[3]+found[5], found[2]+found[4]+found[6]
		for at := 0; ; {
			next := strings.Index(f.text[at:], name+"(")
			if next < 0 {
				break
			}
			at += next + len(name)
			if end := f.argumentEnd(at); f.text[at:end] != "("+given && f.holdsBetween(at, end) {
				f.noteBuilt(given)
				break
			}
		}
	}
}

// runsBuilt reports whether a call runs a built text as code.
func (f *textTracker) runsBuilt() bool {
	text := f.text
	var places []int
	for _, place := range f.found {
		places = append(places, place[1])
	}
	calls := runsCodePattern.FindAllStringIndex(text, -1)
	if len(f.built)+len(f.programAliases) > 0 {
		for _, place := range f.names {
			name, called := text[place[0]:place[1]], strings.HasPrefix(text[place[1]:], "(")
			if f.built[name] {
				places = append(places, place[1])
			}
			if f.language == "php" && text[place[0]] == '$' && f.built[name] && called {
				return true // a function whose name is built
			}
			if f.programAliases[name] && called {
				calls = append(calls, place)
			}
		}
	}
	if len(places) == 0 {
		return false
	}
	slices.Sort(places)
	closed := 0
	for _, call := range calls {
		if name := text[call[0]:call[1]]; call[0] > 0 && text[call[0]-1] == '.' && (name == "load" || name == "compile" || name == "assert" || name == "sh") {
			continue // json.load takes data
		} else if name == "assert" && f.language != "php" {
			continue
		}
		end := f.argumentEnd(call[1])
		if text[call[0]] == '`' {
			if call[0] < closed || javaScript[f.language] {
				continue
			}
			if at := strings.IndexByte(text[call[1]:], '`'); at >= 0 {
				end = call[1] + at
				closed = end + 1
			}
		}
		if found := inputPattern.FindStringSubmatch(text[call[1]:end]); found != nil && !runsItsInput(found[1]) { // jq reads its input as data
			end = call[1] + inputOptionPattern.FindStringIndex(text[call[1]:end])[0]
		}
		if i, _ := slices.BinarySearch(places, call[1]+1); i < len(places) && places[i] <= end {
			return true
		}
		if f.left -= end - call[1]; f.left < 0 {
			return true
		}
	}
	return false
}

// maxFunctions is the maximum number of functions of a text that are followed.
const maxFunctions = 20

// runsItsInput reports whether a program runs its input as code.
func runsItsInput(program string) bool {
	name := programName(program)
	_, ok := interpreters()[name]
	return ok || slices.Contains([]string{"sh", "bash", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "cmd", "env", "sudo", "ssh", "docker", "kubectl", "xargs", "at", "crontab", "psql", "mysql"}, name)
}

// argumentIn returns the text up to the end of the call or statement.
func argumentIn(text string) string {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth <= 0 && text[0] == '(' || depth < 0 {
				return text[:i]
			}
		case ';', '\n':
			if depth == 0 {
				return text[:i]
			}
		}
	}
	return text
}

// withoutMatches replaces calls of the method exec of regular expressions in JavaScript.
func withoutMatches(text string) string {
	if !strings.Contains(text, ".exec(") {
		return text
	}
	text = regexpExecPattern.ReplaceAllString(text, "${1}.match(")
	if !strings.Contains(text, "child_process") {
		text = anyExecPattern.ReplaceAllString(text, "${1}.match(")
	}
	return text
}
