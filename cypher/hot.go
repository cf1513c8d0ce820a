package cypher

import (
	"maps"
	"time"
)

// Hot returns the statements of a first check, followed by those of a first context and of the first page of the explorer,
// with parameters of their usual types and sizes. The server caches a plan for each statement and types of parameters. On a
// new engine, planning takes most of the time, so the supervisor plans them after a start.
func Hot() []Typical {
	var (
		none     any
		text     = "agent"
		texts    = []string{text, text, text, text, text, text, text, text, text, text}
		earliest = time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)
		latest   = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)
		spans    = map[string]any{"created_at": map[string]any{"from": earliest, "to": latest}}
		cell     = map[string]any{"period": "all", "scope": "category=architecture"}
	)
	return []Typical{
		{RulesInForce, map[string]any{"names": none, "scoped": []string{}, "most": 200}},
		{RulesInForce, map[string]any{"names": texts, "scoped": []string{}, "most": 200}},
		{VerdictsRecord, map[string]any{"verdicts": []any{map[string]any{"properties": map[string]any{"agent": text}}}}},
		{SessionsOpen, map[string]any{"agents": []any{cell}, "sessions": []any{cell}, "idle": 1}},
		{EventsAppend, map[string]any{"sessions": []any{cell}, "idle": 1}},
		{Probe, nil},
		{ContextAgentData.Statement, map[string]any{"names_agent": "", "names_project": "", "thresholds_names": texts[:1], "counted_keys": []any{cell, cell, cell, cell, cell, cell, cell, cell, cell, cell}, "since_agent": text, "since_name": text,
			"since_earliest": earliest, "patterns_limit": 10, "projects_name": none, "drift_kind": text, "drift_limit": 50, "drift_days": 30}},
		{ContextUrgent.Statement, map[string]any{"overdue_agent": none, "overdue_budget": 100, "overdue_category": none, "overdue_earliest": earliest, "overdue_least": 1, "overdue_limit": 5, "overdue_most": 100, "overdue_project": none,
			"stale_agent": none, "stale_budget": 100, "stale_category": none, "stale_days": 30, "stale_earliest": earliest, "stale_least": 1, "stale_limit": 5, "stale_most": 100, "stale_open": texts, "stale_project": none,
			"wisdom_categories": texts[:5], "wisdom_earliest": earliest, "wisdom_lessons": 1, "wisdom_most": 50, "wisdom_project": none}},
		{ContextNeighborhood.Statement, map[string]any{"around_limit": 3, "around_links": false, "around_uids": texts, "around_whole": 0, "contradicted_agent": none, "contradicted_budget": 2000, "contradicted_category": none, "contradicted_limit": 10,
			"contradicted_project": none, "contradicted_uids": texts, "alike_agent": none, "alike_among": true, "alike_budget": 0, "alike_category": none, "alike_earliest": earliest, "alike_least": 0.925, "alike_nearest": 12, "alike_newest": 0,
			"alike_project": none, "alike_uids": texts}},
		{DecisionsDescending, map[string]any{"at": none, "budget": 10, "filter": map[string]any{}, "from": earliest, "lead": spans, "limit": 10, "retracted": false, "skip": 0, "to": latest, "uid": ""}},
		{DecisionsCount, nil},
		{ThresholdByName, map[string]any{"names": texts[:1]}},
		{Today, map[string]any{"agent": none, "budget": 10_000, "few": 5, "hours": 24, "limit": 10, "most": 1001, "project": none}},
		{Overdue, due(nil)},
		{Stale, due(map[string]any{"days": 30, "open": append(texts, text)})},
		{CellsRecent, map[string]any{"days": 30, "kind": "category", "limit": 50}},
		{ApprovalsFound, map[string]any{"limit": 100, "state": "waiting", "uid": none}},
		{AppealsFound, map[string]any{"limit": 100, "most": 10_000, "rule": none, "state": "open"}},
		{ProposalsFound, map[string]any{"before": latest, "before_uid": "~", "limit": 101, "stale": []string{}, "state": "open", "uid": none}},
		{DecisionDetails, map[string]any{"history": true, "id": "00000000", "most": 1000, "ref": "00000000"}},
		{LinksTraverse, map[string]any{"automatic": false, "from": []string{}, "hub": 120, "id": "00000000", "incoming": texts[:5], "limit": 60, "links": 120, "outgoing": texts[:5], "steps": 2}},
	}
}

// due returns the parameters of the action items of the first page.
func due(more map[string]any) map[string]any {
	all := map[string]any{"agent": nil, "budget": 1001, "category": nil, "earliest": time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC), "least": 1, "limit": 10, "most": 1001, "project": nil}
	maps.Copy(all, more)
	return all
}

// Typical is a statement with typical parameters.
type Typical struct {
	Statement
	Parameters map[string]any
}
