package pages

import (
	"slices"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/internal/timeparse"
	"nomograph/policies"
	"nomograph/policies/gate"
	"nomograph/sessions"
)

func showVerdicts(v *Visit) (any, error) {
	q := gate.VerdictFilter{Rule: v.Query("rule"), AgentID: v.Query("agent_id"), Project: v.Query("project"),
		Range: timeparse.Range{DateAfter: v.Query("date_after"), DateBefore: v.Query("date_before")}, Page: policies.Page{Limit: 50, Cursor: v.Query("cursor")}}
	if result := v.Query("result"); result != "" {
		allowed := result == "allowed"
		q.Allowed = &allowed
	}
	return Call[gate.VerdictList](v, "list_verdicts", q)
}

// verdict is one, and how the rules of today judge the same action.
type verdict struct {
	gate.Explanation
	Judged   string             // the action, as text
	Alone    string             // why it could not be judged again
	Approval *sessions.Approval // what a person was asked because of it
}

// NeedsApproval tells whether nothing but the answer of a person kept the action from being allowed: the rules say so, or a person was asked
// since no rule knows the action.
func (e verdict) NeedsApproval() bool {
	return !e.Allowed && (sessions.Requestable(e.Verdict) || e.Approval != nil)
}

// PageTitle says what it said.
func (e verdict) PageTitle() string {
	switch {
	case e.Allowed:
		return "Verdict: allowed"
	case e.NeedsApproval() && e.Forced != "":
		return "Verdict: needed approval"
	case e.NeedsApproval():
		return "Verdict: needs approval"
	}
	return "Verdict: denied"
}

const approvalsRead = 500 // among which the one of a verdict is looked for

func showVerdict(v *Visit) (any, error) {
	q := gate.VerdictQuery{ID: v.PathValue("id"), Replay: true}
	found, err := Call[gate.Explanation](v, "explain_verdict", q)
	out := verdict{}
	if apperr.Is(err, apperr.Conflict) { // also of several that begin so, which the second question tells again
		q.Replay, out.Alone = false, apperr.From(err).Message
		found, err = Call[gate.Explanation](v, "explain_verdict", q)
	}
	out.Explanation = found
	if len(found.Action) > 0 { // else it was not kept
		out.Judged, _ = render.IndentedJSON(found.Action) // which came out of JSON
	}
	if err != nil || found.Allowed {
		return out, err
	}
	asked, err := callIfMay[sessions.ApprovalList](v, "list_approvals", sessions.ApprovalsQuery{Limit: approvalsRead})
	if at := slices.IndexFunc(asked.Approvals, func(a sessions.Approval) bool { return a.VerdictID == found.VerdictID }); at >= 0 {
		out.Approval = &asked.Approvals[at]
	}
	return out, err
}
