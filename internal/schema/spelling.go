package schema

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Misspelt returns the known name that a name is most likely a typo of, or "" if there is none or the name is known.
// Short names must be more similar, because they are more often different words.
func Misspelt(name string, known []string) string {
	nearest := ""
	for _, other := range known {
		switch {
		case other == name:
			return ""
		case slip(plainName(name), plainName(other)):
			nearest = other
		}
	}
	return nearest
}

var betweenWords = strings.NewReplacer("_", "", "-", "", " ", "")

// plainName returns the name in lower case without separators.
func plainName(name string) string {
	return betweenWords.Replace(strings.ToLower(name))
}

func slip(a, b string) bool {
	distance := levenshtein.ComputeDistance(a, b)
	swapped := distance == 2 && len(a) == len(b) && oneSwap(a, b)
	switch n := len(b); {
	case distance == 0 || swapped:
		return true
	case n <= 4 || a == "" || a[0] != b[0]:
		return false
	case n <= 6: // "score" is not "scope"
		return distance == 1 && len(a) != n
	}
	return distance <= 2
}

// oneSwap reports whether two adjacent characters were swapped.
func oneSwap(a, b string) bool {
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
