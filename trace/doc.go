// Package trace keeps what sessions leave behind: so far, redaction: secrets never reach the graph, a log or an answer.
package trace
