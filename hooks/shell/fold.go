package shell

import (
	"slices"
	"strconv"
	"strings"

	"nomograph/internal/pattern"
)

// maxFolds is the maximum depth of nested expressions that are folded.
const maxFolds = 4

// Patterns of code that builds a text from known parts. folded replaces a match by the text.
const (
	quotedText = `(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")`
	numberList = `[\[(]?\s*(\d{1,3}(?:\s*,\s*\d{1,3})*)\s*[\])]?`
)

var (
	codesOfText = []*pattern.Pattern{
		pattern.New(`(?:bytes|bytearray)\(\s*` + numberList + `\s*\)(?:\.decode\([^)]*\))?`),
		pattern.New(`(?:''|"")\.join\(\s*map\(\s*chr\s*,\s*` + numberList + `\s*\)\s*\)`),
		pattern.New(`(?:''|"")\.join\(\s*\[?\s*chr\(\w+\)\s*for\s+\w+\s+in\s+` + numberList + `\s*\]?\s*\)`),
		pattern.New(`String\.from(?:CharCode|CodePoint)\(\s*(?:\.\.\.)?` + numberList + `\s*\)`),
		pattern.New(`string\.char\(\s*` + numberList + `\s*\)`),
		pattern.New(`join\s*\(?\s*(?:""|'')\s*,\s*map\s*(?:\{\s*chr\s*\}|chr\s*,)\s*` + numberList),
		pattern.New(numberList + `\.pack\(\s*['"][cCU]\*['"]\s*\)`),
		pattern.New(`\bchr\(\s*(\d{1,3})\s*\)`),
	}
	hexOfText = []*pattern.Pattern{
		pattern.New(`\bpack\s*\(?\s*['"]H\*['"]\s*,\s*['"]([0-9a-fA-F]+)['"]\s*\)?`),
		pattern.New(`['"]([0-9a-fA-F]+)['"]\s*\]\.pack\(\s*['"]H\*['"]\s*\)`),
		pattern.New(`(?:hex2bin|bytes\.fromhex|bytearray\.fromhex|unhexlify)\(\s*['"]([0-9a-fA-F]+)['"]\s*\)(?:\.decode\([^)]*\))?`),
		pattern.New(`Buffer\.from\(\s*['"]([0-9a-fA-F]+)['"]\s*,\s*['"]hex['"]\s*\)(?:\.toString\([^)]*\))?`),
	}
	reversedText = []*pattern.Pattern{
		pattern.New(`(` + quotedText + `)\s*\[\s*::\s*-1\s*\]`),
		pattern.New(`(?:strrev|reverse)\s*\(\s*(` + quotedText + `)\s*\)`),
		pattern.New(`(` + quotedText + `)\.split\(\s*(?:''|"")\s*\)\.reverse\(\)\.join\(\s*(?:''|"")\s*\)`),
	}
	reversingCall = []*pattern.Pattern{pattern.New(`\(?(` + quotedText + `)\)?[.:]reverse\b(?:\(\))?`)}
	joinedTexts   = []*pattern.Pattern{
		pattern.New(`(?:''|"")\.join\(\s*[\[(]\s*(` + quotedText + `(?:\s*,\s*` + quotedText + `)*)\s*[\])]\s*\)`),
		pattern.New(`[\[]\s*(` + quotedText + `(?:\s*,\s*` + quotedText + `)*)\s*\]\.join\(\s*(?:''|"")?\s*\)`),
		pattern.New(`\bjoin\s*\(?\s*(?:''|"")\s*,\s*(` + quotedText + `(?:\s*,\s*` + quotedText + `)*)\s*\)?`),
	}
	spacedJoinPattern = pattern.New(`(?:' '|" ")\.join\(\s*[\[(]\s*(` + quotedText + `(?:\s*,\s*` + quotedText + `)*)\s*,?\s*[\])]\s*\)|\[\s*(` + quotedText + `(?:\s*,\s*` + quotedText + `)*)\s*,?\s*\]\.join\(\s*(?:' '|" ")\s*\)|\bjoin\s*\(?\s*(?:' '|" ")\s*,\s*(` + quotedText + `(?:\s*,\s*` + quotedText + `)*)\s*\)?`)
	filledText        = []*pattern.Pattern{
		pattern.New(`(` + quotedText + `)\s*%\s*\(?\s*(` + quotedText + `(?:\s*,\s*` + quotedText + `)*)\s*,?\s*\)?`),
		pattern.New(`(` + quotedText + `)\.format\(\s*(` + quotedText + `(?:\s*,\s*` + quotedText + `)*)\s*\)`),
	}
	textPattern     = pattern.New(quotedText)
	formatPattern   = pattern.New(`%s|\{\d*\}`)
	dotJoinPattern  = pattern.New(`'\s*\.{1,2}\s*'|"\s*\.{1,2}\s*"`)
	mayBuildPattern = pattern.New(`chr|char|Char|CodePoint|pack|hex|::\s*-1|rev|join|format|%s|bytes|['"]\s*\.{1,2}\s*['"]`)
)

