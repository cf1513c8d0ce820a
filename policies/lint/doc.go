// Package lint finds mistakes in rules that can be read: rows that never hit, numbers that repeat a threshold.
//
// Pack looks through one pack and gives its Findings. Store.Lint looks through the rules of a graph, Store.Packs through packs
// or, where none are named, the graph. Nothing is changed.
package lint
