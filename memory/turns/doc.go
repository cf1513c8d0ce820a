// Package turns cuts what was said into pieces that are remembered: at turns, which are a question with its answer. It knows no graph.
package turns
