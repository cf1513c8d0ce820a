package decisions_test

import (
	"errors"
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// TestRecord_EarlierEvents_BecomeTheDeliberation searches, checks, thinks and decides in several processes.
func TestRecord_EarlierEvents_BecomeTheDeliberation(t *testing.T) {
	g, env := toolstest.Open(t)
	earlier := toolstest.Record(t, env, decisions.Record{Decision: "Keep sessions in PostgreSQL, since the team knows it", Confidence: 0.8})
	toolstest.WaitForWorkers(t, g)

	t.Run("in order, with links to what was found", func(t *testing.T) {
		found, err := env.Precedents.Query(t.Context(),
			precedents.Query{Query: "where do we keep user sessions", Session: decisions.Session{By: "ann"}})
		if err != nil || len(found.Decisions) != 1 || found.Decisions[0].ID != earlier.ID {
			t.Fatalf("found %+v, %v (%v)", found, err, errors.Unwrap(apperr.From(err)))
		}
		toolstest.Eventually(t, g, "MATCH (e:TraceEvent {agent: 'ann', type: 'query'}) RETURN count(e) AS n",
			1) // events of two processes are in the order of their writes
		graphtest.Must(toolstest.App(t, g.DB).Checks.CheckInSession(t.Context(),
			check.ActionCheck{Description: "Move the sessions", By: "ann"}))(t)
		toolstest.Eventually(t, g, "MATCH (e:TraceEvent {agent: 'ann', type: 'check'}) RETURN count(e) AS n", 1)
		out := toolstest.Record(t, toolstest.App(t, g.DB),
			decisions.Record{Decision: "Keep user sessions in the same database", Confidence: 0.7,
				ExtraFields: decisions.ExtraFields{By: "ann",
					Deliberation: &decisions.Deliberation{Steps: []decisions.DeliberationStep{{Thought: "one system less to run than with " + earlier.ID, Conclusion: true}}}}})
		if !out.DeliberationAuto || out.DeliberationInputs != 3 {
			t.Errorf("attached %d events: %+v", out.DeliberationInputs, out)
		}
		rows := g.Rows(t, "MATCH (:Decision {id: $id})-[d:DELIBERATED_BY]->(e:TraceEvent) RETURN e.type AS type ORDER BY d.position", map[string]any{"id": out.ID})
		for i, want := range []string{"query", "check", "step"} {
			if rows[i]["type"] != want {
				t.Errorf("place %d holds %v, not %s", i+1, rows[i]["type"], want)
			}
		}
		links := g.Rows(t, "MATCH (:Decision {id: $id})-[l:RELATES_TO]->(o:Decision) RETURN o.id AS id, l.weight AS weight, l.auto AS auto", map[string]any{"id": out.ID})
		if out.RelatedCount != 1 || out.GraphEdgesCreated != 1 || len(links) != 1 || links[0]["id"] != earlier.ID ||
			links[0]["auto"] != true || links[0]["weight"].(float64) <= 0.3 {
			t.Errorf("related %d: %v", out.RelatedCount, links)
		}
		if out.Quality.Score != 0.25 { // 10 for the text, 5 for any deliberation, 10 for a reasoning step
			t.Errorf("quality %+v", out.Quality)
		}
	})

	t.Run("what is not named gets no link", func(t *testing.T) {
		graphtest.Must(env.Precedents.Query(t.Context(),
			precedents.Query{Query: "where do we keep user sessions",
				Session: decisions.Session{By: "zoe"}}))(t)
		toolstest.Eventually(t, g, "MATCH (e:TraceEvent {agent: 'zoe', type: 'query'}) RETURN count(e) AS n", 1)
		out := toolstest.Record(t, toolstest.App(t, g.DB),
			decisions.Record{Decision: "Delete the audit trail", Confidence: 0.7,
				ExtraFields: decisions.ExtraFields{By: "zoe"}})
		if out.DeliberationInputs != 1 || out.GraphEdgesCreated != 0 || out.RelatedCount == 0 {
			t.Errorf("got %d inputs, %d links, %d related, want 1, 0 and some", out.DeliberationInputs,
				out.GraphEdgesCreated, out.RelatedCount)
		}
	})

	t.Run("the next decision starts without them", func(t *testing.T) {
		if out := toolstest.Record(t, env, decisions.Record{Decision: "Another choice of the same agent",
			Confidence: 0.7, ExtraFields: decisions.ExtraFields{By: "ann"}}); out.DeliberationInputs != 0 {
			t.Errorf("it claims %d events of the decision before", out.DeliberationInputs)
		}
	})

	t.Run("two agents never mix", func(t *testing.T) {
		graphtest.Must(env.Precedents.Query(t.Context(),
			precedents.Query{Query: "anything about keeping sessions",
				Session: decisions.Session{By: "ann"}}))(t)
		if out := toolstest.Record(t, env, decisions.Record{Decision: "Something else altogether", Confidence: 0.7,
			ExtraFields: decisions.ExtraFields{By: "bob"}}); out.DeliberationInputs != 0 {
			t.Errorf("bob's decision claims %d events of ann", out.DeliberationInputs)
		}
		named := precedents.Query{Query: "sessions", Session: decisions.Session{SessionID: "window-1", By: "ann"}}
		graphtest.Must(env.Precedents.Query(t.Context(), named))(t)
		_, err := env.Decisions.Record(t.Context(), decisions.Record{Decision: "In the session of another",
			Confidence: 0.7, Category: "process", ExtraFields: decisions.ExtraFields{By: "bob", SessionID: "window-1"}})
		if !apperr.Is(err, apperr.Conflict) {
			t.Errorf("bob decided in ann's session: %v", err)
		}
	})

	t.Run("the chain verifies", func(t *testing.T) {
		found, err := toolstest.App(t, g.DB).Trace.Verify(t.Context(), trace.VerifyRequest{})
		if err != nil || !found.Intact {
			t.Errorf("got %+v, %v, want Intact=true", found, err)
		}
	})
}
