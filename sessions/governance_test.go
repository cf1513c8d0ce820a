package sessions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/history"
	"nomograph/sessions"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// shop has an action that a person approves for ten minutes, and an action whose parameters rules read.
const shop = `
atlas_version: "1.0"
atlas_id: shop
version: 1.0.0
name: Shop
context_blocks:
  - {context_id: refunds, name: Refunds, content: "Refunds are paid from the account of the branch within a week", keywords: [refund]}
  - {context_id: stock, name: Stock taking, content: "The shelves are counted each quarter", keywords: [stock]}
  - {context_id: lamps, name: Lamps, content: "Bulbs of the lamps are changed in spring", inject_mode: on_demand}
actions:
  - {action_id: "refund.*", risk_tier: low}
  - {action_id: refund.pay, risk_tier: high}
  - {action_id: stock.count}
  - {action_id: till.open}
policies:
  - {policy_id: by-a-person, type: requires_approval, actions: [refund.pay], reason: Money leaves the shop, parameters: {grant_seconds: 600}}
  - {policy_id: never, type: deny, actions: [till.open], reason: Tills are opened by hand}
  - {policy_id: seldom, type: budget, actions: [stock.count], parameters: {limit: 10, parameter: cost}}
`

// TestStakes_DeclaredRisk_IsTheLeast: an action is checked with at least the highest risk that an atlas of its project
// declares, whatever the caller states.
func TestStakes_DeclaredRisk_IsTheLeast(t *testing.T) {
	g, env := toolstest.Open(t)
	elsewhere := strings.NewReplacer("atlas_id: shop", "atlas_id: bakery\nproject: bakery", "risk_tier: high",
		"risk_tier: critical", "by-a-person", "by-a-baker", "never", "never-here", "seldom", "rarely",
		"context_id: ", "context_id: bakery-").Replace(shop)
	graphtest.Must(load(t, env, change.ApplyOptions{}, shop, elsewhere))(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'careful', active: true, severity: 'warn', message: 'Careful', applies_when: 'action.stakes >= high', requires: 'false'})`)
	for _, test := range []struct{ action, stated, project, want string }{
		{"refund.pay", "", "", "high"},
		{"Refund.Pay", "low", "", "high"},
		{"refund.pay", "critical", "", "critical"},
		{"refund.pay", "", "bakery", "critical"},
		{"refund.look", "", "", "medium"},
		{"refund.look", "low", "", "low"},
		{"stock.count", "", "", "medium"},
		{"", "low", "", "low"},
	} {
		verdict := graphtest.Must(env.Checks.Check(t.Context(),
			check.ActionCheck{Description: "Do it", Name: test.action, Stakes: test.stated, Project: test.project}))(t)
		stored := g.Rows(t, "MATCH (v:Verdict {uid: $uid}) RETURN v.stakes AS stakes",
			map[string]any{"uid": verdict.VerdictID})[0]["stakes"]
		if warned := len(verdict.Warnings) == 1; stored != test.want ||
			warned != (test.want == "high" || test.want == "critical") {
			t.Errorf("%+v: got stakes %v and %d warnings", test, stored, len(verdict.Warnings))
		}
	}
}

// TestApproval_ActionReported_ShowsOutcome: an agent reports an action, a person approves it, and the next similar
// request shows the whole precedent.
func TestApproval_ActionReported_ShowsOutcome(t *testing.T) {
	g, env := toolstest.Open(t)
	graphtest.Must(load(t, env, change.ApplyOptions{}, shop))(t)
	g.Exec(t, "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()", nil)
	ann := sessions.Caller{By: "Ann"}
	session := graphtest.Must(env.Sessions.Bootstrap(t.Context(),
		sessions.Bootstrap{Intent: "Pay refunds", Capabilities: []string{"refund.pay", "till.open", "refund.look",
			"stock.count", "rocket.launch"}, Caller: ann}))(t)
	var governed []string
	for _, g := range session.Governance {
		governed = append(governed, g.Action+" "+g.Decision)
	}
	if want := []string{"refund.pay needs_approval", "till.open denied", "refund.look approved", "stock.count depends",
		"rocket.launch unknown"}; !slices.Equal(governed, want) ||
		session.SessionID == "" || session.GenesisHash == "" || session.Head == "" || session.Unknown != "ask" ||
		!strings.Contains(session.Governance[0].Policies[0], "Money leaves") {
		t.Errorf(`got %v, %+v, want governed=%v, a SessionID, a GenesisHash, a Head, Unknown=ask, Policies[0] with "Money leaves"`, governed, session, want)
	}
	golden.Equal(t, "verdicts of actions that were not reported",
		toolstest.Count(t, g, "MATCH (v:Verdict) RETURN count(v)"), 0)
	toolstest.ErrorWithCode(t, errorOf(env.Sessions.Bootstrap(t.Context(),
		sessions.Bootstrap{Intent: " ", Caller: ann})),
		apperr.Validation)

	refund := func(amount int64, decision string, answer *sessions.UserAnswer) sessions.Reported {
		t.Helper()
		q := sessions.Report{Action: "refund.pay", Params: graph.Parameters{"amount": amount}, Decision: decision,
			Caller: ann}
		if answer != nil {
			q.Ask = func(_ context.Context, a sessions.ApprovalDetails) (*sessions.UserAnswer, error) {
				if a.RiskTier != "high" || a.GrantsFor != 600 || a.Params != fmt.Sprintf(`{"amount":%d}`, amount) {
					t.Errorf("asked: %+v", a)
				}
				if answer.By == "" {
					return nil, nil
				}
				return answer, nil
			}
		}
		return graphtest.Must(env.Sessions.Report(t.Context(), q))(t)
	}
	decided := toolstest.Record(t, env, decisions.Record{Decision: "Pay the refund of Bob", Confidence: 0.9,
		ExtraFields: decisions.ExtraFields{By: "Ann"}})
	uid := g.Rows(t, "MATCH (d:Decision {id: $id}) RETURN d.uid AS uid",
		map[string]any{"id": decided.ID})[0]["uid"].(string)
	paid := refund(20, uid, &sessions.UserAnswer{Approve: true, Reason: "It was double charged", By: "user of Ann"})
	if paid.Decision != sessions.Approved || paid.ApprovalID == "" {
		t.Fatalf("got %+v, want Decision=%v, non-empty ApprovalID", paid, sessions.Approved)
	}
	if again := refund(20, "", nil); again.Decision != sessions.Approved { // valid for ten minutes
		t.Errorf("got %+v, want Decision=%v", again, sessions.Approved)
	}
	toolstest.Review(t, env, decided.ID, "success")
	shown, err := env.Sessions.Approval(t.Context(), sessions.ApprovalQuery{ApprovalID: paid.ApprovalID})
	if err != nil || shown.Once || shown.ValidUntil == nil || len(shown.Done) != 2 ||
		shown.AnsweredBy != "user of Ann" {
		t.Fatalf(`got %+v %v, want Once=false, non-nil ValidUntil, len(Done)=2, AnsweredBy="user of Ann"`, shown, err)
	}
	var outcomes []string
	for _, done := range shown.Done {
		for _, o := range done.Outcomes {
			outcomes = append(outcomes, o.Outcome)
		}
	}
	if !slices.Equal(outcomes, []string{"success"}) {
		t.Errorf("it turned out %v", outcomes)
	}
	next := refund(30, "", &sessions.UserAnswer{}) // the user who is asked does not answer
	if next.Decision != sessions.NeedsApproval || len(next.Precedents) != 1 ||
		next.Precedents[0].Reason != "It was double charged" || next.Precedents[0].Done != 2 ||
		!slices.Equal(next.Precedents[0].Outcomes, []string{"success"}) {
		t.Errorf(`got %+v, want Decision=%v, len(Precedents)=1, Reason="It was double charged", Done=2, Outcomes=[success]`, next, sessions.NeedsApproval)
	}
	if denied := refund(30, "", &sessions.UserAnswer{Reason: "Too much",
		By: "user of Ann"}); denied.Decision != sessions.DeniedAction ||
		denied.Reason != "Rejected by user of Ann: Too much" {
		t.Errorf(`got %+v, want Decision=%v, Reason="Rejected by user of Ann: Too much"`, denied, sessions.DeniedAction)
	}

	// The trail contains what the session received and did, in order, and so does the deliberation of its decision.
	graphtest.Must(env.Sessions.Request(t.Context(),
		sessions.Request{Need: "how are refunds paid", Caller: ann}))(t)
	graphtest.Must(env.Sessions.GiveFeedback(t.Context(),
		sessions.Feedback{ContextID: "refunds", Helpful: true, Caller: ann}))(t)
	later := toolstest.Record(t, env, decisions.Record{Decision: "Ask for less", Confidence: 0.9,
		ExtraFields: decisions.ExtraFields{By: "Ann"}})
	text, err := json.Marshal(toolstest.Get(t, env, later.ID)["deliberation"])
	if err != nil || !strings.Contains(string(text), `"Was given refunds`) ||
		!strings.Contains(string(text), `"context_id":"refunds"`) ||
		!strings.Contains(string(text), "refund.pay: denied") {
		t.Errorf(`got %s %v, want text with "Was given refunds, text with "context_id":"refunds", text with "refund.pay: denied"`, text, err)
	}
	state, err := env.Sessions.Current(t.Context(), ann)
	if err != nil || state.SessionID != session.SessionID || !state.Active || state.Goal != "Pay refunds" ||
		state.Actions.Approved != 2 || len(state.Contexts) == 0 ||
		!slices.Equal(state.ActiveAtlases, []string{"shop"}) {
		t.Errorf(`got %+v %v, want SessionID=%v, Active=true, Goal="Pay refunds", Approved=2, nonzero len(Contexts), ActiveAtlases=%v`, state, err, session.SessionID, []string{"shop"})
	}
	ended, err := env.Sessions.End(t.Context(), sessions.End{Caller: ann})
	if err != nil || ended.Actions != (sessions.Actions{Approved: 2, Denied: 1, NeededApproval: 3,
		ApprovedByPerson: 2}) || !ended.ChainVerified {
		t.Errorf("got %+v %v, want Actions=%v, ChainVerified=true", ended, err,
			(sessions.Actions{Approved: 2, Denied: 1, NeededApproval: 3, ApprovedByPerson: 2}))
	}
	page := graphtest.Must(env.Trace.Session(t.Context(),
		trace.SessionQuery{SessionID: session.SessionID, Limit: 500}))(t)
	var kinds []string
	for _, e := range page.Events {
		if !slices.Contains([]string{"decision", "review"}, e.Type) { // these events are written in the background
			kinds = append(kinds, e.Type)
		}
	}
	if want := strings.Fields("session.started context.given action.reported approval.granted action.reported action.reported action.reported action.reported approval.denied action.reported context.given feedback session.ended"); !slices.Equal(kinds, want) {
		t.Errorf("in order: %v", kinds)
	}
	chain, err := env.Sessions.Chain(t.Context(), sessions.Caller{SessionID: session.SessionID, By: "Ann"})
	if err != nil || !chain.IsValid || chain.GenesisHash != session.GenesisHash ||
		chain.CurrentHash != ended.FinalHash || chain.EventCount != ended.EventCount {
		t.Errorf("got %+v %v, want IsValid=true, chain.GenesisHash=%v, CurrentHash=%v, chain.EventCount=%v", chain, err,
			session.GenesisHash, ended.FinalHash, ended.EventCount)
	}

	// The trail is exported in two formats. Each verifies offline until a character is changed.
	for _, form := range []string{trace.FormatLines, trace.FormatTRACE} {
		out := graphtest.Must(env.Trace.Export(t.Context(),
			trace.ExportRequest{SessionID: session.SessionID, Format: form}))(t)
		whole, err := trace.VerifyText(out.Text)
		if err != nil || !whole.Intact || whole.Events != ended.EventCount || whole.Ours != ended.FinalHash ||
			(whole.Theirs != "") != (form == trace.FormatTRACE) {
			t.Errorf(`%s: got %+v %v, want Intact=true, Events=%v, Ours=%v, (whole.Theirs != "")=%v`, form, whole, err,
				ended.EventCount, ended.FinalHash, (form == trace.FormatTRACE))
		}
		forged, err := trace.VerifyText(strings.Replace(out.Text, "double charged", "doubly charged", 1))
		if err != nil || forged.Intact || forged.Problems[0].Problem != "hash_mismatch" {
			t.Errorf("%s, forged: %+v %v", form, forged, err)
		}
		lines := strings.SplitAfter(strings.TrimSuffix(out.Text, "\n"), "\n")
		if cut, err := trace.VerifyText(strings.Join(slices.Delete(lines, 3, 4), "")); err != nil || cut.Intact {
			t.Errorf("%s, cut: %+v %v", form, cut, err)
		}
	}
	trail, err := env.Sessions.Trace(t.Context(),
		sessions.TraceQuery{Format: "trace", Caller: sessions.Caller{SessionID: session.SessionID, AgentID: "ann",
			By: "door"}})
	if err != nil || !strings.Contains(trail.Lines, `"event_type":"context.injected"`) {
		t.Errorf(`got %+v %v, want Lines with "event_type":"context.injected"`, trail, err)
	}
}

