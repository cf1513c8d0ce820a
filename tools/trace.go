package tools

import (
	"cmp"
	"context"

	"nomograph/internal/apperr"
	"nomograph/policies/pack"
	"nomograph/trace"
)

var traceOperations = inToolset("trace",
	define(Operation{
		Name:       "record_thought",
		Title:      "Record a thought",
		Toolset:    "decisions",
		Use:        "Record a thought for the next decision's deliberation. With `decision_id`: for that decision.",
		Permission: Decide,
		Ours:       "ids and places",
		Scope:      Filtered,
		Command:    "decision think TEXT",
		CLI: CommandLine{Stdin: "text",
			Flags: map[string]string{"decision_id": "on"}},
		REST: "POST /v1/thoughts",
		CSTP: "cstp.recordThought",
	}, recordThought),
	define(Operation{
		Name:       "list_sessions",
		Title:      "Sessions",
		Use:        "List sessions with events, most recently used first.",
		Permission: Query,
		Command:    "session list",
		REST:       "GET /v1/sessions",
	}, method((*trace.Log).Sessions)),
	define(Operation{
		Name:       "get_session",
		Title:      "Session events",
		Use:        "Show the events of a session in order. Events are queries, checks, thoughts and decisions.",
		Permission: Query,
		Command:    "session show SESSION_ID",
		Names:      "session",
		REST:       "GET /v1/sessions/{session_id}",
	}, method((*trace.Log).Session)),
	define(Operation{
		Name:       "verify_trace",
		Title:      "Verify the trace",
		Use:        "Verify the hash chains of sessions. Lists changed, missing and added events.",
		Kind:       Job,
		Permission: Query,
		Hints:      readOnly,
		Command:    "trace verify SESSIONS",
		Names:      "session",
		REST:       "POST /v1/sessions/verify",
	}, method((*trace.Log).Verify)),
	define(Operation{
		Name:       "export_session",
		Title:      "Export a session",
		Use:        "Export a session with its hash chain, to verify elsewhere. Formats: JSON lines, or TRACE/1.0 with both chains.",
		Permission: Query,
		Command:    "trace export SESSION_ID",
		Names:      "session",
		CLI: CommandLine{Document: "text",
			Flags: map[string]string{"format": "as"}},
		REST: "GET /v1/sessions/{session_id}/export",
	}, method((*trace.Log).Export)),
	define(Operation{
		Name:       "verify_export",
		Title:      "Verify an export",
		Use:        "Verify exported sessions (JSON lines or TRACE/1.0). Needs no database.",
		Permission: Read,
		Scope:      AllProjects,
		Hints:      readOnly,
		Command:    "trace verify-export",
		CLI: CommandLine{Documents: "files",
			Extensions: []string{".jsonl", ".ndjson"}},
		REST: "POST /v1/sessions/verify-export",
	}, verifyExports),
)

// exportedFiles are texts of exported sessions.
type exportedFiles struct {
	Files []pack.Source `json:"files" jsonschema:"sessions as JSON lines of export_session" rule:"minItems=1,maxItems=100"`
}

// exportsVerified is the result for each exported session.
type exportsVerified struct {
	Intact bool             `json:"intact" jsonschema:"true if all chains are valid"`
	Files  []exportVerified `json:"files"`
}

type exportVerified struct {
	Name string `json:"name"`
	trace.TextVerification
}

// Failed reports whether a chain is invalid; the command line then exits with an error.
func (v exportsVerified) Failed() bool { return !v.Intact }

func verifyExports(_ context.Context, _ *App, in exportedFiles) (exportsVerified, error) {
	out := exportsVerified{Intact: true}
	for _, file := range in.Files {
		verified, err := trace.VerifyText(file.Text)
		if err != nil {
			return exportsVerified{}, apperr.Newf(apperr.Validation, "%s: %s", file.Name, apperr.From(err).Message).
				WithHint("%s", apperr.From(err).Hint)
		}
		out.Intact = out.Intact && verified.Intact
		out.Files = append(out.Files, exportVerified{file.Name, verified})
	}
	return out, nil
}

// Thought is a thought to store.
type Thought struct {
	Text       string `json:"text" jsonschema:"thought, with its reason" rule:"minLength=1,maxLength=20000"`
	DecisionID string `json:"decision_id,omitempty" jsonschema:"existing decision" rule:"maxLength=200"`
	AgentID    string `json:"agent_id,omitempty" jsonschema:"thinking agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	SessionID  string `json:"session_id,omitempty" jsonschema:"session (default the ambient session)" rule:"maxLength=200" claim:"session"`
}

// StoredThought says where a thought was stored.
type StoredThought struct {
	Success    bool   `json:"success"`
	Mode       string `json:"mode" jsonschema:"pre-decision or post-decision"`
	SessionID  string `json:"session_id"`
	Seq        int64  `json:"seq" jsonschema:"position in the session, from 0"`
	DecisionID string `json:"decision_id,omitempty"`
	StepNumber int64  `json:"step_number,omitempty" jsonschema:"position in the deliberation, from 1"`
}

func recordThought(ctx context.Context, app *App, in Thought) (StoredThought, error) {
	who := trace.SessionSelector{Agent: cmp.Or(in.AgentID, callerName(ctx)),
		Workspace: app.Decisions.Settings.Workspace, SessionID: in.SessionID}
	event := trace.Event{Type: "thought", Payload: map[string]any{"text": in.Text}}
	stored := StoredThought{Success: true, Mode: "pre-decision"}
	if in.DecisionID != "" {
		decision, err := app.Decisions.Resolve(ctx, in.DecisionID)
		if err != nil {
			return StoredThought{}, err
		}
		event.Decision, event.Payload["decision_id"] = decision.UID, decision.ID
		stored.Mode, stored.DecisionID = "post-decision", decision.ID
	}
	receipt, err := app.Trace.Append(ctx, who, event)
	if err != nil {
		return StoredThought{}, err
	}
	stored.SessionID, stored.Seq, stored.StepNumber = receipt.SessionID, receipt.Events[0].Seq, receipt.Events[0].Step
	if in.DecisionID != "" && stored.StepNumber == 0 { // deleted meanwhile
		return StoredThought{}, apperr.Newf(apperr.NotFound, "Decision '%s' not found", in.DecisionID).
			WithHint("The thought stays in the session '%s'", receipt.SessionID)
	}
	return stored, nil
}
