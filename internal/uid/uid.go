// Package uid makes identifiers.
package uid

import "github.com/google/uuid"

// New is the uid of a new node: a UUIDv7, so that uids sort by when they were made.
func New() string { return uuid.Must(uuid.NewV7()).String() }

// Random is an identifier that tells nothing and cannot be guessed: a UUIDv4, such as for a call, an error or a session over HTTP.
func Random() string { return uuid.NewString() }
