package search

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

func TestPassages_LongText_IsFoundByItsParts(t *testing.T) {
	short := "Use Postgres"
	for _, c := range [][2]string{{short, ""}, {"", short}, {"", ""}, {strings.Repeat("long title ", 80), "text"}} {
		if got := Passages(c[0], c[1]); len(got) != 1 ||
			got[0] != strings.TrimSpace(strings.TrimSpace(c[0])+"\n"+c[1]) {
			t.Errorf(`got %q, want len(got)=1, got[0]=strings.TrimSpace(strings.TrimSpace(c[0]) + "\n" + c[1])`, got)
		}
	}
	paragraph := strings.Repeat("A sentence of a long text. ", 40) // 1,080 bytes
	got := Passages(short, strings.Repeat(paragraph+"\n\n", 3))
	if len(got) != 3 || slices.ContainsFunc(got,
		func(p string) bool { return p != short+"\n"+strings.TrimSpace(paragraph) }) {
		t.Errorf("not cut between paragraphs: %d, %q", len(got), got)
	}
	for _, p := range Passages(short, strings.Repeat(paragraph, 9)) {
		if !strings.HasSuffix(p, "text.") {
			t.Errorf("cut within a sentence: %q", p)
		}
	}
	for _, p := range Passages(strings.Repeat("t", 2000), strings.Repeat("word ", 9000)) {
		if !strings.HasPrefix(p, "ttt") || len(p) > maxPassageLength {
			t.Errorf("%d bytes: %q", len(p), p)
		}
	}
	golden.Equal(t, "passages of an endless word", len(Passages("", strings.Repeat("x", 10*maxTextLength))),
		maxTextLength/(maxPassageLength-1)+1)
}

func FuzzPassages(f *testing.F) {
	f.Add("title", strings.Repeat("One. Two!\n\nThree? ", 200))
	f.Add(strings.Repeat("日本語。", 300), strings.Repeat("日本語 ", 2000))
	f.Add("\xff", strings.Repeat("\xfe\n", 3000))
	f.Fuzz(func(t *testing.T, title, text string) {
		made := Passages(title, text)
		if len(made) == 0 {
			t.Fatal("none")
		}
		for _, p := range made {
			if len(p) > maxPassageLength || !utf8.ValidString(p) {
				t.Fatalf("%d bytes: %q", len(p), p)
			}
		}
		if len(title)+len(text) > maxPassageLength || len(made) > 1 {
			return
		}
		if full := strings.TrimSpace(title + "\n" + text); utf8.ValidString(full) &&
			strings.Join(strings.Fields(made[0]), " ") != strings.Join(strings.Fields(full), " ") {
			t.Fatalf("%q says something else than %q", made[0], full)
		}
	})
}

// long is a text of several passages. One of them mentions the subject.
func long(subject string) string {
	filler := strings.Repeat("The committee met again and talked about the weather and the food. ", 23)
	return filler + "\n\n" + subject + "\n\n" + filler
}

