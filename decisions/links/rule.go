package links

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/policies/live"
)

// maxVerdictsScanned bounds the cost for a rule that is always violated, for each of its versions.
const maxVerdictsScanned = 10_000

// violation is a violation of a version of a policy by a decision.
type violation struct {
	Policy, Version, Result, Verdict, UID string
	At                                    time.Time
}

// graphOfRule returns the decisions that violated a policy, or the policies that read a threshold, and the decisions
// linked to them. It returns the errors of reading the rule, such as not_found.
func (s *Store) graphOfRule(ctx context.Context, kind, name string, w traversal) (Graph, error) {
	g := Graph{CenterID: kind + ":" + name, Edges: []Edge{}, Notes: []string{
		"Shows decisions that violated a policy: blocked and forced, warned, or in shadow mode. Decisions that a policy allowed have no link to it",
		fmt.Sprintf("At most %d verdicts per version of a policy are examined", maxVerdictsScanned)}}
	g.Nodes = []Node{ruleNode(kind, name, 0)}
	rules := []string{name}
	var unread error // error of reading a policy that is not in the graph now
	if kind == thresholdKind {
		readers, err := s.readersOf(ctx, name)
		if err != nil {
			return Graph{}, err
		}
		rules = readers
		for _, rule := range rules {
			g.Nodes = append(g.Nodes, ruleNode(policyKind, rule, 1))
			g.Edges = append(g.Edges, thresholdUse(rule, name))
		}
		g.Notes = append(g.Notes, "Policies of a threshold are those linked to it, and those whose current conditions name it")
	}
	if kind == policyKind {
		policy, err := s.live.Policy(ctx, live.PolicyQuery{Name: name})
		if err != nil && !apperr.Is(err, apperr.NotFound) && !apperr.Is(err, apperr.Conflict) {
			return Graph{}, err
		}
		unread = err // verdicts of the policy may exist nevertheless
		for _, threshold := range policy.Reading.Thresholds {
			g.Nodes = append(g.Nodes, ruleNode(thresholdKind, threshold, 1))
			g.Edges = append(g.Edges, thresholdUse(name, threshold))
		}
	}
	found, err := graph.All[violation](ctx, s.graph, cypher.DecisionsViolatingPolicy,
		graph.Params{"policies": rules, "scan": maxVerdictsScanned, "limit": w.limit})
	if err != nil {
		return Graph{}, err
	}
	if len(found) == 0 && unread != nil {
		return Graph{}, unread
	}
	return g, s.addViolating(ctx, &g, found, map[string]int{policyKind: 1, thresholdKind: 2}[kind], w)
}

func ruleNode(kind, name string, distance int) Node {
	return Node{ID: kind + ":" + name, Kind: kind, Title: name, Distance: distance}
}

func thresholdUse(policy, threshold string) Edge {
	return Edge{SourceID: policyKind + ":" + policy, TargetID: thresholdKind + ":" + threshold,
		EdgeType: "uses_threshold", Weight: 1}
}

func (s *Store) readersOf(ctx context.Context, threshold string) ([]string, error) {
	rows, err := graph.All[struct{ Name string }](ctx, s.graph, cypher.PoliciesOfThreshold,
		graph.Params{"name": threshold})
	if err != nil {
		return nil, err
	}
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.Name
	}
	if len(names) == 0 {
		_, err = s.live.Threshold(ctx, live.ThresholdQuery{Name: threshold})
	}
	return names, err
}

// addViolating adds decisions that violated a rule, at a distance from the center, and decisions linked to them within
// the depth.
func (s *Store) addViolating(ctx context.Context, g *Graph, found []violation, distance int, w traversal) error {
	g.Truncated = len(found) >= w.limit
	uids := []string{}
	for _, o := range found {
		if !slices.Contains(uids, o.UID) {
			uids = append(uids, o.UID)
		}
	}
	if len(uids) == 0 {
		return nil
	}
	if w.depth--; w.depth == 0 {
		w.outgoing, w.incoming = []string{}, []string{}
	}
	a, err := s.traverse(ctx, uids, w)
	if err != nil {
		return err
	}
	for _, o := range found {
		if decision, ok := a.known[o.UID]; ok {
			g.Edges = append(g.Edges, Edge{SourceID: decision.ID, TargetID: policyKind + ":" + o.Policy,
				EdgeType: "judged_by", Weight: 1, CreatedAt: o.At.UTC(),
				Context: o.Result, Version: o.Version, VerdictID: o.Verdict})
		}
	}
	g.Nodes, g.Edges, g.Truncated = append(g.Nodes, a.nodes(distance)...), append(g.Edges, a.edges()...), g.Truncated ||
		a.cut
	return nil
}
