package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

func TestLogDecision_Invalid_HasAHint(t *testing.T) {
	good := map[string]any{"decision": "Use X", "confidence": 0.7, "category": "process"}
	for _, c := range []struct {
		operation string
		arguments map[string]any
		says      string
	}{
		{"log_decision", map[string]any{"category": "cooking"}, "category"},
		{"log_decision", map[string]any{"confidence": 1.2}, "confidence"},
		{"log_decision", map[string]any{"confidence": "high"}, "confidence"},
		{"log_decision", map[string]any{"confidence": nil}, "confidence"},
		{"log_decision", map[string]any{"decision": strings.Repeat("x", 1<<20)}, "decision"},
		{"log_decision", map[string]any{"context": strings.Repeat("x", 1<<20)}, "context"},
		{"log_decision", map[string]any{"decision": ""}, "decision"},
		{"log_decision", map[string]any{"stakes": "huge"}, "stakes"},
		{"log_decision", map[string]any{"reasons": []any{map[string]any{"type": "gut", "text": "x"}}}, "reasons"},
		{"log_decision", map[string]any{"bridge": map[string]any{"structure": "x"}}, "function"},
		{"log_decision", map[string]any{"pr": 0}, "pr"},
		{"log_decision", map[string]any{"reasoning": "x"}, "reasoning"},
		{"update_decision", map[string]any{"id": "abcd", "decision": nil, "category": nil}, "category"},
		{"review_outcome", map[string]any{"id": "abcd", "outcome": "fine"}, "outcome"},
		{"review_outcome", map[string]any{"outcome": "success"}, "id"},
		{"list_decisions", map[string]any{"limit": 101}, "limit"},
		{"list_decisions", map[string]any{"sort": "title"}, "sort"},
		{"list_decisions", map[string]any{"min_confidence": -0.1}, "min_confidence"},
	} {
		arguments := map[string]any{}
		if c.operation == "log_decision" {
			for name, value := range good {
				arguments[name] = value
			}
		}
		for name, value := range c.arguments {
			arguments[name] = value
		}
		raw, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		o, _ := tools.Find(tools.Catalog, c.operation)
		_, err = o.Run(t.Context(), &tools.App{}, raw) // refused before anything is touched
		f := apperr.From(err)
		if f.Code != apperr.Validation || f.Hint == "" || !strings.Contains(f.Message, c.says) ||
			len(f.Message) > 5000 {
			t.Errorf("%s of %.80s: %.200v, hint %q", c.operation, raw, err, f.Hint)
		}
	}
}

