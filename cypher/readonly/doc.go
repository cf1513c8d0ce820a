// Package readonly decides whether a Cypher text may run as a read.
//
// It reads the text the way Neo4j 5 does: a lexer, then a parser that knows which word stands where a clause, a
// function or a procedure is named and which word is only a name. What it does not know it refuses, so a clause, a
// function or a procedure is allowed because it is on a list, never because it is missing from one.
//
// It also bounds the work that a server cannot interrupt. Rows can be interrupted: a cartesian product or a long
// path ends with the transaction's time-out. A single expression cannot: a list comprehension, reduce() or any()
// over a long list, a string that doubles, a regular expression that backtracks. Those are measured here, from
// literals and parameters, and refused when they could grow too large. See bounds.go for the figures.
//
// The guard is one layer. The server's own EXPLAIN type, a READ session, a time-out and a memory limit are the
// others, and none of them replaces this one.
package readonly
