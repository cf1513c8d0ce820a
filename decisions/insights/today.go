package insights

import (
	"cmp"
	"context"
	"sync"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/policies/circuit"
)

// TodayQuery selects the content of the daily overview. Absent filters select all.
type TodayQuery struct {
	Project string `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
	AgentID string `json:"agent_id,omitempty" jsonschema:"filter by agent" rule:"maxLength=200"`
	Hours   int    `json:"hours,omitempty" jsonschema:"hours to look back" rule:"minimum=1,maximum=168,default=24"`
}

// Today holds action items, drift, denials, new decisions and lessons.
type Today struct {
	At       time.Time     `json:"at"`
	Hours    int           `json:"hours"`
	Ready    ReadyList     `json:"ready" jsonschema:"ten most urgent action items"`
	Drifting []DueAction   `json:"drifting" jsonschema:"categories with calibration drift"`
	Circuits []OpenCircuit `json:"circuits" jsonschema:"open or half-open circuit breakers"`
	Frozen   []Frozen      `json:"frozen" jsonschema:"frozen agents and sessions"`
	Blocked  BlockedList   `json:"blocked"`
	Recorded DayDecisions  `json:"recorded"`
	Reviewed DayDecisions  `json:"reviewed"`
}

// Frozen is the rule that freezes an agent or a session.
type Frozen struct {
	Policy  string `json:"policy"`
	Message string `json:"message"`
}

// BlockedList counts denied actions and holds the newest ten.
type BlockedList struct {
	Count   int             `json:"count"`
	AtLeast bool            `json:"at_least,omitempty"`
	Newest  []BlockedAction `json:"newest"`
}

// BlockedAction is a denied action.
type BlockedAction struct {
	VerdictID   string    `json:"verdict_id"`
	At          time.Time `json:"at"`
	AgentID     string    `json:"agent_id,omitempty"`
	Project     string    `json:"project,omitempty"`
	Description string    `json:"description,omitempty"`
	Rules       []string  `json:"rules" jsonschema:"violated rules"`
	Forced      string    `json:"forced,omitempty" jsonschema:"reason given for overriding a block"`
}

// DayDecisions counts decisions and holds the newest five.
type DayDecisions struct {
	Count   int                 `json:"count"`
	AtLeast bool                `json:"at_least,omitempty"`
	Newest  []decisions.Summary `json:"newest"`
}

// OpenCircuit is a circuit breaker that is not closed.
type OpenCircuit struct {
	Scope string `json:"scope"`
	State string `json:"state" jsonschema:"open, half_open or error (state unknown)"`
}

const (
	defaultHours = 24
	todayReady   = 10
	todayShown   = 10
	dayShown     = 5
)

// Today returns the daily overview. The cost does not depend on the number of decisions and verdicts: counts end at
// 1,000, those of stale decisions at 100.
func (s *Store) Today(ctx context.Context, q TodayQuery) (Today, error) {
	var err error
	if q.AgentID, q.Project, err = s.decisions.CanonicalNames(ctx, q.AgentID, q.Project); err != nil {
		return Today{}, err
	}
	q.Hours = cmp.Or(q.Hours, defaultHours)
	due := ReadyQuery{Selection: Selection{Project: q.Project}, AgentID: q.AgentID, Limit: todayReady,
		ActionTypes: []string{ReviewOverdue, stalePending}, maxStale: maxUrgent}
	drift := ReadyQuery{Selection: Selection{Project: q.Project}, AgentID: q.AgentID, Limit: todayReady,
		ActionTypes: []string{drifted}}
	out := Today{Hours: q.Hours}
	var drifts ReadyList
	var errs [4]error
	var all sync.WaitGroup
	all.Go(func() { out.Ready, errs[0] = s.Ready(ctx, due) })
	all.Go(func() { drifts, errs[1] = s.Ready(ctx, drift) })
	all.Go(func() { out.Circuits, errs[2] = s.openCircuits(ctx) })
	all.Go(func() { errs[3] = s.lastHours(ctx, q, &out) })
	all.Wait()
	out.Drifting = drifts.Actions
	return out, cmp.Or(errs[:]...)
}

// lastHours reads recent events.
func (s *Store) lastHours(ctx context.Context, q TodayQuery, out *Today) error {
	read, err := graph.One[struct {
		Blocked, Recorded, Reviewed int64
		Frozen                      []Frozen
		Blocks                      []BlockedAction
		Records, Reviews            []map[string]any
		Now                         time.Time
	}](ctx, s.graph, cypher.Today, graph.Params{"hours": q.Hours, "project": graph.NullIfEmpty(q.Project),
		"agent": graph.NullIfEmpty(q.AgentID), "limit": todayShown,
		"few": dayShown, "most": maxCounted + 1, "budget": precedents.MaxScanned})
	out.At, out.Frozen, out.Blocked.Newest = read.Now.UTC(), read.Frozen, read.Blocks
	out.Recorded.Newest, out.Reviewed.Newest = summaries(read.Records), summaries(read.Reviews)
	for i := range out.Blocked.Newest {
		out.Blocked.Newest[i].At = out.Blocked.Newest[i].At.UTC()
	}
	out.Blocked.Count, out.Blocked.AtLeast = cappedCount(read.Blocked)
	out.Recorded.Count, out.Recorded.AtLeast = cappedCount(read.Recorded)
	out.Reviewed.Count, out.Reviewed.AtLeast = cappedCount(read.Reviewed)
	return err
}

// cappedCount returns the count, or the maximum and true if there are more.
func cappedCount(n int64) (int, bool) { return int(min(n, maxCounted)), n > maxCounted }

func summaries(found []map[string]any) []decisions.Summary {
	return lists.Map(found, decisions.SummaryOf)
}

// openCircuits returns the circuit breakers that are not closed. They count over all projects, so a restricted caller
// gets none.
func (s *Store) openCircuits(ctx context.Context) ([]OpenCircuit, error) {
	if caller.From(ctx).Limited() {
		return nil, nil
	}
	list, err := s.circuit.Breakers(ctx, circuit.BreakersQuery{})
	if err != nil {
		return nil, err
	}
	var open []OpenCircuit
	for _, breaker := range list.Breakers {
		if breaker.State != circuit.Closed && !breaker.Off() {
			open = append(open, OpenCircuit{breaker.Scope, breaker.State})
		}
	}
	return open, nil
}
