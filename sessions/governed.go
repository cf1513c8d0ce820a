package sessions

import (
	"context"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/internal/uid"
	"nomograph/trace"
)

// Caller says for whom a call acts, and in which session.
type Caller struct {
	SessionID string `json:"session_id,omitempty" jsonschema:"session id (default the client's latest session)" rule:"maxLength=200" claim:"session"`
	AgentID   string `json:"agent_id,omitempty" jsonschema:"acting agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	By        string `json:"-"` // the caller's authenticated name
}

func (c Caller) actor() string { return trace.Actor(c.AgentID, c.By) }

// Start asks for a governed session.
type Start struct {
	Goal       string   `json:"goal" jsonschema:"what you are trying to accomplish" rule:"minLength=1,maxLength=10000"`
	AtlasHints []string `json:"atlas_hints,omitempty" jsonschema:"atlases or domains of the task (default all atlases)" rule:"maxItems=50"`
	RiskTier   string   `json:"risk_tier,omitempty" jsonschema:"risk tier of the task; adds contexts for that risk" rule:"enum=low|medium|high|critical"`
	MaxTokens  int      `json:"max_tokens,omitempty" jsonschema:"maximum number of tokens of the initial contexts" rule:"minimum=100,maximum=100000,default=4000"`
	Caller

	capabilities []string // capabilities that the agent states
}

// Started describes the new session.
type Started struct {
	SessionID      string    `json:"session_id"`
	ActiveAtlases  []string  `json:"active_atlases"`
	InitialContext []Context `json:"initial_context" jsonschema:"contexts that always apply and best matches for the goal"`
	LeftOut        []LeftOut `json:"left_out,omitempty" jsonschema:"contexts left out to fit max_tokens"`
	TraceID        string    `json:"trace_id" jsonschema:"session event that records them"`
	GenesisHash    string    `json:"genesis_hash" jsonschema:"hash of the session's first event"`
	Notes          []string  `json:"notes,omitempty"`
}

// governed is a Session node with the fields of a governed session. The zero value means no session.
type governed struct {
	UID, ID, Agent, Goal, RiskTier, Head string
	Atlases, Open                        []any
	StartedAt, EndedAt                   time.Time
	Count                                int64
}

// active returns the atlases of the session; nil means all.
func (g governed) active() []string {
	if g.Atlases == nil {
		return nil
	}
	return graph.Texts(g.Atlases)
}

// Start opens a session for a goal, makes it the ambient one of its agent, and delivers its first contexts. It returns
// a validation_error for a goal without words.
func (s *Store) Start(ctx context.Context, q Start) (Started, error) {
	if strings.TrimSpace(q.Goal) == "" {
		return Started{}, apperr.New(apperr.Validation, "`goal` is empty").WithHint("Describe your goal in a sentence")
	}
	if q.SessionID != "" {
		if was, err := s.governed(ctx, q.Caller); err == nil && was.Goal != "" {
			return Started{}, apperr.Newf(apperr.Conflict, "Session '%s' was already started", q.SessionID).
				WithHint("Leave `session_id` out, or choose another")
		} else if err != nil && !apperr.Is(err, apperr.NotFound) {
			return Started{}, err
		}
	} else {
		q.SessionID = uid.New()
	}
	rows, err := s.rows(ctx)
	if err != nil {
		return Started{}, err
	}
	out := Started{SessionID: q.SessionID}
	var chosen []string
	out.ActiveAtlases, chosen, out.Notes = activate(rows, q.AtlasHints)
	who := trace.SessionSelector{Agent: q.actor(), Workspace: s.Workspace, SessionID: q.SessionID}
	payload := map[string]any{"goal": q.Goal, "atlas_hints": q.AtlasHints, "atlases": out.ActiveAtlases,
		"risk_tier": q.RiskTier}
	if q.capabilities != nil {
		payload["capabilities"] = q.capabilities
	}
	session, err := s.trace.Append(ctx, who, trace.Event{Type: "session.started", Payload: payload})
	if err != nil {
		return Started{}, err
	}
	out.GenesisHash = session.Head
	if _, err := graph.Append[struct{}](ctx, s.graph, cypher.SessionGovern,
		graph.Params{"uid": session.SessionUID, "goal": redact.Mask(q.Goal),
			"atlases": nullIfEmpty(chosen), "risk_tier": graph.NullIfEmpty(q.RiskTier),
			"connection": caller.From(ctx).Connection}); err != nil {
		return Started{}, err
	}
	n := need{text: q.Goal, atlases: chosen, risk: q.RiskTier, always: true, limit: startLimit, tokens: q.MaxTokens,
		event: "context.given"}
	found, err := s.findContexts(ctx, n)
	if err != nil {
		return Started{}, err
	}
	delivered, err := s.deliver(ctx, who, n, found)
	if err != nil {
		return Started{}, err
	}
	out.InitialContext, out.LeftOut, out.TraceID = delivered.MatchedContexts, delivered.LeftOut, delivered.TraceID
	out.Notes = append(out.Notes, delivered.Notes...)
	if len(rows) == 0 {
		out.Notes = []string{noAtlas}
	}
	return out, nil
}

// startLimit is the number of contexts for a goal, besides those with the mode "always".
const startLimit = 3

// nullIfEmpty returns atlases as a parameter; null, which means all atlases, for an empty list.
func nullIfEmpty(atlases []string) any {
	if atlases == nil {
		return nil
	}
	return atlases
}

// activate returns the atlases that hints name by id, domain or name, with their dependencies. chosen is nil if all are
// active.
func activate(rows []AtlasRow, hints []string) (active, chosen, notes []string) {
	active = []string{}
	hinted := map[string]bool{}
	for _, hint := range hints {
		found := false
		for _, row := range rows {
			is := func(text string) bool { return strings.EqualFold(strings.TrimSpace(hint), text) }
			if is(row.AtlasID) || is(row.Name) || slices.ContainsFunc(row.Domains, is) {
				found, hinted[row.AtlasID] = true, true
			}
		}
		if !found {
			notes = append(notes, "No atlas has the name or subject '"+redact.Mask(hint)+"'")
		}
	}
	if len(hinted) == 0 {
		for _, row := range rows {
			active = append(active, row.AtlasID)
		}
		return active, nil, notes
	}
	for more := true; more; { // dependencies are active, too
		more = false
		for _, row := range rows {
			for id := range row.Dependencies {
				if hinted[row.AtlasID] && !hinted[id] {
					hinted[id], more = true, true
				}
			}
		}
	}
	for _, row := range rows {
		if hinted[row.AtlasID] {
			active = append(active, row.AtlasID)
		}
	}
	return active, active, notes
}

// governed finds the session of a call: the named one, else the ambient one, if any. It returns not_found, and a
// conflict for a session that has ended or belongs to another agent.
func (s *Store) governed(ctx context.Context, c Caller) (governed, error) {
	session, err := s.anySession(ctx, c)
	if err == nil && !session.EndedAt.IsZero() {
		return governed{}, apperr.Newf(apperr.Conflict, "Session '%s' ended at %s", session.ID, session.EndedAt.UTC().
			Format(time.RFC3339)).
			WithHint("Start another with `cra_start_session`")
	}
	return session, err
}

// anySession is like governed but accepts a session that has ended.
func (s *Store) anySession(ctx context.Context, c Caller) (governed, error) {
	session, err := s.sessionOfAnyAgent(ctx, c)
	if err == nil && session.UID != "" && !caller.SameAgent(session.Agent, c.actor()) {
		if caller.From(ctx).Limited() {
			return governed{}, NoSession(c.SessionID)
		}
		return governed{}, apperr.Newf(apperr.Conflict, "The session '%s' belongs to another agent, not to '%s'",
			session.ID, c.actor()).
			WithHint("Leave `session_id` out, or start a session with `cra_start_session`")
	}
	return session, err
}

// sessionOfAnyAgent is like governed for a session of any agent. If clients with the same name cannot be distinguished
// and several of their sessions are open, the call must name its session.
func (s *Store) sessionOfAnyAgent(ctx context.Context, c Caller) (governed, error) {
	asked := graph.Params{"session": graph.NullIfEmpty(c.SessionID), "key": strings.ToLower(c.actor()),
		"workspace": s.Workspace, "connection": "", "idle": s.trace.Idle.Milliseconds()}
	if c.SessionID == "" {
		asked["connection"] = caller.From(ctx).Connection
	}
	found, err := graph.One[governed](ctx, s.graph, cypher.SessionGoverned, asked)
	switch {
	case err != nil:
		return governed{}, err
	case found.UID == "" && c.SessionID != "":
		return governed{}, NoSession(c.SessionID)
	case len(found.Open) > 1:
		return governed{}, apperr.Newf(apperr.Conflict, "'%s' has several open sessions", c.actor()).
			WithHint("Pass the `session_id` of `cra_start_session`. Open: %s",
				strings.Join(graph.Texts(found.Open), ", "))
	}
	return found, nil
}

// NoSession returns the error for a session that does not exist or that the caller may not see.
func NoSession(id string) error {
	return apperr.Newf(apperr.NotFound, "Session '%s' not found", id).
		WithHint("Start a session with `cra_start_session`, which returns its id")
}

// selectorOf selects the session to which a call's events belong: the session found, else the ambient one.
func (s *Store) selectorOf(c Caller, g governed) trace.SessionSelector {
	who := trace.SessionSelector{Agent: c.actor(), Workspace: s.Workspace, SessionUID: g.UID}
	if c.SessionID != "" {
		who.SessionID = g.ID
	}
	return who
}
