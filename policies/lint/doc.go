// Package lint finds mistakes in rules: rows that never match, literals that repeat a threshold.
//
// Pack lints one pack and returns its Findings. Store.Lint lints the rules of a graph, Store.Packs named packs or,
// without names, the graph. Nothing is changed.
package lint
