package authzen

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"nomograph/access"
	"nomograph/fault"
	"nomograph/policies/gate"
	"nomograph/server"
	"nomograph/sessions"
	"nomograph/tools"
)

// requestCapability says that a person can be asked: the Access Request and Approval Profile, a draft of the working group.
const requestCapability = "urn:openid:authzen:capability:access-request"

// requestable adds to a denial that only a person's answer is missing, and where to ask for it.
func requestable(d decision, v gate.Verdict, base string) decision {
	if d.Decision || base == "" || !sessions.Requestable(v) {
		return d
	}
	d.Context["evaluation_id"], d.Context["evaluated_at"], d.Context["reason"] = v.VerdictID, v.At.UTC(), "approval_required"
	d.Context["access_request"] = map[string]any{"endpoint": base + requestsPath, "expires_at": v.At.Add(sessions.AskingTime).UTC()}
	return d
}

// approval is the id of the approval that an evaluation comes with; "" for none.
func (e evaluation) approval() string {
	var said struct{ Approval struct{ ID string } }
	if e.context == nil || json.Unmarshal(e.context, &said) != nil {
		return ""
	}
	return said.Approval.ID
}

// access is the question as grants cover it: subject, action and resource with their properties, asked by this caller.
func (e evaluation) access(ctx context.Context) (a sessions.Access, err error) {
	arguments, err := e.arguments()
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(arguments, &a.Check); err != nil {
		return a, wrong("The question cannot be read: %v", err)
	}
	a.Check.By, a.Approval = access.From(ctx).Name, e.approval()
	subject, err := entityOf(e.subject, "subject")
	if err != nil {
		return a, err
	}
	resource, err := entityOf(e.resource, "resource")
	if err != nil {
		return a, err
	}
	a.Subject = subject.ID
	a.Exactly, err = sessions.ExactlyOf(map[string]any{"subject": subject, "resource": resource, "action": map[string]any(a.Check.Params), "asked_by": access.Identity(a.Check.By)})
	return a, err
}

// lifted judges a question for which an approval is presented.
func (d *Door) lifted(ctx context.Context, e evaluation, base string) (decision, error) {
	if err := d.check.Permitted(access.From(ctx)); err != nil {
		return decision{}, fault.From(err).Deny()
	}
	asked, err := e.access(ctx)
	if err != nil {
		return decision{}, err
	}
	verdict, granted, err := d.env.Sessions.JudgeAccess(ctx, asked)
	if err != nil {
		return decision{}, err
	}
	if granted {
		return decision{true, map[string]any{"verdict_id": verdict.VerdictID, "policy_version": verdict.Revision, "approval": map[string]any{"id": asked.Approval}}}, nil
	}
	return requestable(decisionOf(verdict), verdict, base), nil
}

// mayAsk says why a caller may not ask a person: it takes the right that reporting an action takes.
func mayAsk(ctx context.Context) error {
	report, _ := tools.Find(tools.Catalogue, "cra_report_action")
	return report.Permitted(access.From(ctx))
}

// request asks a person because of a denial.
func (d *Door) request(w http.ResponseWriter, r *http.Request) {
	r = through(r)
	task, err := d.requested(r)
	if err != nil {
		refuse(w, r, err)
		return
	}
	w.Header().Set("Location", server.BaseURL(r)+requestsPath+"/"+task.ApprovalID)
	status := http.StatusAccepted
	if task.State != "waiting" {
		status = http.StatusCreated
	}
	server.Answer(w, status, taskOf(task, server.BaseURL(r)))
}

func (d *Door) requested(r *http.Request) (sessions.Approval, error) {
	if err := mayAsk(r.Context()); err != nil {
		return sessions.Approval{}, err
	}
	body, denial, err := readRequest(r)
	if err != nil {
		return sessions.Approval{}, err
	}
	asked, err := body.access(r.Context())
	if err != nil {
		return sessions.Approval{}, err
	}
	return d.env.Sessions.RequestAccess(r.Context(), asked, denial)
}

// readRequest reads the question that was denied, and the evaluation that denied it.
func readRequest(r *http.Request) (e evaluation, denial string, err error) {
	fields, err := bodyOf(r)
	if err != nil {
		return e, "", err
	}
	if fields["items"] != nil {
		return e, "", wrong("items are not taken").WithHint("Ask for one action on one resource")
	}
	denied, err := members(fields["denial"], "denial")
	if err != nil {
		return e, "", err
	}
	if denial, err = text(denied, "denial", "evaluation_id"); err != nil {
		return e, "", err
	}
	return evaluationOf(fields), denial, nil
}

// task tells how a request stands.
func (d *Door) task(w http.ResponseWriter, r *http.Request) {
	r = through(r)
	err := mayAsk(r.Context())
	var found sessions.Approval
	if err == nil {
		found, err = d.env.Sessions.AccessRequest(r.Context(), r.PathValue("id"), access.From(r.Context()).Name)
	}
	if err != nil {
		refuse(w, r, err)
		return
	}
	server.Answer(w, http.StatusOK, taskOf(found, server.BaseURL(r)))
}

// taskOf is a request in the words of the profile.
func taskOf(a sessions.Approval, base string) map[string]any {
	status := map[string]string{"waiting": "pending", "granted": "approved"}[a.State]
	if status == "" {
		status = a.State
	}
	out := map[string]any{"task": map[string]any{"id": a.ApprovalID, "status": status, "status_endpoint": base + requestsPath + "/" + a.ApprovalID, "expires_at": a.ExpiresAt}}
	if a.State == "granted" && a.ValidUntil != nil {
		out["result"] = map[string]any{"mode": "reevaluate", "approval": map[string]any{"id": a.ApprovalID, "approved_at": moment(a.AnsweredAt), "approved_until": moment(a.ValidUntil)}}
	}
	return out
}

func moment(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}
