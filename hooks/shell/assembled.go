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
	takesCode = pattern.New(`\b(?:eval|exec|execSync|execFile|execFileSync|system|popen\d?|Popen|spawn\w*|shell_exec|passthru|proc_open|check_output|check_call|getoutput|getstatusoutput|subprocess\.\w+|os\.exec\w*|os\.execute|System\.cmd|IO\.popen|Open3\.\w+|Deno\.Command|Function|instance_eval|create_function|loadstring|load|__import__|getattr|getattribute|vm\.run\w*|runpy\.\w+|Code\.eval_string|sh)\b|` + "`|%x|qx")
	assigned  = pattern.New(`(?:^|[^\w.])(?:my\s+|local\s+|const\s+|let\s+|var\s+)?([$@]?\w+)\s*(\+=|\.=|<<=?|=)([^=~>\n;][^\n;]*)`)
	// programTaken is a value that is a function such as os.system, not what a call of it gives.
	programTaken = pattern.New(`\b(?:system|exec|execSync|eval|popen|Popen|check_output|check_call|getoutput|call|run|spawn\w*|execute)\s*\)?\s*$`)
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

// runsAssembled reports whether code runs a text that it builds, or a variable that holds one.
func runsAssembled(language, text string) bool {
	text = listBackwards.ReplaceAllString(text, "()")
	if !oneLetter.MatchString(text) && !buildsText.MatchString(text) {
		return false
	}
	built, taken := map[string]bool{}, map[string]bool{}
	for _, found := range parameters.FindAllStringSubmatch(text, -1) {
		for one := range strings.SplitSeq(strings.Join(found[1:], ","), ",") { // before its type and default
			built[inNames.FindString(one)] = true
		}
	}
	for _, found := range assigned.FindAllStringSubmatch(text, -1) {
		holds := found[2] != "=" && oneLetter.MatchString(found[3]) || buildsText.MatchString(found[3])
		for _, name := range inNames.FindAllString(found[3], -1) {
			holds = holds || built[name]
		}
		if found[2] == "=" && programTaken.MatchString(strings.SplitN(found[3], ";", 2)[0]) {
			taken[found[1]] = true
		}
		if holds {
			built[found[1]], built[strings.TrimLeft(found[1], "$@")] = true, true
		}
	}
	var places []int
	for _, place := range buildsText.FindAllStringIndex(text, -1) {
		places = append(places, place[1])
	}
	calls := takesCode.FindAllStringIndex(text, -1)
	if len(built)+len(taken) > 0 {
		for _, place := range inNames.FindAllStringIndex(text, -1) {
			if built[text[place[0]:place[1]]] {
				places = append(places, place[1])
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
		if i, _ := slices.BinarySearch(places, call[1]+1); i < len(places) && places[i] <= end {
			return true
		}
		if left -= end - call[1]; left < 0 {
			return true
		}
	}
	return false
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
