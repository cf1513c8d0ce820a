package policies

import "slices"

// Filter gives the items that are to be kept.
func Filter[T any](items []T, keep func(T) bool) []T {
	var kept []T
	for _, item := range items {
		if keep(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// ContainsAll tells whether have holds everything that is wanted.
func ContainsAll(have, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(have, name) })
}