// TestSuggest_Feedback_ProposesChanges: votes and unmet needs become suggestions for the atlas.
func TestSuggest_Feedback_ProposesChanges(t *testing.T) {
	g, env := toolstest.Open(t)
	graphtest.Must(load(t, env, change.ApplyOptions{}, shop))(t)
	plain := toolstest.OpenWithoutEmbedder(t, g.DB) // full text only, so that a need can match nothing
	g.Exec(t, "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()", nil)
	ask := func(agent, need string) sessions.Given {
		t.Helper()
		return graphtest.Must(plain.Sessions.Request(t.Context(),
			sessions.Request{Need: need, Caller: sessions.Caller{By: agent}}))(t)
	}
	for _, agent := range []string{"Ann", "Bob"} {
		ask(agent, "how are chargebacks of a refund booked")
		for id, helpful := range map[string]bool{"refunds": true, "stock": false} {
			q := sessions.Feedback{ContextID: id, Helpful: helpful,
				Reason: map[bool]string{false: "It names no shelf"}[helpful], Caller: sessions.Caller{By: agent}}
			graphtest.Must(plain.Sessions.GiveFeedback(t.Context(), q))(t)
		}
	}
	for i, need := range []string{"Where does the zeppelin land?", "the zeppelin: where does it land",
		"how can a zeppelin land"} {
		if delivered := ask([]string{"Ann", "Bob", "Ann"}[i], need); len(delivered.MatchedContexts) != 0 {
			t.Errorf("%q: got %+v, want no MatchedContexts", need, delivered)
		}
	}
	answer := graphtest.Must(plain.Sessions.Suggest(t.Context(), sessions.SuggestQuery{AtlasID: "shop"}))(t)
	if len(answer.Rewrite) != 1 || answer.Rewrite[0].ContextID != "stock" || answer.Rewrite[0].NotHelpful != 2 ||
		answer.Rewrite[0].Reasons[0] != (sessions.Counted{Text: "It names no shelf", Times: 2}) {
		t.Errorf("got %+v, want len(Rewrite)=1, ContextID=stock, NotHelpful=2, answer.Rewrite[0].Reasons[0]=%v",
			answer.Rewrite, (sessions.Counted{Text: "It names no shelf", Times: 2}))
	}
	if !slices.ContainsFunc(answer.Keywords, func(k sessions.NewKeyword) bool {
		return k.Keyword == "chargebacks" && k.ContextID == "refunds" && k.Agents == 2
	}) ||
		slices.ContainsFunc(answer.Keywords, func(k sessions.NewKeyword) bool {
			return k.Keyword == "refund" || k.Keyword == "are"
		}) {
		t.Errorf("%+v", answer.Keywords)
	}
	if len(answer.Unmet) != 1 || answer.Unmet[0].Times != 3 || answer.Unmet[0].Agents != 2 {
		t.Errorf("got %+v, want one need, three times, of two agents", answer.Unmet)
	}
	if ids := fmt.Sprint(answer.Unused); !strings.Contains(ids, "lamps") || strings.Contains(ids, "refunds") {
		t.Errorf("got %+v, want ids with lamps, ids without refunds", answer.Unused)
	}
	toolstest.ErrorWithCode(t, errorOf(plain.Sessions.Suggest(t.Context(), sessions.SuggestQuery{AtlasID: "nosuch"})),
		apperr.NotFound)

	used, err := plain.Sessions.Usage(t.Context(), sessions.UsageQuery{})
	if err != nil || len(used.Rows) != 2 || used.Rows[0].Requests != 1 || used.Rows[0].Helpful != 1 ||
		used.Rows[0].NotHelpful != 1 || used.Rows[0].Sessions != 1 {
		t.Errorf("got %+v %v, want len(Rows)=2, Requests=1, Helpful=1, NotHelpful=1, Sessions=1", used, err)
	}
	g.Exec(t, "MATCH (a:Agent {key: 'bob'}) CREATE (:Token {name: 'ci', hash: 'x'})-[:OF]->(a)", nil)
	if used, err := plain.Sessions.Usage(t.Context(), sessions.UsageQuery{By: "token", Since: "1h"}); err != nil ||
		len(used.Rows) != 1 || used.Rows[0].Name != "ci" {
		t.Errorf("got %+v %v, want len(Rows)=1, Name=ci", used, err)
	}
	g.Exec(t, `MATCH (c:Context {context_id: 'refunds'}) UNWIND range(1, 1500) AS n
		CREATE (:Feedback {uid: 'f' + n, voice: 'v' + n, agent: 'a' + n, helpful: n <= 1200, need: 'need ' + (n % 7), reason: 'why ' + (n % 3), at: datetime()})-[:ABOUT]->(c)`, nil)
	summary, err := plain.Sessions.FeedbackOn(t.Context(), sessions.FeedbackQuery{ContextID: "refunds"})
	if sum := summary.Contexts[0].Summary; err != nil || sum.HelpfulCount != 1202 || sum.NotHelpfulCount != 300 ||
		len(sum.CommonNeedsWhenHelpful) != 5 || len(sum.CommonReasonsNotHelpful) != 3 {
		t.Errorf("got %+v %v, want HelpfulCount=1202, NotHelpfulCount=300, len(CommonNeedsWhenHelpful)=5, len(CommonReasonsNotHelpful)=3", sum, err)
	}

	// A context has a history with manual edits and loads, and can be reverted.
	g.Exec(t, "MATCH (c:Context {context_id: 'lamps'}) SET c.content = 'By hand'", nil)
	golden.Equal(t, "changed", graphtest.Must(env.History.Sync(t.Context()))(t).Changed, 1)
	subject := policies.Subject{Kind: policies.KindContext, Name: "lamps"}
	shown, err := env.History.Entries(t.Context(), history.Query{Subject: subject})
	if err != nil || len(shown.Entries) != 2 || shown.Entries[0].Kind != "observed" ||
		shown.Entries[0].Changes["content"].To != "By hand" {
		t.Fatalf(`got %+v %v, want len(Entries)=2, Kind=observed, To="By hand"`, shown, err)
	}
	graphtest.Must(env.Change.Revert(t.Context(), change.RevertRequest{Subject: subject, To: shown.Entries[1].To,
		Reason: "it was right", By: "Mia"}))(t)
	golden.Equal(t, "contexts that went back", toolstest.Count(t, g,
		"MATCH (:Atlas)-[:HAS_CONTEXT]->(c:Context {context_id: 'lamps'}) WHERE c.content STARTS WITH 'Bulbs' RETURN count(c)"), 1)
	if shown, err = env.History.Entries(t.Context(),
		history.Query{Subject: policies.Subject{Kind: policies.KindAtlas, Name: "shop"}}); err != nil ||
		len(shown.Entries) != 1 {
		t.Fatalf("got %+v %v, want len(Entries)=1", shown, err)
	}
	if _, err := env.Change.Revert(t.Context(), change.RevertRequest{Subject: policies.Subject{Kind: policies.KindAtlas,
		Name: "shop"}, To: shown.Entries[0].To, Reason: "same", By: "Mia"}); err != nil {
		t.Errorf("got %v %v, want no error", err, apperr.From(err).Unwrap())
	}
}

