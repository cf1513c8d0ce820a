package live

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/policies"
	"nomograph/policies/rule"
)

// Watched identifies what a subscriber watches.
type Watched struct {
	Kind  string // KindPolicy or KindThreshold
	Name  string
	Scope string // prefer the node for this scope; may be empty
}

// Observation is the result of reading a name: a node, or the error of a read: not_found, or a conflict for a duplicate
// name. If Away is true the database could not be read, and Err says why.
type Observation struct {
	At   time.Time // when this process read it, in UTC
	Node policies.Node
	Err  error
	Away bool
}

// Same reports whether two observations are equal for a reader.
func (o Observation) Same(other Observation) bool { return o.state() == other.state() }

// state is equal for two observations without a visible difference.
func (o Observation) state() string {
	if o.Away {
		return "away"
	}
	if o.Err != nil {
		f := apperr.From(o.Err)
		return string(f.Code) + ": " + f.Message
	}
	return o.Node.Reading.Source + " " + o.Node.Reading.Version
}

// observe reads all targets in one statement, each as Policy or Threshold does. It also returns the element ids of
// manual edits.
func (s *Store) observe(ctx context.Context, targets map[Watched]struct{}, now func() time.Time) (seen map[Watched]Observation, unrecorded []string, err error) {
	names := map[string][]string{policies.KindPolicy: {}, policies.KindThreshold: {}}
	for t := range targets {
		names[t.Kind] = append(names[t.Kind], policies.NamesFor(t.Name, t.Scope)...)
	}
	rows, err := graph.All[struct {
		Kind, ID, Recorded string
		Properties         map[string]any
		Links              []any
	}](ctx, s.graph, cypher.WatchedNodes, graph.Params{"policies": names[policies.KindPolicy], "thresholds": names[policies.KindThreshold]})
	if err != nil {
		return nil, nil, err
	}
	called := map[[2]string][]policies.Stored{} // by kind and name
	for _, row := range rows {
		name, _ := row.Properties["name"].(string) // one of the requested names
		key := [2]string{row.Kind, name}
		called[key] = append(called[key], policies.Stored{ID: row.ID, Properties: row.Properties, Links: row.Links})
		if row.Recorded != policies.Version(row.Properties, graph.Texts(row.Links)) {
			unrecorded = append(unrecorded, row.ID)
		}
	}
	at := now().UTC()
	seen = make(map[Watched]Observation, len(targets))
	for t := range targets {
		var found []policies.Stored
		for _, name := range policies.NamesFor(t.Name, t.Scope) {
			found = append(found, called[[2]string{t.Kind, name}]...)
		}
		seen[t] = t.among(found, at)
	}
	return seen, unrecorded, nil
}

// among returns the observation of the target from the nodes with its names.
func (t Watched) among(found []policies.Stored, at time.Time) Observation {
	node, source, err := policies.Pick(policies.LabelsOfKinds[t.Kind], t.Name, t.Scope, found)
	switch {
	case err != nil:
		return Observation{At: at, Err: err}
	case node == nil:
		return Observation{At: at, Err: apperr.Newf(apperr.NotFound, "%s node '%s' not found", policies.LabelsOfKinds[t.Kind], t.Name).
			WithHint("It was removed or renamed. Watchers are notified if it returns")}
	}
	reading := node.Node(source, t.Scope)
	if t.Kind == policies.KindPolicy {
		reading = rule.WithEffect(reading, graph.Texts(node.Links))
	}
	return Observation{At: at, Node: reading}
}
