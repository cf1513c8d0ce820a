package decisions

import (
	"context"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies"
)

// written says what became of a decision: its id and time, and how much was attached and linked.
type written struct {
	ID                string
	At                time.Time
	Attached, Related int64
}

// write puts the decision into the graph, drawing another id where one is taken.
func (s *Store) write(ctx context.Context, d *decision, pending pending, judgement policies.Judgement) (written, error) {
	verdict, err := judgement.Row()
	if err != nil {
		return written{}, err
	}
	const draws = 5
	for draw := 1; ; draw++ {
		d.id = s.newID()
		w, err := graph.Append[written](ctx, s.graph, cypher.DecisionRecord, s.parameters(d, pending, verdict, judgement.At))
		if err == nil || !graph.Taken(err) || d.RequestKey != "" || draw == draws {
			return w, err
		}
	}
}

func (s *Store) parameters(d *decision, pending pending, verdict map[string]any, now time.Time) graph.Params {
	events := make([]any, len(pending.events))
	for i, e := range pending.events {
		events[i] = e.UID
	}
	return graph.Params{"decision": d.properties(now), "review_days": d.reviewDays, "reasons": s.reasonNodes(d.Reasons),
		"agent": s.named(d.agent)[0], "projects": s.named(d.Project), "tags": s.named(d.Tags...), "patterns": s.named(d.Pattern),
		"session": pending.session, "events": events, "consumed": pending.consumed, "related": pending.related(d.told), "verdict": verdict}
}

// named gives the nodes that stand for names, in one order for all, so that two writers do not wait for each other in a
// circle.
func (s *Store) named(names ...string) []any {
	nodes := []any{}
	sorted := slices.SortedFunc(slices.Values(distinct(names)), func(a, b string) int { return strings.Compare(key(a), key(b)) })
	for _, name := range sorted {
		nodes = append(nodes, map[string]any{"key": key(name), "name": name, "uid": s.newUID(), "schema_version": 1})
	}
	return nodes
}

// key is what makes two spellings of a name the same.
func key(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

func (d *decision) properties(now time.Time) map[string]any {
	p := map[string]any{"uid": d.uid, "id": d.id, "schema_version": 1, "decision": d.Decision, "confidence": d.Confidence, "category": d.Category,
		"stakes": d.Stakes, "status": "pending", "agent": d.agent, "agent_asserted": true, "visibility": d.Visibility, "quality_score": d.quality.Score,
		"revision": 0, "bridge_method": d.bridgeMethod}
	for name, text := range map[string]string{"context": d.Context, "project": d.Project, "feature": d.Feature, "file": d.File, "commit": d.Commit,
		"pattern": d.Pattern, "mental_state": d.MentalState, "structure": d.Bridge.Structure, "function": d.Bridge.Function} {
		if text != "" {
			p[name] = text
		}
	}
	if d.RequestKey != "" {
		p["request_key"], p["request_hash"] = d.requestKey(), d.requestHash()
	}
	for name, list := range map[string][]string{"tags": d.Tags, "kpi_indicators": d.KPIIndicators, "tolerance": d.Bridge.Tolerance,
		"enforcement": d.Bridge.Enforcement, "prevention": d.Bridge.Prevention} {
		if len(list) > 0 {
			p[name] = list
		}
	}
	for name, number := range map[string]int64{"pr": d.PR, "line": d.Line} {
		if number > 0 {
			p[name] = number
		}
	}
	reasons := make([]string, len(d.Reasons))
	for i, r := range d.Reasons {
		reasons[i] = r.Text
	}
	p["terms"] = Terms(p, reasons, "")
	p["facets"] = Facets(p, now)
	return p
}
