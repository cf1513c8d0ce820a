// Package cstp is the door for agents that speak the Cognition State Transfer Protocol: JSON-RPC 2.0 at POST /cstp, its four busy methods also
// over gRPC, and the cards by which other agents find this one. A method is an operation of the catalog that names it; arguments and
// answers are the operation's, in camelCase, and where CSTP's users have another shape, shapes.go has it.
package cstp
