package policies

import "slices"

// Filter returns the items for which keep is true.
func Filter[T any](items []T, keep func(T) bool) []T {
	var kept []T
	for _, item := range items {
		if keep(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// ContainsAll reports whether have contains all wanted values.
func ContainsAll(have, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(have, name) })
}