// TestEnd_Twice_EndsOnce: the second of two concurrent calls is refused, and no event is stored after the end.
func TestEnd_Twice_EndsOnce(t *testing.T) {
	g, env := toolstest.Open(t)
	db := toolstest.Reopen(t, g)
	other := toolstest.App(t, db)
	for range 5 {
		session := graphtest.Must(env.Sessions.Start(t.Context(),
			sessions.Start{Goal: "Count", Caller: sessions.Caller{By: "Ann"}}))(t)
		ann := sessions.Caller{By: "Ann", SessionID: session.SessionID}
		var ended atomic.Int64
		var all sync.WaitGroup
		for i := range 8 {
			who := []*sessions.Store{env.Sessions, other.Sessions}[i%2]
			all.Go(func() {
				if _, err := who.End(t.Context(), sessions.End{Summary: "counted", Caller: ann}); err == nil {
					ended.Add(1)
				} else {
					toolstest.ErrorWithCode(t, err, apperr.Conflict)
				}
			})
			all.Go(func() { _, _ = who.Report(t.Context(), sessions.Report{Action: "count", Caller: ann}) })
		}
		all.Wait()
		if n := toolstest.Count(t, g, "MATCH (s:Session {id: '"+session.SessionID+
			"', summary: 'counted'})-[:RECORDED]->(e:TraceEvent {type: 'session.ended', seq: s.count - 1}) WHERE s.ended_at IS NOT NULL RETURN count(e)"); n != 1 || ended.Load() != 1 {
			t.Errorf("%d ended it, and %d events that end it are its last", ended.Load(), n)
		}
		golden.Equal(t, "events that end it", toolstest.Count(t, g, "MATCH (:Session {id: '"+session.SessionID+
			"'})-[:RECORDED]->(e:TraceEvent {type: 'session.ended'}) RETURN count(e)"), 1)
	}
}

