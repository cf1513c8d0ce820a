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
	if _, err := env.Checks.Appeal(ctx, check.AppealRequest{ID: v.VerdictID, Reason: "Again",
		By: "cy"}); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("a second appeal gave %v, want a conflict", err)
	}
	if _, err := env.Checks.Overturn(ctx, check.AppealAnswer{ID: v.VerdictID, Reason: " ", By: "ann"}); !apperr.Is(err,
		apperr.Validation) {
		t.Errorf("a blank answer gave %v, want a validation_error", err)
	}
	for _, own := range []string{"bo", "ＢＯ"} {
		if _, err := env.Checks.Overturn(ctx, check.AppealAnswer{ID: v.VerdictID, Reason: "I say so",
			By: own}); !apperr.Is(err, apperr.PermissionDenied) {
			t.Errorf("%s decided its own appeal: %v", own, err)
		}
	}
	decided, err := env.Checks.Overturn(ctx, check.AppealAnswer{ID: v.VerdictID[:30], Reason: "Copies are fine",
		By: "ann"})
	if err != nil || decided.State != check.AppealOverturned || decided.DecidedBy != "ann" ||
		decided.Answer != "Copies are fine" || decided.DecidedAt == nil {
		t.Fatalf("got %+v, %v, want an overturned denial", decided, err)
	}
	if _, err := env.Checks.Uphold(ctx, check.AppealAnswer{ID: v.VerdictID, Reason: "No", By: "ann"}); !apperr.Is(err,
		apperr.Conflict) {
		t.Errorf("a second answer gave %v, want a conflict", err)
	}
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
		list, err := env.Checks.Appeals(ctx, check.AppealsQuery{State: state})
		if err != nil || len(list.Appeals) != want || list.Total != want {
			t.Errorf("%q: got %+v, %v, want %d", state, list, err, want)
		}
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
	if err := as("cy", caller.Decide); !apperr.Is(err, apperr.PermissionDenied) {
		t.Errorf("another agent appealed: %v", err)
	}
	if err := as("bo", caller.Decide); err != nil {
		t.Errorf("the denied agent could not appeal: %v", err)
	}
}

func TestAppeal_AllowedOrUnknownVerdict_IsRefused(t *testing.T) {
	env, v := denied(t)
	allowed := graphtest.Must(env.Checks.Check(t.Context(),
		check.ActionCheck{Description: "Read it", Stakes: "low"}))(t)
	for id, code := range map[string]apperr.Code{allowed.VerdictID: apperr.Validation, "0000000000": apperr.NotFound} {
		if _, err := env.Checks.Appeal(t.Context(), check.AppealRequest{ID: id, Reason: "x", By: "bo"}); !apperr.Is(err,
			code) {
			t.Errorf("an appeal of %s gave %v, want %s", id, err, code)
		}
	}
	if _, err := env.Checks.Appeal(t.Context(), check.AppealRequest{ID: v.VerdictID, Reason: "  ",
		By: "bo"}); !apperr.Is(err, apperr.Validation) {
		t.Errorf("a blank reason gave %v, want validation_error", err)
	}
	if _, err := env.Checks.Overturn(t.Context(),
		check.AppealAnswer{ID: v.VerdictID, Reason: "x", By: "ann"}); !apperr.Is(err, apperr.NotFound) {
		t.Errorf("an answer without an appeal gave %v, want not_found", err)
	}
	elsewhere := caller.With(t.Context(), caller.Caller{Name: "eve", Authenticated: true,
		Permissions: []caller.Permission{caller.Admin}, Projects: []string{"o/other"}})
	if _, err := env.Checks.Appeal(elsewhere, check.AppealRequest{ID: v.VerdictID, Reason: "x",
		By: "eve"}); !apperr.Is(err, apperr.NotFound) {
		t.Errorf("an appeal from another project gave %v, want not_found", err)
	}
	graphtest.Must(env.Checks.Appeal(t.Context(), check.AppealRequest{ID: v.VerdictID, Reason: "x",
		By: "bo"}))(t)
	if list, err := env.Checks.Appeals(elsewhere, check.AppealsQuery{}); err != nil || len(list.Appeals) != 0 ||
		list.Total != 0 {
		t.Errorf("another project sees %+v, %v", list, err)
	}
	if _, err := env.Checks.Overturn(elsewhere, check.AppealAnswer{ID: v.VerdictID, Reason: "x",
		By: "eve"}); !apperr.Is(err, apperr.NotFound) {
		t.Errorf("an answer from another project gave %v, want not_found", err)
	}
}

func TestPrune_AppealedVerdict_Stays(t *testing.T) {
	env, v := denied(t)
	graphtest.Must(env.Checks.Appeal(t.Context(), check.AppealRequest{ID: v.VerdictID, Reason: "x",
		By: "bo"}))(t)
	graphtest.Must(env.Checks.Check(t.Context(), check.ActionCheck{Description: "Drop another",
		Stakes: "high"}))(t)
	env.Checks.Settings.DeniedRetention = time.Nanosecond
	for _, dry := range []bool{true, false} {
		pruned, err := env.Checks.Prune(t.Context(), check.PruneRequest{DryRun: &dry})
		if err != nil || pruned.Denied != 1 {
			t.Errorf("got %+v, %v, want one denial deleted", pruned, err)
		}
	}
	if _, err := env.Checks.Explain(t.Context(), check.VerdictQuery{ID: v.VerdictID}); err != nil {
		t.Errorf("the appealed verdict is gone: %v", err)
	}
}
