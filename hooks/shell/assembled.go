package shell

import (
	"slices"
	"strings"

	"nomograph/internal/pattern"
)

var (
	// buildsText is an expression that makes a text from numbers, or from a text backwards.
	buildsText = pattern.New(`(?i)(?:^|[^.\w])pack\s*\(?\s*["'][HhBbu]|\b(?:chr|string\.char|char)\s*\([^)]*\)\s*(?:for\b|\.{1,2}|\+|,\s*\w+\))|string\.char\s*\(|map\s*[({]\s*(?:chr\b|&?:?chr\b)|\.pack\(\s*["'][cCUH]\*|%c%c|\[::-1\]|(?:^|[^\w.'"-])(?:str)?rev(?:erse)?(?:\s*\(|\s+["'$])|\bstring\.reverse\b|join\(\s*reversed\b|(?:split\(\s*(?:''|"")\s*\)|['"]\.split\([^)]*\)|\]|Array\.from\([^)]*\))\.reverse\(\)\.join|fromC(?:odePoint|harCode)`)
	// listBackwards is a list in Python, which is no text.
	listBackwards = pattern.New(`\b(?:split|splitlines|sorted|listdir|glob|readlines|findall|range)\([^()]*\)\[::-1\]`)
	// takesCode takes a text as code or as a command.
	takesCode = pattern.New(`\b(?:eval|exec|compile|assert|execSync|execFile|execFileSync|system|popen\d?|Popen|spawn\w*|shell_exec|passthru|proc_open|check_output|check_call|getoutput|getstatusoutput|subprocess\.\w+|os\.exec\w*|os\.execute|System\.cmd|IO\.popen|Open3\.\w+|Deno\.Command|Function|instance_eval|create_function|loadstring|load|__import__|getattr|getattribute|vm\.run\w*|runpy\.\w+|Code\.eval_string|sh)\b|` + "`|%x|qx")
	assigned  = pattern.New(`(?:^|[^\w.])(?:my\s+|local\s+|const\s+|let\s+|var\s+)?([$@]?\w+)\s*(\+=|\.=|<<=?|=)([^=~>\n;][^\n;]*)`)
	// programTaken is a value that is a function such as os.system, not what a call of it gives.
	programTaken = pattern.New(`\b(?:system|exec|execSync|eval|popen|Popen|check_output|check_call|getoutput|call|run|spawn\w*|execute|shell_exec|passthru|assert)['"]?\s*\)?\s*$`)
	// parameters of functions may be given a text that is built.
	parameters = pattern.New(`\blambda\s+([\w, ]+):|\bdef\s+\w+\s*\(([^)]*)\)|\bfunction\s*\w*\s*\(([^)]*)\)|\bsub\s*\{[^}]*\b(shift|_)\b`)
	oneLetter  = pattern.New(`(?i)\b(?:chr|char|fromCharCode|fromCodePoint)\b`)
	inNames    = pattern.New(`[$@]?\w+`)
	// matchesText is a method of regular expressions of JavaScript, not a call that starts a program.
	matchesText = pattern.New(`(/[a-z]*)\.exec\(`)
	anyMatch    = pattern.New(`([\w)\]])\.exec\(`)
)

// mostArguments are the bytes of arguments in which built texts are sought.
const mostArguments = 4 * maxText

var (
	// functionOf is a function with a name and its parameters.
	functionOf = pattern.New(`\b(?:def|function|sub)\s+(\w+)\s*\(([^)]*)\)|\b(\w+)\s*=\s*(?:async\s*)?(?:function\s*)?\(?([\w, ]*)\)?\s*=>|\b(\w+)\s*=\s*lambda\s+([\w, ]+):`)
	// nameless are parameters of functions without a name, and of blocks.
	nameless = pattern.New(`\blambda\s+([\w, ]+):|\bfunction\s*\(([^)]*)\)|\(([\w, ]*)\)\s*=>|\b(\w+)\s*=>|[{(]\s*\|\s*([\w, ]+)\|`)
	// eachOf takes the parts of a text one by one.
	eachOf = pattern.New(`\bfor(?:each)?\s+(?:my\s+|const\s+|let\s+|var\s+)?\(?([$@\w, ]+?)\s*(?:\bin\b|\bof\b|\()\s*([^\n;:{]*)`)
	// givenInput is a call whose program is a text, and which is given other data as input.
	givenInput = pattern.New(`^\s*\(\s*\[?\s*['"]([\w./-]+)['"][\s\S]*\binput\s*[=:]`)
	afterInput = pattern.New(`\binput\s*[=:]`)
	decoders   = builder{finds: decodes, grows: decodes}
	assemblers = builder{finds: buildsText, grows: oneLetter, anyParameter: true}
)

// builder matches code that assembles a text at run time.
type builder struct {
	finds, grows *pattern.Pattern // grows finds them in what is added to a variable
	anyParameter bool             // parameters of all functions may hold such a text
}

