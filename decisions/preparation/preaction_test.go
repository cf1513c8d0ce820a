package preparation_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"nomograph/decisions"
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

	toolstest.Stage{Graph: g, App: env, Names: map[string]string{"earlier": earlier.ID}}.
		Play(t, "testdata/calls/prepared.txt")

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
