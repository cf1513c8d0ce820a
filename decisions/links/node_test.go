package links

import (
	"strings"
	"testing"
)

func TestNode_StatusAtItsSource_IsShown(t *testing.T) {
	for _, c := range []struct{ source, outcome, want string }{
		{"Accepted", "", "accepted"},
		{"accepted\nSee ADR-7", "", "accepted"},
		{"Proposed", "", "proposed"},
		{"Accepted", "success", "success"},
		{"", "", "pending"},
	} {
		p := map[string]any{"id": "aaaaaaaa", "decision": "Use NATS", "status": "pending", "source_status": c.source}
		if c.outcome != "" {
			p["outcome"], p["status"] = c.outcome, "reviewed"
		}
		if got := nodeOf(p).Facts(); !strings.Contains(got, c.want) || c.want != "pending" &&
			strings.Contains(got, "pending") {
			t.Errorf("%q, %q: got %s, want %s", c.source, c.outcome, got, c.want)
		}
	}
}
