package engine

import (
	"testing"
	"time"

	"nomograph/cypher"
)

// TestExamine_NotHastened_UsesTheProductsLimits: only supervisors of tests call Hasten, so this process has the
// defaults.
func TestExamine_NotHastened_UsesTheProductsLimits(t *testing.T) {
	if got, want := len(warmed()), len(cypher.Hot()); got != want || want <= 2 {
		t.Errorf("got %d statements to plan, want all %d", got, want)
	}
	if cpuAfterTermination != 25*time.Second {
		t.Errorf("got a limit of %s, want 25 seconds", cpuAfterTermination)
	}
}