// foldTexts replaces each expression that builds a text from known parts by the text. all is false if it stopped early.
func foldTexts(language, text string) (made string, all bool) {
	if len(text) > maxText || !mayBuildPattern.MatchString(text) && !constantPattern.MatchString(text) {
		return text, true
	}
	reversing := reversedText
	if language != "perl" && language != "php" { // in these languages, a dot concatenates
		reversing = slices.Concat(reversedText, reversingCall)
	}
	text = fillInConstants(language, text)
	for range maxFolds {
		before := text
		text = replaceEach(text, codesOfText, func(parts []string) (string, bool) {
			var b strings.Builder
			for number := range strings.SplitSeq(parts[1], ",") {
				n, err := strconv.Atoi(strings.TrimSpace(number))
				if err != nil || n > 255 {
					return "", false
				}
				b.WriteByte(byte(n))
			}
			return b.String(), true
		})
		text = replaceEach(text, hexOfText, func(parts []string) (string, bool) {
			var b strings.Builder
			for i := 0; i+1 < len(parts[1]); i += 2 {
				n, err := strconv.ParseUint(parts[1][i:i+2], 16, 8)
				if err != nil {
					return "", false
				}
				b.WriteByte(byte(n))
			}
			return b.String(), true
		})
		text = replaceEach(text, reversing, func(parts []string) (string, bool) {
			letters := []rune(unquoted(parts[1]))
			slices.Reverse(letters)
			return string(letters), true
		})
		text = replaceEach(text, joinedTexts, func(parts []string) (string, bool) {
			return strings.Join(unquotedAll(parts[1]), ""), true
		})
		text = replaceEach(text, []*pattern.Pattern{spacedJoinPattern}, func(parts []string) (string, bool) {
			return strings.Join(unquotedAll(parts[1]+parts[2]+parts[3]), " "), true
		})
		text = replaceEach(text, filledText, func(parts []string) (string, bool) {
			values := unquotedAll(parts[2])
			return formatPattern.ReplaceAllStringFunc(unquoted(parts[1]), func(place string) string {
				if len(values) == 0 {
					return place
				}
				value := values[0]
				values = values[1:]
				return value
			}), true
		})
		text = singleDoubleJoinPattern.ReplaceAllString(doubleSingleJoinPattern.ReplaceAllString(text, `$1"`), `$1'`)
		text = dotJoinPattern.ReplaceAllString(plusJoinPattern.ReplaceAllString(text, ""), "")
		if text == before {
			if language != "perl" && language != "php" {
				text = joinInserted(language, text)
			}
			return text, true
		}
	}
	return text, false
}

// constantPattern matches the assignment of a text to a variable.
var constantPattern = pattern.New(`([$]?\b\w+)\s*=\s*('[^'\\\n]*'|"[^"\\\n$#{}]*")\s*(?:;|\n|$)`)

// maxConstants is the maximum number of variables of a text that are replaced by their values.
const maxConstants = 10

// fillInConstants replaces variables by their texts in templates and concatenations: f'{x} -rf', x + ' -rf', "$x -rf".
func fillInConstants(language, text string) string {
	for _, found := range constantPattern.FindAllStringSubmatch(text, maxConstants) {
		text = fillInConstant(language, text, found[1], unquoted(found[2]))
	}
	return text
}

// fillInConstant replaces one variable by its text in templates and concatenations.
func fillInConstant(language, text, name, given string) string {
	if strings.Count(text, name) < 2 || len(text)+4*len(given) > maxText || strings.ContainsAny(given, "'\"") {
		return text
	}
	quoted := "'" + given + "'"
	bare := strings.TrimPrefix(name, "$")
	for _, form := range [][2]string{{"{" + name + "}", given}, {"${" + bare + "}", given}, {"#{" + name + "}", given}, {"(" + name + "+", "(" + quoted + "+"}, {"+" + name + "+", "+" + quoted + "+"}, {"+" + name + ")", "+" + quoted + ")"}, {"(" + name + " + ", "(" + quoted + "+"}, {" + " + name + " + ", "+" + quoted + "+"}, {" + " + name + ")", "+" + quoted + ")"}} {
		if form[0] == "{"+name+"}" && javaScript[language] {
			continue
		}
		if form[0] == "{"+name+"}" || strings.HasPrefix(form[0], "${") { // the preceding $ belongs to the variable
			text = strings.ReplaceAll(strings.ReplaceAll(text, "$"+form[0], given), "#"+form[0], given)
		}
		text = strings.ReplaceAll(text, form[0], form[1])
	}
	if (language == "perl" || language == "php") && strings.HasPrefix(name, "$") {
		for _, after := range []string{" ", `"`, "/"} {
			text = strings.ReplaceAll(text, `"`+name+after, `"`+given+after)
			text = strings.ReplaceAll(text, ` `+name+after, ` `+given+after)
		}
	}
	return text
}

