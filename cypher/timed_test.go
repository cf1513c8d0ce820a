package cypher_test

import (
	"slices"
	"strings"
	"testing"

	"nomograph/cypher"
)

// TestWhatMakesAnEventIsKnown: whoever waits for events is woken by these statements, and by no other.
func TestWhatMakesAnEventIsKnown(t *testing.T) {
	want := map[string]string{
		"policies/gate/verdicts_record":      "Verdict",
		"trace/events_append":                "Verdict", // told of only where an event has one
		"policies/history/changes_record":    "SYS_Change",
		"policies/circuit/circuit_reset":     "CircuitReset",
		"agents/intent_announce":             "Intent Voice",
		"agents/voice_add":                   "Voice",
		"agents/federation/peer_voices_keep": "Voice",
		"sessions/approval_claim":            "Approval",
		"sessions/approval_answer":           "Approval",
		"sessions/approval_undo":             "Approval",
		"decisions/links/link_create":        "LinkChange",
		"decisions/links/link_remove":        "LinkChange",
		"decisions/decision_record":          "Decision Verdict",
		"decisions/decision_update":          "Revision",
		"decisions/decisions_review":         "Review",
		"decisions/imports/import_create":    "Decision Review",
		"decisions/imports/import_update":    "Review Revision",
	}
	for name, statement := range cypher.Catalog {
		if got := strings.Join(slices.Compact(slices.Sorted(slices.Values(statement.Makes()))), " "); got != want[name] {
			t.Errorf("%s makes %q, want %q", name, got, want[name])
		}
	}
}
