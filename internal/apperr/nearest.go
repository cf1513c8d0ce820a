package apperr

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

const maxNearest = 3

// Nearest returns at most three names similar to wanted, best first; ties keep the given order. A name is similar if it
// contains wanted, or if their edit distance is at most 2 or a third of the length of wanted.
func Nearest(wanted string, names []string) []string {
	wanted = strings.ToLower(wanted)
	distances := map[string]int{}
	for _, name := range names {
		lower := strings.ToLower(name)
		distance := levenshtein.ComputeDistance(wanted, lower)
		if strings.Contains(lower, wanted) {
			distance = min(distance, 1)
		}
		if distance <= max(2, len(wanted)/3) {
			distances[name] = distance
		}
	}
	near := slices.AppendSeq([]string{}, maps.Keys(distances)) // JSON shows an empty list, not null
	slices.SortFunc(near, func(a, b string) int {
		return cmp.Or(distances[a]-distances[b], slices.Index(names, a)-slices.Index(names, b))
	})
	return near[:min(len(near), maxNearest)]
}
