// Package turns splits a conversation into chunks at turns: a question with its answer. It reads no graph.
package turns
