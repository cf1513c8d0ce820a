package preparation_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/decisions/precedents"
	"nomograph/decisions/preparation"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
)

func half() *float64 { value := 0.5; return &value }

func intended(description string) preparation.PreActionRequest {
	return preparation.PreActionRequest{Action: preparation.IntendedAction{Description: description,
		Category: "architecture", Confidence: half()}, ExtraFields: decisions.ExtraFields{By: "preparer"}}
}

// TestPreAction_IntendedDecision_IsCheckedAndRecorded checks an action before it happens and compares every field of
// the answer.
func TestPreAction_IntendedDecision_IsCheckedAndRecorded(t *testing.T) {
	g, env := toolstest.Open(t)
	ctx := t.Context()
	earlier := toolstest.Record(t, env, decisions.Record{Decision: "Use PostgreSQL for the ledger of the bank",
		Confidence: 0.8, ExtraFields: decisions.ExtraFields{Pattern: "Boring technology first", Tags: []string{"db"}}})
	graphtest.Must(env.Decisions.Review(ctx, decisions.Outcome{ID: earlier.ID, Outcome: "success", Lessons: "It held",
		Session: decisions.Session{By: "tester"}}))(t)
	toolstest.WaitForWorkers(t, g) // until workers finish, pre_action may miss vectors and counts
	found := func() bool {
		m, err := env.Precedents.Query(ctx, precedents.Query{Query: "PostgreSQL ledger bank", RetrievalMode: "semantic",
			Session: decisions.Session{By: "somebody else"}})
		return err == nil && len(m.Decisions) > 0
	}
	for from := time.Now(); !found(); time.Sleep(20 * time.Millisecond) {
		if time.Since(from) > 2*time.Minute {
			t.Fatal("the first decision is not found")
		}
	}

	t.Run("an intent with all fields is prepared", func(t *testing.T) {
		p := intended("Use PostgreSQL for the ledger of the shop")
		p.Reasons = []decisions.Reason{{Type: "analysis", Text: "It has transactions"},
			{Type: "pattern", Text: "The bank did so"}}
		p.Pattern, p.Tags = "Boring technology first", []string{"db", "ledger"}
		p.Context = "As in " + earlier.ID
		p.Action.Category = " Archi\u200btecture" // another spelling does not bypass the requirements for recording
		out := graphtest.Must(env.Preparation.PreAction(ctx, p))(t)
		if !out.Allowed || !out.Recorded || out.DecisionID == nil || out.NotRecorded != "" || out.VerdictID == "" ||
			out.Quality == nil {
			t.Fatalf(`got %+v, want Allowed=true, Recorded=true, non-nil DecisionID, NotRecorded="", a VerdictID, non-nil Quality`, out)
		}
		if len(out.RelevantDecisions) != 1 || out.RelevantDecisions[0].ID != earlier.ID ||
			out.RelevantDecisions[0].Lessons != "It held" {
			t.Errorf("precedents: %+v", out.RelevantDecisions)
		}
		if d := out.RelevantDecisions[0].Distance; d == nil || *d <= 0 || *d > 0.5 {
			t.Errorf("got distance %v, want a cosine distance below 0.5", d)
		}
		if len(out.Patterns) != 1 || out.Calibration == nil || out.Calibration.Category != "architecture" ||
			out.Calibration.BrierScore != nil || out.Calibration.Note == "" {
			t.Errorf("got %+v %+v %v, want len(Patterns)=1, non-nil Calibration, Category=architecture, BrierScore=nil, a Note", out.Patterns, out.Calibration, out.Notes)
		}
		env.Trace.Close(ctx) // the search is stored in the background
		got := graphtest.Must(env.Decisions.Get(ctx, decisions.GetQuery{ID: *out.DecisionID}))(t)
		steps, _ := got.Decision["deliberation"].(*decisions.StoredDeliberation)
		if steps == nil || len(steps.Steps) != 1 || steps.Steps[0].Type != "analysis" || out.RelatedCount != 1 ||
			out.GraphEdgesCreated != 1 {
			t.Errorf("deliberation %+v, related %d", steps, out.RelatedCount)
		}
		rows := g.Rows(t, "MATCH (v:Verdict)-[:JUDGED]->(d:Decision {id: $id})-[r:RELATES_TO]->(o) RETURN v.uid AS verdict, o.id AS other", map[string]any{"id": *out.DecisionID})
		if len(rows) != 1 || rows[0]["verdict"] != out.VerdictID || rows[0]["other"] != earlier.ID {
			t.Errorf("got %v, want len(rows)=1, verdict=%v, other=%v", rows, out.VerdictID, earlier.ID)
		}
	})

	t.Run("an action that cannot be recorded is evaluated anyway", func(t *testing.T) {
		no := false
		for name, change := range map[string]func(*preparation.PreActionRequest){
			"confidence":  func(p *preparation.PreActionRequest) { p.Action.Confidence = nil },
			"category":    func(p *preparation.PreActionRequest) { p.Action.Category = "cooking" },
			"auto_record": func(p *preparation.PreActionRequest) { p.Options = &preparation.Options{AutoRecord: &no} },
		} {
			p := intended("Try it without writing")
			change(&p)
			out, err := env.Preparation.PreAction(ctx, p)
			if err != nil || !out.Allowed || out.Recorded || out.DecisionID != nil ||
				!strings.Contains(out.NotRecorded, name) || out.VerdictID == "" {
				t.Errorf("got %s, %+v, %v, want Allowed=true, Recorded=false, DecisionID=nil, NotRecorded with %v, a VerdictID", name, out, err, name)
			}
		}
		if rows := g.Rows(t, "MATCH (d:Decision) WHERE d.decision STARTS WITH 'Try it' RETURN d", nil); len(rows) != 0 {
			t.Errorf("got %v, want length 0", rows)
		}
	})

	t.Run("rules see the facts, and what is denied is not recorded", func(t *testing.T) {
		g.Exec(t, `CREATE (:SYS_Policy {name: 'reviewed', active: true, applies_when: 'action.phase == "record" && action.name == "deploy"', requires: 'has(action.context.reviewed) && action.context.reviewed == true'})`, nil)
		defer g.Exec(t, "MATCH (p:SYS_Policy {name: 'reviewed'}) DETACH DELETE p", nil)
		p := intended("Deploy the shop")
		p.Action.Name = "deploy"
		out, err := env.Preparation.PreAction(ctx, p)
		if err != nil || out.Allowed || out.Recorded || len(out.BlockReasons) != 1 || len(out.Guardrails) != 1 ||
			out.NotRecorded == "" {
			t.Fatalf("got %+v, %v, want Allowed=false, Recorded=false, len(BlockReasons)=1, len(Guardrails)=1, a NotRecorded", out, err)
		}
		if rows := g.Rows(t, "MATCH (v:Verdict {uid: $uid}) RETURN v.allowed AS allowed",
			map[string]any{"uid": out.VerdictID}); len(rows) != 1 || rows[0]["allowed"] != false {
			t.Errorf("the verdict is %v", rows)
		}
		p.ForceReason = "The shop is down"
		if out, err = env.Preparation.PreAction(ctx, p); err != nil || out.Allowed || !out.Recorded ||
			out.Forced != p.ForceReason {
			t.Errorf("forced: %+v, %v", out, err)
		}
		p.ForceReason, p.Action.Context = "", graph.Parameters{"reviewed": true}
		if out, err = env.Preparation.PreAction(ctx, p); err != nil || !out.Allowed || !out.Recorded {
			t.Errorf("reviewed: %+v, %v", out, err)
		}
	})

	t.Run("the same request key records once, and is evaluated each time", func(t *testing.T) {
		p := intended("Once and for all")
		p.RequestKey = "preparing"
		first, err := env.Preparation.PreAction(ctx, p)
		if err != nil || !first.Recorded || first.Repeated {
			t.Fatalf("got %+v, %v, want Recorded=true, Repeated=false", first, err)
		}
		g.Exec(t, `CREATE (:SYS_Policy {name: 'never', active: true, requires: 'false'})`, nil)
		defer g.Exec(t, "MATCH (p:SYS_Policy {name: 'never'}) DETACH DELETE p", nil)
		again, err := env.Preparation.PreAction(ctx, p)
		if err != nil || !again.Repeated || *again.DecisionID != *first.DecisionID || again.Allowed {
			t.Errorf("got %+v, %v, want Repeated=true, DecisionID=%v, Allowed=false", again, err, *first.DecisionID)
		}
	})

	t.Run("the second caller with a request key gets the stored verdict", func(t *testing.T) {
		p := intended("All at the same moment")
		p.RequestKey = "racing"
		_, errs := toolstest.Concurrently(6, func(int) error {
			out, err := env.Preparation.PreAction(ctx, p)
			if err != nil || !out.Allowed || !out.Recorded {
				return fmt.Errorf("%+v, %w", out, err)
			}
			stored, err := g.RunReadOnly(ctx, graph.ReadQuery{Query: "MATCH (v:Verdict {uid: $uid}) RETURN v.uid",
				Params: graph.Parameters{"uid": out.VerdictID}})
			if err != nil || len(stored.Rows) != 1 {
				return fmt.Errorf("verdict %s: got %v, want one stored node: %w", out.VerdictID, stored.Rows, err)
			}
			return nil
		})
		for _, err := range errs {
			t.Error(err)
		}
		if n := toolstest.Count(t, g, "MATCH (d:Decision {decision: 'All at the same moment'}) RETURN count(d)"); n != 1 {
			t.Errorf("%d are recorded", n)
		}
	})

	t.Run("statistics that were read are a step with words", func(t *testing.T) {
		graphtest.Must(env.Counters.Stats(ctx, counters.StatsQuery{Selection: counters.Selection{Category: "architecture"}, Session: decisions.Session{By: "counter"}}))(t)
		got := graphtest.Must(env.Decisions.Get(ctx, decisions.GetQuery{ID: toolstest.Record(t, env,
			decisions.Record{Decision: "Decide by numbers", Confidence: 0.5,
				ExtraFields: decisions.ExtraFields{By: "counter"}}).ID}))(t)
		steps, _ := got.Decision["deliberation"].(*decisions.StoredDeliberation)
		if steps == nil || len(steps.Steps) != 1 || steps.Steps[0].Type != "empirical" ||
			!strings.Contains(steps.Steps[0].Thought, "'architecture'") {
			t.Errorf("got %+v, want non-nil steps, len(Steps)=1, Type=empirical, Thought with 'architecture'", steps)
		}
	})

	t.Run("a later decision of a session has what was asked before", func(t *testing.T) {
		no := false
		p := intended("Ask first")
		p.By, p.Options = "asker", &preparation.Options{AutoRecord: &no}
		graphtest.Must(env.Preparation.PreAction(ctx, p))(t)
		if out := toolstest.Record(t, env, decisions.Record{Decision: "Decide afterwards", Confidence: 0.5,
			ExtraFields: decisions.ExtraFields{By: "asker"}}); out.DeliberationInputs != 2 {
			t.Errorf("got %+v, want DeliberationInputs=2", out)
		}
	})

	t.Run("a blank description", func(t *testing.T) {
		if _, err := env.Preparation.PreAction(ctx, intended(" \n")); !apperr.Is(err, apperr.Validation) ||
			apperr.From(err).Hint == "" {
			t.Errorf("got %v, want %s, a Hint", err, apperr.Validation)
		}
	})
}

