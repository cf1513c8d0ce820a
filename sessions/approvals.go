package sessions

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph"
	"nomograph/layout"
	"nomograph/policies"
	"nomograph/policies/gate"
	"nomograph/trace"
)

// approvalWaits is how long a person can answer before a request expires.
const approvalWaits = 24 * time.Hour

// Approval is what a person is asked for: one action with its parameters, of one agent.
type Approval struct {
	ApprovalID string     `json:"approval_id"`
	State      string     `json:"state" jsonschema:"waiting, granted, denied or expired"`
	AgentID    string     `json:"agent_id" jsonschema:"who asks"`
	Action     string     `json:"action"`
	Params     string     `json:"params" jsonschema:"as JSON, without secrets"`
	ParamsHash string     `json:"params_hash"`
	Why        string     `json:"why" jsonschema:"what the rules say"`
	Rules      []string   `json:"rules" jsonschema:"that need a person, or sessions.unknown_action"`
	Versions   []string   `json:"versions" jsonschema:"of these rules"`
	VerdictID  string     `json:"verdict_id"`
	SessionID  string     `json:"session_id,omitempty"`
	AskedAt    time.Time  `json:"asked_at"`
	ExpiresAt  time.Time  `json:"expires_at"`
	AnsweredBy string     `json:"answered_by,omitempty"`
	AnsweredAt *time.Time `json:"answered_at,omitempty"`
	Reason     string     `json:"reason,omitempty" jsonschema:"what the person said"`
	ValidUntil *time.Time `json:"valid_until,omitempty" jsonschema:"of a grant: until when"`
	Once       bool       `json:"once,omitempty" jsonschema:"of a grant: for one time"`
	Used       int64      `json:"used" jsonschema:"how often the action was then done"`
}

// row is an Approval node.
type approvalRow struct {
	UID, State, Agent, AgentKey, Action, Params, ParamsHash, Why, Verdict, Session, AnsweredBy, Reason string
	Rules, Versions                                                                                    []any
	AskedAt, ExpiresAt                                                                                 time.Time
	AnsweredAt, ValidUntil                                                                             *time.Time
	Once, Usable, Asked                                                                                bool
	Used                                                                                               int64
}

func (r approvalRow) approval() Approval {
	return Approval{ApprovalID: r.UID, State: r.State, AgentID: r.Agent, Action: r.Action, Params: r.Params, ParamsHash: r.ParamsHash, Why: r.Why, Rules: graph.Texts(r.Rules),
		Versions: graph.Texts(r.Versions), VerdictID: r.Verdict, SessionID: r.Session, AskedAt: r.AskedAt.UTC(), ExpiresAt: r.ExpiresAt.UTC(), AnsweredBy: r.AnsweredBy,
		AnsweredAt: r.AnsweredAt, Reason: r.Reason, ValidUntil: r.ValidUntil, Once: r.Once, Used: r.Used}
}

// ask looks for a grant for the action, and uses it where the action may be done with it; else says what a person answered, else asks.
func (s *Store) ask(ctx context.Context, out *Reported, q Report, asks asking, objections []gate.Objection, use bool) error {
	params, hash, err := paramsHash(q.Action, q.Params)
	if err != nil {
		return err
	}
	var why, instead []string
	for _, o := range objections {
		why, instead = append(why, o.GuardrailID+": "+o.Message), append(instead, o.Alternatives...)
	}
	if len(why) == 0 {
		why = []string{"no rule knows the action"}
	}
	found, err := graph.Append[approvalRow](ctx, s.graph, cypher.ApprovalClaim, graph.Params{"key": strings.ToLower(q.actor()), "agent": q.actor(), "action": trace.Masked(q.Action), "params": params,
		"hash": hash, "rules": asks.rules, "versions": asks.versions, "why": strings.Join(why, "; "), "verdict": out.VerdictID, "uid": policies.NewUID(), "seconds": int64(approvalWaits.Seconds()),
		"by_key": strings.ToLower(trace.Actor("", q.By)), "use": use})
	if err != nil {
		return fault.From(err).Deny()
	}
	out.ApprovalID = found.UID
	switch found.State {
	case "granted":
		out.Reason = fmt.Sprintf("Granted by %s: %s", found.AnsweredBy, found.Reason)
	case "denied":
		out.Decision, out.Reason, out.Alternatives = DeniedAction, fmt.Sprintf("Denied by %s: %s", found.AnsweredBy, found.Reason), instead
	default:
		expires := found.ExpiresAt.UTC()
		out.Decision, out.Reason, out.Alternatives, out.ExpiresAt = NeedsApproval, strings.Join(why, "; "), instead, &expires
	}
	return nil
}

// linkApproval notes what came of a report that an approval is about.
func (s *Store) linkApproval(ctx context.Context, out Reported) error {
	_, err := graph.Append[struct{}](ctx, s.graph, cypher.ApprovalLink, graph.Params{"uid": out.ApprovalID, "event": out.TraceID, "verdict": out.VerdictID, "session": out.SessionID})
	return err
}

// await waits until a person has answered, and tells whether one has.
func (s *Store) await(ctx context.Context, uid string, until time.Time) (bool, error) {
	for time.Now().Before(until) {
		select {
		case <-ctx.Done():
			return false, nil
		case <-time.After(min(time.Second, time.Until(until))):
		}
		rows, err := graph.All[approvalRow](ctx, s.graph, cypher.ApprovalsFound, graph.Params{"uid": uid, "state": nil, "limit": 1})
		if err != nil {
			return false, err
		}
		if len(rows) > 0 && rows[0].State != "waiting" {
			return true, nil
		}
	}
	return false, nil
}

