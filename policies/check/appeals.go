package check

import (
	"cmp"
	"context"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/redact"
	"nomograph/internal/uid"
)

// States of an appeal.
const (
	AppealOpen       = "open"
	AppealUpheld     = "upheld"
	AppealOverturned = "overturned"
)

// Appeal is a claim that a denial is wrong. A person upholds or overturns the denial. Neither changes the verdict nor
// permits the action.
type Appeal struct {
	VerdictID   string     `json:"verdict_id" mapstructure:"verdict"`
	State       string     `json:"state" jsonschema:"open, upheld (the denial was right) or overturned (it was wrong)"`
	Reason      string     `json:"reason" jsonschema:"the agent's reason why the denial is wrong"`
	AgentID     string     `json:"agent_id" jsonschema:"appealing agent" mapstructure:"agent"`
	At          time.Time  `json:"at"`
	Rules       []string   `json:"rules" jsonschema:"rules that denied the action"`
	Description string     `json:"description,omitempty" jsonschema:"denied action"`
	Project     string     `json:"project,omitempty"`
	Category    string     `json:"category,omitempty"`
	Stakes      string     `json:"stakes,omitempty"`
	DecidedBy   string     `json:"decided_by,omitempty"`
	DecidedAt   *time.Time `json:"decided_at,omitempty"`
	Answer      string     `json:"answer,omitempty" jsonschema:"reason given by the person"`
}

// AppealOf decodes the properties of an appeal node. What a manual edit made unreadable stays empty.
func AppealOf(properties map[string]any) *Appeal {
	var a Appeal
	_ = graph.Decode(properties, &a)
	return &a
}

