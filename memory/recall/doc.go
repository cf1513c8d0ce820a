// Package recall asks memory: what was said and done that bears on a question, what led to a topic, what may come next, and what a session
// held. Others use Store.Recall and its siblings, which give answers in words that fit into so many tokens, and Store.Find, which ranks.
//
// How memory is found, in this order:
//
//  1. The words of the question, but for those that every question has, go to the full text index, and its meaning to the vectors, as for
//     decisions (package search). A time that the question names is looked at by itself as well.
//  2. Of the chunks that these find, the messages in them are ranked by BM25 with the messages beside them, by the rank of their chunk, and by
//     how well all that was found of their session fits. A chunk is as good as the best of its messages (rank.go).
//  3. From the best chunks it walks: to the chunks beside them, further back along the session for recall and explain, further on for predict,
//     and along the links of the decisions in them.
//  4. What says the same as something better is left out, and what is like it comes later, until the budget is full (choose.go).
//  5. With each chunk comes what is true now: that a decision in it failed or was superseded, and by what.
package recall