func TestSearch_LongText_IsFoundByAnyPassage(t *testing.T) {
	g := graphtest.New(t)
	decide(t, g, "long", map[string]any{"decision": "Minutes",
		"context": long(strings.Repeat("Persist the orders in a relational database. ", 32))})
	decide(t, g, "other", map[string]any{"decision": "Minutes",
		"context": long(strings.Repeat("Paint the doors of the house green. ", 38))})
	decide(t, g, "short", map[string]any{"decision": "Keep bees on the roof"})
	x := opened(t, g)
	x.corpus.textOf = nil // rank all hits, also distant ones
	counts := func() string {
		row := g.Rows(t, "MATCH (d:Decision {uid: 'long'})<-[:OF]-(e) RETURN count(e) AS n, count(CASE WHEN e:LaterPassage THEN 1 END) AS later, min(e.passages) AS passages, count(DISTINCT e.passage) AS places", nil)[0]
		return fmt.Sprint(row["n"], row["later"], row["passages"], row["places"])
	}
	golden.Equal(t, "passages", counts(), "3 2 3 3")
	for _, filter := range []Filter{{}, {MinConfidence: nil, After: nil, Any: [][]string{{Facet("tag", "x")}}}} {
		if len(filter.Any) > 0 {
			g.Exec(t, "MATCH (d:Decision) SET d.facets = $facet", map[string]any{"facet": Facet("tag", "x")})
			refresh(t, g)
		}
		found := ask(t, x, Question{Text: "persist orders in a database", Mode: Semantic, Filter: filter})
		if got := uids(found); len(got) != 3 || got[0] != "long" || *found.Hits[0].Semantic < 0.5 {
			t.Errorf("got %v, %+v, want len(got)=3, got[0]=long, Semantic at least 0.5", got, found.Hits)
		}
	}
	if s, err := x.Status(t.Context()); err != nil || s.Indexed != 3 || s.Decisions != 3 || s.Note != "" {
		t.Errorf(`got %+v, %v, want Indexed=3, Decisions=3, Note=""`, s, err)
	}

	t.Run("vectors from before passages", func(t *testing.T) {
		g.Exec(t, "MATCH (e:Embedding) WHERE e:LaterPassage DETACH DELETE e", nil)
		g.Exec(t, "MATCH (e:Embedding) REMOVE e.passage, e.passages", nil)
		g.Exec(t, "MATCH (i:SYS_SearchIndex) REMOVE i.passages", nil)
		if got := ask(t, x, Question{Text: "bees", Mode: Semantic}); len(got.Hits) != 3 || got.Hits[0].UID != "short" {
			t.Errorf("got %+v, want len(Hits)=3, UID=short", got)
		}
		golden.Equal(t, "the note", graphtest.Must(x.Status(t.Context()))(t).Note, olderNote)
		done, err := x.Rebuild(t.Context(), RebuildRequest{})
		if err != nil || done.Decisions != 3 || done.Rebuilt != 2 || counts() != "3 2 3 3" {
			t.Errorf(`got %+v, %s, %v, want Decisions=3, Rebuilt=2, counts()="3 2 3 3"`, done, counts(), err)
		}
		if s, err := x.Status(t.Context()); err != nil || s.Note != "" || s.Indexed != 3 {
			t.Errorf(`got %+v, %v, want Note="", Indexed=3`, s, err)
		}
		golden.Equal(t, "rebuilt", graphtest.Must(x.Rebuild(t.Context(), RebuildRequest{}))(t).Rebuilt, 0)
	})
	t.Run("vectors from before the byte form", func(t *testing.T) {
		g.Exec(t, "MATCH (:Decision {uid: 'short'})<-[:OF]-(e) REMOVE e.packed WITH DISTINCT 1 AS one MATCH (i:SYS_SearchIndex) REMOVE i.packed", nil)
		golden.Equal(t, "the note", graphtest.Must(x.Status(t.Context()))(t).Note, olderNote)
		done, err := x.Rebuild(t.Context(), RebuildRequest{})
		if err != nil || done.Rebuilt != 1 {
			t.Errorf("got %+v, %v, want Rebuilt=1", done, err)
		}
		golden.Equal[any](t, "embeddings without bytes", g.Rows(t,
			"MATCH (e:Embedding) WHERE e.packed IS NULL RETURN count(e) AS n",
			nil)[0]["n"], int64(0))
		golden.Equal(t, "the note", graphtest.Must(x.Status(t.Context()))(t).Note, "")
	})
	t.Run("new vectors replace the old ones", func(t *testing.T) {
		before := g.Rows(t, "MATCH (d:Decision {uid: 'long'})<-[:OF]-(e) RETURN e.uid AS uid, elementId(e) AS at, e.text AS text, e.structure AS structure ORDER BY e.passage", nil)
		g.Exec(t, "MATCH (d:Decision {uid: 'long'}) SET d.decision = 'Minutes of May', d.updated_at = datetime(), d:Unindexed", nil)
		graphtest.OK(t, x.Drain(t.Context()))
		after := g.Rows(t, "MATCH (d:Decision {uid: 'long'})<-[:OF]-(e) RETURN e.uid AS uid, elementId(e) AS at, e.text AS text, e.structure AS structure ORDER BY e.passage", nil)
		for i, e := range after {
			if e["uid"] != before[i]["uid"] || e["at"] != before[i]["at"] ||
				reflect.DeepEqual(e["text"], before[i]["text"]) {
				t.Errorf("passage %d: another node, or the same vector", i)
			}
		}
		if len(after) != 3 || after[0]["structure"] == nil || after[1]["structure"] != nil {
			t.Errorf("%d passages", len(after))
		}
	})
	t.Run("a removed side has no vector", func(t *testing.T) {
		for _, function := range []any{"remembers who said what", nil} {
			g.Exec(t, "MATCH (d:Decision {uid: 'long'}) SET d.function = $function, d.updated_at = datetime(), d:Unindexed", map[string]any{"function": function})
			graphtest.OK(t, x.Drain(t.Context()))
			e := g.Rows(t, "MATCH (d:Decision {uid: 'long'})<-[:OF]-(e {passage: 0}) RETURN e.text AS text, e.structure AS structure, e.function AS function", nil)[0]
			if e["text"] == nil || e["structure"] == nil || (e["function"] == nil) != (function == nil) {
				t.Errorf("function %v: got places %v, want text and structure, and function only if set", function, e)
			}
		}
	})
	t.Run("a text that becomes short", func(t *testing.T) {
		g.Exec(t, "MATCH (d:Decision {uid: 'long'}) SET d.context = 'none', d.updated_at = datetime(), d:Unindexed",
			nil)
		if err := x.Drain(t.Context()); err != nil || counts() != "1 0 1 1" {
			t.Errorf(`got %s, %v, want counts()="1 0 1 1"`, counts(), err)
		}
	})
}

