// Package auth authenticates requests to a network endpoint: a token of the graph, a configured token, an OpenID token,
// or, on loopback without authentication, anybody. The result is a caller.Caller; later code does not authenticate
// again.
package auth
