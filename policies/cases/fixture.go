package cases

import (
	"context"
	"slices"
	"strconv"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies/pack"
)

// Fixture is the complete graph of a case.
type Fixture struct {
	Nodes         []FixtureNode         `json:"nodes"`
	Relationships []FixtureRelationship `json:"relationships,omitempty"`
}

// FixtureNode is a node; ID names it for relationships. An RFC 3339 string becomes a time, and {ago: 2h} the time two
// hours before the case's now.
type FixtureNode struct {
	ID         string           `json:"id,omitempty"`
	Labels     []string         `json:"labels"`
	Properties graph.Parameters `json:"properties,omitempty"`
}

// FixtureRelationship connects two nodes of the fixture.
type FixtureRelationship struct {
	From       string           `json:"from"`
	Type       string           `json:"type"`
	To         string           `json:"to"`
	Properties graph.Parameters `json:"properties,omitempty"`
}

// node returns the index of the first node with that id, or -1.
func (f *Fixture) node(id string) int {
	return slices.IndexFunc(f.Nodes, func(n FixtureNode) bool { return n.ID == id })
}

// store replaces the content of a graph by the fixture.
func (f *Fixture) store(ctx context.Context, db *graph.DB, now time.Time) error {
	nodes, links := make([]any, len(f.Nodes)), make([]any, len(f.Relationships))
	for i, n := range f.Nodes {
		nodes[i] = map[string]any{"labels": graph.List(n.Labels), "properties": convertTimes(n.Properties, now)}
	}
	for i, r := range f.Relationships {
		links[i] = map[string]any{"from": f.node(r.From), "type": r.Type, "to": f.node(r.To),
			"properties": convertTimes(r.Properties, now)}
	}
	return db.Write(ctx, func(tx *graph.Tx) error {
		if err := tx.Run(ctx, cypher.ScratchClear, graph.Params{"kept": graph.List(pack.OwnLabels)}); err != nil {
			return err
		}
		return tx.Run(ctx, cypher.ScratchFill, graph.Params{"nodes": nodes, "relationships": links})
	})
}

// convertTimes converts properties that are times.
func convertTimes(properties graph.Parameters, now time.Time) map[string]any {
	out := make(map[string]any, len(properties))
	for key, value := range properties {
		switch v := value.(type) {
		case map[string]any:
			value = graph.UTC(now.Add(-ago(v)))
		case string:
			if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
				value = graph.UTC(at)
			}
		}
		out[key] = value
	}
	return out
}

// ago parses {ago: 1.5h}; the schema has validated the form.
func ago(value map[string]any) time.Duration {
	text, _ := value["ago"].(string)
	unit := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour,
		'd': 24 * time.Hour}[text[len(text)-1]]
	amount, _ := strconv.ParseFloat(text[:len(text)-1], 64)
	return time.Duration(amount * float64(unit))
}
