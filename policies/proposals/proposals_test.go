package proposals_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/history"
	"nomograph/policies/lab"
	"nomograph/policies/proposals"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

const rules = `CREATE (:SYS_Policy {name: 'sure', active: true, requires: "action.confidence >= threshold('bar')"}), (:SYS_Threshold {name: 'bar', value: 0.4}), (:SYS_Threshold {name: 'unread', value: 1}),
	(:SYS_Policy {name: 'calm', active: true, requires: "action.confidence >= 0.0 * threshold('aside')"}), (:SYS_Threshold {name: 'aside', value: 1.0})`

func propose(t *testing.T, env *tools.App, c proposals.Creation) proposals.Proposal {
	t.Helper()
	if c.By == "" {
		c.By = "ann"
	}
	if c.Reason == "" {
		c.Reason = "Two of them failed"
	}
	p := graphtest.Must(env.Proposals.Propose(t.Context(), c))(t)
	return p
}

func approve(env *tools.App, ctx context.Context, id, by string) (proposals.Proposal, error) {
	return env.Proposals.Approve(ctx, proposals.Approval{Decision: proposals.Decision{Query: proposals.Query{ProposalID: id}, Reason: "It is well", By: by}})
}

func step(id, by string) proposals.Step {
	return proposals.Step{Query: proposals.Query{ProposalID: id}, By: by}
}

func TestProposal_ProposedApprovedApplied_ChangesTheRules(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, rules, nil)
	d := graphtest.Must(env.Decisions.Record(t.Context(), decisions.Record{Decision: "Move it", Confidence: 0.5,
		Category: "process", ExtraFields: decisions.ExtraFields{By: "bo"}}))(t)
	p := propose(t, env, proposals.Creation{Change: lab.Change{Set: graph.Parameters{"bar": 0.6}},
		Because: []string{d.ID}, Project: "o/r", Reason: "See password: hunter2hunter2"})
	recent := propose(t, env, proposals.Creation{Change: lab.Change{Set: graph.Parameters{"bar": 0.7}},
		DateAfter: "4w"})
	if recent.Replay == nil || recent.Replay.From == nil || recent.Replay.Acts != 1 {
		t.Errorf("of four weeks: got %+v, want a replay with a start", recent.Replay)
	}
	if p.State != proposals.StateOpen || len(p.Rows) != 1 || p.Rows[0].From != 0.4 || p.Rows[0].To != 0.6 ||
		p.Replay.Blocked != 1 || len(p.Because) != 1 || p.Because[0].ID != d.ID {
		t.Errorf("got %+v, replay %+v, want State=%v, len(Rows)=1, From=0.4, To=0.6, Blocked=1, len(Because)=1, ID=%v",
			p, p.Replay, proposals.StateOpen, d.ID)
	}
	if strings.Contains(p.Reason, "hunter2") || !strings.Contains(p.Diff, "name: bar") || len(p.Change) != 1 {
		t.Errorf(`got %+v, want Reason without hunter2, Diff with "name: bar", len(Change)=1`, p)
	}
	next, err := env.Lab.ReviewNext(t.Context(), lab.ReviewNextRequest{})
	if err != nil || len(next.Proposals) != 2 || next.Proposals[1].ProposalID != p.ProposalID ||
		next.Proposals[1].Unreviewed != 1 || next.Proposals[1].Answer != "open" ||
		!slices.Contains(next.Reviews[0].Reasons, "proposal "+p.ProposalID+" would deny it") ||
		!strings.Contains(next.Summary, "All 1 review would not settle whether the proposal `"+p.ProposalID+
			"` (threshold bar: 0.4 → 0.6) stops failures that cost more than its denials") {
		t.Errorf("review next: got %+v, %v, want the flip of each proposal", next, err)
	}
	if _, err := env.Proposals.Apply(t.Context(), step(p.ProposalID, "mia")); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("applied without approval: %v", err)
	}
	for _, by := range []string{"ann", " ANN "} {
		if _, err := approve(env, t.Context(), p.ProposalID, by); !apperr.Is(err, apperr.PermissionDenied) {
			t.Errorf("%q approves its own proposal: %v", by, err)
		}
	}
	if p, err = approve(env, t.Context(), p.ProposalID, "mia"); err != nil || p.State != proposals.StateApproved ||
		p.DecidedBy != "mia" || p.DecisionReason != "It is well" {
		t.Fatalf(`got %+v %v, want State=%v, DecidedBy=mia, DecisionReason="It is well"`, p, err,
			proposals.StateApproved)
	}
	if p, err = env.Proposals.Apply(t.Context(), step(p.ProposalID, "mia")); err != nil ||
		p.State != proposals.StateApplied || p.AppliedBy != "mia" {
		t.Fatalf("got %+v %v, want State=%v, AppliedBy=mia", p, err, proposals.StateApplied)
	}
	row := g.Rows(t, `MATCH (t:SYS_Threshold {name: 'bar'})-[:CHANGED]->(c) WHERE c.by = 'mia'
		RETURN t.value AS value, c.why AS why, EXISTS { (:Proposal)-[:CHANGES]->(t) } AS linked, EXISTS { (:Proposal)-[:PROPOSED_BY]->(:Agent {key: 'ann'}) } AS by, EXISTS { (:Proposal)-[:DECIDED_BY]->(:Agent {key: 'mia'}) } AS decided`, nil)[0]
	if why, _ := row["why"].(string); row["value"] != 0.6 || row["linked"] != true || row["by"] != true ||
		row["decided"] != true || !strings.HasPrefix(why, "proposal "+p.ProposalID) {
		t.Errorf("got %v, want value=0.6, linked=true, by=true, decided=true, why that starts with %q", row,
			"proposal "+p.ProposalID)
	}
	if _, err := env.Proposals.Withdraw(t.Context(), step(p.ProposalID, "ann")); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("withdrawal of an applied proposal: got %v, want a conflict", err)
	}
}

