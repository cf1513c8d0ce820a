package pages

import (
	"cmp"
	"slices"
	"sync"

	"nomograph/decisions/attention"
	"nomograph/sessions"
)

// today is the data of the Today page.
type today struct {
	attention.Today
	Contradictions *attention.Contradictions // nil until loaded by a second request, because the search is slow
	Approvals      []pending
	Granting       []sessions.Approval // approved, but not yet in effect
}

// pending is a pending approval request with earlier answers for the same action.
type pending struct {
	sessions.Approval
	Precedents []sessions.Precedent
}

const precedentsRead = 20 // requests whose precedents are read; more are rarely pending at a time

// withPrecedents adds the precedents. A request that was answered in the meantime has none.
func (v *Visit) withPrecedents(approvals []sessions.Approval) []pending {
	out := make([]pending, len(approvals))
	var reading sync.WaitGroup
	for i, a := range approvals {
		out[i].Approval = a
		if i >= precedentsRead || !v.May("get_approval") {
			continue
		}
		reading.Go(func() {
			if shown, err := Call[sessions.ApprovalShown](v, "get_approval", sessions.ApprovalQuery{ApprovalID: a.ApprovalID}); err == nil {
				out[i].Precedents = shown.Precedents
			}
		})
	}
	reading.Wait()
	return out
}

// Waits reports whether a verdict has a pending approval request.
func (t today) Waits(verdict string) bool {
	return slices.ContainsFunc(t.Approvals, func(a pending) bool { return a.VerdictID == verdict })
}

func showToday(v *Visit) (any, error) {
	var out today
	var approvals, granting sessions.ApprovalList
	var unread, unseen error
	var reading sync.WaitGroup
	reading.Go(func() {
		approvals, unread = callIfMay[sessions.ApprovalList](v, "list_approvals", sessions.ApprovalsQuery{State: "waiting"})
	})
	reading.Go(func() {
		granting, unseen = callIfMay[sessions.ApprovalList](v, "list_approvals", sessions.ApprovalsQuery{State: "granting"})
	})
	var err error
	out.Today, err = Call[attention.Today](v, "get_today", attention.TodayQuery{Project: v.Query("project"), AgentID: v.Query("agent_id")})
	reading.Wait()
	if err = cmp.Or(err, unread, unseen); err != nil {
		return nil, err
	}
	out.Granting = granting.Approvals
	out.Approvals = v.withPrecedents(approvals.Approvals)
	if v.Query("contradictions") != "" {
		out.Contradictions, err = v.contradictions()
	}
	return out, err
}

func (v *Visit) contradictions() (*attention.Contradictions, error) {
	found, err := callIfMay[attention.Contradictions](v, "list_contradictions", attention.ContradictionsQuery{Selection: attention.Selection{Project: v.Query("project")}, AgentID: v.Query("agent_id")})
	return &found, err
}

// todayContradictions returns the slowest part of the page to the script.
func todayContradictions(v *Visit) (Answer, error) {
	found, err := v.contradictions()
	if err != nil {
		return Answer{}, err
	}
	return v.Fragment("contradictions", found)
}

// grantApproval approves a request, for one use or for the time in the form.
func grantApproval(v *Visit) (string, error) {
	grant := sessions.Grant{Answer: sessions.Answer{ApprovalID: v.Form("approval"), Reason: v.Form("reason")}}
	if err := v.argument("grant_approval", "for_seconds", v.Form("for_seconds"), &grant.ForSeconds); err != nil {
		return "", err
	}
	_, err := Call[sessions.Approval](v, "grant_approval", grant)
	return "", err
}

func undoApproval(v *Visit) (string, error) {
	_, err := Call[sessions.Approval](v, "undo_approval", sessions.Undoing{ApprovalID: v.Form("approval")})
	return "", err
}

func denyApproval(v *Visit) (string, error) {
	_, err := Call[sessions.Approval](v, "deny_approval", sessions.Answer{ApprovalID: v.Form("approval"), Reason: v.Form("reason")})
	return "", err
}
