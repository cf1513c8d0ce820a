// Package render prepares text for answers: shortened, cleaned, marked as recorded, and as readable JSON. Package
// terminal has what only a terminal needs.
package render

import (
	"strings"
	"unicode"
)

// EscapeControl removes characters that a terminal would execute, because recorded texts can come from anyone. Line
// breaks, tabs and joiners remain.
func EscapeControl(text string) string { return strings.Map(visible, text) }

func visible(r rune) rune {
	if isControl(r) {
		return -1
	}
	return r
}

// isControl reports whether a terminal could execute the character.
func isControl(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || changesDirection(r)
}

// changesDirection reports whether the character changes the writing direction.
func changesDirection(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// Cell returns a text for a cell of CSV, in a form that no spreadsheet reads as a formula: a text that begins like a
// formula gets a leading single quote.
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
