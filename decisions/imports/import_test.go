package imports_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/imports"
	"nomograph/decisions/records"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
	"nomograph/tools/toolstest"
)

// shared returns a file of real records, or skips the test with a message.
func shared(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(toolstest.Root(t), "../shared/data", name))
	if err != nil {
		t.Skipf("NOT TESTED: %s is absent: %v", name, err)
	}
	return string(text)
}

func empty(t *testing.T, g *graphtest.Graph) {
	t.Helper()
	g.Exec(t, "MATCH (n) WHERE NOT n:SYS_Migration DETACH DELETE n", nil)
}

func TestImport_RealRecords_AreRead(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, env := toolstest.Open(t)

	t.Run("EIPs", func(t *testing.T) {
		text := shared(t, "eips.jsonl")
		out := toolstest.Import(t, env, toolstest.JSONL(text), imports.Options{})
		if out.Read != 1195 || out.Created != 1195 || out.SkippedCount != 0 || out.UnresolvedCount != 49 ||
			len(out.UnresolvedLinks) != 20 || len(out.Cycles) != 0 {
			t.Errorf("imported: %v", out)
		}
		for query, want := range map[string]int{
			"MATCH (d:Decision) RETURN count(d)":                                         1195,
			"MATCH (:Decision)-[r:DEPENDS_ON {context: 'requires'}]->() RETURN count(r)": 1677,
			"MATCH (:Decision)-[r:RELATES_TO {context: 'mentions'}]->() RETURN count(r)": 1594 - 49,
			"MATCH (d:Decision) WHERE d.confidence IS NOT NULL RETURN count(d)":          0,
			"MATCH (d:Decision {outcome: 'success'}) RETURN count(d)":                    279 + 3,
			"MATCH (d:Decision {outcome: 'abandoned'}) RETURN count(d)":                  400 + 44,
			"MATCH (d:Decision {status: 'pending'}) RETURN count(d)":                     352 + 98 + 19,
			"MATCH (:Decision)-[:HAS_REVIEW]->(r {in_force: true}) RETURN count(r)":      279 + 3 + 400 + 44,
			"MATCH (d:Unindexed) RETURN count(d)":                                        0,
			"MATCH (e:Embedding)-[:OF]->(d:Decision) RETURN count(DISTINCT d)":           1195,
			"MATCH (d:Decision)-[:TAGGED]->(:Tag {key: 'erc'}) RETURN count(d)":          611,
			"MATCH (d:Decision) WHERE d.id =~ '[0-9a-f]{8}' RETURN count(DISTINCT d.id)": 1195,
		} {
			if got := toolstest.Count(t, g, query); got != want {
				t.Errorf("%s: %d, not %d", query, got, want)
			}
		}
		again := toolstest.Import(t, env, toolstest.JSONL(text), imports.Options{})
		if again.Unchanged != 1195 || again.Created+again.Updated+again.LinksCreated != 0 {
			t.Errorf("the second time: %v", again)
		}
	})

	t.Run("ADRs", func(t *testing.T) {
		empty(t, g)
		out := toolstest.Import(t, env, toolstest.JSONL(shared(t, "adrs.jsonl")),
			imports.Options{Outcomes: []string{"Implemented=success"}})
		if out.Created != 90 || out.UnresolvedCount != 0 || len(out.Cycles) != 0 || out.LinksCreated != 32 {
			t.Errorf("imported: %v", out)
		}
		for query, want := range map[string]int{
			"MATCH (:Decision {external_id: 'NATS-ADR-37'})-[r:SUPERSEDES]->(:Decision {external_id: 'NATS-ADR-15'}) RETURN count(r)": 1,
			"MATCH (:Decision)-[r:SUPERSEDES]->() RETURN count(r)":                                                                    3,
			"MATCH (:Decision)-[r:RELATES_TO {context: 'amends'}]->() RETURN count(r)":                                                1,
			"MATCH (d:Decision {outcome: 'success'}) RETURN count(d)":                                                                 24,
		} {
			if got := toolstest.Count(t, g, query); got != want {
				t.Errorf("%s: %d, not %d", query, got, want)
			}
		}
	})

	t.Run("our own", func(t *testing.T) {
		empty(t, g)
		docs := filepath.Join(toolstest.Root(t), "docs/decisions")
		files := graphtest.Must(os.ReadDir(docs))(t)
		own := func() records.Sequence { return records.ADR(os.DirFS(docs), "", "nomograph") }
		out := toolstest.Import(t, env, own(), imports.Options{Project: "nomograph"})
		if out.Created != len(files) || out.SkippedCount+out.UnresolvedCount != 0 {
			t.Errorf("of %d files: %v", len(files), out)
		}
		rows := g.Rows(t, `MATCH (d:Decision {external_id: '0001-declare-each-operation-once-for-every-transport'})-[:RELATES_TO]->(o)
			RETURN d.confidence AS confidence, d.stakes AS stakes, d.category AS category, d.tags AS tags, d.source_status AS status, d.project AS project,
			d.context CONTAINS '## Alternatives considered' AS whole, toString(d.created_at) AS at, d.decision AS decision, o.external_id AS other`, nil)
		if len(rows) != 1 {
			t.Fatalf("0001 relates to %d", len(rows))
		}
		row := rows[0]
		if row["confidence"] != 0.95 || row["stakes"] != "high" || row["category"] != "architecture" ||
			fmt.Sprint(row["tags"]) != "[tools mcp command line]" ||
			row["status"] != "accepted" || row["project"] != "nomograph" || row["whole"] != true ||
			row["at"] != "2026-11-20T00:00:00Z" ||
			!strings.HasPrefix(row["decision"].(string),
				"Declare each operation once for every transport\n\nEach capability") ||
			row["other"] != "0003-derive-json-schemas-from-go-types" {
			t.Errorf(`got 0001: %v, want confidence=0.95, stakes=high, category=architecture, fmt.Sprint(row["tags"])="[tools mcp command line]", status=accepted, project=nomograph, whole=true, at="2026-11-20T00:00:00Z", decision that starts with %q, other=0003-derive-json-schemas-from-go-types`, row, "Declare each operation once for every transport\n\nEach capability")
		}
		before := g.Rows(t, "MATCH (d:Decision) RETURN d.external_id AS external, d.id AS id ORDER BY external", nil)
		if again := toolstest.Import(t, env, own(), imports.Options{Project: "nomograph"}); again.Unchanged != len(files) {
			t.Errorf("the second time: %v", again)
		}
		empty(t, g)
		toolstest.Import(t, env, own(), imports.Options{Project: "nomograph"})
		if after := g.Rows(t, "MATCH (d:Decision) RETURN d.external_id AS external, d.id AS id ORDER BY external",
			nil); fmt.Sprint(before) != fmt.Sprint(after) {
			t.Error("another graph has other ids")
		}
	})

	t.Run("killed half way", func(t *testing.T) {
		empty(t, g)
		text := shared(t, "eips.jsonl")
		ctx, kill := context.WithCancel(t.Context())
		defer kill()
		listening := progress.Listen(ctx, func(step progress.Step) {
			if step.Message == "Importing records" && step.Done >= 500 {
				kill()
			}
		})
		if _, err := env.Imports.Import(listening, toolstest.JSONL(text), imports.Options{}); err == nil {
			t.Fatal("got no error, want a canceled import")
		}
		half := toolstest.Count(t, g, "MATCH (d:Decision) RETURN count(d)")
		if half == 0 || half == 1195 {
			t.Fatalf("%d were written", half)
		}
		out := toolstest.Import(t, env, toolstest.JSONL(text), imports.Options{})
		if out.Unchanged != half || out.Created != 1195-half || out.LinksCreated != 1677+1594-49 {
			t.Errorf("after %d: %v", half, out)
		}
		if n := toolstest.Count(t, g, "MATCH (d:Decision) WHERE NOT (d)<-[:OF]-(:Embedding) RETURN count(d)"); n != 0 {
			t.Errorf("%d have no vectors", n)
		}
	})
}

