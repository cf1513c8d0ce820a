package search

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
)

// record is a line of the record sets.
type record struct {
	ID, Title, Abstract, Description, Date string
	Category                               any
	Links                                  []struct{ Type, Target string }
}

// recordSets are the records of each file, and whether a type of link means that its target should be found.
var recordSets = map[string]func(link string) bool{
	"../../shared/data/eips.jsonl": func(link string) bool { return link == "requires" },
	"../../shared/data/adrs.jsonl": func(string) bool { return true },
}

func readRecords(t *testing.T, file string) (all []record) {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		if testing.Short() {
			t.Skip("the records are absent")
		}
		t.Fatal(err)
	}
	defer in.Close()
	for scanner := bufio.NewScanner(in); scanner.Scan(); {
		var r record
		graphtest.OK(t, json.Unmarshal(scanner.Bytes(), &r))
		all = append(all, r)
	}
	return all
}

// TestSearch_RealRecords_AreFound searches real records.
func TestSearch_RealRecords_AreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	for file, relevant := range recordSets {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			records := readRecords(t, file)
			g := graphtest.New(t)
			x := withRecords(t, g, records)
			t.Run("linked records", func(t *testing.T) { linkedRecords(t, g, x, records, relevant) })
			t.Run("relevance", func(t *testing.T) { relevanceOfRecords(t, x, records, relevant) })
			t.Run("lists are unchanged", func(t *testing.T) { sameLists(t, g, unbounded(x), records) })
		})
	}
}

// withRecords imports records and returns their index.
func withRecords(t *testing.T, g *graphtest.Graph, records []record) *Index {
	t.Helper()
	var rows, links []any
	for i, r := range records {
		category, _ := r.Category.(string)
		confidence := float64(i%100) / 100
		rows = append(rows, map[string]any{"uid": r.ID, "id": r.ID, "decision": r.Title + "\n" + r.Description,
			"context": r.Abstract, "terms": r.ID + "\n" + category, "confidence": confidence,
			"facets": strings.Join([]string{Facet("source", "all"), Facet("category", category),
				Facet("year", r.Date[:4]), ConfidenceFacet(confidence)}, " ")})
		for _, link := range r.Links {
			links = append(links, map[string]any{"from": r.ID, "to": link.Target})
		}
	}
	g.Exec(t, "UNWIND $rows AS row CREATE (d:Decision:Unindexed) SET d = row, d.created_at = datetime('2020-01-01T00:00Z')", map[string]any{"rows": rows})
	g.Exec(t, "UNWIND $links AS link MATCH (a:Decision {uid: link.from}) MATCH (b:Decision {uid: link.to}) WHERE a <> b MERGE (a)-[:DEPENDS_ON]->(b)", map[string]any{"links": links})
	return opened(t, g)
}

// linkedRecords searches with the words of a record for the records that it links to. Its own links are removed
// meanwhile. `go run ./bench
// -only finding` searches for all records.
func linkedRecords(t *testing.T, g *graphtest.Graph, x *Index, records []record, relevant func(link string) bool) {
	const some = 60
	step, questions, found := max(len(records)/some, 1), 0, map[string]float64{}
	for _, r := range records {
		wanted := map[string]bool{}
		for _, link := range r.Links {
			if relevant(link.Type) && link.Target != r.ID &&
				slices.ContainsFunc(records, func(o record) bool { return o.ID == link.Target }) {
				wanted[link.Target] = true
			}
		}
		if len(wanted) == 0 {
			continue
		}
		if questions++; questions%step > 0 {
			continue
		}
		links := g.Rows(t, "MATCH (d:Decision {uid: $uid})-[l:DEPENDS_ON]-() WITH l, startNode(l).uid AS from, endNode(l).uid AS to DELETE l RETURN from, to", map[string]any{"uid": r.ID})
		for _, mode := range []string{Keyword, Hybrid} {
			text := r.Title + "\n" + r.Abstract[:min(300, len(r.Abstract))]
			got := slices.DeleteFunc(uids(ask(t, x, Question{Text: text, Mode: mode, Limit: 11})),
				func(id string) bool { return id == r.ID })
			for _, id := range got[:min(10, len(got))] {
				if wanted[id] {
					found[mode] += 1 / float64(len(wanted))
				}
			}
		}
		back := make([]any, len(links))
		for i, link := range links {
			back[i] = link
		}
		g.Exec(t, "UNWIND $links AS link MATCH (a:Decision {uid: link.from}) MATCH (b:Decision {uid: link.to}) CREATE (a)-[:DEPENDS_ON]->(b)", map[string]any{"links": back})
	}
	t.Logf("of what %d questions should find, the first ten hold: %v", questions/step, found)
	chance := 0.02 * float64(questions/step) // with few questions, one link more or less shows nothing
	if found[Hybrid] < found[Keyword]-chance || found[Keyword] == 0 {
		t.Error("hybrid search is worse than keyword search")
	}
}

