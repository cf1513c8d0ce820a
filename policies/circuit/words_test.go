package circuit

import (
	"strings"
	"testing"
	"time"
)

func TestAPersonReadsTheStateOfACircuit(t *testing.T) {
	for ms, want := range map[int64]string{24 * 3600_000: "24h", 90 * 60_000: "1h30m", 3600_000 + 5000: "1h0m5s", 60_000: "1m", 20_000: "20s", 0: "0s"} {
		if got := span(ms); got != want {
			t.Errorf("%d ms are %s, not %s", ms, got, want)
		}
	}
	at := time.Date(2026, 11, 21, 19, 0, 0, 0, time.UTC)
	probing := State{Scope: "stakes:high", State: HalfOpen, OpenedAt: &at, HalfOpenAt: &at}
	if got := probing.String(); !strings.Contains(got, "half-open  since it was reset\n") { // opened_at is what the cool-down is reckoned from
		t.Error(got)
	}
	probing.FailureCount = 3
	if got := probing.String(); !strings.Contains(got, "half-open  after 3 failures, opened 2026-11-21T19:00:00Z\n") {
		t.Error(got)
	}
}
