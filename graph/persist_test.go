package graph

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/internal/apperr"
)

// TestConnect_StartingManagedEngine_KeepsTrying: on a busy machine, a first start once reported that no Neo4j answers
// although the engine was running.
func TestConnect_StartingManagedEngine_KeepsTrying(t *testing.T) {
	away := error(&neo4j.ConnectivityError{Inner: errors.New("startup timed out")})
	running, gone := func() bool { return true }, func() bool { return false }
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx     context.Context
		errors  []error // result of each probe; later probes repeat the last result
		running func() bool
		probes  int
		want    error
	}{
		"a late first answer": {context.Background(), []error{away, apperr.New(apperr.Unavailable, "x"), nil},
			running, 3, nil},
		"a timeout": {context.Background(), []error{apperr.New(apperr.QueryTimeout, "x")}, running, 1,
			apperr.New(apperr.QueryTimeout, "x")},
		"another error":          {context.Background(), []error{context.Canceled}, running, 1, context.Canceled},
		"an engine that ended":   {context.Background(), []error{away}, gone, 1, away},
		"a caller who has gone":  {canceled, []error{away}, running, 1, away},
		"no answer for a minute": {context.Background(), []error{away}, running, -1, away},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				probes := 0
				found, err := repeatProbe(c.ctx, func(context.Context) (probe, error) {
					probes++
					return probe{Version: "5.26.30"}, c.errors[min(probes, len(c.errors))-1]
				}, c.running)
				if c.want == nil && (err != nil || found.Version != "5.26.30") || c.want != nil &&
					(err == nil || err.Error() != c.want.Error()) {
					t.Errorf("got %v, %v, want %v", found, err, c.want)
				}
				if c.probes >= 0 && probes != c.probes || c.probes < 0 && probes < 100 {
					t.Errorf("got %d probes, want %d", probes, c.probes)
				}
			})
		})
	}
}
