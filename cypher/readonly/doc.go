// Package readonly decides whether a Cypher text may run as a read.
//
// It parses the text as Neo4j 5 does: a lexer, then a parser that distinguishes a name from a clause, a function or a
// procedure. Clauses, functions and procedures are allowed only if they are on a list. Everything unknown is refused.
//
// It also bounds work that a server cannot interrupt. The transaction timeout ends a cartesian product or a long path,
// because rows can be interrupted. It does not end a single expression: a list comprehension, reduce() or any() over a
// long list, a string that doubles, a regular expression that backtracks. Such expressions are measured here, from
// literals and parameters, and refused if they could grow too large. bounds.go has the figures.
//
// The guard is one layer of several. The type that EXPLAIN reports, a READ session, a timeout and a memory limit are
// the others.
package readonly
