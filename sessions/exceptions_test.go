package sessions_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/sessions"
	"nomograph/tools/toolstest"
)

// TestException_Renewed_HoldsLongerUntilRevoked follows a time-limited approval from grant to revocation.
func TestException_Renewed_HoldsLongerUntilRevoked(t *testing.T) {
	g, env := toolstest.Open(t)
	report := reporter(t, env)
	params := graph.Parameters{"amount": int64(20)}
	asked := report("Ann", params)
	grant(t, env, asked.ApprovalID, 3600)
	if used := report("Ann", params); used.Decision != sessions.Approved {
		t.Fatalf("got %+v under the exception, want Decision=%v", used, sessions.Approved)
	}
	once := report("Ann", graph.Parameters{"amount": int64(21)})
	grant(t, env, once.ApprovalID)

	list, err := env.Sessions.Exceptions(t.Context(), sessions.ExceptionsQuery{AgentID: " ANN"})
	if err != nil || len(list.Exceptions) != 1 {
		t.Fatalf("got %+v, %v, want the approval that holds for a time only", list, err)
	}
	e := list.Exceptions[0]
	if e.State != "active" || e.ExceptionID != asked.ApprovalID || e.Used != 1 || len(e.Rules) != 1 ||
		e.Rules[0].Version == "" || e.Rules[0].Current != "" || e.ApprovedBy != "Mia" || len(e.Renewals) != 0 {
		t.Errorf("got %+v, want State=active, ExceptionID=%v, Used=1, len(Rules)=1, non-empty Version, empty Current, ApprovedBy=Mia, len(Renewals)=0", e, asked.ApprovalID)
	}

	renew := func(by string, seconds int64, dry bool) (sessions.ExceptionChanged, error) {
		return env.Sessions.RenewException(t.Context(),
			sessions.ExceptionRenewal{ExceptionID: e.ExceptionID, Reason: "It goes on", ForSeconds: seconds,
				DryRun: dry, By: by})
	}
	for _, by := range []string{"ann", " Ann"} { // under any spelling
		if _, err := renew(by, 7200, false); !apperr.Is(err, apperr.PermissionDenied) {
			t.Errorf("%q renewed its own exception: %v", by, err)
		}
		if _, err := env.Sessions.RevokeException(t.Context(),
			sessions.ExceptionRevocation{ExceptionID: e.ExceptionID, Reason: "x", By: by}); !apperr.Is(err,
			apperr.PermissionDenied) {
			t.Errorf("%q revoked its own exception: %v", by, err)
		}
	}
	dry, err := renew("Mia", 7200, true)
	if err != nil || !dry.DryRun || dry.Renewals != 0 || time.Until(*dry.ValidUntil) < 7000*time.Second {
		t.Errorf("got %+v, %v for a dry run, want DryRun=true, Renewals=0, time.Until(*dry.ValidUntil) at least %v",
			dry, err, 7000*time.Second)
	}
	if _, err := renew("Mia", 60, false); !apperr.Is(err, apperr.Conflict) ||
		!strings.Contains(err.Error(), "longer than with the renewal") {
		t.Errorf(`got %v for a renewal that ends earlier, want error %s, Error with "longer than with the renewal"`,
			err, apperr.Conflict)
	}
	renewed, err := renew("Mia", 7200, false)
	if err != nil || renewed.Renewals != 1 || time.Until(*renewed.ValidUntil) < 7000*time.Second {
		t.Errorf("got %+v, %v, want Renewals=1, time.Until(*renewed.ValidUntil) at least %v", renewed, err,
			7000*time.Second)
	}
	shown, err := env.Sessions.Exception(t.Context(), sessions.ExceptionQuery{ExceptionID: e.ExceptionID})
	if err != nil || len(shown.Renewals) != 1 || shown.Renewals[0].By != "Mia" ||
		shown.Renewals[0].Reason != "It goes on" || !shown.Renewals[0].Until.Equal(*shown.ValidUntil) {
		t.Errorf("got %+v, %v", shown, err)
	}

	g.Exec(t, "MATCH (a:Approval {uid: $uid}) SET a.versions = ['of before']", map[string]any{"uid": e.ExceptionID})
	if stale, err := env.Sessions.Exception(t.Context(),
		sessions.ExceptionQuery{ExceptionID: e.ExceptionID}); err != nil || stale.State != "stale" ||
		stale.Rules[0].Current == "" {
		t.Errorf("got %+v, %v after the rule changed, want State=stale, non-empty Current", stale, err)
	}
	// A later exception is active. The limit of a list applies after its filter, and each state selects its own
	// exceptions.
	later := report("Ann", graph.Parameters{"amount": int64(30)})
	grant(t, env, later.ApprovalID, 36000)
	env.Sessions.ApprovalDelay = time.Hour
	delayed := report("Ann", graph.Parameters{"amount": int64(40)})
	grant(t, env, delayed.ApprovalID, 36000)
	env.Sessions.ApprovalDelay = 0
	for state, want := range map[string][]string{"stale": {e.ExceptionID}, "active": {later.ApprovalID},
		"": {e.ExceptionID}, "expired": nil, "revoked": nil, "approving": {delayed.ApprovalID}} {
		var got []string
		list, err := env.Sessions.Exceptions(t.Context(), sessions.ExceptionsQuery{State: state, Limit: 1})
		for _, one := range list.Exceptions {
			got = append(got, one.ExceptionID)
			if state != "" && one.State != state {
				t.Errorf("%q lists a state %q", state, one.State)
			}
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("the first exception with state %q: got %v, %v, want %v", state, got, err, want)
		}
	}
	if _, err := renew("Mia", 9000, false); !apperr.Is(err, apperr.Conflict) || apperr.From(err).Hint == "" {
		t.Errorf("got %v for a changed rule, want error %s, non-empty Hint", err, apperr.Conflict)
	}
	g.Exec(t, "MATCH (a:Approval {uid: $uid}) SET a.versions = [$version]",
		map[string]any{"uid": e.ExceptionID, "version": e.Rules[0].Version})

	revoke := func(id string, dry bool) (sessions.ExceptionChanged, error) {
		return env.Sessions.RevokeException(t.Context(),
			sessions.ExceptionRevocation{ExceptionID: id, Reason: "The season is over", DryRun: dry, By: "Mia"})
	}
	if dry, err := revoke(e.ExceptionID, true); err != nil || !dry.DryRun || dry.State != "approved" {
		t.Errorf("got %+v, %v for a dry run, want DryRun=true, State=approved", dry, err)
	}
	golden.Equal(t, "state", graphtest.Must(revoke(e.ExceptionID, false))(t).State, "revoked")
	if again := report("Ann", params); again.Decision != sessions.NeedsApproval || again.ApprovalID == e.ExceptionID {
		t.Errorf("got %+v after the revocation, want a new request", again)
	}
	if _, err := revoke(e.ExceptionID, false); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("got %v for a second revocation, want error %s", err, apperr.Conflict)
	}
	if _, err := revoke(once.ApprovalID, false); err != nil {
		t.Errorf("an unused approval cannot be revoked: %v", err)
	}
	if _, err := revoke("none", false); !apperr.Is(err, apperr.NotFound) || apperr.From(err).Hint == "" {
		t.Errorf("got %v for an unknown exception, want error %s, non-empty Hint", err, apperr.NotFound)
	}
	if ended, err := env.Sessions.Exceptions(t.Context(), sessions.ExceptionsQuery{State: "revoked"}); err != nil ||
		len(ended.Exceptions) != 1 || ended.Exceptions[0].RevokedBy != "Mia" {
		t.Errorf("got %+v, %v, want len(Exceptions)=1, RevokedBy=Mia", ended, err)
	}
}
