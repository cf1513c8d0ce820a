package toolstest

import (
	"encoding/json"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/imports"
	"nomograph/decisions/links"
	"nomograph/decisions/records"
	"nomograph/graph/graphtest"
	"nomograph/tools"
)

// Record records a decision that no policy denies.
func Record(t testing.TB, app *tools.App, r decisions.Record) decisions.Recorded {
	t.Helper()
	if r.Category == "" {
		r.Category = "architecture"
	}
	if r.By == "" {
		r.By = "tester"
	}
	out, err := app.Decisions.Record(t.Context(), r)
	if err != nil {
		t.Fatalf("recording %q: %v", r.Decision, err)
	}
	if !out.Success {
		t.Fatalf("recording %q was refused: %+v", r.Decision, out.Violations)
	}
	return out
}

// Get reads a decision as all transports return it.
func Get(t testing.TB, app *tools.App, id string) map[string]any {
	t.Helper()
	got := graphtest.Must(app.Decisions.Get(t.Context(),
		decisions.GetQuery{ID: id, Session: decisions.Session{By: "reader"}}))(t)
	raw := graphtest.Must(json.Marshal(got))(t)
	var out struct {
		Found    bool
		Decision map[string]any
	}
	if err := json.Unmarshal(raw, &out); err != nil || !out.Found {
		t.Fatalf("%v: %s", err, raw)
	}
	return out.Decision
}

// Link links two decisions.
func Link(t testing.TB, app *tools.App, source, kind, target string) links.LinkResult {
	t.Helper()
	made, err := app.Links.Link(t.Context(), links.LinkRequest{SourceID: source, TargetID: target, EdgeType: kind,
		Caller: decisions.Caller{Session: decisions.Session{By: "tester"}}})
	if err != nil {
		t.Fatalf("%s %s %s: %v", source, kind, target, err)
	}
	return made
}

// Some creates one unlinked decision per letter of names. It returns their ids by letter: the letter repeated eight
// times.
func Some(t testing.TB, g *graphtest.Graph, names string) map[string]string {
	t.Helper()
	byName, ids := map[string]string{}, []string{}
	for name := range strings.SplitSeq(names, "") {
		byName[name] = strings.Repeat(name, 8)
		ids = append(ids, byName[name])
	}
	g.Exec(t, `UNWIND $ids AS id CREATE (:Decision {uid: 'uid-' + id, id: id, decision: 'Decide ' + left(id, 1), category: 'process', status: 'pending',
		created_at: datetime('2026-01-01T00:00:00Z') + duration({days: size($ids)})})`, map[string]any{"ids": ids})
	return byName
}

// Import imports records.
func Import(t testing.TB, app *tools.App, from records.Sequence, o imports.Options) imports.Imported {
	t.Helper()
	out := graphtest.Must(app.Imports.Import(t.Context(), from, o))(t)
	return out
}

// JSONL returns the records of a text with one record per line.
func JSONL(text string) records.Sequence {
	return records.JSONL(strings.NewReader(text), "test.jsonl", "test")
}

// Review reviews a decision.
func Review(t testing.TB, app *tools.App, id, outcome string) {
	t.Helper()
	graphtest.Must(app.Decisions.Review(t.Context(),
		decisions.Outcome{ID: id, Outcome: outcome, Session: decisions.Session{By: "tester"}}))(t)
}
