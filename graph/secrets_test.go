package graph_test

import (
	"encoding/json"
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// TestQuery_Secret_IsNeverRead tries to read hashes of tokens and signed-out sessions: whole, changed, compared, and
// over every kind of pattern that finds a node. Each query must also find the agent, so that it is not only refused.
func TestQuery_Secret_IsNeverRead(t *testing.T) {
	g := graphtest.New(t)
	const secret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	g.Exec(t, `CREATE (t:Token {uid: 'u', name: 'ada', hash: $secret, rate: 2.0})-[:OF]->(a:Agent {uid: 'a', name: 'ada', key: 'ada'}), (:SignOut {hash: $secret}),
		(:SYS_Version {hash: 'a1b2', of: 'x'})-[:OF]->(a), (a)-[:MADE]->(:Decision {id: 'd1'})`, map[string]any{"secret": secret})
	for _, row := range golden.Columns(t, "testdata/secrets.txt", 1) {
		query := row[0]
		params := map[string]any{}
		for name, value := range map[string]any{"key": "hash", "secret": secret, "label": "Token"} {
			if strings.Contains(query, "$"+name) {
				params[name] = value
			}
		}
		answer, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: query, Params: params})
		text, _ := json.Marshal(answer.Rows)
		said := strings.ToLower(string(text))
		if err != nil {
			said += strings.ToLower(err.Error())
		}
		for _, form := range []string{secret, "0123456789abcdef", "fedcba9876543210", `"0","1","2","3","4"`,
			"123456789zbcdef", `"","123456789abcdef"`} {
			if strings.Contains(said, form) {
				t.Errorf("%s: got %s, %v, want no %s", query, text, err, form)
			}
		}
		if counts := strings.Contains(query, "count(*)") || strings.Contains(query, "EXISTS"); counts && err == nil &&
			(strings.Contains(said, "[[1") || strings.Contains(said, "true") || strings.Contains(said, ",1]")) {
			t.Errorf("%s: got %s, want no node with the hash", query, text)
		}
		if mentions := strings.Contains(query, "Token") && !strings.Contains(query, "'Token'") ||
			strings.Contains(query, "SignOut") || strings.Contains(query, "))*") || strings.Contains(query, "0,1}") ||
			strings.Contains(query, "{,1}"); err != nil && !mentions {
			t.Errorf("%s: got %v, want an answer", query, err)
		}
	}
	for query, want := range map[string]string{
		"MATCH (v:SYS_Version) RETURN toUpper(v.hash) AS x":                                 `[["A1B2"]]`,
		"MATCH (n) WHERE n.hash STARTS WITH 'a1' RETURN n.hash AS x":                        `[["a1b2"]]`,
		"MATCH (a:Agent)<-[:OF]-(n) RETURN n.of AS x":                                       `[["x"]]`,
		"MATCH (n:!Agent&!Decision) WHERE n.of = 'x' RETURN count(n) AS x":                  `[[1]]`,
		"MATCH (a:Agent) RETURN COUNT { (a)--() } AS x":                                     `[[2]]`,
		"MATCH p = (d:Decision) ((x)--(y))* (v:SYS_Version) RETURN length(p) AS x":          `[[2]]`,
		"MATCH p = (d:Decision) ((x)--(y)){0,3} (v) RETURN count(p) AS x":                   `[[3]]`,
		"EXPLAIN MATCH (n) RETURN n":                                                        `[]`,
		"MATCH (n) WHERE n.uid = 'a' WITH n MATCH (n)--(m) RETURN count(m) AS x":            `[[2]]`,
		"MATCH (n) WHERE n.uid = 'a' AND NOT (n)--() RETURN count(n) AS x":                  `[[0]]`,
		"MATCH (é) WHERE é.name = 'ada' RETURN 'ü' + é.name AS x":                           `[["üada"]]`,
		"MATCH (n) WHERE n.uid = 'a' AND EXISTS { (n)<-[:OF]-(:SYS_Version) } RETURN n.uid": `[["a"]]`,
	} {
		answer, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: query})
		if text, _ := json.Marshal(answer.Rows); err != nil || string(text) != want {
			t.Errorf("%s: got %s, %v, want %s", query, text, err, want)
		}
	}
}

// TestQuery_ErrorAfterAnUnlabeledNode_HasItsPlace: the query that is sent is longer than the caller's.
func TestQuery_ErrorAfterAnUnlabeledNode_HasItsPlace(t *testing.T) {
	g := graphtest.New(t)
	for query, place := range map[string]string{
		"MATCH (n)\nRETURN m":                              "line 2, column 8",
		"MATCH (n)--()--(o:!A) RETURN m":                   "line 1, column 30",
		"EXPLAIN  MATCH (n) RETURN é, m":                   "line 1, column 27",
		"MATCH (:Agent) RETURN m":                          "line 1, column 23",
		"// 🦊 a comment\nMATCH (n {a: '🦊'}) RETURN m AS x": "line 2, column 27",
	} {
		if _, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: query}); err == nil ||
			!strings.Contains(err.Error(), place) {
			t.Errorf("%q: got %v, want an error at %s", query, err, place)
		}
	}
}