// TestPreAction_NotRecorded_LeavesNoText checks that an unrecorded action leaves no text if verdicts store none.
func TestPreAction_NotRecorded_LeavesNoText(t *testing.T) {
	g := graphtest.New(t)
	env := toolstest.App(t, g.DB)
	env.Checks.Settings.Retention = check.RetainRedacted
	p, no := intended("Sell the widget division"), false
	p.Options = &preparation.Options{AutoRecord: &no}
	if out, err := env.Preparation.PreAction(t.Context(), p); err != nil || out.VerdictID == "" {
		t.Fatalf("got %+v, %v, want non-empty VerdictID", out, err)
	}
	graphtest.OK(t, env.Close(t.Context()))
	events := g.Rows(t, "MATCH (e:TraceEvent) RETURN e.type AS type, e.payload AS payload ORDER BY e.seq", nil)
	if len(events) != 2 || strings.Contains(fmt.Sprint(events), "widget") {
		t.Errorf("got %v, want len(events)=2, events without widget", events)
	}
}

// TestPreAction_DatabaseDown_IsDenied checks that actions are denied without a database.
func TestPreAction_DatabaseDown_IsDenied(t *testing.T) {
	g, env := toolstest.Open(t)
	_ = g.Close(context.Background())
	out, err := env.Preparation.PreAction(t.Context(), intended("Anything"))
	if err == nil || out.Allowed || out.Recorded {
		t.Errorf("got %+v, %v, want an error, Allowed=false, Recorded=false", out, err)
	}
	toolstest.ErrorWithCode(t, err, apperr.Unavailable)
}
