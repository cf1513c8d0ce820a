// Package precedents finds decisions: by what they are about, or in a list.
//
// Store.Query searches by words and meaning, adds reasons, reviews and what is linked, and leaves the question in the session;
// Find is the same without leaving anything. Store.List gives pages in an order, by Filters. Newest and FirstDecisionAt are for rooms
// that need no more.
package precedents
