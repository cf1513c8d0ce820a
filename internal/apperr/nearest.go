package apperr

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

const maxNearest = 3

// Nearest gives the names that look most like the one that was meant, best first and those alike in the order given, at most
// three: those that hold it, and those that differ in no more than a third of its letters, or two.
func Nearest(meant string, names []string) []string {
	meant = strings.ToLower(meant)
	distances := map[string]int{}
	for _, name := range names {
		lower := strings.ToLower(name)
		distance := levenshtein.ComputeDistance(meant, lower)
		if strings.Contains(lower, meant) {
			distance = min(distance, 1)
		}
		if distance <= max(2, len(meant)/3) {
			distances[name] = distance
		}
	}
	near := make([]string, 0, len(distances))
	for name := range distances {
		near = append(near, name)
	}
	slices.SortFunc(near, func(a, b string) int {
		return cmp.Or(distances[a]-distances[b], slices.Index(names, a)-slices.Index(names, b))
	})
	return near[:min(len(near), maxNearest)]
}
