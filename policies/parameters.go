package policies

import (
	"strings"

	"github.com/google/uuid"
)

// newUID makes the uid of a new node.
func newUID() string { return uuid.Must(uuid.NewV7()).String() }

func nullable[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func nullIfEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func lowerOrNull(text string) any {
	if text == "" {
		return nil
	}
	return strings.ToLower(text)
}
