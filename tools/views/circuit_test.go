package views

import (
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/terminal"
	"nomograph/policies/circuit"
)

func TestText_CircuitBreaker_NamesItsState(t *testing.T) {
	for ms, want := range map[int64]string{24 * 3600_000: "24h", 90 * 60_000: "1h30m", 3600_000 + 5000: "1h0m5s",
		60_000: "1m", 20_000: "20s", 0: "0s"} {
		graphtest.Contains(t,
			circuitState(circuit.State{State: circuit.Closed, WindowMS: ms},
				terminal.Page{}), " within "+want+"\n")
	}
	at := time.Date(2026, 11, 21, 19, 0, 0, 0, time.UTC)
	probing := circuit.State{Scope: "stakes:high", State: circuit.HalfOpen, OpenedAt: &at, HalfOpenAt: &at}
	if got := circuitState(probing, terminal.Page{}); !strings.Contains(got,
		"half-open  since it was reset\n") { // the cooldown counts from opened_at
		t.Error(got)
	}
	probing.FailureCount = 3
	graphtest.Contains(t, circuitState(probing, terminal.Page{}),
		"half-open  after 3 failures, opened 2026-11-21T19:00:00Z\n")
}
