package shell

import (
	"strings"

	"nomograph/internal/pattern"
)

const quotedText = `(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")`

const quotedTexts = `(` + quotedText + `(?:\s*,\s*` + quotedText + `)*)\s*,?\s*`

// Patterns of code that builds a text from known parts.
var (
	joinedTexts = []*pattern.Pattern{
		pattern.New(`(?:''|"")\.join\(\s*[\[(]\s*` + quotedTexts + `[\])]\s*\)`),
		pattern.New(`[\[]\s*` + quotedTexts + `\]\.join\(\s*(?:''|"")?\s*\)`),
	}
	spacedTexts = []*pattern.Pattern{
		pattern.New(`(?:' '|" ")\.join\(\s*[\[(]\s*` + quotedTexts + `[\])]\s*\)`),
		pattern.New(`\[\s*` + quotedTexts + `\]\.join\(\s*(?:' '|" ")\s*\)`),
		pattern.New(`\bjoin\s*\(?\s*(?:' '|" ")\s*,\s*` + quotedTexts + `\)?`),
	}
	filledTexts = []*pattern.Pattern{
		pattern.New(`(` + quotedText + `)\s*%\s*\(?\s*` + quotedTexts + `\)?`),
		pattern.New(`(` + quotedText + `)\.format\(\s*` + quotedTexts + `\)`),
	}
	textPattern     = pattern.New(quotedText)
	formatPattern   = pattern.New(`%s|\{\d*\}`)
	dotJoinPattern  = pattern.New(`'\s*\.{1,2}\s*'|"\s*\.{1,2}\s*"`)
	mayBuildPattern = pattern.New(`join|format|%s|['"]\s*\.{1,2}\s*['"]`)
)

// foldTexts replaces each expression that builds a text from known parts by the text.
func foldTexts(language, text string) string {
	if len(text) > maxText || !mayBuildPattern.MatchString(text) && !constantPattern.MatchString(text) {
		return text
	}
	text = fillInConstants(language, text)
	text = replaceEach(text, joinedTexts,
		func(parts []string) string { return strings.Join(unquotedAll(parts[1]), "") })
	text = replaceEach(text, spacedTexts,
		func(parts []string) string { return strings.Join(unquotedAll(parts[1]), " ") })
	text = replaceEach(text, filledTexts, func(parts []string) string {
		values := unquotedAll(parts[2])
		return formatPattern.ReplaceAllStringFunc(unquoted(parts[1]), func(place string) string {
			if len(values) == 0 {
				return place
			}
			value := values[0]
			values = values[1:]
			return value
		})
	})
	text = singleDoubleJoinPattern.ReplaceAllString(doubleSingleJoinPattern.ReplaceAllString(text, `$1"`), `$1'`)
	return dotJoinPattern.ReplaceAllString(plusJoinPattern.ReplaceAllString(text, ""), "")
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
	for _, form := range [][2]string{{"{" + name + "}", given}, {"${" + bare + "}", given}, {"#{" + name + "}", given},
		{"(" + name + "+", "(" + quoted + "+"}, {"+" + name + "+", "+" + quoted + "+"},
		{"+" + name + ")", "+" + quoted + ")"}, {"(" + name + " + ", "(" + quoted + "+"},
		{" + " + name + " + ", "+" + quoted + "+"}, {" + " + name + ")", "+" + quoted + ")"}} {
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
		pattern.New(`(?:\bos\.path|\bpath|\bFile|\brequire\(\s*['"](?:node:)?path['"]\s*\))\.join\(\s*'~'\s*,\s*(` +
			quotedText + `(?:\s*,\s*` + quotedText + `)*)\s*\)`),
		pattern.New(`'~'\s*/\s*(` + quotedText + `)`),
	}
	doubleSingleJoinPattern = pattern.New(`"\s*\+\s*'([^'"\\\n]*)'`)
	singleDoubleJoinPattern = pattern.New(`'\s*\+\s*"([^'"\\\n]*)"`)
)

// withHome replaces expressions for the home directory by '~', so that built texts contain it. It leaves
// variables unchanged, because code that deletes may name only a path below.
func withHome(language, text string) string {
	if len(text) > maxText || !containsAny(text, "home", "HOME", "expanduser", "expand_path") ||
		!homeCallPattern.MatchString(text) {
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
		text = replaceEach(text, homeParts,
			func(parts []string) string { return "~/" + strings.Join(unquotedAll(parts[1]), "/") })
	}
	text = dotJoinPattern.ReplaceAllString(plusJoinPattern.ReplaceAllString(text, ""), "")
	return belowHomePattern.ReplaceAllStringFunc(text,
		func(found string) string { return "~/$x" + found[strings.IndexAny(found, `'"`):][:1] })
}

// replaceEach replaces what the patterns match by a quoted text. It leaves out texts that cannot be quoted simply.
func replaceEach(text string, patterns []*pattern.Pattern, built func(parts []string) string) string {
	for _, p := range patterns {
		text = p.ReplaceAllStringFunc(text, func(found string) string {
			made := built(p.FindStringSubmatch(found))
			switch {
			case strings.ContainsAny(made, "\\\n") || made == "":
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
