package normalize

import (
	"slices"
	"strings"
)

// Glob reports whether a text matches a pattern in which only * is a wildcard.
func Glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}

// Overlap reports whether any text matches both patterns, in which only * is a wildcard.
func Overlap(a, b string) bool {
	reached := make([]bool, len(b)+1) // by offset in b: whether the rest of a and the rest of b can match the same text
	for i := len(a); i >= 0; i-- {
		below := slices.Clone(reached)
		for j := len(b); j >= 0; j-- {
			switch {
			case i == len(a) && j == len(b):
				reached[j] = true
			case i < len(a) && a[i] == '*':
				reached[j] = below[j] || j < len(b) && reached[j+1]
			case j < len(b) && b[j] == '*':
				reached[j] = reached[j+1] || i < len(a) && below[j]
			default:
				reached[j] = i < len(a) && j < len(b) && a[i] == b[j] && below[j+1]
			}
		}
	}
	return reached[0]
}
