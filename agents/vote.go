package agents

import (
	"context"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/internal/uid"
	"nomograph/trace"
)

// VoteRequest is an agent's vote on the intent of another agent.
type VoteRequest struct {
	IntentID string   `json:"intent_id" jsonschema:"the intent's id or correlation id" rule:"minLength=1,maxLength=200"`
	Allowed  bool     `json:"allowed" jsonschema:"true to agree, false to object"`
	Reasons  []string `json:"reasons,omitempty" jsonschema:"reasons; required for an objection" rule:"maxItems=20"`
	AgentID  string   `json:"agent_id,omitempty" jsonschema:"voting agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	By       string   `json:"-"`
}

// VoteResult is the stored vote.
type VoteResult struct {
	IntentID      string `json:"intent_id"`
	CorrelationID string `json:"correlation_id"`
	Vote          Vote   `json:"vote"`
}

const maxReasonLength = 2000 // characters

// Answer adds a vote to an intent. An agent can vote again: earlier votes remain stored, and the newest counts. It
// returns not_found, a conflict for a correlation id that several agents used, permission_denied for the caller's own
// intent, and a validation_error for an objection without a reason.
func (s *Store) Answer(ctx context.Context, a VoteRequest) (VoteResult, error) {
	var reasons []string
	for _, reason := range redact.MaskAll(a.Reasons) {
		if len([]rune(reason)) > maxReasonLength {
			return VoteResult{}, apperr.Newf(apperr.Validation, "A reason has %d characters", len([]rune(reason))).
				WithHint("Use at most %d characters", maxReasonLength)
		}
		if reason = strings.TrimSpace(reason); reason != "" {
			reasons = append(reasons, reason)
		}
	}
	if !a.Allowed && len(reasons) == 0 {
		return VoteResult{}, apperr.New(apperr.Validation, "An objection needs a reason").WithHint("Pass `reasons`")
	}
	intent, err := s.findIntent(ctx, a.IntentID)
	if err != nil {
		return VoteResult{}, err
	}
	name := trace.Actor(a.AgentID, a.By)
	if caller.SameAgent(name, intent.AgentID) {
		return VoteResult{}, apperr.Newf(apperr.PermissionDenied, "'%s' announced this intent and cannot vote on it",
			name).WithHint("Another agent has to vote")
	}
	stored, err := graph.Append[struct{ Voice map[string]any }](ctx, s.graph, cypher.VoteAdd,
		graph.Params{"intent": intent.ID, "voice": map[string]any{"uid": uid.New(), "schema_version": 1,
			"agent": name, "agent_key": caller.Key(name), "allowed": a.Allowed, "reasons": graph.List(reasons),
			"auto":           false,
			"agent_asserted": !caller.From(ctx).Authenticated}})
	if err != nil {
		return VoteResult{}, err
	}
	return VoteResult{IntentID: intent.ID, CorrelationID: intent.CorrelationID, Vote: VoteOf(stored.Voice)}, nil
}
