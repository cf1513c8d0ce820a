package evidence_test

import (
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/evidence"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
)

func TestEvidence_TamperedEntry_IsDetected(t *testing.T) {
	g, env := toolstest.Open(t)
	ctx := t.Context()
	if v, err := env.Evidence.Verify(ctx, evidence.VerifyRequest{}); err != nil || !v.Intact || v.BrokenAtSeq != nil ||
		v.TailCheck != "not_checked" {
		t.Errorf("without any: %+v %v", v, err)
	}
	id := toolstest.Record(t, env, decisions.Record{Decision: "Retrain the model", Confidence: 0.8, Stakes: "high"}).ID
	if _, err := env.Evidence.Observe(ctx, evidence.Observation{Events: []evidence.Observing{{EventType: "pr_merged",
		At: "yesterday evening"}}}); !apperr.Is(err, apperr.Validation) {
		t.Errorf("a time that is none: %v", err)
	}
	in, err := env.Evidence.Observe(ctx, evidence.Observation{Source: "github", By: "hook",
		Events: []evidence.Observing{
			{EventType: "pr_opened", At: "2026-02-04T21:00:00Z",
				Payload: map[string]any{"pr_number": int64(42), "is_agent_authored": true}},
			{EventType: "pr_review_approved", Payload: map[string]any{"pr_number": int64(42)}},
			{EventType: "pr_merged", Payload: map[string]any{"pr_number": int64(42), "human_approval_count": int64(1)}},
			{EventType: "meteor_seen"},
		}})
	if err != nil || in.Ingested != 4 || in.HeadHash == "" {
		t.Fatalf("got %+v %v, want Ingested=4, a HeadHash", in, err)
	}
	for _, seqs := range [][]int64{{in.FirstSeq + 99}, {in.FirstSeq, in.FirstSeq + 4}} {
		if _, err := env.Evidence.Link(ctx, evidence.LinkRequest{DecisionID: id, EventSeqs: seqs}); !apperr.Is(err,
			apperr.NotFound) {
			t.Errorf("%v are linked: %v", seqs, err)
		}
	}
	if _, err := env.Evidence.Link(ctx, evidence.LinkRequest{DecisionID: "ffffffff",
		EventSeqs: []int64{in.FirstSeq}}); !apperr.Is(err, apperr.NotFound) {
		t.Errorf("of no decision: %v", err)
	}
	linked, err := env.Evidence.Link(ctx, evidence.LinkRequest{DecisionID: id,
		EventSeqs: []int64{in.FirstSeq, in.FirstSeq, in.FirstSeq + 2}, By: "ada"})
	if err != nil || linked.Linked != 2 || linked.AttestedSeq != in.FirstSeq+4 {
		t.Fatalf("got %+v %v, want Linked=2, AttestedSeq=%v", linked, err, in.FirstSeq+4)
	}
	c := graphtest.Must(env.Evidence.Map(ctx))(t)
	rules := func(of []evidence.Mapping) string {
		var ids []string
		for _, m := range of {
			ids = append(ids, m.RuleID)
		}
		return strings.Join(ids, " ")
	}
	if got := rules(c.Mappings); got != "nist-agent-authored sr11-7-change-opened sr11-7-merged-reviewed cstp-decision-linked cstp-stakes-known" {
		t.Errorf("mapped by %s", got)
	}
	if got := rules(c.Insufficient); got != "sr11-7-review-not-human cstp-outcome-missing" || c.InsufficientCount != 2 {
		t.Errorf("missing by %s", got)
	}
	if c.Coverage.Observed != (evidence.Coverage{Total: 4, Mapped: 3, Unmapped: 1, Percent: 75}) ||
		c.Coverage.Attested.Mapped != 1 || len(c.Unmapped) != 1 || len(c.AttestedOnly) != 2 {
		t.Errorf("got %+v, want Observed=%v, Mapped=1, len(Unmapped)=1, len(AttestedOnly)=2", c,
			(evidence.Coverage{Total: 4, Mapped: 3, Unmapped: 1, Percent: 75}))
	}
	if v, err := env.Evidence.Verify(ctx, evidence.VerifyRequest{ExpectedHead: in.HeadHash}); err != nil || !v.Intact ||
		v.TailCheck != "passed" {
		t.Errorf("got %+v %v, want Intact=true, TailCheck=passed", v, err)
	}
	g.Exec(t, "MATCH (e:TraceEvent {type: 'evidence.observed'}) WHERE e.payload CONTAINS 'pr_merged' SET e.payload = replace(e.payload, '1', '2')", nil)
	if v, err := env.Evidence.Verify(ctx, evidence.VerifyRequest{}); err != nil || v.Intact || v.BrokenAtSeq == nil ||
		*v.BrokenAtSeq != in.FirstSeq+2 {
		t.Errorf("after a change: %+v %v", v, err)
	}
	g.Exec(t, "MATCH (s:Session {id: 'evidence'}) DETACH DELETE s", nil)
	if v, err := env.Evidence.Verify(ctx, evidence.VerifyRequest{ExpectedHead: in.HeadHash}); err != nil || v.Intact ||
		v.TailCheck != "failed" {
		t.Errorf("deleted chain: got %+v, %v, want Intact=false, TailCheck=failed", v, err)
	}
}
