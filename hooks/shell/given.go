package shell

import (
	"maps"
	"slices"
	"strings"

	"nomograph/internal/pattern"
)

// Forms of arguments and variables that fillIn does not replace.
var (
	otherArgumentPattern = pattern.New(`argv|ARGV|\barg\b|\b(?:shift|pop)\b|\$\*|\.\.\.`)
	// runsPoppedPattern matches code that runs an argument taken off the list of arguments.
	runsPoppedPattern = pattern.New(`(?:` + runner + `)\s*\(?\s*(?:(?:sys\.)?argv\.(?:pop|shift|at)|process\.argv\.(?:pop|shift|at)|array_(?:pop|shift)\(\s*\$argv|(?:shift|pop)\b|"@ARGV"|"\$ARGV)`)
	// givesNamePattern matches the assignment of a variable of the environment, or of an argument, to a variable of the
	// code.
	givesNamePattern = pattern.New(`(\$?[A-Za-z_]\w*)\s*=\s*(?:os\.environ|os\.getenv|environ|getenv|process\.env|ENV\b|\$ENV|\$_ENV|\$_SERVER|sys\.argv\[|process\.argv\[|ARGV\[|\$ARGV\[|\$argv\[|arg\[)(?:\.get|\.fetch|\.)?` + quotedName)
	// spreadsEnvironPattern matches the assignment of several variables of the environment at once.
	spreadsEnvironPattern = pattern.New(`\{([\w\s,:]+)\}\s*=\s*process\.env\b`)
	// shownNamePattern matches calls that only show or measure a variable.
	shownNamePattern      = pattern.New(`\b(?:print|puts|echo|say|printf|console\.\w+|logging\.\w+|log|p|len|repr|strlen|assert|if|del)\b\s*\(?\s*\$?[A-Za-z]\w*\s*(?:[);:\n]|$)`)
	awkRunsEnvironPattern = pattern.New(`system\s*\(\s*ENVIRON\[\s*"(\w+)"|ENVIRON\[\s*"(\w+)"\s*\]\s*\|`)
)

// insertsInputPattern matches a text with an argument or a variable in it. The text stays unknown after fillIn.
var insertsInputPattern = pattern.New("[`\"'{(\\[][^`\"'\n]*(?:[@$]ARGV|\\$ENV|[#$]\\{|\\{\\s*\\$|\\$argv|\\{(?:sys|os|process)\\.)")

// givenTexts are texts that a command gives to code. The first ones, paths in number, may be paths that the code
// deletes.
type givenTexts struct {
	texts []string
	paths int
}

// addGiven notes the arguments and variables that a command gives to code, if the code takes them in a form that fillIn does not
// replace, such as sys.argv.pop(), shift and {X} = process.env. For scanText, they are further texts of code that starts programs.
func (s *state) addGiven(written string, code value, args []value) value {
	s.given = givenTexts{}
	text := code.text
	if insertsInputPattern.MatchString(written) {
		text = written
	}
	if text == "" || len(text) > maxText/2 || s.steps > maxSteps {
		return code
	}
	var given []string
	if len(args) > 0 && len(args) <= maxItems && otherArgumentPattern.MatchString(text) {
		for _, a := range args {
			if !a.incomplete && a.text != "" {
				given = append(given, a.text)
			}
		}
		if len(given) > 1 {
			given = append(given, strings.Join(given, " "))
		}
	}
	paths := len(given)
	if strings.Contains(text, "/") || strings.Contains(text, "join") {
		paths = 0
	}
	if len(s.vars) > 0 && (strings.Contains(text, "$") || strings.Contains(strings.ToLower(text), "env")) {
		s.steps += len(s.vars) * len(text) / 1024
		for _, name := range slices.Sorted(maps.Keys(s.vars)) {
			values := s.vars[name]
			if len(values) != 1 || values[0].incomplete || values[0].text == "" || slices.Contains(placeVariables, name) || countName(text, name) == 0 {
				continue
			}
			given = append(given, values[0].text)
		}
	}
	size := len(code.text)
	for _, text := range given {
		if size += 2 * len(text); size > maxText {
			s.unresolved(TooComplex)
			return code
		}
	}
	s.given = givenTexts{given, paths}
	return code
}

// placeVariables are variables that code joins with names of files.
var placeVariables = []string{"HOME", "PWD", "OLDPWD", "PATH", "TMPDIR", "USER"}

// noteGivenNames notes code that runs a variable whose value comes from outside and is not known.
func (s *state) noteGivenNames(language, text string, args []value) {
	patterns := namePatterns(language)
	runs := func(name string) bool { return len(allOf(patterns, text, name)) > 0 }
	for _, found := range givesNamePattern.FindAllStringSubmatch(text, maxItems) {
		if !slices.Contains(ownPrograms, found[2]) && runs(found[1]) {
			s.unresolved(HiddenCode)
			return
		}
	}
	for _, found := range spreadsEnvironPattern.FindAllStringSubmatch(text, maxItems) {
		for _, name := range strings.Split(found[1], ",") {
			key, renamed, ok := strings.Cut(name, ":")
			if !ok {
				renamed = key
			}
			if values := s.vars[strings.TrimSpace(key)]; len(values) != 1 && !slices.Contains(ownPrograms, strings.TrimSpace(key)) && runs(strings.TrimSpace(renamed)) {
				s.unresolved(HiddenCode)
				return
			}
		}
	}
	if slices.ContainsFunc(args, func(a value) bool { return a.incomplete }) && runsPoppedPattern.MatchString(text) {
		s.unresolved(HiddenCode)
	}
}

// showsName returns a function that removes a match of shownNamePattern with a name.
func showsName(name string) func(string) string {
	return func(shown string) string {
		if countName(shown, name) > 0 {
			return " "
		}
		return shown
	}
}

// Expressions of JavaScript before the method exec.
var (
	// searcherPattern matches a regular expression, or a variable.
	searcherPattern = pattern.New(`(?:/[dgimsuvy]*|\bRegExp\([^()]*\)|(?:^|[^\w.$)\]])([A-Za-z_]\w*))\.$`)
	setsNamePattern = pattern.New(`\b([A-Za-z_]\w*)\s*=\s*(/[^/*]|(?:new\s+)?RegExp\(|=|)`)
	// loadsModulePattern matches code that may load a module, which starts programs.
	loadsModulePattern = pattern.New(`require|import|child_process|binding|mainModule|getBuiltinModule|constructor`)
)

// maxSearcher is the maximum length of an expression before the method exec, in bytes.
const maxSearcher = 300

// isRegexExec reports whether the call at an offset is JavaScript's method exec of a regular expression. A variable
// counts as a regular expression if the code assigns nothing else to it.
func isRegexExec(language, text string, at int) bool {
	if !javaScript[language] || !strings.HasPrefix(text[at:], "exec") || len(text) > at+4 && isNameByte(text[at+4]) {
		return false
	}
	found := searcherPattern.FindStringSubmatch(text[max(0, at-maxSearcher):at])
	if found == nil || found[1] == "" {
		return found != nil
	}
	given := false
	for _, set := range setsNamePattern.FindAllStringSubmatch(text, -1) {
		if set[1] == found[1] && set[2] != "=" {
			if set[2] == "" {
				return false
			}
			given = true
		}
	}
	return given || !loadsModulePattern.MatchString(text)
}
