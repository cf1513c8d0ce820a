package graph

import (
	"context"
	"errors"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/fault"
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
	if found, err := persist(ctx, probe{}, away, late); err != nil || found.Version != "5.26.30" || asked != 3 {
		t.Errorf("asked %d times, and got %v, %v", asked, found, err)
	}
	asked = 0
	for _, final := range []error{nil, fault.New(fault.QueryTimeout, "x"), errors.New("no Neo4j")} {
		if _, err := persist(ctx, probe{}, final, late); !errors.Is(err, final) || asked != 0 {
			t.Errorf("%v: asked %d times, and got %v", final, asked, err)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := persist(ended, probe{}, away, late); !errors.Is(err, away) || asked > 1 {
		t.Errorf("whoever has gone is not waited for: asked %d times, %v", asked, err)
	}
}
