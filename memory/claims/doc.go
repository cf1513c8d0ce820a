// Package claims compares what texts state: whether two near-duplicates really say the same, and whether a later statement replaces an earlier
// one. It reads words only and knows no graph.
package claims
