package sessions

import (
	"cmp"
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/trace"
)

// approvalLifetime is how long a request stays open before it expires.
const approvalLifetime = 24 * time.Hour

// Approval is a request for a person's approval: one action of one agent with its parameters.
type Approval struct {
	ApprovalID  string     `json:"approval_id" mapstructure:"uid"`
	State       string     `json:"state" jsonschema:"waiting, approving (approved, effective from effective_at), approved, rejected, expired or revoked"`
	AgentID     string     `json:"agent_id" mapstructure:"agent" jsonschema:"requesting agent"`
	Action      string     `json:"action"`
	Params      string     `json:"params" jsonschema:"parameters as JSON, secrets masked"`
	ParamsHash  string     `json:"params_hash" jsonschema:"keyed hash of the action and its unmasked parameters"`
	Hidden      []string   `json:"hidden,omitempty" jsonschema:"paths of masked values, such as params.cmd; an approval covers the unmasked values"`
	Project     string     `json:"project,omitempty" jsonschema:"project of the request"`
	Why         string     `json:"message" jsonschema:"messages of the rules"`
	Rules       []string   `json:"rules" jsonschema:"rules that require approval, or sessions.unknown_action"`
	Versions    []string   `json:"versions" jsonschema:"versions of these rules"`
	RiskTier    string     `json:"risk_tier,omitempty" jsonschema:"risk tier from the atlas that declares the action"`
	VerdictID   string     `json:"verdict_id" mapstructure:"verdict"`
	SessionID   string     `json:"session_id,omitempty" mapstructure:"session"`
	AskedAt     time.Time  `json:"asked_at"`
	ExpiresAt   time.Time  `json:"expires_at"`
	GrantsFor   int64      `json:"grant_seconds,omitempty" mapstructure:"grant_seconds" jsonschema:"default duration of an approval in seconds, from the rules"`
	AnsweredBy  string     `json:"answered_by,omitempty"`
	AnsweredAt  *time.Time `json:"answered_at,omitempty"`
	Reason      string     `json:"reason,omitempty" jsonschema:"reason given by the person"`
	EffectiveAt *time.Time `json:"effective_at,omitempty" jsonschema:"time when the approval takes effect; until then it can be undone"`
	ValidUntil  *time.Time `json:"valid_until,omitempty" jsonschema:"end of the approval"`
	Once        bool       `json:"once,omitempty" jsonschema:"true if the approval is valid once"`
	Used        int64      `json:"used" jsonschema:"number of uses"`
	Undone      int64      `json:"undone,omitempty" jsonschema:"number of undone approvals"`
	AskedBy     string     `json:"-"` // identity of the caller who reported the action
}

// approvalRow is an Approval node with its stored state.
type approvalRow struct {
	Approval                 `mapstructure:",squash"`
	Now                      time.Time
	Usable, Asked, Elsewhere bool
}

// ApprovalOf decodes the properties of an approval node.
func ApprovalOf(properties map[string]any) Approval {
	var row approvalRow
	_ = graph.Decode(properties, &row) // a property of a foreign type leaves its field empty
	return row.approval()
}

// shownStates are the states of answers by those of the graph.
var shownStates = map[string]string{"granting": "approving", "granted": "approved", "denied": "rejected"}

func shownState(stored string) string {
	return cmp.Or(shownStates[stored], stored)
}

// storedState returns the state in the graph for a state that answers show.
func storedState(shown string) string {
	for stored, name := range shownStates {
		if name == shown {
			return stored
		}
	}
	return shown
}

func (r approvalRow) approval() Approval {
	r.State = shownState(r.State)
	return r.Approval
}

// ApprovalsQuery selects approvals.
type ApprovalsQuery struct {
	State string `json:"state,omitempty" jsonschema:"filter by state" rule:"enum=waiting|approving|approved|rejected|expired|revoked"`
	Limit int    `json:"limit,omitempty" jsonschema:"maximum number of results" rule:"minimum=1,maximum=500,default=50"`
}