// ApprovalsQuery asks for approvals.
type ApprovalsQuery struct {
	State string `json:"state,omitempty" jsonschema:"only these" rule:"enum=waiting|granted|denied|expired"`
	Limit int    `json:"limit,omitempty" jsonschema:"at most this many" rule:"minimum=1,maximum=500,default=50"`
}

// ApprovalList has approvals, the newest first.
type ApprovalList struct {
	Approvals []Approval `json:"approvals"`
}

// Layout shows a person the list.
func (l ApprovalList) Layout(page layout.Page) string {
	rows := make([][]string, len(l.Approvals))
	for i, a := range l.Approvals {
		rows[i] = []string{a.ApprovalID, a.State, a.AgentID, a.Action, a.Params, page.Time(a.AskedAt), a.Why}
	}
	return page.List([]string{"APPROVAL_ID", "STATE", "AGENT_ID", "ACTION", "PARAMS", "ASKED_AT", "WHY"}, rows, "")
}

// Approvals lists what people were asked.
func (s *Store) Approvals(ctx context.Context, q ApprovalsQuery) (ApprovalList, error) {
	rows, err := graph.All[approvalRow](ctx, s.graph, cypher.ApprovalsFound, graph.Params{"uid": nil, "state": graph.OrNull(q.State), "limit": cmp.Or(q.Limit, 50)})
	list := ApprovalList{Approvals: make([]Approval, len(rows))}
	for i, row := range rows {
		list.Approvals[i] = row.approval()
	}
	return list, err
}

// ApprovalQuery asks for one approval.
type ApprovalQuery struct {
	ApprovalID string `json:"approval_id" jsonschema:"the approval" rule:"minLength=1,maxLength=200"`
}

// ApprovalShown is an approval with those before it that were for the same action, and how what was done under them turned out.
type ApprovalShown struct {
	Approval
	Precedents []Approval `json:"precedents" jsonschema:"answers to requests for the same action, the newest first"`
	Outcomes   []string   `json:"outcomes" jsonschema:"outcomes of decisions that were made after it in its session"`
}

// Approval shows one approval. It returns not_found.
func (s *Store) Approval(ctx context.Context, q ApprovalQuery) (ApprovalShown, error) {
	rows, err := graph.All[struct {
		Approval   approvalRow
		Precedents []approvalRow
		Outcomes   []any
	}](ctx, s.graph, cypher.ApprovalWhole, graph.Params{"uid": q.ApprovalID})
	if err != nil {
		return ApprovalShown{}, err
	}
	if len(rows) == 0 {
		return ApprovalShown{}, noApproval(q.ApprovalID)
	}
	out := ApprovalShown{Approval: rows[0].Approval.approval(), Precedents: []Approval{}, Outcomes: graph.Texts(rows[0].Outcomes)}
	for _, row := range rows[0].Precedents {
		out.Precedents = append(out.Precedents, row.approval())
	}
	return out, nil
}

func noApproval(id string) error {
	return fault.Newf(fault.NotFound, "Approval '%s' not found", id).WithHint("`list_approvals` shows those there are")
}

// Answer is what a person says to a request for approval.
type Answer struct {
	ApprovalID string `json:"approval_id" jsonschema:"the approval" rule:"minLength=1,maxLength=200"`
	Reason     string `json:"reason" jsonschema:"why: it is kept, and shown to the agent and with later requests" rule:"minLength=1,maxLength=2000"`
	By         string `json:"-"`
}

// Grant is an Answer that allows.
type Grant struct {
	Answer
	ForSeconds int64 `json:"for_seconds,omitempty" jsonschema:"for how long the same action with the same parameters may be done; without it once, within a day" rule:"minimum=1,maximum=2592000"`
}

// Grant allows exactly the action and the parameters that were asked for. It returns not_found, permission_denied to the one who asked, and a
// conflict for one that was answered already or has expired.
func (s *Store) Grant(ctx context.Context, g Grant) (Approval, error) {
	return s.answer(ctx, g.Answer, "granted", g.ForSeconds)
}

// Deny refuses what was asked for, until the request would have expired. Errors are those of Grant.
func (s *Store) Deny(ctx context.Context, a Answer) (Approval, error) {
	return s.answer(ctx, a, "denied", 0)
}

func (s *Store) answer(ctx context.Context, a Answer, state string, seconds int64) (Approval, error) {
	by := trace.Actor("", a.By)
	row, err := graph.Append[approvalRow](ctx, s.graph, cypher.ApprovalAnswer, graph.Params{"uid": a.ApprovalID, "state": state, "by": by, "key": strings.ToLower(by),
		"reason": trace.Masked(a.Reason), "seconds": cmp.Or(seconds, int64(approvalWaits.Seconds())), "once": seconds == 0})
	switch {
	case err != nil:
		return Approval{}, err
	case row.UID == "":
		return Approval{}, noApproval(a.ApprovalID)
	case row.Asked:
		return Approval{}, fault.Newf(fault.PermissionDenied, "'%s' asked for the approval, and cannot answer it", by).WithHint("Another person has to: nothing approves itself")
	case !row.Usable:
		return Approval{}, fault.Newf(fault.Conflict, "The approval '%s' is %s already", a.ApprovalID, row.State).WithHint("The agent asks again, where it still wants to")
	}
	return row.approval(), nil
}
