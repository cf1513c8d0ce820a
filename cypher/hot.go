package cypher

import (
	"time"
)

// Hot are the statements of a first check and of a first context, the check's in front, with parameters of the types that they
// usually have: the server keeps a plan for each combination of types. Planning takes most of the
// time of these statements on an engine that has just started, so its supervisor has them planned after the start.
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
		{RulesInForce, map[string]any{"names": []string{}, "scoped": []string{}}},
		{RulesInForce, map[string]any{"names": texts, "scoped": []string{}}},
		{VerdictsRecord, map[string]any{"verdicts": []any{map[string]any{"properties": map[string]any{"agent": text}}}}},
		{Probe, nil},
		{DecisionsFalling, map[string]any{"at": none, "budget": 10, "filter": map[string]any{}, "from": earliest, "lead": spans, "limit": 10, "retracted": false, "skip": 0, "to": latest, "uid": ""}},
		{DecisionsRising, map[string]any{"at": none, "budget": 1, "filter": map[string]any{"agent": text}, "from": earliest, "lead": map[string]any{"agent": text}, "limit": 1, "retracted": false, "skip": 0, "to": latest, "uid": ""}},
		{Overdue, map[string]any{"agent": none, "budget": 100, "category": none, "earliest": earliest, "least": 1, "limit": 5, "most": 100, "project": none}},
		{Stale, map[string]any{"agent": none, "budget": 100, "category": none, "days": 30, "earliest": earliest, "least": 1, "limit": 5, "most": 100, "open": texts, "project": none}},
		{Wisdom, map[string]any{"categories": texts[:5], "earliest": earliest, "most": 50, "project": none}},
		{Contradicted, map[string]any{"agent": none, "budget": 2000, "category": none, "limit": 10, "project": none, "uids": texts}},
		{Alike, map[string]any{"agent": none, "among": true, "budget": 0, "category": none, "earliest": earliest, "least": 0.925, "nearest": 12, "newest": 0, "project": none, "uids": texts}},
		{PatternsConfirmed, map[string]any{"limit": 10}},
		{CellsOfScopes, map[string]any{"from": 30, "scopes": texts[:5], "to": none}},
		{CellsOfKind, map[string]any{"kind": text, "limit": 50}},
		{CellsOfKeys, map[string]any{"keys": []any{cell, cell, cell, cell, cell, cell, cell, cell, cell, cell}}},
		{DecisionsAround, map[string]any{"limit": 3, "links": false, "uids": texts}},
		{NamesFirst, map[string]any{"agent": text, "project": ""}},
		{CircuitsReset, map[string]any{"scopes": texts[:2]}},
		{ThresholdByName, map[string]any{"names": texts[:1]}},
	}
}

// Typical is a statement with parameters like those that it is usually sent with.
type Typical struct {
	Statement
	Parameters map[string]any
}
