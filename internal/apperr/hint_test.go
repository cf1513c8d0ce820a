package apperr

import (
	"testing"

	"nomograph/internal/golden"
)

func TestNew_WithoutAHint_HasTheHintOfItsCode(t *testing.T) {
	for _, code := range []Code{Validation, Unauthenticated, PermissionDenied, NotFound, Conflict, RateLimited,
		QueryRefused, QueryFailed, QueryTimeout, RuleFailed, Unavailable, Internal} {
		if New(code, "m").Hint == "" {
			t.Errorf("%s has no hint", code)
		}
	}
	golden.Equal(t, "hint", New(Validation, "m").WithHint("Do %d", 1).Hint, "Do 1")
}
