// Package precedents searches and lists decisions.
//
// Store.Query searches by words and meaning, adds reasons, reviews and linked decisions, and records the query in the
// session. Find is the same without the record. Store.List returns sorted pages, selected by Filters. Newest,
// ReadFound and ReadFirstDecisionAt are for packages that need only that. A function whose name begins with Read returns
// a part of a joined statement, and a function that returns the result after that statement was sent.
package precedents
