// Package table reads and evaluates decision tables.
//
// Store.Evaluate evaluates a table for the inputs of a Query, Store.Get reads a table with its rows, and Store.List
// lists tables. A Table, read from the graph or from a pack, evaluates without a graph, with the thresholds that it is
// given. Nothing is written.
package table
