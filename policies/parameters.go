package policies

import (
	"strings"

	"github.com/google/uuid"
)

// NewUID makes the uid of a new node.
func NewUID() string { return uuid.Must(uuid.NewV7()).String() }

func Nullable[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func NullIfEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func LowerOrNull(text string) any {
	if text == "" {
		return nil
	}
	return strings.ToLower(text)
}
