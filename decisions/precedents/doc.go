// Package precedents searches and lists decisions.
//
// Store.Query searches by words and meaning, adds reasons, reviews and linked decisions, and records the query in the
// session. Find is the same without the record. Store.List returns sorted pages, selected by Filters. Newest,
// ReadFound and ReadFirstDecisionAt serve packages that need no more; a Read function returns a part of a joined
// statement, and what answers once it is read.
package precedents
