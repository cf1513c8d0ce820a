// Package lists selects, converts and merges the items of lists.
package lists

import "slices"

// Filter returns the items for which keep is true.
func Filter[T any](items []T, keep func(T) bool) []T {
	var remaining []T
	for _, item := range items {
		if keep(item) {
			remaining = append(remaining, item)
		}
	}
	return remaining
}

// Map returns what convert makes of each item.
func Map[T, U any](items []T, convert func(T) U) []U {
	converted := make([]U, len(items))
	for i, item := range items {
		converted[i] = convert(item)
	}
	return converted
}

// Union returns the texts of all lists, sorted and without duplicates.
func Union(lists ...[]string) []string {
	texts := slices.Concat(lists...)
	slices.Sort(texts)
	return slices.Compact(texts)
}
