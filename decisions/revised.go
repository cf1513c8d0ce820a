package decisions

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/render"
	"nomograph/trace"
)

// revising is a change of a decision.
type revising struct {
	Ref
	by, why string
	changes func(now locked) (map[string]Change, error) // none if nothing changes
	noted   map[string]any                              // further fields of the event in the session
}

// revised is a decision after a change.
type revised struct {
	changes map[string]Change
	number  int64 // of the current revision
	reindex bool
}

// revise changes a locked decision, stores what changed in a Revision with who and why, and records an event in the
// session.
func (s *Store) revise(ctx context.Context, c Caller, r revising) (revised, error) {
	var out revised
	var stated string // the changes in the form of the revision
	err := s.graph.Write(ctx, func(tx *graph.Tx) error {
		now, err := lock(ctx, tx, r.Ref)
		if err != nil {
			return err
		}
		out = revised{}
		out.number, _ = now.Decision["revision"].(int64)
		if out.changes, err = r.changes(now); err != nil || len(out.changes) == 0 {
			return err
		}
		out.number++
		params, err := s.updateParameters(now, out.changes,
			map[string]any{"uid": s.NewUID(), "schema_version": 1, "number": out.number, "by": r.by, "why": r.why})
		if err != nil {
			return err
		}
		out.reindex, stated = params["reindex"] == true, params["revision"].(map[string]any)["changes"].(string)
		return tx.Run(ctx, cypher.DecisionUpdate, params)
	})
	if err != nil || len(out.changes) == 0 {
		return out, err
	}
	event := map[string]any{"id": r.ID, "uid": r.UID, "decision": render.Title(r.Decision),
		"updated_fields": graph.List(slices.Sorted(maps.Keys(out.changes))),
		"revision":       out.number, "why": r.why, "changes": stated}
	maps.Copy(event, r.noted)
	s.Note(ctx, c, "update", event)
	s.WakeWorkers()
	return out, nil
}

// updateParameters returns the parameters for the changes: new properties, derived ones, and replaced nodes.
func (s *Store) updateParameters(now locked, changes map[string]Change, revision map[string]any) (graph.Params, error) {
	text, err := json.Marshal(changes)
	if err != nil {
		return nil, err
	}
	revision["changes"] = string(text)
	after, reasons := maps.Clone(now.Decision), now.Reasons
	p := graph.Params{"uid": now.Decision["uid"], "revision": revision, "projects": nil, "tags": nil, "patterns": nil,
		"reasons": nil}
	bridge := BridgeOf(now.Decision)
	for name, change := range changes {
		switch to := change.To.(type) {
		case []Reason:
			reasons, p["reasons"] = to, s.ReasonNodes(to)
			continue
		case *Bridge:
			bridge = to
			continue
		case []any:
			if len(to) == 0 { // the graph then looks as if the list had never had items
				change.To = nil
			}
		}
		after[name] = change.To
	}
	for name, nodes := range map[string]string{"project": "projects", "tags": "tags", "pattern": "patterns"} {
		if _, changed := changes[name]; changed {
			p[nodes] = s.Named(append(graph.Texts(after[name]), graph.Text(after, name))...)
		}
	}
	derive(after, reasons, bridge, now.Deliberated)
	SearchText(after, reasons, now.review(), now.Now)
	after["revision"] = revision["number"]
	p["properties"] = ChangedProperties(now.Decision, after)
	p["reindex"] = slices.ContainsFunc(embeddedProperties,
		func(name string) bool { return now.Decision[name] != after[name] })
	return p, nil
}

// embeddedProperties are the properties from which vectors are computed.
var embeddedProperties = []string{"decision", "context", "terms", "structure", "function"}

// derive recomputes derived properties: an unstated bridge, and the quality.
func derive(p map[string]any, reasons []Reason, bridge *Bridge, deliberated []string) {
	d := Draft{Record: Record{Decision: graph.Text(p, "decision"),
		ExtraFields: ExtraFields{Context: graph.Text(p, "context"), Pattern: graph.Text(p, "pattern"),
			Project: graph.Text(p, "project"), Feature: graph.Text(p, "feature"), Tags: graph.Texts(p["tags"]),
			Reasons: reasons, Bridge: bridge}}}
	d.PR, _ = p["pr"].(int64)
	for _, kind := range deliberated {
		d.known.events = append(d.known.events, trace.Recorded{Type: kind})
	}
	d.bridge()
	p["quality_score"] = qualityOf(&d).Score
	p["bridge_method"] = d.bridgeMethod
	maps.Copy(p, d.Bridge.properties())
}

// ChangedProperties returns the properties that differ; removed ones are null.
func ChangedProperties(before, after map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range after {
		if !reflect.DeepEqual(before[name], value) {
			out[name] = value
		}
	}
	return out
}

// ReasonNodes returns the nodes of reasons, in order.
func (s *Store) ReasonNodes(reasons []Reason) []any {
	nodes := make([]any, len(reasons))
	for i, r := range reasons {
		nodes[i] = map[string]any{"position": i + 1,
			"properties": map[string]any{"uid": s.NewUID(), "schema_version": 1, "type": r.Type, "text": r.Text,
				"strength": r.EffectiveStrength()}}
	}
	return nodes
}
