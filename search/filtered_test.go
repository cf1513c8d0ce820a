package search

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
)

// TestVectors_FilteredIndex_EqualsExhaustiveSearch compares the index of a newer server with a comparison of every
// vector. An older server runs the same query for both.
func TestVectors_FilteredIndex_EqualsExhaustiveSearch(t *testing.T) {
	g := graphtest.New(t)
	x := Open(g.DB, Builtin(), zerolog.Nop())
	x.corpus.textOf = nil // rank all hits, also distant ones
	defer x.Close(t.Context())
	subjects := []string{"orders in Postgres", "a cache in Redis", "queues with Kafka", "logs on disk",
		"tokens that expire"}
	for i := range 120 {
		facets := []string{Facet("category", []string{"architecture", "process", "security"}[i%3]),
			Facet("project", fmt.Sprint("acme/", i%4)), Facet("stakes", []string{"low", "high"}[i%2])}
		facets = append(facets, ConfidenceFacet(float64(i%100)/100))
		if i%10 == 0 {
			facets = append(facets, Retracted)
		}
		if i%5 > 0 {
			facets = append(facets, Facet("agent", "ada"))
		}
		decide(t, g, fmt.Sprintf("d%03d", i), map[string]any{"decision": fmt.Sprintf("Keep %s for customer %d",
			subjects[i%5], i), "confidence": float64(i%100) / 100}, facets...)
	}
	g.Exec(t, `MATCH (a:Decision) MATCH (b:Decision {uid: 'd' + right('00' + toString(toInteger(right(a.uid, 3)) * 7 % 120), 3)}) WHERE a <> b
		CREATE (a)-[:RELATES_TO {auto: a.uid ENDS WITH '3'}]->(b)`, nil)
	graphtest.OK(t, x.Drain(t.Context()))
	refresh(t, g)
	g.Exec(t, "CALL db.awaitIndexes(60)", nil)
	half, compared := 0.5, map[string][]Hit{}
	filters := map[string]Filter{
		"one facet": {All: []string{Facet("category", "security")}},
		"two":       {All: []string{Facet("category", "process"), Facet("project", "acme/1")}},
		"one of two": {Any: [][]string{{Facet("stakes", "high"), Facet("stakes", "critical")}},
			All: []string{Facet("agent", "ada")}},
		"with a range":      {All: []string{Facet("stakes", "high")}, MinConfidence: &half},
		"what nobody has":   {All: []string{Facet("project", "acme/none")}},
		"a tag as well":     {All: []string{Facet("stakes", "low"), Facet("tag", "storage")}},
		"with another kind": {All: []string{Facet("tag", "storage")}},
	}
	for name, filter := range filters {
		q := Question{Text: "where do we keep orders", Mode: Semantic, Limit: 8, Filter: filter}
		found := ask(t, x, q)
		g.Exec(t, "MATCH (i:SYS_SearchIndex {name: 'decisions'}) SET i.filtered = false",
			nil) // like a graph from an older server
		exact := ask(t, x, q)
		compared[name] = exact.Hits
		g.Exec(t, "MATCH (i:SYS_SearchIndex {name: 'decisions'}) SET i.filtered = true", nil)
		graphtest.Equal(t, uids(found), uids(exact), name, "and compared one by")
	}
	for _, row := range g.Rows(t, "MATCH (e:Embedding) RETURN e.uid AS uid, e.text AS text, e.packed AS packed", nil) {
		packed, _ := row["packed"].([]byte)
		var text []float64
		for _, number := range row["text"].([]any) {
			text = append(text, number.(float64))
		}
		if cosine, comparable := productPacked(text, packed); !comparable || math.Abs(cosine-1) > 1e-6 {
			t.Errorf("the bytes of %v are not its vector: %v", row["uid"], cosine)
		}
	}
	// Vectors from older versions have no bytes and are compared by the server.
	g.Exec(t, "MATCH (i:SYS_SearchIndex {name: 'decisions'}) SET i.filtered = false WITH i MATCH (e:Embedding)-[:OF]->(d:Decision) WHERE d.uid ENDS WITH '1' OR d.uid ENDS WITH '2' OR d.uid ENDS WITH '5' REMOVE e.packed", nil)
	for name, filter := range filters {
		found := ask(t, x, Question{Text: "where do we keep orders", Mode: Semantic, Limit: 8, Filter: filter})
		if !slices.EqualFunc(found.Hits, compared[name],
			func(a, b Hit) bool { return a.UID == b.UID && math.Abs(a.Score-b.Score) < 1e-6 }) {
			t.Errorf("%s: half of them compared by the server %v, and all by their bytes %v", name, found.Hits,
				compared[name])
		}
	}
	first := compared["one facet"][0].UID
	for _, byHand := range []any{"no bytes", []byte{1, 2, 3}} {
		g.Exec(t, "MATCH (e:Embedding)-[:OF]->(:Decision {uid: $uid}) SET e.packed = $packed",
			map[string]any{"uid": first, "packed": byHand})
		if found := uids(ask(t, x, Question{Text: "where do we keep orders", Mode: Semantic, Limit: 8,
			Filter: filters["one facet"]})); len(found) != 8 || slices.Contains(found, first) {
			t.Errorf("with %v in the place of bytes: %v", byHand, found)
		}
	}
}
