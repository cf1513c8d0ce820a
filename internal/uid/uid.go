// Package uid creates identifiers.
package uid

import "github.com/google/uuid"

// New returns the uid of a new node: a UUIDv7, so that uids sort by creation time.
func New() string { return uuid.Must(uuid.NewV7()).String() }

// Random returns an identifier that reveals nothing and cannot be guessed, for calls, errors and HTTP sessions: a
// UUIDv4.
func Random() string { return uuid.NewString() }
