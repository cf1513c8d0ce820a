package decisions_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/links"
	"nomograph/decisions/precedents"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/timeparse"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
)

func TestDecisions_FixedBugs_StayFixed(t *testing.T) {
	g, env := toolstest.Open(t)
	ctx := t.Context()
	everything := func(t *testing.T) string {
		t.Helper()
		if _, err := env.Precedents.Query(ctx, precedents.Query{Query: "anything",
			Session: decisions.Session{By: "waiter"}}); err != nil { // background writes are finished before this agent's next decision
			t.Fatal(err, errors.Unwrap(apperr.From(err)))
		}
		toolstest.Record(t, env, decisions.Record{Decision: "Wait for what is behind", Confidence: 0.5,
			ExtraFields: decisions.ExtraFields{By: "waiter"}})
		text := ""
		for _, row := range g.Rows(t, "MATCH (n) RETURN properties(n) AS p UNION ALL MATCH ()-[r]->() RETURN properties(r) AS p", nil) {
			text += fmt.Sprintln(row["p"])
		}
		if !strings.Contains(text, "Wait for what is behind") {
			t.Fatal("the graph was not read")
		}
		return text
	}

	t.Run("an agent of blanks is nobody", func(t *testing.T) {
		out := toolstest.Record(t, env, decisions.Record{Decision: "By nobody in particular", Confidence: 0.5,
			ExtraFields: decisions.ExtraFields{AgentID: "  ", By: "  "}})
		if rows := g.Rows(t, "MATCH (a:Agent)-[:MADE]->(d:Decision {id: $id}) RETURN a.name AS name, d.agent AS agent",
			map[string]any{"id": out.ID}); rows[0]["name"] != "unknown" || rows[0]["agent"] != "unknown" {
			t.Errorf("got %v, want name=unknown, agent=unknown", rows)
		}
	})

	t.Run("rules read the whole text, and stated deliberation counts once", func(t *testing.T) {
		g.Exec(t, `CREATE (:SYS_Policy {name: 'no-drop', active: true, requires: '!action.description.contains("DROP DATABASE")'})`, nil)
		g.Exec(t, `CREATE (:SYS_Policy {name: 'think-twice', active: true, applies_when: 'action.phase == "record" && action.stakes == critical', requires: 'action.deliberation_count >= 3'})`, nil)
		defer g.Exec(t, "MATCH (p:SYS_Policy) WHERE p.name IN ['no-drop', 'think-twice'] DETACH DELETE p", nil)
		out, err := env.Decisions.Record(ctx, decisions.Record{Decision: strings.Repeat("x ", 6000) + "DROP DATABASE",
			Category: "process", Confidence: 0.5, ExtraFields: decisions.ExtraFields{By: "drop"}})
		if err != nil || out.Success || out.Allowed {
			t.Errorf("recorded past the rule: %+v, %v", out, err)
		}
		shown := decisions.Record{Decision: "Twice thought", Category: "process", Stakes: "critical", Confidence: 0.9,
			ExtraFields: decisions.ExtraFields{By: "thinker",
				Deliberation: &decisions.Deliberation{Steps: []decisions.DeliberationStep{{Thought: "one"},
					{Thought: "two"}}}}}
		for range 3 {
			if out, err := env.Decisions.Record(ctx, shown); err != nil || out.Success {
				t.Fatalf("two steps were let through: %+v, %v", out, err)
			}
		}
		shown.ForceReason = "for the test"
		if out := toolstest.Record(t, env, shown); out.DeliberationInputs != 2 || out.Forced == "" {
			t.Errorf("refused calls left events: %+v", out)
		}
		if out := toolstest.Record(t, env, decisions.Record{Decision: "The next one", Confidence: 0.9,
			ExtraFields: decisions.ExtraFields{By: "thinker"}}); out.DeliberationInputs != 0 {
			t.Errorf("the next decision claims %d events", out.DeliberationInputs)
		}
	})

	t.Run("secrets by their names, in lists, in links, across a cut", func(t *testing.T) {
		a := toolstest.Record(t, env, decisions.Record{Decision: "One", Confidence: 0.5,
			ExtraFields: decisions.ExtraFields{Tags: []string{"--password", "hunter2hunter2"}, Commit: "ghp_" +
				strings.Repeat("a1B2", 9), RequestKey: "password=hunter2hunter2", By: "token=abcd1234efgh5678"}})
		b := toolstest.Record(t, env, decisions.Record{Decision: "Two", Confidence: 0.5})
		graphtest.Must(env.Links.Link(ctx, links.LinkRequest{SourceID: a.ID, TargetID: b.ID, EdgeType: "relates_to",
			Caller: decisions.Caller{Session: decisions.Session{By: "token=abcd1234efgh5678"}}}))(t)
		graphtest.Must(env.Decisions.Review(ctx, decisions.Outcome{ID: a.ID, Outcome: "success",
			AffectedKPIs: map[string]any{"api_token": "hunter2hunter2"},
			Session:      decisions.Session{By: "r"}}))(t)
		token := "ghp_" + strings.Repeat("z9Y8", 9)
		graphtest.Must(env.Precedents.Query(ctx, precedents.Query{Query: strings.Repeat("x", 985) + " " + token,
			Session: decisions.Session{By: "cut"}}))(t)
		graphtest.Must(env.Checks.CheckInSession(ctx,
			check.ActionCheck{Description: strings.Repeat("x", 985) + " " + token,
				By: "cut"}))(t)
		all := everything(t)
		for _, secret := range []string{"hunter2hunter2", "abcd1234efgh5678", "ghp_a1B2", "ghp_z9Y8"} {
			if at := strings.Index(all, secret); at >= 0 {
				t.Errorf("got secret %s in %q", secret, all[max(0, at-60):min(len(all), at+60)])
			}
		}
	})

	t.Run("one name, whatever its case", func(t *testing.T) {
		toolstest.Record(t, env, decisions.Record{Decision: "Spelt one way", Confidence: 0.5,
			ExtraFields: decisions.ExtraFields{Project: "Acme/Shop", By: "Claude Code"}})
		toolstest.Record(t, env, decisions.Record{Decision: "Spelt another way", Confidence: 0.5,
			ExtraFields: decisions.ExtraFields{Project: "acme/shop", By: "claude code"}})
		for _, q := range []precedents.ListQuery{{Project: "ACME/SHOP"}, {AgentID: "CLAUDE CODE"}} {
			if list, err := env.Precedents.List(ctx, q); err != nil || len(list.Decisions) != 2 {
				t.Errorf("%+v lists %d, %v", q, len(list.Decisions), err)
			}
		}
	})

	t.Run("a filter that is misspelt is refused", func(t *testing.T) {
		_, err1 := env.Precedents.Query(ctx, precedents.Query{Query: "x",
			Filters: &precedents.Filters{Stakes: []string{"hihg"}}})
		_, err2 := env.Precedents.List(ctx, precedents.ListQuery{Stakes: []string{"hihg"}})
		_, err3 := env.Precedents.Query(ctx, precedents.Query{Query: "x",
			Filters: &precedents.Filters{Range: timeparse.Range{DateAfter: "tomorrow"}}})
		for _, err := range []error{err1, err2, err3} {
			if !apperr.Is(err, apperr.Validation) || apperr.From(err).Hint == "" {
				t.Errorf("got %v, want %s, a Hint", err, apperr.Validation)
			}
		}
		if _, err := env.Precedents.Query(ctx, precedents.Query{Query: "x",
			Filters: &precedents.Filters{Range: timeparse.Range{DateAfter: "2026-01-01"}}}); err != nil {
			t.Errorf("a day: %v (%v)", err, errors.Unwrap(apperr.From(err)))
		}
	})

	t.Run("list items have a maximum length", func(t *testing.T) {
		long := strings.Repeat("x", 20_000)
		for _, r := range []decisions.Record{{ExtraFields: decisions.ExtraFields{Tags: []string{long}}},
			{ExtraFields: decisions.ExtraFields{KPIIndicators: []string{long}}},
			{ExtraFields: decisions.ExtraFields{Bridge: &decisions.Bridge{Structure: "s", Function: "f",
				Tolerance: []string{long}}}}} {
			r.Decision, r.Category, r.Confidence, r.By = "Too long", "process", 0.5, "x"
			if _, err := env.Decisions.Record(ctx, r); !apperr.Is(err, apperr.Validation) {
				t.Errorf("got %v, want %s", err, apperr.Validation)
			}
		}
	})

	t.Run("a retry from another session is a retry", func(t *testing.T) {
		r := decisions.Record{Decision: "Once", Confidence: 0.5,
			ExtraFields: decisions.ExtraFields{RequestKey: "retry", SessionID: "first", By: "Retrier"}}
		first := toolstest.Record(t, env, r)
		r.SessionID, r.By = "second", "retrier"
		if again := toolstest.Record(t, env, r); again.ID != first.ID || !again.Repeated {
			t.Errorf("got %+v, want again.ID=%v, Repeated=true", again, first.ID)
		}
	})

	t.Run("an external id by its first word, and not by half a word", func(t *testing.T) {
		g.Exec(t, "MATCH (d:Decision {decision: 'Once'}) SET d.source = 'x', d.external_id = '0012-removal-only'", nil)
		if ref, err := env.Decisions.Resolve(ctx, "0012"); err != nil || ref.Decision != "Once" {
			t.Errorf("got %+v, %v, want Decision=Once", ref, err)
		}
		if ref, err := env.Decisions.Resolve(ctx, "0012-rem"); !apperr.Is(err, apperr.NotFound) {
			t.Errorf("got %+v, %v, want %s", ref, err, apperr.NotFound)
		}
	})

	t.Run("marks on what is no decision, and long questions without blanks", func(t *testing.T) {
		g.Exec(t, "CREATE (:Unindexed {name: 'not ours'})", nil)
		if err := toolstest.App(t, g.DB).Search.Drain(ctx); err != nil {
			t.Errorf("draining: %v", err)
		}
		if _, err := env.Precedents.Query(ctx, precedents.Query{Query: strings.Repeat("数据库迁移策略", 150),
			Session: decisions.Session{By: "x"}}); err != nil {
			t.Errorf("a question of 1,050 ideographs: %v", err)
		}
	})
}
