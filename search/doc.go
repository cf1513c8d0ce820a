// Package search finds decisions, contexts of atlases, and chunks of memory: by words through the full text index, by meaning through vectors, and by both at once.
// It makes the vectors, in the background and from marks in the graph, so that nothing is lost while an embedder is away.
package search
