package graph_test

import (
	"encoding/json"
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
)

// TestQuery_Secret_IsNeverRead tries to read hashes of tokens and signed-out sessions: whole, changed, compared, and
// over every kind of pattern that finds a node. Each query must also find the agent, so that it is not only refused.
func TestQuery_Secret_IsNeverRead(t *testing.T) {
	g := graphtest.New(t)
	const secret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	g.Exec(t, `CREATE (t:Token {uid: 'u', name: 'ada', hash: $secret, rate: 2.0})-[:OF]->(a:Agent {uid: 'a', name: 'ada', key: 'ada'}), (:SignOut {hash: $secret}),
		(:SYS_Version {hash: 'a1b2', of: 'x'})-[:OF]->(a), (a)-[:MADE]->(:Decision {id: 'd1'})`, map[string]any{"secret": secret})
	for _, query := range []string{
		"MATCH (n) WHERE n.uid IS NOT NULL RETURN n.hash AS x, n.uid AS y",
		"MATCH (n) RETURN n",
		"MATCH (n) RETURN toUpper(n.hash) AS x",
		"MATCH (n) RETURN reverse(n.hash) AS x",
		"MATCH (n) RETURN split(n.hash, '0') AS x",
		"MATCH (n) RETURN replace(n.hash, 'a', 'z') AS x",
		"MATCH (n) RETURN left(n.hash, 20) + '-' + right(n.hash, 44) AS x",
		"MATCH (n) RETURN [i IN range(0, 63) | substring(n.hash, i, 1)] AS x",
		"MATCH (n) RETURN [k IN keys(n) | toString(n[k])] AS x",
		"MATCH (n) RETURN n[$key] AS x",
		"MATCH (n) WITH properties(n) AS m RETURN [k IN keys(m) | toUpper(toString(m[k]))] AS x",
		"MATCH (n) WITH n {.*} AS m RETURN reverse(m.hash) AS x",
		"MATCH (n) RETURN n {.hash} AS x",
		"MATCH (n) WHERE n.hash STARTS WITH '01234567' RETURN count(*) AS x",
		"MATCH (n) WHERE n.hash =~ '0123.*' RETURN count(*) AS x",
		"MATCH (n) WHERE n.hash > '0122' AND n.hash < '0124' RETURN count(*) AS x",
		"MATCH (n {hash: $secret}) RETURN count(*) AS x",
		"MATCH (n WHERE n.hash CONTAINS '89abc') RETURN count(*) AS x",
		"MATCH (:Agent)--(n) RETURN toUpper(n.hash) AS x",
		"MATCH (n)-->(:Agent) RETURN toUpper(n.hash) AS x",
		"MATCH ()-[r]->(:Agent) RETURN toUpper(startNode(r).hash) AS x",
		"MATCH (:Agent)<-[r]-() RETURN [n IN [startNode(r), endNode(r)] | reverse(n.hash)] AS x",
		"MATCH p = (:Agent)-[*0..2]-() RETURN [n IN nodes(p) | toUpper(n.hash)] AS x",
		"MATCH p = (:Agent)-[*1..2]-() UNWIND relationships(p) AS r RETURN toUpper(startNode(r).hash) AS x",
		"MATCH p = (:Agent) ((a)--(b)){1,2} (c) RETURN [n IN nodes(p) | toUpper(n.hash)] + [n IN b | reverse(n.hash)] AS x",
		"MATCH p = ((a)--(b))+ RETURN [n IN nodes(p) | toUpper(n.hash)] AS x",
		"MATCH p = (a)-[r]->{0,2}(b) RETURN [n IN nodes(p) | toUpper(n.hash)] AS x",
		"MATCH p = shortestPath((a:Agent)-[*]-(b:!Agent)) RETURN [n IN nodes(p) | toUpper(n.hash)] AS x",
		"MATCH (a:Agent), (b:!Agent) RETURN [n IN nodes(shortestPath((a)-[*]-(b))) | toUpper(n.hash)] AS x",
		"MATCH (a:Agent) RETURN [n IN nodes(shortestPath((a)-[*]-(Token))) | toUpper(n.hash)] AS x",
		"MATCH (a:Agent) RETURN [n IN nodes(shortestPath((a)-[*]-(b:Token))) | toUpper(n.hash)] AS x",
		"MATCH (a:Agent), (b:!Agent) RETURN [n IN nodes(shortestPath((a)-[* {k: COLLECT { MATCH (n) RETURN n.hash }[0]}]-(b))) | 1] AS Token",
		"MATCH p = ANY SHORTEST (a:Agent)--+(b) RETURN [n IN nodes(p) | toUpper(n.hash)] AS x",
		"MATCH (n:!Agent) RETURN toUpper(n.hash) AS x",
		"MATCH (n:%) RETURN toUpper(n.hash) AS x",
		"MATCH (n:!Decision&!Agent) RETURN toUpper(n.hash) AS x",
		"MATCH (n:(!Decision|!Agent)) RETURN toUpper(n.hash) AS x",
		"MATCH (n:$($label)) RETURN toUpper(n.hash) AS x",
		"MATCH (n:$any(['Agent', $label])) RETURN toUpper(n.hash) AS x",
		"MATCH (n IS !Agent) RETURN toUpper(n.hash) AS x",
		"MATCH (a:Agent) RETURN [(a)--(n) | toUpper(n.hash)] AS x",
		"MATCH (a:Agent) RETURN COLLECT { MATCH (a)<--(n) RETURN toUpper(n.hash) } AS x",
		"MATCH (a:Agent) CALL (a) { MATCH (n)-->(a) RETURN reverse(n.hash) AS x } RETURN x",
		"MATCH (a:Agent) RETURN EXISTS { (a)<--(n WHERE n.hash STARTS WITH '01') } AS x, COUNT { (a)<--({hash: $secret}) } AS y",
		"MATCH (a:Agent) WHERE (a)<--({hash: $secret}) RETURN count(*) AS x",
		"MATCH (a:Agent) OPTIONAL MATCH (n)-->(a) RETURN reduce(s = '', m IN collect(n) | s + coalesce(m.hash, '')) AS x",
		"MATCH (a:Agent) OPTIONAL MATCH (n) WHERE n.uid = 'u' AND n <> a RETURN toUpper(n.hash) AS x",
		"MATCH (n) WHERE elementId(n) IS NOT NULL RETURN max(n.hash) + '' AS x",
		"MATCH (n) RETURN n.hash AS x ORDER BY n.hash SKIP 0 LIMIT 1",
		"MATCH (n) WHERE 'Token' IN labels(n) RETURN toUpper(n.hash) AS x UNION MATCH (n:Agent) RETURN n.name AS x",
		"MATCH (n:Token) RETURN toUpper(n.hash) AS x",
		"MATCH (n:Agent|Token) RETURN toUpper(n.hash) AS x",
		"MATCH (n:`Token`) RETURN toUpper(n.hash) AS x",
		"MATCH (n) WHERE n:Token RETURN toUpper(n.hash) AS x",
		"MATCH (n:SignOut) RETURN toUpper(n.hash) AS x",
		"MATCH p = ((a)--(b))* RETURN [n IN nodes(p) | toUpper(n.hash)] AS x",
		"MATCH p = ((a)--(b)){0,1} RETURN [n IN nodes(p) | toUpper(n.hash)] AS x",
		"MATCH p = ((a)--(b)){,1} (c) RETURN [n IN nodes(p) | toUpper(n.hash)] AS x",
		"MATCH p = (c) ((a)--(b)){0,} ((d)--(e))* RETURN [n IN nodes(p) | toUpper(n.hash)] AS x",
		"MATCH (n) WHERE n.uid = 'u' RETURN date(n.hash) AS x",
	} {
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
