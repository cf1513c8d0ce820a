package recall_test

import (
	"strings"
	"testing"

	"nomograph/decisions/briefing"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/memory/recall"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// TestRecall_RulesChangedSince_MarksTheDenial: memory, reconstructions and contexts repeat a denial only with what has
// changed since.
func TestRecall_RulesChangedSince_MarksTheDenial(t *testing.T) {
	g, env := toolstest.Open(t)
	ctx := t.Context()
	toolstest.Rules(t, g, `(p:SYS_Policy {name: 'few-files', active: true, requires: 'action.context.files <= threshold("max_files")', message: 'Too many'}), (h:SYS_Threshold {name: 'max_files', value: 25}), (p)-[:USES_THRESHOLD]->(h),
		(:SYS_Policy {name: 'no-drop', active: true, requires: '!action.description.startsWith("Drop")', message: 'Never'})`)
	graphtest.Must(env.Trace.Append(ctx, trace.SessionSelector{Agent: "bo", Workspace: "/home/bo/shop",
		SessionID: "s1"},
		trace.Event{Type: "thought", Payload: map[string]any{"text": "Rename the orders"}}))(t)
	ask := func(text string, files int64) check.Verdict {
		t.Helper()
		return graphtest.Must(env.Checks.CheckInSession(ctx,
			check.ActionCheck{Description: text, AgentID: "bo", SessionID: "s1",
				Project: "acme/shop", Context: graph.Parameters{"files": files}}))(t)
	}
	many, drop, fine := ask("Rename the orders everywhere", 30), ask("Drop the table orders", 1),
		ask("Rename one of the orders", 1)
	if many.Allowed || drop.Allowed || !fine.Allowed {
		t.Fatalf("got %v, %v, %v, want two denials", many.Allowed, drop.Allowed, fine.Allowed)
	}
	env.Trace.Close(ctx)
	graphtest.OK(t, env.Memory.CatchUp(ctx))
	toolstest.WaitForWorkers(t, g)
	recalled := func() (lines []string) {
		t.Helper()
		r, err := env.Recall.Recall(ctx, recall.RecallQuery{Query: "rename the orders", Range: "long"})
		if err != nil || r.Count != 1 || !strings.Contains(r.Chunks[0].Text, "denied") {
			t.Fatalf("got %+v, %v, want the chunk with the denials", r, err)
		}
		for _, line := range r.Chunks[0].Outdated {
			graphtest.Contains(t, r.String(), "[Now: "+line+"]")
		}
		return r.Chunks[0].Outdated
	}
	if got := recalled(); len(got) != 0 {
		t.Errorf("nothing changed: got %q, want no mark", got)
	}
	toolstest.Set(t, env, "max_files", int64(28))
	graphtest.Contains(t, strings.Join(recalled(), "\n"),
		"threshold max_files was 25 and is 28; today's rules deny it, too")

	toolstest.Set(t, env, "max_files", int64(40))
	want := "threshold max_files was 25 and is 40; today's rules allow it"
	if got := strings.Join(recalled(), "\n"); !strings.Contains(got, want) || strings.Count(got, "denial ") != 1 {
		t.Errorf("got %q, want %q for one denial", got, want)
	}
	rebuilt, err := env.Recall.Reconstruct(ctx, recall.ReconstructQuery{Project: "shop"})
	if err != nil || !strings.Contains(rebuilt.String(), want) {
		t.Errorf("got %s, %v, want %q", rebuilt, err, want)
	}
	found, err := env.Briefing.SessionContext(ctx,
		briefing.Query{TaskDescription: "Rename the orders", MaxTokens: 5000})
	if err != nil || !strings.Contains(toolstest.Text(found), want) {
		t.Errorf("got %s, %v, want %q", toolstest.Text(found), err, want)
	}
	graphtest.Must(env.Change.SetPolicyMode(ctx, change.PolicyModeChange{Name: "no-drop", Mode: "shadow", Reason: "r",
		By: "mia"}))(t)
	graphtest.Contains(t, strings.Join(recalled(), "\n"),
		"the mode of rule no-drop was enforce and is shadow; today's rules allow it")

	g.Exec(t, "MATCH (p:SYS_Policy {name: 'no-drop'}) SET p.active = false", nil)
	graphtest.Must(env.Checks.Appeal(ctx, check.AppealRequest{ID: drop.VerdictID, Reason: "It is a copy",
		By: "bo"}))(t)
	graphtest.Must(env.Checks.Overturn(ctx, check.AppealAnswer{ID: drop.VerdictID, Reason: "Copies are fine",
		By: "ann"}))(t)
	graphtest.Contains(t, strings.Join(recalled(), "\n"),
		"rule no-drop is no longer active; a person overturned it after an appeal")

	elsewhere := caller.With(ctx, caller.Caller{Name: "cy", Authenticated: true,
		Permissions: []caller.Permission{caller.Read}, Projects: []string{"o/r"}})
	if got, err := env.Checks.Outdated(elsewhere, []string{many.VerdictID, fine.VerdictID}); err != nil ||
		len(got) != 0 {
		t.Errorf("a caller of another project: got %v, %v, want nothing", got, err)
	}
}
