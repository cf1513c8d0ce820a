package gate_test

import (
	"strings"
	"testing"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/policies/gate"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// denied gives a graph with a denial by the rule `never` of an agent in a project.
func denied(t *testing.T) (*tools.App, gate.Verdict) {
	t.Helper()
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'never', active: true, requires: 'action.stakes < high', message: 'Never'})`)
	v, err := env.Gate.Check(t.Context(), gate.ActionCheck{Description: "Drop the table", Stakes: "high", Project: "o/r", AgentID: "bo"})
	if err != nil || v.Allowed {
		t.Fatalf("got %+v, %v, want a denial", v, err)
	}
	return env, v
}

func TestAppeal_Overturned_ChangesNoVerdict(t *testing.T) {
	env, v := denied(t)
	ctx := t.Context()
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	appeal, err := env.Gate.Appeal(ctx, gate.AppealRequest{ID: v.VerdictID, Reason: "It is a copy, see " + secret, By: "bo"})
	if err != nil || appeal.State != gate.AppealOpen || len(appeal.Rules) != 1 || appeal.Rules[0] != "never" || strings.Contains(appeal.Reason, secret) || appeal.Project != "o/r" {
		t.Fatalf("got %+v, %v, want an open appeal of never with a masked reason", appeal, err)
	}
	if _, err := env.Gate.Appeal(ctx, gate.AppealRequest{ID: v.VerdictID, Reason: "Again", By: "cy"}); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("a second appeal gave %v, want a conflict", err)
	}
	if _, err := env.Gate.Overturn(ctx, gate.AppealAnswer{ID: v.VerdictID, Reason: " ", By: "ann"}); !apperr.Is(err, apperr.Validation) {
		t.Errorf("a blank answer gave %v, want a validation_error", err)
	}
	for _, own := range []string{"bo", "ＢＯ"} {
		if _, err := env.Gate.Overturn(ctx, gate.AppealAnswer{ID: v.VerdictID, Reason: "I say so", By: own}); !apperr.Is(err, apperr.PermissionDenied) {
			t.Errorf("%s decided its own appeal: %v", own, err)
		}
	}
	decided, err := env.Gate.Overturn(ctx, gate.AppealAnswer{ID: v.VerdictID[:30], Reason: "Copies are fine", By: "ann"})
	if err != nil || decided.State != gate.AppealOverturned || decided.DecidedBy != "ann" || decided.Answer != "Copies are fine" || decided.DecidedAt == nil {
		t.Fatalf("got %+v, %v, want an overturned denial", decided, err)
	}
	if _, err := env.Gate.Uphold(ctx, gate.AppealAnswer{ID: v.VerdictID, Reason: "No", By: "ann"}); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("a second answer gave %v, want a conflict", err)
	}
	e, err := env.Gate.Explain(ctx, gate.VerdictQuery{ID: v.VerdictID})
	if err != nil || e.Allowed || e.Forced != "" || e.Appeal == nil || e.Appeal.State != gate.AppealOverturned {
		t.Errorf("got allowed %v, appeal %+v, %v, want a denial with its appeal", e.Allowed, e.Appeal, err)
	}
	again, err := env.Gate.Check(ctx, gate.ActionCheck{Description: "Drop the table", Stakes: "high", Project: "o/r", AgentID: "bo"})
	if err != nil || again.Allowed {
		t.Errorf("got allowed %v, %v, want the same action denied", again.Allowed, err)
	}
	for state, want := range map[string]int{"": 1, gate.AppealOpen: 0, gate.AppealOverturned: 1} {
		list, err := env.Gate.Appeals(ctx, gate.AppealsQuery{State: state})
		if err != nil || len(list.Appeals) != want || list.Total != want {
			t.Errorf("%q: got %+v, %v, want %d", state, list, err, want)
		}
	}
}

func TestAppeal_OtherToken_IsRefused(t *testing.T) {
	env, v := denied(t)
	as := func(name string, permissions ...caller.Permission) error {
		who := caller.Caller{Name: name, Proven: true, Permissions: permissions}
		_, err := env.Gate.Appeal(caller.With(t.Context(), who), gate.AppealRequest{ID: v.VerdictID, Reason: "It is a copy", By: name})
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
	allowed, err := env.Gate.Check(t.Context(), gate.ActionCheck{Description: "Read it", Stakes: "low"})
	if err != nil {
		t.Fatal(err)
	}
	for id, code := range map[string]apperr.Code{allowed.VerdictID: apperr.Validation, "0000000000": apperr.NotFound} {
		if _, err := env.Gate.Appeal(t.Context(), gate.AppealRequest{ID: id, Reason: "x", By: "bo"}); !apperr.Is(err, code) {
			t.Errorf("an appeal of %s gave %v, want %s", id, err, code)
		}
	}
	if _, err := env.Gate.Appeal(t.Context(), gate.AppealRequest{ID: v.VerdictID, Reason: "  ", By: "bo"}); !apperr.Is(err, apperr.Validation) {
		t.Errorf("a blank reason gave %v, want validation_error", err)
	}
	if _, err := env.Gate.Overturn(t.Context(), gate.AppealAnswer{ID: v.VerdictID, Reason: "x", By: "ann"}); !apperr.Is(err, apperr.NotFound) {
		t.Errorf("an answer without an appeal gave %v, want not_found", err)
	}
	elsewhere := caller.With(t.Context(), caller.Caller{Name: "eve", Proven: true, Permissions: []caller.Permission{caller.Admin}, Projects: []string{"o/other"}})
	if _, err := env.Gate.Appeal(elsewhere, gate.AppealRequest{ID: v.VerdictID, Reason: "x", By: "eve"}); !apperr.Is(err, apperr.NotFound) {
		t.Errorf("an appeal from another project gave %v, want not_found", err)
	}
	if _, err := env.Gate.Appeal(t.Context(), gate.AppealRequest{ID: v.VerdictID, Reason: "x", By: "bo"}); err != nil {
		t.Fatal(err)
	}
	if list, err := env.Gate.Appeals(elsewhere, gate.AppealsQuery{}); err != nil || len(list.Appeals) != 0 || list.Total != 0 {
		t.Errorf("another project sees %+v, %v", list, err)
	}
	if _, err := env.Gate.Overturn(elsewhere, gate.AppealAnswer{ID: v.VerdictID, Reason: "x", By: "eve"}); !apperr.Is(err, apperr.NotFound) {
		t.Errorf("an answer from another project gave %v, want not_found", err)
	}
}

func TestPrune_AppealedVerdict_Stays(t *testing.T) {
	env, v := denied(t)
	if _, err := env.Gate.Appeal(t.Context(), gate.AppealRequest{ID: v.VerdictID, Reason: "x", By: "bo"}); err != nil {
		t.Fatal(err)
	}
	if _, err := env.Gate.Check(t.Context(), gate.ActionCheck{Description: "Drop another", Stakes: "high"}); err != nil {
		t.Fatal(err)
	}
	env.Gate.Settings.KeepDenied = time.Nanosecond
	for _, dry := range []bool{true, false} {
		pruned, err := env.Gate.Prune(t.Context(), gate.PruneRequest{DryRun: dry})
		if err != nil || pruned.Denied != 1 {
			t.Errorf("got %+v, %v, want one denial deleted", pruned, err)
		}
	}
	if _, err := env.Gate.Explain(t.Context(), gate.VerdictQuery{ID: v.VerdictID}); err != nil {
		t.Errorf("the appealed verdict is gone: %v", err)
	}
}
