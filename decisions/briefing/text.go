package briefing

import (
	"strings"
	"unicode"

	"nomograph/internal/pattern"
	"nomograph/internal/render"
)

const (
	maxResultLength = 200 // characters of a recorded text
	maxReasonLength = 120
)

// flatten returns a text on one line with at most n characters.
func flatten(text string, n int) string {
	return render.Shorten(render.OneLine(text), n)
}

// leading matches Markdown syntax at the start of a line: a heading, a quotation, a list, a fence, a rule.
var leading = pattern.New(`^([#>+*=~_-]|\d+[.)])`)

// escape escapes a flat text for Markdown: code, table cells, tags and link targets neither begin nor end in it.
func escape(text string) string {
	var b strings.Builder
	runes := []rune(text)
	next := func(i int) rune {
		if i+1 < len(runes) {
			return runes[i+1]
		}
		return ' '
	}
	for i, r := range runes {
		switch {
		case r == '`' || r == '|',
			r == '\\' && (next(i) < unicode.MaxASCII && unicode.In(next(i), unicode.Punct, unicode.Symbol) ||
				i == len(runes)-1),
			r == '<' && (unicode.IsLetter(next(i)) || strings.ContainsRune("/!?", next(i))),
			r == '(' && i > 0 && runes[i-1] == ']':
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return leading.ReplaceAllStringFunc(b.String(), func(found string) string {
		return found[:len(found)-1] + `\` + found[len(found)-1:]
	})
}

// code formats a flat text as a code span, in which nothing is escaped.
func code(text string) string {
	if text == "" {
		return ""
	}
	longest := 0
	for _, run := range backticks.FindAllString(text, -1) {
		longest = max(longest, len(run))
	}
	if longest == 0 {
		return "`" + text + "`"
	}
	fence := strings.Repeat("`", longest+1)
	return fence + " " + text + " " + fence
}

var backticks = pattern.New("`+")
