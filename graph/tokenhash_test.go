package graph_test

import (
	"encoding/json"
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
)

// TestQuery_TokenHash_IsHidden requests a token's hash in every way that returns it whole, and other values of the
// same form.
func TestQuery_TokenHash_IsHidden(t *testing.T) {
	g := graphtest.New(t)
	secret, other := strings.Repeat("0f", 32), strings.Repeat("a1", 32)
	g.Exec(t, "CREATE (t:Token {uid: 'u', name: 'ada', hash: $secret, rate: 2.0})-[:OF]->(:Agent {name: 'ada'}), (:SYS_Version {hash: $other})", map[string]any{"secret": secret, "other": other})
	for _, query := range []string{
		"MATCH (t:Token) RETURN t.hash AS x, t.rate AS rate", "MATCH (t:Token) RETURN t", "MATCH (n) RETURN n", "MATCH (n) WHERE n.rate = 2.0 RETURN n['hash'] AS x", "MATCH (t:Token) RETURN properties(t) AS x",
		"MATCH (t:Token) RETURN t {.*} AS x", "MATCH (t:Token) RETURN collect(t.hash) AS x", "MATCH p = (t:Token)-[:OF]->() RETURN p", "MATCH (t:Token) RETURN [x IN keys(t) | t[x]] AS x",
		"MATCH (t:Token) RETURN 'Bearer ' + t.hash + '!' AS x", "MATCH (t:Token) RETURN {a: {b: [t.hash]}} AS x", "MATCH (t:Token) RETURN head([t]) AS x",
	} {
		answer, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: query})
		text, _ := json.Marshal(answer)
		if err != nil || strings.Contains(string(text), secret) || !strings.Contains(string(text), "[not shown]") {
			t.Errorf(`%s: got %v %s, want text without %v, text with "[not shown]"`, query, err, text, secret)
		}
	}
	for _, query := range []string{"MATCH (t:Token) RETURN date(t.hash) AS x", "MATCH (t:Token) RETURN point({x: t.hash, y: 1}) AS x", "MATCH (t:Token) RETURN duration(t.hash) AS x"} {
		if answer, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: query}); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: got %v %v, want an error, error without %v", query, err, answer.Rows, secret)
		}
	}
	answer, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: "MATCH (v:SYS_Version) RETURN v.hash AS x, 1.0 AS y"})
	if err != nil || answer.Rows[0][0] != other {
		t.Errorf("a version: %v %v", err, answer.Rows)
	}
}