// ApprovalList holds approvals, newest first.
type ApprovalList struct {
	Approvals []Approval `json:"approvals"`
	// EffectDelay is the delay between a person's approval and its effect.
	EffectDelay float64 `json:"effect_delay_seconds" jsonschema:"delay between an approval and its effect in seconds; it can be undone until then"`
}

// Approvals lists requests for approval.
func (s *Store) Approvals(ctx context.Context, q ApprovalsQuery) (ApprovalList, error) {
	rows, err := graph.All[approvalRow](ctx, s.graph, cypher.ApprovalsFound,
		graph.Params{"uid": nil, "state": storedState(q.State), "limit": cmp.Or(q.Limit, 50)})
	list := ApprovalList{Approvals: make([]Approval, len(rows)), EffectDelay: s.ApprovalDelay.Seconds()}
	for i, row := range rows {
		list.Approvals[i] = row.approval()
	}
	return list, err
}

// ApprovalQuery selects one approval.
type ApprovalQuery struct {
	ApprovalID string `json:"approval_id" jsonschema:"approval id" rule:"minLength=1,maxLength=200"`
}

// ApprovalDetails is an approval with the actions taken under it and earlier approvals for the same action, each with
// outcomes.
type ApprovalDetails struct {
	Approval
	Done       []Done      `json:"done" jsonschema:"actions that used the approval"`
	Precedents []Precedent `json:"precedents" jsonschema:"answers to requests for the same action, those with the same parameters first"`
}

// Precedent is the answer to an earlier request for the same action, with the outcome.
type Precedent struct {
	Approval
	Done []Done `json:"done"`
}

// Done is an action taken under an approval. Its outcomes are those of the decisions whose deliberation contains it.
type Done struct {
	TraceID   string            `json:"trace_id" jsonschema:"session event of the approval"`
	At        time.Time         `json:"at"`
	SessionID string            `json:"session_id" mapstructure:"session"`
	Outcomes  []DecisionOutcome `json:"outcomes"`
}

// DecisionOutcome is a decision that depends on an approved action.
type DecisionOutcome struct {
	DecisionID string `json:"decision_id" mapstructure:"id"`
	Outcome    string `json:"outcome,omitempty" jsonschema:"outcome; empty without a review"`
}

// Approval returns one approval. It returns not_found.
func (s *Store) Approval(ctx context.Context, q ApprovalQuery) (ApprovalDetails, error) {
	rows, err := graph.All[struct {
		Approval approvalRow
		Done     []Done
	}](ctx, s.graph, cypher.ApprovalPrecedents, graph.Params{"uid": q.ApprovalID})
	if err != nil {
		return ApprovalDetails{}, err
	}
	if len(rows) == 0 {
		return ApprovalDetails{}, NoApproval(q.ApprovalID)
	}
	out := ApprovalDetails{Approval: rows[0].Approval.approval(), Done: rows[0].Done}
	for _, row := range rows[1:] {
		out.Precedents = append(out.Precedents, Precedent{row.Approval.approval(), row.Done})
	}
	return out, nil
}

// NoApproval returns the error for an approval that does not exist, or that the caller may not see.
func NoApproval(id string) error {
	return apperr.Newf(apperr.NotFound, "Approval '%s' not found", id).WithHint("List approvals with `list_approvals`")
}

// Answer is a person's answer to a request for approval.
type Answer struct {
	ApprovalID string `json:"approval_id" jsonschema:"approval id" rule:"minLength=1,maxLength=200"`
	Reason     string `json:"reason" jsonschema:"reason, stored and shown to the agent and with later requests" rule:"minLength=1,maxLength=2000"`
	By         string `json:"-"`
}

// Grant is an Answer that approves.
type Grant struct {
	Answer
	ForSeconds int64 `json:"for_seconds,omitempty" jsonschema:"duration in seconds for the same action and parameters (default from the rules, otherwise one use within a day)" rule:"minimum=1,maximum=2592000"`
}

// Approve approves exactly the requested action and parameters. It returns not_found, permission_denied to the
// requester, and a conflict for a request that was answered or has expired.
func (s *Store) Approve(ctx context.Context, g Grant) (Approval, error) {
	return s.answer(ctx, g.Answer, "granted", g.ForSeconds)
}

