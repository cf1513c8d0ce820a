package sessions

import (
	"cmp"
	"context"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/internal/uid"
	"nomograph/trace"
)

// Feedback says whether a context helped.
type Feedback struct {
	ContextID string `json:"context_id" jsonschema:"id of the rated context" rule:"minLength=1,maxLength=200"`
	Helpful   bool   `json:"helpful" jsonschema:"true if the context helped with your task"`
	Reason    string `json:"reason,omitempty" jsonschema:"reason for the maintainer of the atlas" rule:"maxLength=2000"`
	Caller
}

// StoredFeedback is the stored feedback.
type StoredFeedback struct {
	Recorded  bool   `json:"recorded"`
	ContextID string `json:"context_id"`
	Need      string `json:"need" jsonschema:"need for which the session received the context; empty if the session did not receive it"`
	Replaced  bool   `json:"replaced" jsonschema:"true if it replaces your earlier feedback on the same need"`
	TraceID   string `json:"trace_id" jsonschema:"event in the session"`
	Note      string `json:"note,omitempty"`
}

// GiveFeedback stores one vote for each agent, context and need, so that one agent alone cannot promote a context. It
// returns not_found for a context without an atlas, and the session errors of Request.
func (s *Store) GiveFeedback(ctx context.Context, q Feedback) (StoredFeedback, error) {
	session, err := s.governed(ctx, q.Caller)
	if err != nil {
		return StoredFeedback{}, err
	}
	reason := redact.Mask(q.Reason)
	stored, err := graph.Append[struct {
		UID, Need, Given string
		Replaced         bool
	}](ctx, s.graph, cypher.FeedbackStore, graph.Params{"context": q.ContextID,
		"session": graph.NullIfEmpty(session.UID), "agent": caller.Identity(q.actor()),
		"uid": uid.New(), "helpful": q.Helpful, "reason": graph.NullIfEmpty(reason)})
	if err != nil {
		return StoredFeedback{}, err
	}
	if stored.UID == "" {
		return StoredFeedback{}, apperr.Newf(apperr.NotFound, "Context '%s' not found", q.ContextID).
			WithHint("Use the context_id exactly as you received it, or find contexts with `cra_search_contexts`")
	}
	receipt, err := s.trace.Append(ctx, s.selectorOf(q.Caller, session),
		trace.Event{Type: "feedback", Payload: map[string]any{"context_id": q.ContextID, "helpful": q.Helpful,
			"reason": q.Reason,
			"need":   stored.Need, "given": stored.Given}})
	if err != nil {
		return StoredFeedback{}, err
	}
	out := StoredFeedback{Recorded: true, ContextID: q.ContextID, Need: stored.Need, Replaced: stored.Replaced,
		TraceID: receipt.Events[0].UID}
	if stored.Given == "" {
		out.Note = "The context was not given in this session, so the vote concerns no need"
	}
	return out, nil
}

// FeedbackQuery selects feedback.
type FeedbackQuery struct {
	ContextID string `json:"context_id,omitempty" jsonschema:"context id (default all contexts given or rated)" rule:"maxLength=200"`
	Limit     int    `json:"limit,omitempty" jsonschema:"maximum number of contexts" rule:"minimum=1,maximum=500,default=50"`
}

// FeedbackList holds feedback by context, most delivered first.
type FeedbackList struct {
	Contexts []ContextFeedback `json:"contexts"`
}

// ContextFeedback is the feedback on one context.
type ContextFeedback struct {
	ContextID string          `json:"context_id"`
	Summary   FeedbackSummary `json:"feedback_summary" mapstructure:",squash"`
}

// FeedbackSummary counts deliveries and votes of a context.
type FeedbackSummary struct {
	TotalRequests           int64    `json:"total_requests" mapstructure:"requests" jsonschema:"number of times given"`
	HelpfulCount            int64    `json:"helpful_count" mapstructure:"helpful"`
	NotHelpfulCount         int64    `json:"not_helpful_count" mapstructure:"not_helpful"`
	CommonNeedsWhenHelpful  []string `json:"common_needs_when_helpful" mapstructure:"needs" jsonschema:"most frequent first"`
	CommonReasonsNotHelpful []string `json:"common_reasons_not_helpful" mapstructure:"reasons"`
}

const maxCommon = 5

// FeedbackOn summarizes all votes by context. It returns not_found for an unknown context.
func (s *Store) FeedbackOn(ctx context.Context, q FeedbackQuery) (FeedbackList, error) {
	rows, err := graph.All[ContextFeedback](ctx, s.graph, cypher.FeedbackSummary,
		graph.Params{"context": graph.NullIfEmpty(q.ContextID), "limit": cmp.Or(q.Limit, 50), "common": maxCommon})
	if err != nil {
		return FeedbackList{}, err
	}
	if len(rows) == 0 && q.ContextID != "" {
		return FeedbackList{}, apperr.Newf(apperr.NotFound, "Context '%s' not found", q.ContextID).
			WithHint("Find contexts with `cra_search_contexts`")
	}
	return FeedbackList{rows}, nil
}
