// Package table reads and evaluates decision tables.
//
// Store.Evaluate answers for the inputs of a Query, Store.Get reads a table with its rows, and Store.List lists tables. A Table
// is one that was read, from the graph or from a pack, with its Rows: it evaluates by the thresholds it is given, without a
// graph. It writes nothing.
package table
