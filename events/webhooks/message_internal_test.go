package webhooks

import (
	"encoding/json"
	"testing"

	"nomograph/decisions"
	"nomograph/events"
	"nomograph/policies/check"
	"nomograph/policies/circuit"
	"nomograph/sessions"
)

// TestBody_EveryWordingAndFormat_IsJSON fills in each text of messages.yaml in each format, with characters that JSON
// and Slack escape.
func TestBody_EveryWordingAndFormat_IsJSON(t *testing.T) {
	const hard = "a\"b\\\n<!channel> & \u2028"
	e := &events.Event{Change: &events.Change{Name: hard}, Verdict: &check.VerdictRow{Description: hard},
		Decision: &decisions.Summary{Title: hard}, Review: &decisions.Review{}, Reset: &events.Reset{Scope: hard},
		Approval: &sessions.Approval{Action: hard, Params: hard}, Appeal: &check.Appeal{Reason: hard},
		Proposal: &events.Proposal{Change: []string{hard}}}
	for name := range wordings() {
		for _, format := range []string{"json", "slack", "ntfy"} {
			m := message{Event: e, Breaker: &circuit.State{Scope: hard}, Type: name, Data: map[string]any{"x": hard}}
			target := target{Name: "ops", url: "https://ntfy.example.org/topic"}
			body, err := target.body(m, "https://nomograph.example.org", format)
			if err != nil || !json.Valid(body) {
				t.Errorf("%s as %s: got %s, %v, want JSON", name, format, body, err)
			}
		}
	}
}
