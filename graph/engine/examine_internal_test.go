package engine

import (
	"testing"
	"time"

	"nomograph/cypher"
	"nomograph/internal/golden"
)

// TestExamine_NotHastened_UsesTheProductsLimits: only supervisors of tests call Hasten, so this process has the
// defaults.
func TestExamine_NotHastened_UsesTheProductsLimits(t *testing.T) {
	if got, want := len(warmed()), len(cypher.Hot()); got != want || want <= 2 {
		t.Errorf("got %d statements to plan, want all %d", got, want)
	}
	golden.Equal(t, "the limit of processor time", cpuAfterTermination, 25*time.Second)
}
