package check_test

import (
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/policies/check"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// denied returns a graph in which the rule `never` denied an agent's action in a project.
func denied(t *testing.T) (*tools.App, check.Verdict) {
	t.Helper()
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'never', active: true, requires: 'action.stakes < high', message: 'Never'})`)
	v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "Drop the table", Stakes: "high",
		Project: "o/r", AgentID: "bo"})
	if err != nil || v.Allowed {
		t.Fatalf("got %+v, %v, want a denial", v, err)
	}
	return env, v
}

func TestAppeal_Overturned_ChangesNoVerdict(t *testing.T) {
	env, v := denied(t)
	ctx := t.Context()
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	appeal, err := env.Checks.Appeal(ctx, check.AppealRequest{ID: v.VerdictID, Reason: "It is a copy, see " + secret,
		By: "bo"})
	if err != nil || appeal.State != check.AppealOpen || len(appeal.Rules) != 1 || appeal.Rules[0] != "never" ||
		strings.Contains(appeal.Reason, secret) || appeal.Project != "o/r" {
		t.Fatalf("got %+v, %v, want an open appeal of never with a masked reason", appeal, err)
	}
	graphtest.Fails(env.Checks.Appeal(ctx, check.AppealRequest{ID: v.VerdictID, Reason: "Again",
		By: "cy"}))(t, apperr.Conflict, "a second appeal", "a conflict")
	graphtest.Fails(env.Checks.Overturn(ctx, check.AppealAnswer{ID: v.VerdictID, Reason: " ", By: "ann"}))(t,
		apperr.Validation, "a blank answer", "a validation_error")
	for _, own := range []string{"bo", "ＢＯ"} {
		graphtest.Fails(env.Checks.Overturn(ctx, check.AppealAnswer{ID: v.VerdictID, Reason: "I say so",
			By: own}))(t, apperr.PermissionDenied, own, "decided its own appeal")
	}
	decided, err := env.Checks.Overturn(ctx, check.AppealAnswer{ID: v.VerdictID[:30], Reason: "Copies are fine",
		By: "ann"})
	if err != nil || decided.State != check.AppealOverturned || decided.DecidedBy != "ann" ||
		decided.Answer != "Copies are fine" || decided.DecidedAt == nil {
		t.Fatalf("got %+v, %v, want an overturned denial", decided, err)
	}
	graphtest.Fails(env.Checks.Uphold(ctx, check.AppealAnswer{ID: v.VerdictID, Reason: "No", By: "ann"}))(t,
		apperr.Conflict, "a second answer", "a conflict")
	e, err := env.Checks.Explain(ctx, check.VerdictQuery{ID: v.VerdictID})
	if err != nil || e.Allowed || e.Forced != "" || e.Appeal == nil || e.Appeal.State != check.AppealOverturned {
		t.Errorf("got allowed %v, appeal %+v, %v, want a denial with its appeal", e.Allowed, e.Appeal, err)
	}
	again, err := env.Checks.Check(ctx, check.ActionCheck{Description: "Drop the table", Stakes: "high", Project: "o/r",
		AgentID: "bo"})
	if err != nil || again.Allowed {
		t.Errorf("got allowed %v, %v, want the same action denied", again.Allowed, err)
	}
	for state, want := range map[string]int{"": 1, check.AppealOpen: 0, check.AppealOverturned: 1} {
		list := graphtest.Must(env.Checks.Appeals(ctx, check.AppealsQuery{State: state}))(t)
		graphtest.Values(t, state, len(list.Appeals), want, list.Total, want)
	}
}

func TestAppeal_OtherToken_IsRefused(t *testing.T) {
	env, v := denied(t)
	as := func(name string, permissions ...caller.Permission) error {
		who := caller.Caller{Name: name, Authenticated: true, Permissions: permissions}
		_, err := env.Checks.Appeal(caller.With(t.Context(), who),
			check.AppealRequest{ID: v.VerdictID, Reason: "It is a copy", By: name})
		return err
	}
	graphtest.HasCode(t, as("cy", caller.Decide), apperr.PermissionDenied, "another agent appealed")
	graphtest.OK(t, as("bo", caller.Decide))
}

func TestAppeal_AllowedOrUnknownVerdict_IsRefused(t *testing.T) {
	env, v := denied(t)
	allowed := graphtest.Must(env.Checks.Check(t.Context(),
		check.ActionCheck{Description: "Read it", Stakes: "low"}))(t)
	for id, code := range map[string]apperr.Code{allowed.VerdictID: apperr.Validation, "0000000000": apperr.NotFound} {
		graphtest.Fails(env.Checks.Appeal(t.Context(), check.AppealRequest{ID: id, Reason: "x", By: "bo"}))(t, code,
			"an appeal", id)
	}
	graphtest.Fails(env.Checks.Appeal(t.Context(), check.AppealRequest{ID: v.VerdictID, Reason: "  ",
		By: "bo"}))(t, apperr.Validation, "a blank reason", "validation_error")
	graphtest.Fails(env.Checks.Overturn(t.Context(),
		check.AppealAnswer{ID: v.VerdictID, Reason: "x", By: "ann"}))(t, apperr.NotFound, "an answer without an appeal",
		"not_found")
	elsewhere := caller.With(t.Context(), caller.Caller{Name: "eve", Authenticated: true,
		Permissions: []caller.Permission{caller.Admin}, Projects: []string{"o/other"}})
	graphtest.Fails(env.Checks.Appeal(elsewhere, check.AppealRequest{ID: v.VerdictID, Reason: "x",
		By: "eve"}))(t, apperr.NotFound, "an appeal from another project", "not_found")
	graphtest.Must(env.Checks.Appeal(t.Context(), check.AppealRequest{ID: v.VerdictID, Reason: "x",
		By: "bo"}))(t)
	list := graphtest.Must(env.Checks.Appeals(elsewhere, check.AppealsQuery{}))(t)
	graphtest.Values(t, "another project sees", len(list.Appeals), 0, list.Total, 0)
	graphtest.Fails(env.Checks.Overturn(elsewhere, check.AppealAnswer{ID: v.VerdictID, Reason: "x",
		By: "eve"}))(t, apperr.NotFound, "an answer from another project", "not_found")
}

func TestPrune_AppealedVerdict_Stays(t *testing.T) {
	env, v := denied(t)
	graphtest.Must(env.Checks.Appeal(t.Context(), check.AppealRequest{ID: v.VerdictID, Reason: "x",
		By: "bo"}))(t)
	graphtest.Must(env.Checks.Check(t.Context(), check.ActionCheck{Description: "Drop another",
		Stakes: "high"}))(t)
	env.Checks.Settings.DeniedRetention = time.Nanosecond
	for _, dry := range []bool{true, false} {
		pruned := graphtest.Must(env.Checks.Prune(t.Context(), check.PruneRequest{DryRun: &dry}))(t)
		graphtest.Equal(t, pruned.Denied, 1, pruned, "one denial deleted")
	}
	graphtest.Must(env.Checks.Explain(t.Context(), check.VerdictQuery{ID: v.VerdictID}))(t)
}
