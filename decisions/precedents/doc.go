// Package precedents searches and lists decisions.
//
// Store.Query searches by words and meaning, adds reasons, reviews and linked decisions, and records the query in the
// session. Find is the same without the record. Store.List returns sorted pages, selected by Filters. Newest
// and FirstDecisionAt are for packages that need only that.
package precedents
