package policies

import (
	"fmt"
	"strings"
	"unicode"

	"nomograph/graph"
)

// Shown is a value as messages show it: texts as they are, anything else in the canonical form.
func Shown(value any) string {
	switch v := value.(type) {
	case float64:
		return FloatText(v)
	case string:
		return v
	}
	var b strings.Builder
	WriteCanonical(&b, graph.JSON(value))
	return b.String()
}

// ShownOrNone is Shown, and (none) for nil.
func ShownOrNone(value any) string {
	if value == nil {
		return "(none)"
	}
	return Shown(value)
}

// Plural is the word for so many.
func Plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// Counted is a number with the word for so many: 1 rule, 2 rules.
func Counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Printable leaves out what is no text: control characters, with which a pack could write over a terminal or break XML.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// Title is the first line, cut.
func Title(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return firstRunes(line, longestTitle)
}

const longestTitle = 80 // characters
