// Package recall searches memory: which chunks concern a question, what led to a topic, what may come next, and what a
// session contained. Store.Recall and its siblings return text within a token budget; Store.Find returns the ranking.
//
// The ranking has these steps:
//
//  1. The words of the question, without question words, query the full-text index. Its vector queries the vector
//
// index,
//
//	   as for decisions (package search). If the question names a time, the chunks of that time are queried separately.
//	2. BM25 ranks the messages of the chunks found, together with their neighbors, the rank of their chunk, and the
//
// other
//
//	   hits in their session. A chunk has the score of its best message (rank.go).
//	3. From the best chunks the search moves to adjacent chunks, and along the links of the decisions in them. Recall
//
// and
//
//	   explain move back in the session, predict moves forward.
//	4. A chunk that repeats a better one is dropped, and similar chunks are moved down, until the budget is full
//	   (choose.go).
//	5. Each chunk has its current state: whether a decision in it failed or was superseded, and by which decision.
package recall