// TestGuides_Arguments_Work calls the operations as an agent does, argument by argument.
func TestGuides_Arguments_Work(t *testing.T) {
	g := graphtest.New(t)
	c := toolstest.Config()
	c.Project = "usual/project"
	env := toolstest.AppWith(t, c, tools.Options{Graph: g.DB})
	ctx := tools.WithCaller(t.Context(), "cursor")
	run := func(name, arguments string) map[string]any {
		t.Helper()
		o, ok := tools.Find(tools.Catalog, name)
		if !ok {
			t.Fatalf("%s is missing", name)
		}
		out, err := o.Run(ctx, env, json.RawMessage(arguments))
		if err != nil {
			t.Fatalf("%s: got %v, want no error", name, err)
		}
		raw, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		var answer map[string]any
		if err := json.Unmarshal(raw, &answer); err != nil {
			t.Fatal(err)
		}
		if toolstest.Text(out) == "" {
			t.Errorf("%s has no text for people", name)
		}
		return answer
	}
	logged := run("log_decision", `{"decision": "Use PostgreSQL for the new service", "confidence": 0.85, "category": "architecture", "stakes": "high",
		"context": "Evaluated PostgreSQL vs MongoDB for the analytics service", "reasons": [{"type": "analysis", "text": "Need ACID transactions"}, {"type": "pattern", "text": "Team expertise"}],
		"project": "owner/repo", "pr": 42, "bridge": {"structure": "PostgreSQL", "function": "persistence"}, "pattern": "Boring storage", "review_in": "1m", "tags": ["db"]}`)
	if logged["success"] != true || logged["quality"].(map[string]any)["score"] != 0.85 {
		t.Errorf("logged: %v", logged)
	}
	id := logged["id"].(string)
	got := run("get_decision", `{"id": "`+id+`"}`)["decision"].(map[string]any)
	if got["pattern"] != "Boring storage" || got["review_by"] == nil || got["agent"] != "cursor" || got["pr"] != 42.0 ||
		got["project"] != "owner/repo" {
		t.Errorf("got %v, want all recorded fields", got)
	}
	if plain := run("log_decision", `{"decision": "Whatever", "confidence": 0, "category": "process"}`); run("get_decision", `{"id": "`+plain["id"].(string)+`"}`)["decision"].(map[string]any)["project"] != "usual/project" {
		t.Errorf("the configured project is the default, but was not used")
	}
	if updated := run("update_decision", `{"id": "`+id+
		`", "decision": "Use PostgreSQL 17", "pattern": "Boring storage", "change_reason": "done"}`); fmt.Sprint(updated["updated_fields"]) != "[decision]" {
		t.Errorf("updated: %v", updated)
	}
	reviewed := run("review_outcome", `{"id": "`+id+
		`", "outcome": "success", "actual_result": "no issues", "lessons": "ACID", "affected_kpis": {"p99_ms": 12.5, "mood": "good"}}`)
	if reviewed["status"] != "reviewed" || reviewed["review_number"] != 1.0 ||
		reviewed["uri"] != "nomograph://decision/"+id {
		t.Errorf("reviewed: %v", reviewed)
	}
	for arguments, want := range map[string]float64{`{}`: 2, `{"max_confidence": 0.6}`: 1,
		`{"min_confidence": 0.6, "has_outcome": true}`: 1, `{"pattern": "boring storage"}`: 1,
		`{"tags": ["DB"], "stakes": ["high", "critical"]}`: 1, `{"status": ["pending"]}`: 1, `{"pr": 7}`: 0,
		`{"sort": "review_by", "project": "owner/repo"}`: 1} {
		if list := run("list_decisions", arguments); list["total"] != want ||
			len(list["decisions"].([]any)) != int(want) {
			t.Errorf("%s lists %v, not %v", arguments, list, want)
		}
	}
	got2, err := env.Decisions.Get(ctx, decisions.GetQuery{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{id + "  Use PostgreSQL 17\n",
		"architecture, high stakes, confidence 0.85, reviewed, success, owner/repo, by cursor", "Evaluated PostgreSQL",
		"analysis: Need ACID",
		"1. success", "lessons: ACID", "decision: Use PostgreSQL for the new service -> Use PostgreSQL 17", "0. "} {
		if !strings.Contains(toolstest.Text(got2), part) {
			t.Errorf("the text for people lacks %q:\n%s", part, toolstest.Text(got2))
		}
	}
	t.Logf("\n%s", toolstest.Text(got2))
}

func TestLogDecision_SameDecisionTwice_NotesTheDuplicate(t *testing.T) {
	g, env := toolstest.Open(t)
	o, _ := tools.Find(tools.Catalog, "log_decision")
	log := func(text, project string) decisions.Recorded {
		t.Helper()
		raw, err := json.Marshal(map[string]any{"decision": text, "category": "process", "confidence": 0.8,
			"project": project})
		if err != nil {
			t.Fatal(err)
		}
		out, err := o.Run(t.Context(), env, raw)
		if err != nil {
			t.Fatal(err)
		}
		return out.(decisions.Recorded)
	}
	first := log("The cache of orders expires after 5 minutes", "acme/shop")
	toolstest.WaitForWorkers(t, g)
	for text, project := range map[string]string{"The cache of orders expires after 30 minutes": "acme/shop",
		"The cache of orders expires after 5 minutes": "acme/other"} {
		if out := log(text, project); strings.Contains(fmt.Sprint(out.Notes), "duplicate") {
			t.Errorf("%s of %s: got %q, want fmt.Sprint(out.Notes) without duplicate", text, project, out.Notes)
		}
	}
	if out := log("The cache of orders expires after 5 minutes.", "Acme/Shop"); len(out.Notes) != 1 ||
		!strings.Contains(out.Notes[0], "looks like a duplicate of "+first.ID) {
		t.Errorf("got %q, want a note that names %s", out.Notes, first.ID)
	}
	// The search runs in parallel with the checks. If it is late, the decision itself is stored by then.
	without := func(uid any) int {
		return len(g.Rows(t, cypher.DuplicatesFind.Text(), map[string]any{"query": "cache", "limit": 10, "uid": uid}))
	}
	own := g.Rows(t, "MATCH (d:Decision {id: $id}) RETURN d.uid AS uid", map[string]any{"id": first.ID})[0]["uid"]
	g.Exec(t, "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()",
		nil) // otherwise the second search may find more
	if all, others := without(""), without(own); all == 0 || others != all-1 {
		t.Errorf("got %d decisions, and %d without the first, want one less", all, others)
	}
	prepare, _ := tools.Find(tools.Catalog, "pre_action")
	out, err := prepare.Run(t.Context(), env, json.RawMessage(`{"action": {"description": "The cache of orders expires after 5 minutes", "category": "process", "confidence": 0.8}, "project": "acme/shop"}`))
	if text := fmt.Sprint(toolstest.Text(out)); err != nil ||
		!strings.Contains(fmt.Sprintf("%+v", out), "looks like a duplicate of "+first.ID) {
		t.Errorf("pre_action: got %s (%v), want a note that names %s", text, err, first.ID)
	}
}
