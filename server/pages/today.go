package pages

import (
	"cmp"
	"slices"
	"sync"

	"nomograph/decisions/attention"
	"nomograph/sessions"
)

// today is what a day begins with, and what waits for a person's word.
type today struct {
	attention.Today
	Contradictions *attention.Contradictions // nil: the page comes before they are looked for, which takes the longest
	Approvals      []pending
	Granting       []sessions.Approval // granted, and not in effect yet
}

// pending is a request with how requests for the same action were answered before.
type pending struct {
	sessions.Approval
	Precedents []sessions.Precedent
}

const precedentsRead = 20 // requests whose precedents are read; there are seldom more at a time

// withPrecedents adds the precedents. A request that is answered meanwhile has none.
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

// Waits tells whether a verdict waits for the answer of a person.
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

// todayContradictions gives the script the part of the page that takes the longest.
func todayContradictions(v *Visit) (Answer, error) {
	found, err := v.contradictions()
	if err != nil {
		return Answer{}, err
	}
	return v.Fragment("contradictions", found)
}

// grantApproval allows what an agent asked for, once or for as long as the form says.
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
