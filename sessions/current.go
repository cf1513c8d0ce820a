package sessions

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
)

// SessionState is the state of a governed session.
type SessionState struct {
	SessionID     string     `json:"session_id"`
	AgentID       string     `json:"agent_id"`
	Goal          string     `json:"goal,omitempty"`
	RiskTier      string     `json:"risk_tier,omitempty"`
	Active        bool       `json:"active" jsonschema:"false after the session ended"`
	ActiveAtlases []string   `json:"active_atlases"`
	Contexts      []Received `json:"contexts" jsonschema:"contexts given, newest first"`
	Actions       Actions    `json:"actions"`
	Waiting       []string   `json:"pending_approvals" jsonschema:"ids of pending approvals"`
	EventCount    int64      `json:"event_count"`
	StartedAt     time.Time  `json:"started_at"`
	EndedAt       *time.Time `json:"ended_at,omitempty"`
	Head          string     `json:"head" jsonschema:"hash of the last event"`
}

// Received is a context that was delivered to a session.
type Received struct {
	ContextID  string    `json:"context_id"`
	Name       string    `json:"name"`
	AtlasID    string    `json:"atlas_id,omitempty"`
	MatchScore float64   `json:"match_score" jsonschema:"best match score"`
	Times      int64     `json:"times"`
	GivenAt    time.Time `json:"given_at" jsonschema:"last time"`
}

// Current returns the state of the caller's session: the named one, else the ambient one. It returns not_found, and a
// conflict for a session of another agent.
func (s *Store) Current(ctx context.Context, c Caller) (SessionState, error) {
	session, err := s.readableSession(ctx, c)
	if err != nil {
		return SessionState{}, err
	}
	out := SessionState{SessionID: session.ID, AgentID: session.Agent, Goal: session.Goal, RiskTier: session.RiskTier,
		Active: session.EndedAt.IsZero(), ActiveAtlases: session.active(),
		EventCount: session.Count, StartedAt: session.StartedAt, Head: session.Head}
	if !out.Active {
		out.EndedAt = &session.EndedAt
	}
	if out.ActiveAtlases == nil {
		rows, err := s.rows(ctx)
		if err != nil {
			return SessionState{}, err
		}
		out.ActiveAtlases, _, _ = activate(rows, nil)
	}
	received, err := graph.One[struct {
		Contexts []Received
		Waiting  []string
	}](ctx, s.graph, cypher.SessionReceived, graph.Params{"session": session.UID})
	if err != nil {
		return SessionState{}, err
	}
	out.Waiting, out.Contexts = received.Waiting, received.Contexts
	out.Actions, err = s.actions(ctx, session.UID)
	return out, err
}
