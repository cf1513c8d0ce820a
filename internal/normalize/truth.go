package normalize

import (
	"math"
	"slices"
	"strconv"
)

var (
	yes = []string{"true", "t", "yes", "y", "on", "enabled"}
	no  = []string{"false", "f", "no", "n", "off", "disabled", "none", "null", "nil", "undefined", ""}
)

// Truth parses a text as a boolean: a word in any spelling, or a number, where 0 is false. ok is false for other texts.
func Truth(text string) (value, ok bool) {
	word := Name(text)
	switch number, err := strconv.ParseFloat(word, 64); {
	case slices.Contains(yes, word):
		return true, true
	case slices.Contains(no, word):
		return false, true
	case err == nil && !math.IsNaN(number) && !math.IsInf(number, 0):
		return number != 0, true
	}
	return false, false
}