func TestProposal_RulesChangeMeanwhile_IsStaleUntilReplayed(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, rules, nil)
	p := propose(t, env, proposals.Creation{Change: lab.Change{Set: graph.Parameters{"bar": 0.6}}})
	other := propose(t, env, proposals.Creation{Change: lab.Change{Set: graph.Parameters{"unread": 2.0}}})
	for _, id := range []string{p.ProposalID, other.ProposalID} {
		graphtest.Must(approve(env, t.Context(), id, "mia"))(t)
	}
	// No rule reads this threshold, so the revision stays, and the planned change differs.
	set(t, env, "unread", 3)
	if _, err := env.Proposals.Apply(t.Context(), step(other.ProposalID, "mia")); !apperr.Is(err, apperr.Conflict) ||
		!strings.Contains(err.Error(), "stale: it would now change other values: now it changes unread value from 3.0 to 2.0, it no longer changes unread value from 1.0 to 2.0") {
		t.Errorf("got %v, want error %s, Error with %q", err, apperr.Conflict,
			"stale: it would now change other values: now it changes unread value from 3.0 to 2.0, it no longer changes unread value from 1.0 to 2.0")
	}
	set(t, env, "aside", 2) // another rule reads it
	golden.Equal(t, "an unrelated change", graphtest.Must(env.Proposals.Get(t.Context(),
		proposals.Query{ProposalID: p.ProposalID}))(t).State, proposals.StateApproved)
	set(t, env, "bar", 0.5)
	if _, err := env.Proposals.Apply(t.Context(), step(p.ProposalID, "mia")); !apperr.Is(err, apperr.Conflict) ||
		!strings.Contains(err.Error(), "stale") {
		t.Errorf("got %v, want error %s, Error with stale", err, apperr.Conflict)
	}
	list, err := env.Proposals.List(t.Context(), proposals.Filter{State: proposals.StateStale})
	if err != nil || len(list.Proposals) != 2 {
		t.Errorf("got %+v %v, want len(Proposals)=2", list, err)
	}
	audit, err := env.History.Audit(t.Context(), history.AuditQuery{Kind: "proposal"})
	if err != nil || len(audit.Entries) != 6 || audit.Entries[0].Action != "stale" || audit.Entries[0].By != "" ||
		audit.Entries[0].Why != "found when mia tried to decide" || audit.Entries[5].Action != "proposed" ||
		audit.Entries[5].By != "ann" {
		t.Errorf("the audit has %+v, %v, want two proposals, two approvals and two that became stale by themselves",
			audit.Entries, err)
	}
	if mias, err := env.History.Audit(t.Context(), history.AuditQuery{Kind: "proposal", By: "mia"}); err != nil ||
		len(mias.Entries) != 2 {
		t.Errorf("mia has %+v, %v, want two approvals", mias.Entries, err)
	}
	ctx := caller.With(t.Context(), caller.Caller{Name: "gus", Permissions: []caller.Permission{caller.Govern}})
	again, err := env.Proposals.Reopen(ctx, proposals.Opening{Step: step(p.ProposalID, "gus")})
	if err != nil || again.State != proposals.StateOpen || again.DecidedBy != "" || again.Rows[0].From != 0.5 {
		t.Fatalf("got %+v %v, want State=%v, empty DecidedBy, From=0.5", again, err, proposals.StateOpen)
	}
	if again.ProposedBy != "ann" || p.OpenedBy != "ann" || again.OpenedBy != "gus" || again.Replay.By != "gus" ||
		again.OpenedAt == nil || !again.OpenedAt.After(*p.OpenedAt) || !p.OpenedAt.Equal(p.CreatedAt) {
		t.Errorf("got %+v, want who opened it again and when", again)
	}
	if _, err := env.Proposals.Approve(t.Context(),
		proposals.Approval{Decision: proposals.Decision{Query: proposals.Query{ProposalID: p.ProposalID}, Reason: "r",
			By: "mia"}, Plan: strings.Repeat(" ", 8)}); !apperr.Is(err, apperr.Validation) {
		t.Errorf("approved a plan of blanks: got %v, want a validation_error", err)
	}
	for seen, want := range map[string]string{p.Plan[:12]: "after you saw it, by 'gus': now it changes bar value from 0.5 to 0.6, it no longer changes bar value from 0.4 to 0.6, and the other rules changed", "00000000": "never had the plan '00000000'"} {
		_, err := env.Proposals.Approve(t.Context(),
			proposals.Approval{Decision: proposals.Decision{Query: proposals.Query{ProposalID: p.ProposalID},
				Reason: "r", By: "mia"}, Plan: seen})
		if !apperr.Is(err, apperr.Conflict) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(apperr.From(err).Hint, again.Plan[:12]) {
			t.Errorf("approved the plan %s: got %v, hint %q, want %q", seen, err, apperr.From(err).Hint, want)
		}
	}
	golden.Equal(t, "the shown plan", graphtest.Must(env.Proposals.Approve(t.Context(),
		proposals.Approval{Decision: proposals.Decision{Query: proposals.Query{ProposalID: p.ProposalID}, Reason: "r",
			By: "mia"}, Plan: strings.ToUpper(again.Plan[:12])}))(t).State, proposals.StateApproved)
	if again, err = env.Proposals.Reopen(t.Context(), proposals.Opening{Step: step(p.ProposalID, "ann")}); err != nil ||
		again.DecidedBy != "" {
		t.Fatalf("got %+v %v, want empty DecidedBy", again, err)
	}
	if _, err := env.Proposals.Apply(t.Context(), step(p.ProposalID, "mia")); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("the earlier approval still holds: %v", err)
	}
	golden.Equal(t, "value", g.Rows(t, "MATCH (t:SYS_Threshold {name: 'bar'}) RETURN t.value AS value",
		nil)[0]["value"], 0.5)
}