func TestSearch_Decision_IsFoundByItsText(t *testing.T) {
	g := graphtest.New(t)
	decide(t, g, "asked", map[string]any{"decision": "Keep what was read"})
	for i := range 4 {
		decide(t, g, fmt.Sprint("repeats", i), map[string]any{"decision": "Bees: what keep read keep",
			"context": "What read keep honey.", "terms": "what keep read"})
	}
	for i := range 30 {
		decide(t, g, fmt.Sprint("noise", i), map[string]any{"decision": fmt.Sprintf("Paint fence %d", i)})
	}
	g.Exec(t, "MATCH (a:Decision), (b:Decision) WHERE a.uid STARTS WITH 'repeats' AND b.uid STARTS WITH 'repeats' AND a.uid < b.uid CREATE (a)-[:DEPENDS_ON]->(b)", nil)
	x := opened(t, g)
	x.corpus.textOf = nil // rank all hits, also distant ones
	found := ask(t, x, Question{Text: "keep what was read"})
	if found.Hits[0].UID != "asked" {
		t.Errorf("got %v, want UID=asked", uids(found))
	}
}

func TestSearch_LinkedDecision_RanksHigher(t *testing.T) {
	g := graphtest.New(t)
	for i := range 4 {
		decide(t, g, fmt.Sprint("orders", i), map[string]any{"decision": fmt.Sprintf("Orders of shop %d go through the queue", i)}, Facet("tag", "shop"))
	}
	decide(t, g, "basis", map[string]any{"decision": "At least once everywhere"}, Facet("tag", "basis"))
	decide(t, g, "auto", map[string]any{"decision": "Green doors"})
	decide(t, g, "gone", map[string]any{"decision": "Nobody finds this"})
	for i := range 30 {
		decide(t, g, fmt.Sprint("noise", i), map[string]any{"decision": fmt.Sprintf("Paint fence %d", i)})
	}
	g.Exec(t, `MATCH (d:Decision) WHERE d.uid STARTS WITH 'orders' MATCH (b:Decision {uid: 'basis'}), (a:Decision {uid: 'auto'}), (r:Decision {uid: 'gone'})
		SET r:Retracted CREATE (d)-[:DEPENDS_ON]->(b), (d)-[:RELATES_TO {auto: true}]->(a), (d)-[:DEPENDS_ON]->(r)`, nil)
	x := opened(t, g)
	x.corpus.textOf = nil // rank all hits, also distant ones
	found := ask(t, x, Question{Text: "orders queue", Limit: 6})
	at := slices.IndexFunc(found.Hits, func(h Hit) bool { return h.UID == "basis" })
	if got := uids(found); at < 0 || slices.Contains(got, "auto") || slices.Contains(got, "gone") || len(got) != 6 {
		t.Errorf("got %v, want 6 hits with basis, without auto and gone", got)
	}
	for mode, filter := range map[string]Filter{Keyword: {}, Semantic: {},
		Hybrid: {All: []string{Facet("tag", "shop")}}} {
		if got := uids(ask(t, x, Question{Text: "orders queue", Mode: mode, Limit: 5,
			Filter: filter})); slices.Contains(got, "basis") {
			t.Errorf("%s: got %v, want list without basis", mode, got)
		}
	}
}
