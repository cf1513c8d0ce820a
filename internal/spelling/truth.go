package spelling

import (
	"math"
	"slices"
	"strconv"
)

var (
	yes = []string{"true", "t", "yes", "y", "on", "enabled"}
	no  = []string{"false", "f", "no", "n", "off", "disabled", "none", "null", "nil", "undefined", ""}
)

// Truth reads a text as true or false: a word for either, in any spelling of it, or a number, of which 0 is false. It gives
// ok false for any other text.
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