func set(t *testing.T, env *tools.App, name string, value float64) {
	t.Helper()
	graphtest.Must(env.Change.SetThreshold(t.Context(),
		change.ThresholdChange{Name: name, Value: policies.ValueOf(value), Reason: "r", By: "zoe",
			ChangeType: true}))(t)
}

func TestPropose_WrongInput_IsRefused(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, rules, nil)
	g.Exec(t, `CREATE (:SYS_Policy {name: 'data', active: true})`, nil)
	for name, c := range map[string]struct {
		proposals.Creation
		code apperr.Code
	}{
		"nothing": {proposals.Creation{Reason: "r"}, apperr.Validation},
		"no reason": {proposals.Creation{Change: lab.Change{Set: graph.Parameters{"bar": 0.6}}},
			apperr.Validation},
		"no change": {proposals.Creation{Change: lab.Change{Set: graph.Parameters{"bar": 0.4}}, Reason: "r"},
			apperr.Validation},
		"unknown": {proposals.Creation{Change: lab.Change{Set: graph.Parameters{"barr": 0.6}}, Reason: "r"},
			apperr.NotFound},
		"no mode": {proposals.Creation{Change: lab.Change{Mode: graph.Parameters{"sure": "loud"}},
			Reason: "r"}, apperr.Validation},
		"lineage": {proposals.Creation{Change: lab.Change{Set: graph.Parameters{"bar": 0.6}},
			Because: []string{"ffffffff"}, Reason: "r"}, apperr.NotFound},
		"no finding":        {proposals.Creation{Finding: 1, Reason: "r"}, apperr.NotFound},
		"failing cases":     {proposals.Creation{Change: lab.Change{Packs: toolstest.Packs("pack: p\nversion: 1.0.0\npolicies:\n  - {name: no, active: true, requires: \"false\"}\ntests:\n  - {name: passes, action: {description: x}, expect: {allowed: true}}\n")}, Reason: "r"}, apperr.Validation},
		"an escaped secret": {proposals.Creation{Change: lab.Change{Packs: toolstest.Packs("pack: p\nversion: 1.0.0\nthresholds:\n  - {name: key, value: 1, rationale: \"a\nb\"}\n# password:\n#   hunter2hunter2\n")}, Reason: "r"}, apperr.Validation},
		"a secret":          {proposals.Creation{Change: lab.Change{Packs: toolstest.Packs("pack: p\nversion: 1.0.0\nthresholds:\n  - {name: key, value: \"AKIAIOSFODNN7EXAMPLQ\", rationale: x}\n")}, Reason: "r"}, apperr.Validation},
	} {
		if p, err := env.Proposals.Propose(t.Context(), c.Creation); !apperr.Is(err, c.code) ||
			apperr.From(err).Hint == "" {
			t.Errorf("%s: got %+v, %v, hint %q, want error %s, non-empty Hint", name, p, err, apperr.From(err).Hint,
				c.code)
		}
	}
	if rows := g.Rows(t, "MATCH (p:Proposal) RETURN p", nil); len(rows) > 0 {
		t.Errorf("got %v, want len(rows) at most 0", rows)
	}
}

