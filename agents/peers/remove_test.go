package peers_test

import (
	"testing"

	"nomograph/agents/peers"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
)

// TestRemove_AddedAgent_IsForgottenWithWhatWasSent: an agent that is added later under the same address is sent all
// decisions again.
func TestRemove_AddedAgent_IsForgottenWithWhatWasSent(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, app := toolstest.Open(t)
	for _, c := range []struct {
		agent string
		found bool
	}{
		{"security", true},
		{"Security", true},
		{"http://127.0.0.1:1", true},
		{"safety", false},
		{"http://127.0.0.1:2", false},
	} {
		graphtest.Must(app.Peers.Add(t.Context(), peers.AddRequest{Name: "security", URL: "http://127.0.0.1:1",
			NoAnswer: "block", Listed: true}))(t)
		g.Exec(t, `MATCH (p:Peer {name: 'security'}) SET p.subscribed_at = datetime(), p.following = true, p.pushed_to = 'd'
			MERGE (d:Decision {uid: 'd'}) MERGE (d)-[:SENT_TO]->(p)`, nil)
		out, err := app.Peers.Remove(t.Context(), peers.RemoveRequest{Agent: c.agent})
		if c.found != (err == nil) || !c.found && !apperr.Is(err, apperr.NotFound) || c.found &&
			out.Name != "security" {
			t.Errorf("%s: got %+v, %v, want found=%v", c.agent, out, err, c.found)
		}
		left, err := app.Peers.All(t.Context())
		if err != nil || (len(left) == 0) != c.found {
			t.Errorf("%s: got %+v, %v, want found=%v", c.agent, left, err, c.found)
		}
		row := g.Rows(t, `MATCH (p:Peer) RETURN COUNT { (:Decision {uid: 'd'})-[:SENT_TO]->(p) } AS sent,
			any(key IN ['added', 'listed', 'no_answer', 'subscribed_at', 'pushed_to', 'following'] WHERE p[key] IS NOT NULL) AS set`, nil)[0]
		if (row["sent"] == int64(0)) != c.found || row["set"] == c.found {
			t.Errorf("%s: got %v, want found=%v", c.agent, row, c.found)
		}
	}
}
