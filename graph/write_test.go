package graph_test

import (
	"context"
	"testing"
	"time"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
)

// TestWrite_DeadlinePassesWhileTheCallerStops_FreesItsLocks stands for a process that was stopped in the middle of a transaction.
func TestWrite_DeadlinePassesWhileTheCallerStops_FreesItsLocks(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:Locked)", nil)
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	locked, others := make(chan struct{}), make(chan error, 1)
	go func() {
		<-locked
		others <- g.Write(t.Context(), func(tx *graph.Tx) error {
			return tx.Run(t.Context(), writing("MATCH (n:Locked) SET n.by = 'other'"), nil)
		})
	}()
	err := g.Write(short, func(tx *graph.Tx) error {
		if err := tx.Run(short, writing("MATCH (n:Locked) SET n.by = 'stopped'"), nil); err != nil {
			return err
		}
		close(locked)
		return <-others
	})
	toolstest.Fault(t, err, apperr.QueryTimeout)
	if by := g.Rows(t, "MATCH (n:Locked) RETURN n.by AS by", nil)[0]["by"]; by != "other" {
		t.Errorf("got %v, want what the other wrote", by)
	}
}