// Reject rejects a request until the request would have expired. It returns the errors of Approve.
func (s *Store) Reject(ctx context.Context, a Answer) (Approval, error) {
	return s.answer(ctx, a, "denied", 0)
}

func (s *Store) answer(ctx context.Context, a Answer, state string, seconds int64) (Approval, error) {
	by := trace.Actor("", a.By)
	reason := redact.Mask(a.Reason)
	row, err := graph.Append[approvalRow](ctx, s.graph, cypher.ApprovalAnswer,
		graph.Params{"uid": a.ApprovalID, "state": state, "by": by, "key": caller.Key(by),
			"identity": caller.Identity(by), "proven": caller.From(ctx).Authenticated,
			"reason": reason, "seconds": seconds, "delay": s.ApprovalDelay.Milliseconds(),
			"usual": int64(approvalLifetime.Seconds())})
	switch {
	case err != nil:
		return Approval{}, err
	case row.ApprovalID == "":
		return Approval{}, NoApproval(a.ApprovalID)
	case row.Asked:
		return Approval{}, apperr.Newf(apperr.PermissionDenied, "'%s' requested the approval and cannot answer it", by).
			WithHint("Another person has to answer it")
	case !row.Usable && row.State == "granting":
		return Approval{}, apperr.Newf(apperr.Conflict, "Approval '%s' is already approved and takes effect at %s",
			a.ApprovalID, instant(row.EffectiveAt)).WithHint("Until then `undo_approval` cancels it")
	case !row.Usable:
		return Approval{}, apperr.Newf(apperr.Conflict, "Approval '%s' is already %s", a.ApprovalID,
			shownState(row.State)).WithHint("The agent can request it again")
	}
	s.recordInSession(ctx, row, "approval."+state,
		map[string]any{"answered_by": row.AnsweredBy, "reason": row.Reason, "once": row.Once,
			"effective_at": instant(row.EffectiveAt)})
	return row.approval(), nil
}

// Undoing names a grant to be taken back.
type Undoing struct {
	ApprovalID string `json:"approval_id" jsonschema:"approval id" rule:"minLength=1,maxLength=200"`
	By         string `json:"-"`
}

// Undo takes back a grant that has not taken effect; the request is pending again. It returns not_found, and a conflict
// for every other grant.
func (s *Store) Undo(ctx context.Context, u Undoing) (Approval, error) {
	by := trace.Actor("", u.By)
	row, err := graph.Append[approvalRow](ctx, s.graph, cypher.ApprovalUndo,
		graph.Params{"uid": u.ApprovalID, "by": by})
	switch {
	case err != nil:
		return Approval{}, err
	case row.ApprovalID == "":
		return Approval{}, NoApproval(u.ApprovalID)
	case row.Usable:
		s.recordInSession(ctx, row, "approval.undone", map[string]any{"undone_by": by})
		return row.approval(), nil
	case row.State == "granted":
		return Approval{}, apperr.Newf(apperr.Conflict, "Approval '%s' has taken effect and was used %s", u.ApprovalID,
			render.Plural(row.Used, "time")).
			WithHint("It ends at %s. `revoke_exception` ends it now", instant(row.ValidUntil))
	}
	return Approval{}, apperr.Newf(apperr.Conflict, "Approval '%s' is %s; only an approved request can be undone",
		u.ApprovalID, shownState(row.State)).
		WithHint("A rejection takes effect immediately. The agent can request again when this request expires, at %s",
			instant(&row.ExpiresAt))
}

func instant(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// recordInSession records an answer or its undoing in the session of the request, unless that session has ended.
func (s *Store) recordInSession(ctx context.Context, row approvalRow, event string, payload map[string]any) {
	if row.SessionID == "" {
		return
	}
	who := Caller{SessionID: row.SessionID, By: row.AgentID}
	session, err := s.governed(ctx, who)
	if err != nil { // the session has ended; the approval itself names who answered
		return
	}
	payload["approval_id"], payload["action"] = row.ApprovalID, row.Action
	s.trace.AppendAsync(ctx, s.selectorOf(who, session), trace.Event{Type: event, Payload: payload})
}
