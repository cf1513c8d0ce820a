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

// Covers tells whether have holds everything that is wanted.
func Covers(have, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(have, name) })
}

// Texts gives a list of the graph as texts; what is none is "".
func Texts(list []any) []string {
	out := make([]string, len(list))
	for i, item := range list {
		out[i], _ = item.(string) // the statement makes them
	}
	return out
}

// AnyList gives texts as a list of the graph.
func AnyList(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}
