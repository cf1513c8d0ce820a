// Package render prepares text for answers: shortened, cleaned, marked as recorded, and as readable JSON. Package
// terminal has what only a terminal needs.
package render

import (
	"strings"
	"unicode"
)

// EscapeControl takes out of a text what a terminal would obey instead of showing it: recorded texts are whoever's who recorded them. Line
// ends and tabs stay, and so does what joins letters and emoji.
func EscapeControl(text string) string { return strings.Map(visible, text) }

func visible(r rune) rune {
	if obeyed(r) {
		return -1
	}
	return r
}

// obeyed tells whether a terminal may take the character as an order.
func obeyed(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || turns(r)
}

// turns tells whether the character changes the direction of writing of what follows.
func turns(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
