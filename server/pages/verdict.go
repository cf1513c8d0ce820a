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

// verdict is the data of a verdict's page, with an evaluation of the same action by the current rules.
type verdict struct {
	gate.Explanation
	Judged   string             // the action as JSON text
	Alone    string             // why the current rules could not evaluate it
	Approval *sessions.Approval // the approval request of the verdict
}

// NeedsApproval reports whether only an approval can allow the action: the rules say so, or a request was made because
// no rule permits the action.
func (e verdict) NeedsApproval() bool {
	return !e.Allowed && (sessions.Requestable(e.Verdict) || e.Approval != nil)
}

// PageTitle returns the result of the verdict.
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

const approvalsRead = 500 // approval requests among which that of the verdict is searched

func showVerdict(v *Visit) (any, error) {
	q := gate.VerdictQuery{ID: v.PathValue("id"), Replay: true}
	found, err := Call[gate.Explanation](v, "explain_verdict", q)
	out := verdict{}
	if apperr.Is(err, apperr.Conflict) { // also if several ids have this prefix; the second call then returns that error
		q.Replay, out.Alone = false, apperr.From(err).Message
		found, err = Call[gate.Explanation](v, "explain_verdict", q)
	}
	out.Explanation = found
	if len(found.Action) > 0 { // otherwise only its hash is stored
		out.Judged, _ = render.IndentedJSON(found.Action) // the action was decoded from JSON
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
