// Package search finds decisions, contexts of atlases and chunks of memory: by words through the full-text index, by
// meaning through vectors, or by both. It computes vectors in the background from marks in the graph, so nothing is
// lost while an embedder is unavailable.
package search