// TestSession_EventNotStored_ApprovesNothing: a report whose event cannot be stored approves nothing. It uses a chain
// of ten thousand events.
func TestSession_EventNotStored_ApprovesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, env := toolstest.Open(t)
	graphtest.Must(load(t, env, change.ApplyOptions{}, shop))(t)
	ann := sessions.Caller{By: "Ann"}
	session := graphtest.Must(env.Sessions.Start(t.Context(), sessions.Start{Goal: "Count", Caller: ann}))(t)
	q := sessions.Report{Action: "refund.look", Caller: ann}
	// Verdict and event are stored together: here a foreign event occupies the next place of the chain.
	g.Exec(t, "MATCH (s:Session {id: $id}) CREATE (:TraceEvent {uid: 'foreign', session: s.uid, seq: s.count})",
		map[string]any{"id": session.SessionID})
	if raw, _ := json.Marshal(toolstest.ErrorWithCode(t, errorOf(env.Sessions.Report(t.Context(), q)),
		apperr.Conflict)); !strings.Contains(string(raw),
		`"allowed":false`) {
		t.Errorf(`got %s, want text with "allowed":false`, raw)
	}
	golden.Equal(t, "verdicts without their event", toolstest.Count(t, g, "MATCH (v:Verdict) RETURN count(v)"), 0)
	g.Exec(t, "MATCH (e:TraceEvent {uid: 'foreign'}) DELETE e", nil)
	golden.Equal(t, "decision", graphtest.Must(env.Sessions.Report(t.Context(), q))(t).Decision, sessions.Approved)
	const many = 10_000
	events := make([]trace.Event, many/10)
	for i := range events {
		events[i] = trace.Event{Type: "thought", Payload: map[string]any{"text": "and another"}}
	}
	for range many / len(events) {
		graphtest.Must(env.Trace.Append(t.Context(), trace.SessionSelector{Agent: "Ann", SessionID: session.SessionID},
			events...))(t)
	}
	page, err := env.Sessions.Trace(t.Context(), sessions.TraceQuery{Limit: 500, Cursor: "9900", Caller: ann})
	if err != nil || !page.ChainVerified || len(page.Events) != 103 || page.NextCursor != "" {
		t.Errorf("%d events, %v %v", len(page.Events), page.ChainVerified, err)
	}
	out := graphtest.Must(env.Trace.Export(t.Context(),
		trace.ExportRequest{SessionID: session.SessionID, Format: trace.FormatTRACE}))(t)
	if whole, err := trace.VerifyText(out.Text); err != nil || !whole.Intact || whole.Events != many+3 {
		t.Errorf("got %+v %v, want Intact=true, Events=%v", whole, err, many+3)
	}
	if ended, err := env.Sessions.End(t.Context(), sessions.End{Caller: ann}); err != nil ||
		ended.EventCount != many+4 || !ended.ChainVerified || ended.Actions.Approved != 1 {
		t.Errorf("got %+v %v, want EventCount=%v, ChainVerified=true, Approved=1", ended, err, many+4)
	}
	toolstest.ErrorWithCode(t, errorOf(env.Sessions.Report(t.Context(), sessions.Report{Action: "refund.look",
		Caller: sessions.Caller{By: "Ann", SessionID: session.SessionID}})), apperr.Conflict)
}