func TestProposal_Pack_IsAppliedAsReplayed(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, rules, nil)
	t.Run("links are rows", func(t *testing.T) {
		const text = "pack: l\nversion: 1.0.0\nthresholds:\n  - {name: low, value: 1, rationale: x}\n  - {name: high, value: 2, rationale: x}\npolicies:\n  - {name: linked, active: true, requires: \"true\", uses_thresholds: [low]}\n"
		links := func(p proposals.Proposal) (texts []string) {
			for _, r := range p.Rows {
				if r.Property == "USES_THRESHOLD" {
					texts = append(texts, fmt.Sprint(r.Action, " ", r.Name, " ", r.From, " ", r.To))
				}
			}
			return texts
		}
		if p := propose(t, env, proposals.Creation{Change: lab.Change{Packs: toolstest.Packs(text)}}); !slices.Equal(links(p), []string{"create linked <nil> low"}) {
			t.Errorf("got %v in %+v, want links(p)=%v", links(p), p.Rows, []string{"create linked <nil> low"})
		}
		toolstest.ApplyText(t, env, text)
		p := propose(t, env, proposals.Creation{Change: lab.Change{Packs: toolstest.Packs(strings.Replace(text, "[low]",
			"[high]", 1))}})
		if !slices.Equal(links(p), []string{"update linked <nil> high", "update linked low <nil>"}) {
			t.Errorf("got %v in %+v, want links(p)=%v", links(p), p.Rows,
				[]string{"update linked <nil> high", "update linked low <nil>"})
		}
	})
	g.Exec(t, "CREATE (:Verdict {uid: 'v-1', allowed: false, description: 'Drop it', project: 'o/r'})<-[:AGAINST]-(:Appeal {uid: 'a-1', state: 'overturned'})", nil)
	tested := propose(t, env, proposals.Creation{Change: lab.Change{Packs: toolstest.Packs("pack: q\nversion: 1.0.0\npolicies:\n  - {name: few, active: true, requires: \"true\", mode: shadow}\ntests:\n" +
		"  - {name: overturned verdict v-1 Drop it, action: {description: x}, expect: {allowed: true}}\n  - {name: overturned verdict gone, action: {description: x}, expect: {allowed: true}}\n")}})
	if len(tested.Because) != 1 || tested.Because[0].ID != "v-1" || tested.Because[0].Kind != "verdict" ||
		tested.CasesPassed != 2 {
		t.Errorf("got %+v, want the overturned denial as lineage", tested)
	}
	p := propose(t, env, proposals.Creation{Change: lab.Change{Packs: toolstest.Packs("pack: p\nversion: 1.0.0\npolicies:\n  - {name: no-deploys, active: true, actions: [deploy], requires: \"false\", mode: shadow}\n")}})
	graphtest.Must(approve(env, t.Context(), p.ProposalID, "mia"))(t)
	graphtest.Must(env.Proposals.Apply(t.Context(), step(p.ProposalID, "mia")))(t)
	rows := g.Rows(t, "MATCH (:SYS_Pack {name: 'p'})-[:OWNS]->(r:SYS_Policy)<-[:CHANGES]-(:Proposal {state: 'applied'}) RETURN r.name AS name, r.mode AS mode", nil)
	if len(rows) != 1 || rows[0]["name"] != "no-deploys" || rows[0]["mode"] != "shadow" {
		t.Errorf("got %v, want len(rows)=1, name=no-deploys, mode=shadow", rows)
	}
}

