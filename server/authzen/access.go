package authzen

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/tidwall/gjson"

	"nomograph/internal/caller"
	"nomograph/policies/check"
	"nomograph/server"
	"nomograph/sessions"
	"nomograph/tools"
)

// requestCapability announces that a person can be asked: the Access Request and Approval Profile, a draft of the
// working group.
const requestCapability = "urn:openid:authzen:capability:access-request"

// addRequestLink adds to a denial that an approval would lift it, and where to request one.
func addRequestLink(d decision, v check.Verdict, base string) decision {
	if d.Decision || base == "" || !v.NeedsApproval() {
		return d
	}
	d.Context["evaluation_id"], d.Context["evaluated_at"], d.Context["reason"] = v.VerdictID, v.At.UTC(),
		"approval_required"
	d.Context["access_request"] = map[string]any{"endpoint": base + requestsPath,
		"expires_at": v.At.Add(sessions.AccessRequestTime).UTC()}
	return d
}

// approval returns the approval id of an evaluation; "" for none.
func (e evaluation) approval() string {
	return gjson.GetBytes(e["context"], "approval.id").Str
}

// accessArguments returns the arguments of the operations that only this transport uses: those of check_action, and an
// id with its name.
func (e evaluation) accessArguments(name, id string) (map[string]any, error) {
	arguments, err := e.arguments()
	if err != nil {
		return nil, err
	}
	context := arguments["context"].(map[string]any)
	arguments["subject"], arguments["exactly"] = context["subject"].(entity).ID,
		map[string]any{"subject": context["subject"], "resource": context["resource"], "action": arguments["params"]}
	arguments[name] = id
	return arguments, nil
}

// evaluateWithApproval evaluates a request that presents an approval.
func (d *Server) evaluateWithApproval(ctx context.Context, e evaluation, base string) (decision, error) {
	arguments, err := e.accessArguments("approval_id", e.approval())
	if err != nil {
		return decision{}, err
	}
	access, err := server.Run[tools.AccessVerdict](ctx, d.runner, d.judgeAccess, arguments)
	if err != nil {
		return decision{}, err
	}
	if access.Granted {
		return decision{true, map[string]any{"verdict_id": access.Verdict.VerdictID,
			"policy_version": access.Verdict.Revision, "approval": map[string]any{"id": e.approval()}}}, nil
	}
	return addRequestLink(decisionOf(access.Verdict), access.Verdict, base), nil
}

// request creates an approval request for a denial.
func (d *Server) request(w http.ResponseWriter, r *http.Request) {
	task, err := d.answerRequest(r)
	if err != nil {
		refuse(w, r, err)
		return
	}
	w.Header().Set("Location", server.BaseURL(r)+requestsPath+"/"+task.ApprovalID)
	status := http.StatusCreated
	if taskStatus(task.State) == "pending" {
		status = http.StatusAccepted
	}
	server.Answer(w, status, taskOf(task, server.BaseURL(r)))
}

func (d *Server) answerRequest(r *http.Request) (sessions.Approval, error) {
	if err := d.requestAccess.Permitted(caller.From(r.Context())); err != nil { // report a missing permission before errors in the request
		return sessions.Approval{}, err
	}
	body, denial, err := readRequest(r)
	if err != nil {
		return sessions.Approval{}, err
	}
	arguments, err := body.accessArguments("evaluation_id", denial)
	if err != nil {
		return sessions.Approval{}, err
	}
	return server.Run[sessions.Approval](r.Context(), d.runner, d.requestAccess, arguments)
}

// readRequest reads the denied evaluation and the id of its denial.
func readRequest(r *http.Request) (e evaluation, denial string, err error) {
	fields, err := bodyOf(r)
	if err != nil {
		return e, "", err
	}
	if fields["items"] != nil {
		return e, "", requestError("items are not supported").WithHint("Request one action on one resource")
	}
	denied, err := members(fields["denial"], "denial")
	if err != nil {
		return e, "", err
	}
	if denial, err = text(denied, "denial", "evaluation_id"); err != nil {
		return e, "", err
	}
	return fields, denial, nil
}

// task returns the state of an approval request.
func (d *Server) task(w http.ResponseWriter, r *http.Request) {
	found, err := server.Run[sessions.Approval](r.Context(), d.runner, d.getAccessRequest,
		map[string]any{"approval_id": r.PathValue("id")})
	if err != nil {
		refuse(w, r, err)
		return
	}
	server.Answer(w, http.StatusOK, taskOf(found, server.BaseURL(r)))
}

// taskStatus returns the profile's status for the state of an approval.
func taskStatus(state string) string {
	return cmp.Or(map[string]string{"waiting": "pending", "approving": "pending", "rejected": "denied"}[state], state)
}

// taskOf converts an approval to the format of the profile.
func taskOf(a sessions.Approval, base string) map[string]any {
	out := map[string]any{"task": map[string]any{"id": a.ApprovalID, "status": taskStatus(a.State),
		"status_endpoint": base + requestsPath + "/" + a.ApprovalID, "expires_at": a.ExpiresAt}}
	if a.State == "approved" && a.ValidUntil != nil {
		out["result"] = map[string]any{"mode": "reevaluate",
			"approval": map[string]any{"id": a.ApprovalID, "approved_at": moment(a.AnsweredAt),
				"approved_until": moment(a.ValidUntil)}}
	}
	return out
}

func moment(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}