// sameLists compares the results with those of the slower statements that were used before.
func sameLists(t *testing.T, g *graphtest.Graph, x *Index, records []record) {
	const (
		byText = `CALL db.index.fulltext.queryNodes('decision_text', $query, {limit: CASE WHEN $min_confidence IS NULL THEN $limit ELSE 4000 END}) YIELD node AS d, score
		          WHERE NOT d:Retracted AND ($min_confidence IS NULL OR d.confidence >= $min_confidence) AND ($max_confidence IS NULL OR d.confidence <= $max_confidence)
		          RETURN d.uid AS uid, score ORDER BY score DESC, uid LIMIT $limit`
		passing = `WHERE NOT d:Retracted AND all(tokens IN $groups WHERE any(token IN tokens WHERE token IN split(d.facets, ' ')))
		             AND ($min_confidence IS NULL OR d.confidence >= $min_confidence) AND ($max_confidence IS NULL OR d.confidence <= $max_confidence)`
		best     = ` RETURN d.uid AS uid, max(score) AS score ORDER BY score DESC, uid LIMIT $limit`
		byVector = `CALL db.index.vector.queryNodes('embedding_text', CASE WHEN $limit < 10 OR $groups = [] THEN 100 ELSE 10 * $limit END, $vector) YIELD node AS e, score
		            MATCH (e)-[:OF]->(d:Decision) ` + passing + best
		exactly = `MATCH (e:Embedding)-[:OF]->(d:Decision) ` + passing +
			` WITH d, vector.similarity.cosine(e.text, $vector) AS score` + best
		left = `MATCH (d:Decision) ` + passing + ` RETURN count(d) AS n`
	)
	low, high := 0.3, 0.55
	source := Facet("source", "all")
	for name, filter := range map[string]Filter{
		"none":       {},
		"source":     {All: []string{source}},
		"category":   {All: []string{source, Facet("category", "Core")}},
		"either":     {Any: [][]string{{Facet("category", "ERC"), Facet("category", "Networking")}}},
		"year":       {All: []string{source}, Any: [][]string{{Facet("year", "2022"), Facet("year", "2021")}}},
		"confidence": {All: []string{source}, MinConfidence: &low, MaxConfidence: &high},
		"nothing":    {All: []string{Facet("category", "nobody's")}},
	} {
		for n := 0; n < len(records); n += max(len(records)/3, 1) {
			text := records[n].Title + "\n" + records[n].Description
			for _, limit := range []int{5, 40} {
				q := Question{Text: text, Limit: limit, Filter: filter}
				clauses := graphtest.Must(q.check())(t)
				vector := graphtest.Must(x.queryVector(t.Context(), text))(t)
				params := graph.Params{"query": fullText(slices.Concat(terms(text), compounds(text)),
					clauses+unretracted, ofDecisions.fields...), "vector": vector, "model": x.embedder.Model(),
					"groups": filter.groups(),
					"limit":  limit, "min_confidence": nil, "max_confidence": nil}
				if filter.ranged() {
					params["min_confidence"], params["max_confidence"] = low, high
				}
				near := byVector
				if len(filter.groups()) > 0 && g.Rows(t, left, params)[0]["n"].(int64) <= maxExact {
					near = exactly
				}
				for mode, statement := range map[string]string{Keyword: byText, Semantic: near} {
					var want []string
					for _, row := range g.Rows(t, statement, params) {
						want = append(want, row["uid"].(string))
					}
					q.Mode = mode
					got := uids(ask(t, x, q))
					if x.supportsFilters(t.Context()) && mode == Semantic &&
						shared(got, want) >= 0.9*float64(len(want)) {
						continue // a different index than before, and both are approximate
					}
					graphtest.Equal(t, got, want, name, mode, records[n].Title)
				}
			}
		}
	}
}

// shared counts the common elements of both lists.
func shared(a, b []string) float64 {
	n := 0
	for _, id := range a {
		if slices.Contains(b, id) {
			n++
		}
	}
	return float64(n)
}
