package graph

import (
	"context"
	"errors"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/internal/apperr"
)

// On a busy machine a first start was told that no Neo4j answers, while the engine was there.
func TestAnEngineWhoseFirstAnswerIsLateIsAskedAgain(t *testing.T) {
	ctx, away, asked := context.Background(), error(&neo4j.ConnectivityError{Inner: errors.New("too slow")}), 0
	late := func(context.Context) (probe, error) {
		if asked++; asked < 3 {
			return probe{}, away
		}
		return probe{Version: "5.26.30"}, nil
	}
	there, gone := func() bool { return true }, func() bool { return false }
	if found, err := persist(ctx, probe{}, away, late, there); err != nil || found.Version != "5.26.30" || asked != 3 {
		t.Errorf("asked %d times, and got %v, %v", asked, found, err)
	}
	asked = 0
	for _, final := range []error{nil, apperr.New(apperr.QueryTimeout, "x"), errors.New("no Neo4j")} {
		if _, err := persist(ctx, probe{}, final, late, there); !errors.Is(err, final) || asked != 0 {
			t.Errorf("%v: asked %d times, and got %v", final, asked, err)
		}
	}
	asked = 0
	if _, err := persist(ctx, probe{}, away, late, gone); !errors.Is(err, away) || asked != 0 {
		t.Errorf("an engine that is gone is not asked: asked %d times, and got %v", asked, err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := persist(ended, probe{}, away, late, there); !errors.Is(err, away) || asked > 1 {
		t.Errorf("whoever has gone is not waited for: asked %d times, %v", asked, err)
	}
}
