package links

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
)

// traversal describes a traversal: outgoing types are followed forwards, incoming types backwards.
type traversal struct {
	outgoing, incoming []string
	automatic          bool // follow automatic links too
	depth, limit       int  // maximum steps, and maximum nodes including the starting nodes
}

const (
	linksPerNode = 2 // bounds the reads of a step: a hub costs what the limit allows, however many links it has
	// relationships of any type: a decision with more, or more than the limit, is read type by type, rare types first
	hub           = 1000
	stepsPerQuery = 3 // steps in one round trip
)

// traversalState is the state of a traversal.
type traversalState struct {
	traversal
	centers  []string // uids
	known    map[string]Node
	links    map[[3]string]link
	order    []string // uids, nearest first
	distance map[string]int
	reached  map[string]link // the link by which a node was reached
	cut      bool
}

// traverse traverses breadth first, with three steps per round trip. It starts at the decisions with the uids. The
// centers are empty if no such decision exists.
func (s *Store) traverse(ctx context.Context, from []string, w traversal) (*traversalState, error) {
	a := &traversalState{traversal: w, known: map[string]Node{}, links: map[[3]string]link{}}
	for done := 0; ; done += stepsPerQuery {
		seen, err := graph.One[struct {
			Centers, Nodes, Edges []any
			Cut                   bool
		}](ctx, s.graph, cypher.LinksTraverse, graph.Params{"from": from, "steps": w.depth - done,
			"automatic": w.automatic, "outgoing": w.outgoing, "incoming": w.incoming,
			"links": linksPerNode * w.limit, "limit": w.limit, "hub": min(hub, linksPerNode*w.limit)})
		if err != nil {
			return nil, err
		}
		if done == 0 {
			a.centers = slices.Sorted(slices.Values(graph.Texts(seen.Centers)))
		}
		a.cut = a.cut || seen.Cut
		a.add(seen.Nodes, seen.Edges)
		a.computeDistances()
		from = a.nodesAt(done + stepsPerQuery)
		if done+stepsPerQuery >= w.depth || len(from) == 0 {
			return a, nil
		}
		if len(a.order) >= w.limit { // nodes further away are unknown
			a.cut = true
			return a, nil
		}
	}
}

func (a *traversalState) add(nodes, links []any) {
	for _, node := range nodes {
		p, _ := node.(map[string]any)
		a.known[graph.Text(p, "uid")] = nodeOf(p)
	}
	for _, properties := range links {
		l := linkOf(properties)
		a.links[[3]string{l.Source, l.Target, l.EdgeType}] = l
	}
}

// computeDistances computes distances, strongest links first, until the limit.
func (a *traversalState) computeDistances() {
	next := a.hops()
	a.order, a.distance, a.reached = nil, map[string]int{}, map[string]link{}
	add := func(uid string, distance int, by link) {
		if _, again := a.distance[uid]; again {
			return
		}
		_, read := a.known[uid]
		if !read || len(a.order) >= a.limit {
			a.cut = true
			return
		}
		a.distance[uid], a.reached[uid] = distance, by
		a.order = append(a.order, uid)
	}
	for _, uid := range a.centers {
		add(uid, 0, link{})
	}
	for i := 0; i < len(a.order); i++ {
		uid := a.order[i]
		if a.distance[uid] == a.depth {
			break
		}
		for _, l := range next[uid] {
			add(l.other(uid), a.distance[uid]+1, l)
		}
	}
}

// hops returns the links at each node.
func (a *traversalState) hops() map[string][]link {
	next := map[string][]link{}
	for _, l := range a.links {
		if kind := strings.ToUpper(l.EdgeType); slices.Contains(a.outgoing, kind) {
			next[l.Source] = append(next[l.Source], l)
		}
		if kind := strings.ToUpper(l.EdgeType); slices.Contains(a.incoming, kind) {
			next[l.Target] = append(next[l.Target], l)
		}
	}
	for _, links := range next {
		slices.SortFunc(links, strongest)
	}
	return next
}

func strongest(a, b link) int {
	return cmp.Or(cmp.Compare(b.Weight, a.Weight), b.CreatedAt.Compare(a.CreatedAt),
		strings.Compare(a.Source, b.Source), strings.Compare(a.Target, b.Target),
		strings.Compare(a.EdgeType, b.EdgeType))
}

func (l link) other(uid string) string {
	if l.Source == uid {
		return l.Target
	}
	return l.Source
}

// nodesAt returns the nodes at a distance, in order.
func (a *traversalState) nodesAt(distance int) []string {
	uids := []string{}
	for _, uid := range a.order {
		if a.distance[uid] == distance {
			uids = append(uids, uid)
		}
	}
	slices.Sort(uids)
	return uids
}

// nodes returns the reached nodes, nearest first; further is added to their distances.
func (a *traversalState) nodes(further int) []Node {
	nodes := make([]Node, len(a.order))
	for i, uid := range a.order {
		nodes[i] = a.known[uid]
		nodes[i].Distance = a.distance[uid] + further
	}
	return nodes
}

// edges returns the links between reached nodes, strongest first.
func (a *traversalState) edges() []Edge {
	links := make([]link, 0, len(a.links))
	for _, l := range a.links {
		links = append(links, l)
	}
	slices.SortFunc(links, strongest)
	edges := []Edge{}
	for _, l := range links {
		_, from := a.distance[l.Source]
		_, to := a.distance[l.Target]
		if from && to {
			l.SourceID, l.TargetID = a.known[l.Source].ID, a.known[l.Target].ID
			edges = append(edges, l.Edge)
		}
	}
	return edges
}
