// Package cstp is the endpoint for agents that speak the Cognition State Transfer Protocol: JSON-RPC 2.0 at POST /cstp,
// its four most used methods also over gRPC, and agent cards. A method is an operation of the catalog; arguments and
// answers are the operation's, in camelCase. shapes.go has the answers whose shape differs for clients of CSTP.
package cstp
