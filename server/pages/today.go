package pages

import (
	"strconv"

	"nomograph/decisions/attention"
	"nomograph/fault"
	"nomograph/sessions"
)

// today is what a day begins with, and what waits for a person's word.
type today struct {
	attention.Today
	Contradictions attention.Contradictions
	Approvals      []sessions.Approval
}

func showToday(v *Visit) (any, error) {
	var out today
	var err error
	if out.Today, err = Call[attention.Today](v, "get_today", attention.TodayQuery{Project: v.Query("project"), AgentID: v.Query("agent_id")}); err != nil {
		return nil, err
	}
	if out.Contradictions, err = callIfMay[attention.Contradictions](v, "list_contradictions", attention.ContradictionsQuery{
		Selection: attention.Selection{Project: v.Query("project")}, AgentID: v.Query("agent_id")}); err != nil {
		return nil, err
	}
	waiting, err := callIfMay[sessions.ApprovalList](v, "list_approvals", sessions.ApprovalsQuery{State: "waiting"})
	out.Approvals = waiting.Approvals
	return out, err
}

// grantApproval allows what an agent asked for, once or for as long as the form says.
func grantApproval(v *Visit) (string, error) {
	grant := sessions.Grant{Answer: sessions.Answer{ApprovalID: v.Form("approval"), Reason: v.Form("reason")}}
	if text := v.Form("for_seconds"); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", fault.Newf(fault.Validation, "%q is no number of seconds", text).WithHint("Choose one of those in the list")
		}
		grant.ForSeconds = seconds
	}
	_, err := Call[sessions.Approval](v, "grant_approval", grant)
	return "", err
}

func denyApproval(v *Visit) (string, error) {
	_, err := Call[sessions.Approval](v, "deny_approval", sessions.Answer{ApprovalID: v.Form("approval"), Reason: v.Form("reason")})
	return "", err
}
