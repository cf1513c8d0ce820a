package history_test

import (
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
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
	for _, c := range golden.Cases(t, "testdata/audit.txt") {
		got, q := "", history.AuditQuery{Kind: c.Want}
		if c.Name == "by" {
			q = history.AuditQuery{By: c.Want}
		}
		for _, e := range list(q) {
			got += e.Action + " " + e.Name + " by " + e.By + ": " + e.Why + "\n"
		}
		want := strings.ReplaceAll(strings.TrimSpace(c.Text), "VERSION", shipped.Version)
		graphtest.Equal(t, strings.TrimSpace(got), want, c.Name, c.Want)
	}
	later := time.Now().Add(time.Hour).Format(time.RFC3339)
	graphtest.Len(t, list(history.AuditQuery{Range: timeparse.Range{DateAfter: later}}), 0, "later")
	graphtest.Len(t, list(history.AuditQuery{Range: timeparse.Range{DateBefore: "2020-01-01"}}), 0, "earlier")
	appeals, steps := list(history.AuditQuery{Kind: "appeal"}),
		list(history.AuditQuery{Kind: "proposal"})
	graphtest.Values(t, "the objects", appeals[0].Object, "v2", steps[0].Object, "p1")
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
	graphtest.Fails(env.History.Audit(t.Context(), history.AuditQuery{Range: timeparse.Range{DateAfter: "someday"}}))(t,
		apperr.Validation, "a validation_error")
}
