// Package claims compares statements: whether two near-duplicates mean the same, and whether a later statement replaces
// an earlier one. It compares words only and reads no graph.
package claims
