package caller

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const maxNameLength = 200 // bytes

// NameProblem returns why a text is not a valid caller name, or "". A valid name has no control characters, invisible
// characters, bidirectional controls or non-NFKC letters. Names that look the same are therefore equal, except for
// letters of other alphabets. Surrounding white space is ignored.
func NameProblem(name string) string {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "it is empty"
	case len(name) > maxNameLength:
		return "it has more than 200 bytes"
	case !utf8.ValidString(name):
		return "it is not UTF-8"
	case strings.ContainsFunc(name, hidden):
		return "it has invisible characters"
	case norm.NFKC.String(name) != name:
		return "it has letters in an unusual form, such as full-width letters"
	}
	return ""
}

// hidden reports whether a character is invisible or changes how others are shown. The only allowed white space is the
// ordinary space.
func hidden(r rune) bool {
	const blankOfBraille = '\u2800'
	return !unicode.IsPrint(r) || r == blankOfBraille || r == utf8.RuneError ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
