// Package recall searches memory: what bears on a question, what led to a topic, what may come next, and what a session
// held. Store.Recall and its siblings return text within a token budget; Store.Find returns the ranking.
//
// The ranking has these steps:
//
//  1. The words of the question, without question words, query the full-text index; its meaning queries the vectors, as
//
// for decisions
//
//	   (package search). A time that the question names is queried separately.
//	2. The messages of the chunks found are ranked by BM25 together with their neighbors, by the rank of their chunk,
//
// and by how well
//
//	   the hits in their session fit. A chunk has the score of its best message (rank.go).
//	3. From the best chunks the search moves to adjacent chunks: further back in the session for recall and explain,
//
// further ahead for
//
//	   predict, and along the links of the decisions in them.
//	4. A chunk that repeats a better one is dropped, and similar chunks are moved down, until the budget is full
//
// (choose.go).  5. Each chunk carries its current state: that a decision in it failed or was superseded, and by which
// decision.
package recall