// homeOf matches an expression that returns the home directory.
const homeOf = `(?:(?:\bos\.path\.)?\bexpanduser\(\s*['"]~/?['"]\s*\)|(?:\bpathlib\.)?\bPath\.home\(\)|(?:\brequire\(\s*['"](?:node:)?os['"]\s*\)\.|\b\w+\.)?\bhomedir\(\)|\bDir\.home\b|(?:\bos\.)?\benviron(?:\.get\(\s*['"]HOME['"][^()]*\)|\[\s*['"]HOME['"]\s*\])|(?:\bos\.)?\bgetenv\(\s*['"]HOME['"]\s*\)|\bENV(?:\[\s*['"]HOME['"]\s*\]|\.fetch\(\s*['"]HOME['"]\s*\))|\bprocess\.env(?:\.HOME\b|\[\s*['"]HOME['"]\s*\])|\$ENV\{['"]?HOME['"]?\}|\bFile\.expand_path\(\s*['"]~['"]\s*\))`

var (
	homeTextPattern       = pattern.New(`\bstr\(\s*(` + homeOf + `)\s*\)`)
	homeInBracesPattern   = pattern.New(`[$#]?\{\s*` + homeOf + `\s*\}`)
	homeAssignmentPattern = pattern.New(`([$]?\b\w+)\s*=\s*` + homeOf + `\s*(?:;|\n|$)`)
	homeAfterTextPattern  = pattern.New(`(['"])(\s*(?:\+|\.{1,2})\s*)` + homeOf)
	homeBeforeTextPattern = pattern.New(homeOf + `(\s*(?:\+|\.{1,2})\s*)(['"])`)
	homePattern           = pattern.New(`(=\s*)?` + homeOf)
	// belowHomePattern matches a path below the home directory whose last part is unknown.
	belowHomePattern = pattern.New(`~(?:/['"]\s*\+|['"]\s*/)\s*[A-Za-z_]\w*`)
	// homeParts match a path below the home directory that is built from parts.
	homeParts = []*pattern.Pattern{
		pattern.New(`(?:\bos\.path|\bpath|\bFile|\brequire\(\s*['"](?:node:)?path['"]\s*\))\.join\(\s*'~'\s*,\s*(` + quotedText + `(?:\s*,\s*` + quotedText + `)*)\s*\)`),
		pattern.New(`'~'\s*/\s*(` + quotedText + `)`),
	}
	doubleSingleJoinPattern = pattern.New(`"\s*\+\s*'([^'"\\\n]*)'`)
	singleDoubleJoinPattern = pattern.New(`'\s*\+\s*"([^'"\\\n]*)"`)
)

// withHome replaces expressions for the home directory by '~', so that built texts contain it. It leaves
// variables unchanged, because code that deletes may name only a path below.
func withHome(language, text string) string {
	if !homeCallPattern.MatchString(text) || len(text) > maxText {
		return text
	}
	text = homeTextPattern.ReplaceAllString(text, "$1")
	text = homeInBracesPattern.ReplaceAllString(text, "~")
	for _, found := range homeAssignmentPattern.FindAllStringSubmatch(text, maxConstants) {
		text = fillInConstant(language, text, found[1], "~")
	}
	text = homeAfterTextPattern.ReplaceAllString(text, "${1}${2}${1}~${1}")
	text = homeBeforeTextPattern.ReplaceAllString(text, "${2}~${2}${1}${2}")
	text = homePattern.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, "=") {
			return "= home"
		}
		return "'~'"
	})
	for range 2 {
		text = replaceEach(text, homeParts, func(parts []string) (string, bool) {
			return "~/" + strings.Join(unquotedAll(parts[1]), "/"), true
		})
	}
	text = dotJoinPattern.ReplaceAllString(plusJoinPattern.ReplaceAllString(text, ""), "")
	return belowHomePattern.ReplaceAllStringFunc(text, func(found string) string { return "~/$x" + found[strings.IndexAny(found, `'"`):][:1] })
}

// replaceEach replaces what the patterns match by a quoted text. It leaves out texts that cannot be quoted simply.
func replaceEach(text string, patterns []*pattern.Pattern, built func(parts []string) (string, bool)) string {
	for _, p := range patterns {
		text = p.ReplaceAllStringFunc(text, func(found string) string {
			made, ok := built(p.FindStringSubmatch(found))
			switch {
			case !ok || strings.ContainsAny(made, "\\\n") || made == "":
				return found
			case !strings.Contains(made, "'"):
				return "'" + made + "'"
			case !strings.Contains(made, `"`):
				return `"` + made + `"`
			}
			return found
		})
	}
	return text
}

func unquoted(text string) string { return strings.Trim(text, text[:1]) }

func unquotedAll(text string) (all []string) {
	for _, one := range textPattern.FindAllString(text, -1) {
		all = append(all, unquoted(one))
	}
	return all
}

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
