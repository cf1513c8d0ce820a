package policies

import (
	"github.com/google/uuid"
)

// NewUID makes the uid of a new node.
func NewUID() string { return uuid.Must(uuid.NewV7()).String() }

// Nullable is the parameter for what may be left out: what p points at, null for nil.
func Nullable[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