func TestImport_Records_BecomeDecisions(t *testing.T) {
	g, env := toolstest.Open(t)
	one := func(t *testing.T, query string) map[string]any {
		t.Helper()
		rows := g.Rows(t, query, nil)
		if len(rows) != 1 {
			t.Fatalf("%s: %d rows", query, len(rows))
		}
		return rows[0]
	}

	t.Run("broken lines", func(t *testing.T) {
		empty(t, g)
		text := "\xef\xbb\xbf" + `{"id": "A", "title": "First"}` + "\r\n\r\n" + `{"id": "B", "title": ` + "\n" +
			`{"id": "C", "title": "Third", "confidence": 1.2}` + "\n" +
			`{"id": "A", "title": "Again"}` + "\n" + `{"id": "D", "title": "Fourth", "abstract": "` +
			strings.Repeat("long ", 200_000) + `"}`
		out := toolstest.Import(t, env, toolstest.JSONL(text), imports.Options{})
		want := []records.Problem{{Place: "test.jsonl:3", Why: "the text ends too early"},
			{Place: "test.jsonl:4", Why: "confidence is not from 0 to 1"},
			{Place: "test.jsonl:5", Why: "the same id as at test.jsonl:1"}}
		if out.Created != 2 || out.SkippedCount != 3 || !slices.Equal(out.Skipped, want) {
			t.Errorf("imported: %v", out)
		}
		empty(t, g)
		_, err := env.Imports.Import(t.Context(), toolstest.JSONL(text), imports.Options{Strict: true})
		if !apperr.Is(err, apperr.Validation) || !strings.Contains(err.Error(), "test.jsonl:3: ") {
			t.Errorf("strict: %v", err)
		}
		if n := toolstest.Count(t, g, "MATCH (d:Decision) RETURN count(d)"); n != 0 {
			t.Errorf("%d of the broken batch were written", n)
		}
		if out := toolstest.Import(t, env, toolstest.JSONL("no JSON"), imports.Options{}); !out.Failed() {
			t.Error("got success for a file without records, want a failure")
		}
		gone := func(yield func(records.Entry, error) bool) { yield(records.Entry{}, errors.New("the disk is gone")) }
		if _, err := env.Imports.Import(t.Context(), gone, imports.Options{}); !apperr.Is(err, apperr.Validation) {
			t.Errorf("unreadable: %v", err)
		}
	})

	t.Run("everything a record can say", func(t *testing.T) {
		empty(t, g)
		var c struct {
			Line          json.RawMessage
			Decision, Row map[string]any
		}
		text, err := os.ReadFile("testdata/everything.json")
		if err == nil {
			err = json.Unmarshal(text, &c)
		}
		line := bytes.Buffer{}
		if err = errors.Join(err, json.Compact(&line, c.Line)); err != nil {
			t.Fatal(err)
		}
		out := toolstest.Import(t, env, toolstest.JSONL(line.String()), imports.Options{})
		if len(out.Notes) != 1 || !strings.HasSuffix(out.Notes[0], "imported_extra: house_rule") {
			t.Errorf("notes: %q", out.Notes)
		}
		row := one(t, `MATCH (a:Agent)-[:MADE]->(d:Decision {external_id: '12ab34cd'})-[:IN_PROJECT]->(p), (d)-[:FOLLOWS]->(f), (d)-[:HAS_REVIEW]->(v)
			RETURN properties(d) AS d, a.name AS agent, p.name AS project, f.name AS pattern, properties(v) AS review,
			COLLECT { MATCH (d)-[b:BECAUSE]->(r) RETURN [b.position, r.type, r.text, r.strength] ORDER BY b.position } AS reasons,
			COLLECT { MATCH (d)-[:TAGGED]->(t) RETURN t.key ORDER BY t.key } AS tags, toString(d.created_at) AS at, toString(d.reviewed_at) AS reviewed, toString(v.at) AS seen`)
		d := row["d"].(map[string]any)
		for name, want := range c.Decision {
			if fmt.Sprint(d[name]) != fmt.Sprint(want) {
				t.Errorf("%s is %#v, not %#v", name, d[name], want)
			}
		}
		for name, want := range c.Row {
			if fmt.Sprint(row[name]) != want {
				t.Errorf("%s is %v, not %s", name, row[name], want)
			}
		}
		if !strings.Contains(d["terms"].(string), "Index early") || d["facets"] == "" || d["quality_score"] != nil {
			t.Errorf("terms %q, facets %q, quality %v", d["terms"], d["facets"], d["quality_score"])
		}
		if review := row["review"].(map[string]any); review["lessons"] != "Index early" || review["by"] != "import" ||
			review["number"] != int64(1) {
			t.Errorf("review: %v", review)
		}
	})

	t.Run("a source that changed", func(t *testing.T) {
		empty(t, g)
		toolstest.Import(t, env, toolstest.JSONL(`{"id": "A", "title": "Old", "status": "Draft", "tags": ["x"], "confidence": 0.5, "rationale": "Because", "date": "2020-01-01"}
{"id": "B", "title": "Same", "status": "Final"}`), imports.Options{})
		changed := `{"id": "A", "title": "New", "status": "Final", "tags": ["y"], "date": "2020-01-01"}
{"id": "B", "title": "Same", "status": "Withdrawn"}`
		if out := toolstest.Import(t, env, toolstest.JSONL(changed), imports.Options{DryRun: true}); out.Updated != 2 ||
			toolstest.Count(t, g, "MATCH (r:Revision) RETURN count(r)") != 0 {
			t.Errorf("a dry run: %v", out)
		}
		if out := toolstest.Import(t, env, toolstest.JSONL(changed), imports.Options{}); out.Updated != 2 ||
			out.Created != 0 {
			t.Errorf("imported: %v", out)
		}
		row := one(t, `MATCH (d:Decision {external_id: 'A'})-[:HAS_REVISION]->(r), (d)-[:TAGGED]->(t) RETURN d.decision AS decision, d.confidence AS confidence,
			d.outcome AS outcome, d.revision AS revision, t.key AS tag, r.changes AS changes, r.by AS by, COUNT { (d)-[:BECAUSE]->() } AS reasons, COUNT { (d)-[:HAS_REVIEW]->() } AS reviews`)
		var changes map[string]decisions.Change
		graphtest.OK(t, json.Unmarshal([]byte(row["changes"].(string)), &changes))
		if row["decision"] != "New" || row["confidence"] != nil || row["outcome"] != "success" ||
			row["revision"] != int64(1) || row["tag"] != "y" || row["by"] != "import" ||
			row["reasons"] != int64(0) || row["reviews"] != int64(1) {
			t.Errorf("got A: %v, want decision=New, confidence=nil, outcome=success, revision=1, tag=y, by=import, reasons=0, reviews=1", row)
		}
		want := map[string]decisions.Change{"decision": {From: "Old", To: "New"}, "confidence": {From: 0.5},
			"tags":          {From: []any{"x"}, To: []any{"y"}},
			"source_status": {From: "Draft", To: "Final"}, "function": {From: "Because"},
			"structure": {From: "Old", To: "New"},
			"reasons": {From: []any{map[string]any{"type": "analysis", "text": "Because", "strength": 0.8}},
				To: []any{}}}
		if fmt.Sprint(changes) != fmt.Sprint(want) {
			t.Errorf("changes: %v\nwant:    %v", changes, want)
		}
		second := one(t, "MATCH (d:Decision {external_id: 'B'}) RETURN d.outcome AS outcome, COLLECT { MATCH (d)-[:HAS_REVIEW]->(r) RETURN [r.number, r.outcome, r.in_force] ORDER BY r.number } AS reviews")
		if second["outcome"] != "abandoned" || fmt.Sprint(second["reviews"]) != "[[1 success false] [2 abandoned true]]" {
			t.Errorf(`got B: %v, want outcome=abandoned, fmt.Sprint(second["reviews"])="[[1 success false] [2 abandoned true]]"`, second)
		}
		if out := toolstest.Import(t, env, toolstest.JSONL(changed), imports.Options{}); out.Unchanged != 2 {
			t.Errorf("once more: %v", out)
		}
		g.Exec(t, "MATCH (:Decision {external_id: 'B'})-[:HAS_REVIEW]->(r {in_force: true}) SET r.by = 'Ada'", nil)
		toolstest.Import(t, env, toolstest.JSONL(`{"id": "B", "title": "Same", "status": "Living"}`), imports.Options{})
		if row := one(t, "MATCH (d:Decision {external_id: 'B'}) RETURN d.outcome AS outcome, d.source_status AS status"); row["outcome"] != "abandoned" || row["status"] != "Living" {
			t.Errorf("after Ada's review: %v", row)
		}
	})

	t.Run("supersede cycles", func(t *testing.T) {
		empty(t, g)
		text := `{"id": "A", "title": "A", "date": "2020-01-01", "links": [{"type": "supersedes", "target": "C"}, {"type": "supersedes", "target": "Z"}]}
{"id": "B", "title": "B", "date": "2021-01-01", "links": [{"type": "supersedes", "target": "A"}]}
{"id": "C", "title": "C", "date": "2022-01-01", "links": [{"type": "supersedes", "target": "B"}, {"type": "superseded_by", "target": "A"}]}`
		for range 2 {
			out := toolstest.Import(t, env, toolstest.JSONL(text), imports.Options{})
			if fmt.Sprint(out.Cycles) != "[{A supersedes C}]" ||
				fmt.Sprint(out.UnresolvedLinks) != "[{A supersedes Z}]" {
				t.Errorf("cycles %v, unresolved %v", out.Cycles, out.UnresolvedLinks)
			}
			if n := toolstest.Count(t, g, "MATCH (:Decision)-[r:SUPERSEDES]->() RETURN count(r)"); n != 2 {
				t.Errorf("%d links", n)
			}
		}
		out := toolstest.Import(t, env, toolstest.JSONL(`{"id": "Z", "title": "Z", "date": "2023-01-01", "links": [{"type": "superseded_by", "target": "A"}, {"type": "supersedes", "target": "C"}]}`), imports.Options{})
		if len(out.Cycles) != 1 || out.LinksCreated != 1 {
			t.Errorf("a cycle through the graph: %v", out)
		}
	})

	t.Run("ids", func(t *testing.T) {
		empty(t, g)
		toolstest.Import(t, env, toolstest.JSONL(`{"id": "A", "title": "A"}`), imports.Options{})
		id := one(t, "MATCH (d:Decision) RETURN d.id AS id")["id"].(string)
		empty(t, g)
		taken := toolstest.Record(t, env, decisions.Record{Decision: "Somebody has the id", Confidence: 0.5})
		g.Exec(t, "MATCH (d:Decision {id: $old}) SET d.id = $id", map[string]any{"old": taken.ID, "id": id})
		toolstest.Import(t, env, toolstest.JSONL(`{"id": "A", "title": "A"}`), imports.Options{})
		if row := one(t, "MATCH (d:Decision {external_id: 'A'}) RETURN d.id AS id"); row["id"] == id ||
			len(row["id"].(string)) != 8 {
			t.Errorf("id %v", row["id"])
		}
	})

	t.Run("two at once", func(t *testing.T) {
		empty(t, g)
		var text strings.Builder
		for n := range 700 {
			fmt.Fprintf(&text, `{"id": "R-%d", "title": "Record %d", "tags": ["t%d"], "authors": ["a%d"], "links": [{"type": "requires", "target": "R-%d"}]}`+"\n", n, n, n%7, n%5, (n+1)%700)
		}
		other, done := toolstest.App(t, g.DB), make(chan error)
		go func() {
			_, err := other.Imports.Import(context.Background(), toolstest.JSONL(text.String()), imports.Options{})
			done <- err
		}()
		toolstest.Import(t, env, toolstest.JSONL(text.String()), imports.Options{})
		graphtest.OK(t, graphtest.Receive(t, "the other import ends", done))
		if n, links := toolstest.Count(t, g, "MATCH (d:Decision) RETURN count(d)"),
			toolstest.Count(t, g, "MATCH (:Decision)-[r:DEPENDS_ON]->() RETURN count(r)"); n != 700 || links != 700 {
			t.Errorf("%d decisions, %d links", n, links)
		}
	})

	if _, err := env.Imports.Import(t.Context(), toolstest.JSONL(""),
		imports.Options{Outcomes: []string{"Done=great"}}); !apperr.Is(err, apperr.Validation) {
		t.Errorf("outcomes: %v", err)
	}
}
