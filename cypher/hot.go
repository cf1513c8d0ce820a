package cypher

import (
	"maps"
	"time"
)

// Hot returns the statements of a first check, followed by those of a first context and of the first page of the
// explorer, with parameters of their usual types and sizes. The server caches a plan for each statement and types of
// parameters. On a new engine, planning takes most of the time, so the supervisor plans them after a start.
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
		{NamesFirst, map[string]any{"agent": "", "project": ""}},
		{CellsOfScopes, map[string]any{"from": none, "reasons": false, "scopes": append(texts, text), "to": none}},
		{AgentSince, map[string]any{"agent": text, "name": text, "earliest": earliest}},
		{PatternsConfirmed, map[string]any{"limit": 10}},
		{Wisdom, map[string]any{"categories": texts[:5], "earliest": earliest, "lessons": 1, "most": 50,
			"project": none}},
		{DecisionsDetails, map[string]any{"limit": 3, "links": false, "uids": texts, "whole": 0}},
		{ContradictingPairs, map[string]any{"agent": none, "category": none, "limit": 10, "links": 2000,
			"project": none,
			"uids":    texts}},
		{SimilarPairs, map[string]any{"agent": none, "among": true, "budget": 0, "category": none, "earliest": earliest,
			"least": 0.925, "nearest": 12,
			"newest": 0, "project": none, "uids": texts}},
		{DecisionsDescending, map[string]any{"at": none, "budget": 10, "filter": map[string]any{}, "from": earliest,
			"lead": spans, "limit": 10, "retracted": false, "skip": 0, "to": latest, "uid": ""}},
		{DecisionsCount, nil},
		{ThresholdByName, map[string]any{"names": texts[:1]}},
		{Today, map[string]any{"agent": none, "budget": 10_000, "few": 5, "hours": 24, "limit": 10, "most": 1001,
			"project": none}},
		{Overdue, due(nil)},
		{Stale, due(map[string]any{"days": 30, "open": append(texts, text)})},
		{CellsRecent, map[string]any{"days": 30, "kind": "category", "limit": 50}},
		{ApprovalsFound, map[string]any{"limit": 100, "state": "waiting", "uid": none}},
		{AppealsFound, map[string]any{"limit": 100, "most": 10_000, "rule": none, "state": "open"}},
		{ProposalsFound, map[string]any{"before": latest, "before_uid": "~", "limit": 101, "stale": []string{},
			"state": "open", "uid": none}},
		{DecisionDetails, map[string]any{"history": true, "id": "00000000", "most": 1000, "ref": "00000000"}},
		{LinksTraverse, map[string]any{"automatic": false, "from": []string{}, "hub": 120, "id": "00000000",
			"incoming": texts[:5], "limit": 60, "links": 120, "outgoing": texts[:5], "steps": 2}},
	}
}

// due returns the parameters of the action items of the first page.
func due(more map[string]any) map[string]any {
	all := map[string]any{"agent": nil, "budget": 1001, "category": nil,
		"earliest": time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC), "least": 1, "limit": 10, "most": 1001,
		"project": nil}
	maps.Copy(all, more)
	return all
}

// Typical is a statement with typical parameters.
type Typical struct {
	Statement
	Parameters map[string]any
}
