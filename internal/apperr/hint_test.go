package apperr

import "testing"

func TestNew_WithoutAHint_HasTheHintOfItsCode(t *testing.T) {
	for _, code := range []Code{Validation, Unauthenticated, PermissionDenied, NotFound, Conflict, RateLimited,
		QueryRefused, QueryFailed, QueryTimeout, RuleFailed, Unavailable, Internal} {
		if New(code, "m").Hint == "" {
			t.Errorf("%s has no hint", code)
		}
	}
	if got := New(Validation, "m").WithHint("Do %d", 1).Hint; got != "Do 1" {
		t.Errorf("got %q, want the hint that was given", got)
	}
}
