// Package auth settles who sends a request to a network door: a token of the graph, one of a file, or, on loopback where nothing
// is asked for, anybody. What it finds is an access.Caller; below it nothing asks again.
package auth