// runs reports whether code runs a text that it makes so, or a variable that holds one.
func (b builder) runs(language, text string) bool {
	text = listBackwards.ReplaceAllString(text, "()")
	if !b.finds.MatchString(text) && !b.grows.MatchString(text) {
		return false
	}
	built, taken := map[string]bool{}, map[string]bool{}
	holds := func(expression string) bool {
		if b.finds.MatchString(expression) {
			return true
		}
		for _, name := range inNames.FindAllString(expression, -1) {
			if built[name] {
				return true
			}
		}
		return false
	}
	takes := func(names string) {
		for one := range strings.SplitSeq(names, ",") { // before its type and default
			if name := inNames.FindString(one); name != "" {
				built[name], built[strings.TrimLeft(name, "$@")] = true, true
			}
		}
	}
	if b.anyParameter {
		for _, found := range parameters.FindAllStringSubmatch(text, -1) {
			takes(strings.Join(found[1:], ","))
		}
	}
	for range 2 { // a variable may be set behind the function that uses it
		for _, found := range assigned.FindAllStringSubmatch(text, -1) {
			if found[2] == "=" && programTaken.MatchString(strings.SplitN(found[3], ";", 2)[0]) {
				taken[found[1]] = true
			}
			if holds(found[3]) || found[2] != "=" && b.grows.MatchString(found[3]) {
				takes(found[1])
			}
		}
		if b.anyParameter {
			break
		}
		for _, found := range eachOf.FindAllStringSubmatch(text, -1) {
			if holds(found[2]) {
				takes(found[1])
			}
		}
		for _, found := range nameless.FindAllStringSubmatchIndex(text, -1) {
			line := text[strings.LastIndexAny(text[:found[0]], ";\n")+1:]
			if end := strings.IndexAny(line, ";\n"); end >= 0 {
				line = line[:end]
			}
			if holds(line) {
				for group := 2; group < len(found); group += 2 {
					if found[group] >= 0 {
						takes(text[found[group]:found[group+1]])
					}
				}
			}
		}
		for _, found := range functionOf.FindAllStringSubmatch(text, mostFunctions) {
			found[1], found[2] = found[1]+found[3]+found[5], found[2]+found[4]+found[6]
			for rest := text; ; {
				at := strings.Index(rest, found[1]+"(")
				if at < 0 {
					break
				}
				rest = rest[at+len(found[1]):]
				if value := argumentIn(rest); value != "("+found[2] && holds(value) {
					takes(found[2])
					break
				}
			}
		}
	}
	var places []int
	for _, place := range b.finds.FindAllStringIndex(text, -1) {
		places = append(places, place[1])
	}
	calls := takesCode.FindAllStringIndex(text, -1)
	if len(built)+len(taken) > 0 {
		for _, place := range inNames.FindAllStringIndex(text, -1) {
			if built[text[place[0]:place[1]]] {
				places = append(places, place[1])
			}
			if language == "php" && text[place[0]] == '$' && built[text[place[0]:place[1]]] && strings.HasPrefix(text[place[1]:], "(") {
				return true // a function whose name is built
			}
			if taken[text[place[0]:place[1]]] && strings.HasPrefix(text[place[1]:], "(") {
				calls = append(calls, place)
			}
		}
	}
	if len(places) == 0 {
		return false
	}
	slices.Sort(places)
	left, closed := mostArguments, 0
	for _, call := range calls {
		if name := text[call[0]:call[1]]; call[0] > 0 && text[call[0]-1] == '.' && (name == "load" || name == "compile" || name == "assert" || name == "sh") {
			continue // json.load takes data
		}
		end := call[1] + len(argumentIn(text[call[1]:]))
		if text[call[0]] == '`' {
			if call[0] < closed || javaScript[language] {
				continue
			}
			if at := strings.IndexByte(text[call[1]:], '`'); at >= 0 {
				end = call[1] + at
				closed = end + 1
			}
		}
		if found := givenInput.FindStringSubmatch(text[call[1]:end]); found != nil && !runsItsInput(found[1]) { // jq is given data
			end = call[1] + afterInput.FindStringIndex(text[call[1]:end])[0]
		}
		if i, _ := slices.BinarySearch(places, call[1]+1); i < len(places) && places[i] <= end {
			return true
		}
		if left -= end - call[1]; left < 0 {
			return true
		}
	}
	return false
}

// mostFunctions is how many functions of a text are followed.
const mostFunctions = 20

// runsItsInput reports whether a program takes what it reads for code.
func runsItsInput(program string) bool {
	name := programName(program)
	_, ok := interpreters[name]
	return ok || slices.Contains([]string{"sh", "bash", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "cmd", "env", "sudo", "ssh", "docker", "kubectl", "xargs", "at", "crontab", "psql", "mysql"}, name)
}

// argumentIn is the text up to the end of the call, or of the statement.
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
	text = matchesText.ReplaceAllString(text, "${1}.match(")
	if !strings.Contains(text, "child_process") {
		text = anyMatch.ReplaceAllString(text, "${1}.match(")
	}
	return text
}
