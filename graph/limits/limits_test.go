package limits_test

import (
	"errors"
	"testing"
	"time"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/graph/limits"
)

// TestHold_ActsWithOneLimit_CountEarlierUsesOnce: concurrent reports are stored in one transaction.
func TestHold_ActsWithOneLimit_CountEarlierUsesOnce(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:Verdict {uid: 'v1', at: datetime(), counted_for: 'ann', counted: ['costs'], amounts: [30]})",
		nil)
	act := limits.Act{Uses: []limits.Use{{Rule: "costs", Scope: limits.OfAgent, Agent: "ann", Amount: 30, Most: 100,
		Seconds: 3600, At: time.Now()}}}
	var refused []error
	err := g.Write(t.Context(), func(tx *graph.Tx) error {
		held, err := limits.Hold(t.Context(), tx, []limits.Act{act, act, act})
		if err != nil {
			return err
		}
		for range 3 {
			over, err := held.Admit(t.Context(), act)
			if err != nil {
				return err
			}
			refused = append(refused, over)
		}
		return nil
	})
	var over *limits.Error
	if err != nil || refused[0] != nil || refused[1] != nil || !errors.As(refused[2], &over) {
		t.Errorf("got %v and %v, want two acts beside the earlier one of 30 of 100", refused, err)
	}
}
