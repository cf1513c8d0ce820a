package history_test

import (
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/timeparse"
	"nomograph/policies"
	"nomograph/policies/history"
	"nomograph/policies/pack"
	"nomograph/tokens"
	"nomograph/tools/toolstest"
)

// TestAudit_ChangesOfAllKinds_AreListedNewestFirst changes rules, tokens and an approval, and filters and pages the
// list.
func TestAudit_ChangesOfAllKinds_AreListedNewestFirst(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyShipped(t, g, "releases")
	text := graphtest.Must(pack.ShippedText("releases"))(t)
	shipped := graphtest.Must(pack.Parse(t.Context(), "releases.yaml", text))(t)
	toolstest.Set(t, env, "rollout_percent_first", 25.0)
	graphtest.Must(env.Tokens.Create(t.Context(), tokens.CreateRequest{Name: "release-bot", By: "Ada"}))(t)
	graphtest.Must(env.Tokens.Rotate(t.Context(), tokens.RotateRequest{Name: "release-bot", By: "ada"}))(t)
	graphtest.Must(env.Tokens.Revoke(t.Context(), tokens.RevokeRequest{Name: "release-bot", Reason: "no longer used",
		By: "grace"}))(t)
	g.Exec(t, `CREATE (:Approval {uid: 'a1', state: 'granted', action: 'refund.pay', asked_at: datetime(), answered_at: datetime(), answered_by: 'grace', reason: 'agreed', expires_at: datetime() + duration({days: 1})}),
		(:Approval {uid: 'a3', state: 'revoked', action: 'deploy', asked_at: datetime('2026-01-01'), answered_at: datetime('2026-01-02'), answered_by: 'mia', reason: 'a release', expires_at: datetime('2026-01-03'), renewals: 2,
			renewed_by: ['bo', 'cy'], renewed_at: [datetime('2026-01-03'), datetime('2026-01-04')], renewal_reasons: ['still needed', 'once more'], revoked_at: datetime('2026-01-05'), revoked_by: 'ada', revoked_reason: 'done'}),
		(:Approval {uid: 'a2', state: 'waiting', action: 'refund.pay', asked_at: datetime(), expires_at: datetime() + duration({days: 1})}),
		(p:Proposal {uid: 'p1', state: 'rejected'})-[:HAS_STEP]->(:ProposalStep {uid: 's1', at: datetime('2026-01-06'), state: 'open', by: 'grace', reason: 'too low'}),
		(p)-[:HAS_STEP]->(:ProposalStep {uid: 's2', at: datetime('2026-01-07'), state: 'rejected', by: 'mia', reason: 'too early'}),
		(p)-[:CHANGES]->(:SYS_Threshold {name: 'x_min', value: 1}), (p)-[:CHANGES]->(:SYS_DecisionTable {table_id: 'T1'}),
		(:Appeal {uid: 'o1', verdict: 'v1', state: 'overturned', description: 'Drop it', agent: 'bot', reason: 'It is a copy', at: datetime('2026-01-08'), decided_by: 'mia', answer: 'It was', decided_at: datetime('2026-01-09')}),
		(:Appeal {uid: 'o2', verdict: 'v2', state: 'open', description: 'Ship it', agent: 'bo', reason: 'It is late', at: datetime('2026-01-10')})`, nil)
	list := func(q history.AuditQuery) []history.AuditEntry {
		t.Helper()
		found := graphtest.Must(env.History.Audit(t.Context(), q))(t)
		return found.Entries
	}
	for name, c := range map[string]struct {
		q    history.AuditQuery
		want []string // action and name, newest first
	}{
		"tokens": {history.AuditQuery{Kind: "token"},
			[]string{"revoked release-bot by grace: no longer used", "revoked release-bot by grace: no longer used",
				"rotated release-bot by ada: read", "created release-bot by Ada: read"}},
		"approvals": {history.AuditQuery{Kind: "approval"},
			[]string{"approved refund.pay by grace: agreed", "revoked deploy by ada: done",
				"renewed deploy by cy: once more", "renewed deploy by bo: still needed",
				"approved deploy by mia: a release"}},
		"proposals": {history.AuditQuery{Kind: "proposal"},
			[]string{"rejected T1, x_min by mia: too early", "proposed T1, x_min by grace: too low"}},
		"appeals": {history.AuditQuery{Kind: "appeal"},
			[]string{"appealed Ship it by bo: It is late", "overturned Drop it by mia: It was",
				"appealed Drop it by bot: It is a copy"}},
		"packs": {history.AuditQuery{Kind: "pack"},
			[]string{"applied releases by test: version " + shipped.Version}},
		"an author": {history.AuditQuery{By: "ADA"},
			[]string{"rotated release-bot by ada: read", "created release-bot by Ada: read",
				"revoked deploy by ada: done"}},
		"later": {history.AuditQuery{Range: timeparse.Range{DateAfter: time.Now().Add(time.Hour).
			Format(time.RFC3339)}}, nil},
		"earlier": {history.AuditQuery{Range: timeparse.Range{DateBefore: "2020-01-01"}}, nil},
	} {
		got := list(c.q)
		texts := make([]string, len(got))
		for i, e := range got {
			texts[i] = e.Action + " " + e.Name + " by " + e.By + ": " + e.Why
		}
		if len(texts) != len(c.want) {
			t.Errorf("%s: got %q, want %q", name, texts, c.want)
			continue
		}
		for i := range texts {
			if texts[i] != c.want[i] {
				t.Errorf("%s: got %q, want %q", name, texts, c.want)
				break
			}
		}
	}
	if appeals, steps := list(history.AuditQuery{Kind: "appeal"}),
		list(history.AuditQuery{Kind: "proposal"}); appeals[0].Object != "v2" || steps[0].Object != "p1" {
		t.Errorf("got the objects %q and %q, want the verdict of the appeal and the proposal", appeals[0].Object,
			steps[0].Object)
	}
	whole := list(history.AuditQuery{})
	if tables := list(history.AuditQuery{Kind: "table"}); len(tables) != 1 ||
		tables[0].Name != "R1_DETERMINE_release_readiness" {
		t.Errorf("got the tables %+v", tables)
	}
	var paged []history.AuditEntry
	q := history.AuditQuery{Page: policies.Page{Limit: 3}}
	for range 100 { // changes of one transaction have the same time
		page := graphtest.Must(env.History.Audit(t.Context(), q))(t)
		paged = append(paged, page.Entries...)
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			break
		}
	}
	if len(paged) != len(whole) || len(whole) < 10 {
		t.Fatalf("got %d entries in pages, want %d", len(paged), len(whole))
	}
	for i := range whole {
		if paged[i] != whole[i] || i > 0 && whole[i].At.After(whole[i-1].At) {
			t.Errorf("entry %d: got %+v, want %+v", i, paged[i], whole[i])
		}
	}
	if _, err := env.History.Audit(t.Context(), history.AuditQuery{Range: timeparse.Range{DateAfter: "someday"}}); !apperr.Is(err, apperr.Validation) {
		t.Errorf("got %v, want a validation_error", err)
	}
}
