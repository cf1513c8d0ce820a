package caller

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const maxNameLength = 200 // bytes

// NameProblem says why a text cannot be the name of a caller; "" where it can. A name shows all that it is made of: without control
// characters, invisible ones, those that turn the direction of writing, and other forms of a letter (Unicode's NFKC). Two names that
// look the same are then the same, but for letters of other alphabets. Blanks at the ends do not count.
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
		return "it has characters that do not show"
	case norm.NFKC.String(name) != name:
		return "it has letters in an unusual form, such as wide ones"
	}
	return ""
}

// hidden tells whether a character shows nothing, or changes how others show. The one blank that a name may have is the common one.
func hidden(r rune) bool {
	const blankOfBraille = '\u2800'
	return !unicode.IsPrint(r) || r == blankOfBraille || r == utf8.RuneError || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
