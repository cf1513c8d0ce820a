package engine

import (
	"context"
	"testing"
	"time"

	"nomograph/internal/apperr"
)

func TestTakeTurn_OtherProcess_WaitsForTheEnd(t *testing.T) {
	o := Options{Dir: t.TempDir()}.Defaults()
	one, other := &Lease{o: o}, &Lease{o: o}
	leave, err := one.TakeTurn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := other.TakeTurn(soon); !apperr.Is(err, apperr.Unavailable) || apperr.From(err).Hint == "" {
		t.Errorf("during another query: got %v, want error %s with a hint", err, apperr.Unavailable)
	}
	time.AfterFunc(30*time.Millisecond, leave)
	if leave, err = other.TakeTurn(t.Context()); err != nil {
		t.Errorf("after the other query: got %v, want its turn", err)
	}
	leave()
}