// TestApply_ProposedPackInvalid_NamesTheCause: the cause reaches the person, and the proposal is stale.
func TestApply_ProposedPackInvalid_NamesTheCause(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, rules, nil)
	p := propose(t, env, proposals.Creation{Change: lab.Change{Packs: toolstest.Packs("pack: p\nversion: 1.0.0\nthresholds:\n  - {name: taken, value: 1, rationale: x}\n")}})
	graphtest.Must(approve(env, t.Context(), p.ProposalID, "mia"))(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'taken', value: 2})", nil)
	_, err := env.Proposals.Apply(t.Context(), step(p.ProposalID, "mia"))
	if !apperr.Is(err, apperr.Conflict) || !strings.Contains(err.Error(),
		"stale: it cannot be applied now: The pack 'p' does not own SYS_Threshold 'taken'") {
		t.Errorf("got %v, want error %s, Error with %q", err, apperr.Conflict,
			"stale: it cannot be applied now: The pack 'p' does not own SYS_Threshold 'taken'")
	}
	golden.Equal(t, "state", graphtest.Must(env.Proposals.Get(t.Context(),
		proposals.Query{ProposalID: p.ProposalID}))(t).State, proposals.StateStale)
}

func TestProposals_OtherProject_AreHidden(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, rules, nil)
	stale := propose(t, env, proposals.Creation{Change: lab.Change{Set: graph.Parameters{"bar": 0.8}},
		Project: "o/other"})
	set(t, env, "bar", 0.5) // this proposal is older than the others
	seen := propose(t, env, proposals.Creation{Change: lab.Change{Set: graph.Parameters{"bar": 0.6}}, Project: "o/r"})
	hidden := propose(t, env, proposals.Creation{Change: lab.Change{Set: graph.Parameters{"bar": 0.7}},
		Project: "o/other"})
	ctx := caller.With(t.Context(), caller.Caller{Name: "cy", Authenticated: true,
		Permissions: []caller.Permission{caller.Decide}, Projects: []string{"o/r"}})
	list, err := env.Proposals.List(ctx, proposals.Filter{})
	if err != nil || len(list.Proposals) != 1 || list.Proposals[0].ProposalID != seen.ProposalID ||
		list.Proposals[0].Replay != nil {
		t.Errorf("got %+v %v, want len(Proposals)=1, ProposalID=%v, Replay=nil", list, err, seen.ProposalID)
	}
	const tested = "pack: q\nversion: 1.0.0\npolicies:\n  - {name: few, active: true, requires: \"true\", mode: shadow}\n# of Drop the ledger\ntests:\n  - {name: failed, action: {description: Drop the ledger, project: o/other}, expect: {allowed: true}}\n"
	withCases := propose(t, env, proposals.Creation{Change: lab.Change{Packs: toolstest.Packs(tested)}, Project: "o/r"})
	for name, who := range map[string]caller.Caller{
		"cy": {Name: "cy", Authenticated: true, Permissions: []caller.Permission{caller.Decide},
			Projects: []string{"o/r"}},
		" Ann": {Name: " Ann", Authenticated: true, Permissions: []caller.Permission{caller.Decide},
			Projects: []string{"o/r"}},
		"unlimited": {Name: "mia", Authenticated: true, Permissions: []caller.Permission{caller.Govern}},
	} {
		got, err := env.Proposals.Get(caller.With(t.Context(), who), proposals.Query{ProposalID: withCases.ProposalID})
		if err != nil || !strings.Contains(got.Diff, "name: few") ||
			strings.Contains(got.Diff, "ledger") != (name != "cy") ||
			strings.Contains(got.Diff, "tests") != (name != "cy") {
			t.Errorf("%s: got the diff %s, %v", name, got.Diff, err)
		}
	}
	graphtest.Must(env.Proposals.Withdraw(t.Context(), step(withCases.ProposalID, "ann")))(t)
	for _, c := range []struct {
		filter proposals.Filter
		want   []string
	}{
		{proposals.Filter{Page: policies.Page{Limit: 1}},
			[]string{withCases.ProposalID, hidden.ProposalID, seen.ProposalID}},
		{proposals.Filter{State: proposals.StateOpen, Page: policies.Page{Limit: 1}},
			[]string{hidden.ProposalID, seen.ProposalID}},
		{proposals.Filter{State: proposals.StateStale, Page: policies.Page{Limit: 1}}, []string{stale.ProposalID}},
	} {
		var got []string
		for {
			list, err := env.Proposals.List(t.Context(), c.filter)
			if err != nil || len(list.Proposals) > 1 {
				t.Fatalf("got %+v, %v, want len(Proposals) at most 1", list, err)
			}
			for _, p := range list.Proposals {
				got = append(got, p.ProposalID)
			}
			if c.filter.Cursor = list.NextCursor; c.filter.Cursor == "" {
				break
			}
		}
		if c.filter.State == "" {
			c.want = append(c.want, stale.ProposalID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s, page by page: got %v, want %v", c.filter.State, got, c.want)
		}
	}
	if _, err := env.Proposals.List(t.Context(), proposals.Filter{Page: policies.Page{Cursor: "x"}}); !apperr.Is(err,
		apperr.Validation) {
		t.Errorf("a wrong cursor: got %v, want error %s", err, apperr.Validation)
	}
	if _, err := env.Proposals.Get(ctx, proposals.Query{ProposalID: hidden.ProposalID}); !apperr.Is(err,
		apperr.NotFound) {
		t.Errorf("got %v, want error %s", err, apperr.NotFound)
	}
	if _, err := env.Proposals.Withdraw(ctx, step(seen.ProposalID, "cy")); !apperr.Is(err, apperr.PermissionDenied) {
		t.Errorf("withdrew another's: %v", err)
	}
}

// TestProposal_Window_IsStored replays a window that has a start.
func TestProposal_Window_IsStored(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, rules, nil)
	p := propose(t, env, proposals.Creation{Change: lab.Change{Set: graph.Parameters{"bar": 0.6}}, DateAfter: "30d"})
	if p.Replay == nil || p.Replay.From == nil || p.Replay.To == nil || p.Replay.To.Sub(*p.Replay.From).Hours() < 719 {
		t.Errorf("got %+v, want a window of 30 days", p.Replay)
	}
	again, err := env.Proposals.Reopen(t.Context(), proposals.Opening{Step: step(p.ProposalID, "ann")})
	if err != nil || again.Replay.From == nil || p.Replay.From.Sub(*again.Replay.From).Abs() > time.Second {
		t.Errorf("opened again: got %+v %v, want the same start as %v", again.Replay, err, p.Replay.From)
	}
	if again, err = env.Proposals.Reopen(t.Context(),
		proposals.Opening{Step: step(p.ProposalID, "ann"), DateAfter: "60d"}); err != nil ||
		again.Replay.To.Sub(*again.Replay.From).Hours() < 1439 {
		t.Errorf("opened again with a window: got %+v %v, want 60 days", again.Replay, err)
	}
}
