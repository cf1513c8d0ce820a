// Package hooks translates between coding agents' hooks and policy checks. A Client reads the event that its program sends and makes an
// Action of it; the action's Arguments are those of a check; the client's Answer gives the verdict in the program's own form. Each client
// is one file. The package calls no operation and knows no graph: cmd and server do that.
package hooks
