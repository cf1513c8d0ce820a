// Package hooks translates between the hooks of coding agents and policy checks. A Client parses an event of its
// program into an Action. Action.Arguments are the arguments of a policy check. The client's Answer renders the verdict
// in the form that the program expects. Clients are rows of clients.json; contracts.go has what they do in their own
// way. The package calls no operation and reads no graph; cmd and server do that.
package hooks