// AppealRequest says that a denial is wrong.
type AppealRequest struct {
	ID      string `json:"id" jsonschema:"verdict_id of the denial, or its beginning" rule:"minLength=1,maxLength=100"`
	Reason  string `json:"reason" jsonschema:"why the denial is wrong" rule:"minLength=1,maxLength=2000"`
	AgentID string `json:"agent_id,omitempty" jsonschema:"appealing agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	By      string `json:"-"`
}

// Appeal stores an appeal of a denial; a verdict has at most one. It returns not_found, a validation_error for a
// verdict that denied nothing or a blank reason, and a conflict for an ambiguous id or a second appeal.
func (s *Store) Appeal(ctx context.Context, r AppealRequest) (Appeal, error) {
	found, err := s.Explain(ctx, VerdictQuery{ID: r.ID})
	if err != nil {
		return Appeal{}, err
	}
	reason := redact.Mask(strings.TrimSpace(r.Reason))
	switch {
	case found.Allowed:
		return Appeal{}, apperr.Newf(apperr.Validation, "Verdict '%s' allowed the action", found.VerdictID).
			WithHint("Appeal a denial. `list_verdicts` with allowed: false lists denials")
	case reason == "":
		return Appeal{}, apperr.New(apperr.Validation, "reason is required").WithHint("Say why the denial is wrong")
	}
	rules := lists.Map(found.Violations, func(v Violation) string { return v.GuardrailID })
	by := cmp.Or(r.AgentID, r.By)
	if who := caller.From(ctx); caller.Identity(by) != caller.Identity(found.AgentID) && who.Authenticated &&
		!who.May(caller.Govern) { // a stranger must not use up the only appeal of a verdict
		return Appeal{}, apperr.Newf(apperr.PermissionDenied,
			"Only '%s', whose action was denied, can appeal verdict '%s'", found.AgentID, found.VerdictID).
			WithHint("Let that agent appeal it, or a person with permission to govern")
	}
	shown, _ := redact.Text(by)
	row, err := graph.Append[struct {
		Appeal  *Appeal
		Created bool
	}](ctx, s.graph, cypher.AppealCreate, graph.Params{"verdict": found.VerdictID,
		"appeal": map[string]any{"uid": uid.New(), "reason": reason, "agent": shown,
			"agent_key": caller.Identity(by), "asked_by": caller.Identity(r.By),
			"denied_key": caller.Identity(found.AgentID), "rules": rules}})
	switch {
	case err != nil:
		return Appeal{}, err
	case row.Appeal == nil:
		return Appeal{}, apperr.Newf(apperr.NotFound, "Verdict '%s' not found", r.ID).
			WithHint("It was deleted during the call; `list_verdicts` shows stored verdicts")
	case !row.Created:
		conflict := apperr.Newf(apperr.Conflict, "Verdict '%s' was appealed before, by '%s'; the appeal is %s",
			found.VerdictID,
			row.Appeal.AgentID, row.Appeal.State)
		if row.Appeal.State == AppealOpen {
			return Appeal{}, conflict.WithHint("Wait until a person with the permission govern decides it")
		}
		return Appeal{}, conflict.WithHint("Check the action again; a new denial can be appealed")
	}
	return *row.Appeal, nil
}

// AppealAnswer decides an appeal.
type AppealAnswer struct {
	ID     string `json:"id" jsonschema:"verdict_id of the denial, or its beginning" rule:"minLength=1,maxLength=100"`
	Reason string `json:"reason" jsonschema:"reason, shown to the agent" rule:"minLength=1,maxLength=2000"`
	By     string `json:"-"`
}

// Uphold decides that an appealed denial was right. It returns not_found for a verdict without an appeal,
// permission_denied to the agent that appealed or was denied, and a conflict for a decided appeal.
func (s *Store) Uphold(ctx context.Context, a AppealAnswer) (Appeal, error) {
	return s.decide(ctx, a, AppealUpheld)
}

// Overturn decides that an appealed denial was wrong. It changes no verdict and permits nothing. It returns the errors
// of Uphold.
func (s *Store) Overturn(ctx context.Context, a AppealAnswer) (Appeal, error) {
	return s.decide(ctx, a, AppealOverturned)
}

func (s *Store) decide(ctx context.Context, a AppealAnswer, state string) (Appeal, error) {
	found, err := s.Explain(ctx, VerdictQuery{ID: a.ID})
	if err != nil {
		return Appeal{}, err
	}
	answer := redact.Mask(strings.TrimSpace(a.Reason))
	if answer == "" {
		return Appeal{}, apperr.New(apperr.Validation, "reason is required").WithHint("Tell the agent why")
	}
	by, _ := redact.Text(a.By)
	row, err := graph.Append[struct {
		Appeal      *Appeal
		Usable, Own bool
	}](ctx, s.graph, cypher.AppealDecide, graph.Params{"verdict": found.VerdictID, "state": state, "by": by,
		"identity": caller.Identity(a.By), "answer": answer})
	switch {
	case err != nil:
		return Appeal{}, err
	case row.Appeal == nil:
		return Appeal{}, apperr.Newf(apperr.NotFound, "Verdict '%s' has no appeal", found.VerdictID).
			WithHint("List appeals with `list_appeals`")
	case row.Own:
		return Appeal{}, apperr.Newf(apperr.PermissionDenied,
			"'%s' appealed or was denied, and cannot decide the appeal", by).WithHint("Another person has to decide it")
	case !row.Usable:
		return Appeal{}, apperr.Newf(apperr.Conflict, "The appeal of verdict '%s' is already %s", found.VerdictID,
			row.Appeal.State).
			WithHint("The decision of '%s' is final. Change the rule instead", row.Appeal.DecidedBy)
	}
	return *row.Appeal, nil
}

// AppealsQuery selects appeals.
type AppealsQuery struct {
	State string `json:"state,omitempty" jsonschema:"filter by state (default all)" rule:"enum=open|upheld|overturned"`
	Rule  string `json:"rule,omitempty" jsonschema:"filter by rule that denied" rule:"maxLength=200"`
	Limit int    `json:"limit,omitempty" jsonschema:"maximum results" rule:"minimum=1,maximum=500,default=50"`
}

// AppealList holds appeals, newest first.
type AppealList struct {
	Appeals []Appeal `json:"appeals"`
	Total   int      `json:"total" jsonschema:"number of appeals, at most 10,000"`
}

const maxAppeals = 10_000

// Appeals lists appeals of verdicts that the caller may see.
func (s *Store) Appeals(ctx context.Context, q AppealsQuery) (AppealList, error) {
	return graph.One[AppealList](ctx, s.graph, cypher.AppealsFound,
		graph.Params{"state": graph.NullIfEmpty(q.State), "rule": graph.NullIfEmpty(q.Rule),
			"limit": cmp.Or(q.Limit, 50), "most": maxAppeals})
}
