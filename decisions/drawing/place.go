package drawing

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"strings"
)

// Point is a position, in units of one edge length.
type Point struct{ X, Y float64 }

// Node is a node to draw.
type Node struct {
	ID, Label string
	Words     string  // tooltip
	Kind      string  // selects the shape, see corners; "" is a decision
	Look      string  // selects the color: an outcome, or ""
	Size      float64 // 0 to 1
	Faded     bool    // superseded or retracted
	Center    bool
	Strong    bool // on a requested path or lineage
	More      int  // number of links that are not drawn
	Link      string
}

// Edge is a link between nodes, by index.
type Edge struct {
	From, To int
	Kind     string
	Words    string
	Strong   bool
}

const (
	gravity  = 0.015
	maxSteps = 250        // iterations; fewer for large graphs,
	maxPairs = 40_000_000 // because each one moves all pairs of nodes, and this many take less than a second
)

// Place computes positions with forces between nodes and along links (Fruchterman and Reingold, 1991). Nodes start on
// rings around the center, at angles derived from their ids.
func Place(nodes []Node, edges []Edge) []Point {
	f := newField(nodes, edges)
	f.start()
	f.relax()
	places := make([]Point, len(nodes))
	for i, p := range f.at {
		places[f.order[i]] = Point{math.Round(p.X*1000) / 1000, math.Round(p.Y*1000) / 1000}
	}
	return places
}

// field holds the nodes sorted by id, so that sums do not depend on the input order.
type field struct {
	nodes []Node
	order []int // index in the given nodes
	next  [][]int
	at    []Point
	push  []Point
}

func newField(nodes []Node, edges []Edge) *field {
	f := &field{order: make([]int, len(nodes)), nodes: make([]Node, len(nodes)), next: make([][]int, len(nodes)),
		at: make([]Point, len(nodes)), push: make([]Point, len(nodes))}
	for i := range nodes {
		f.order[i] = i
	}
	slices.SortFunc(f.order, func(a, b int) int { return strings.Compare(nodes[a].ID, nodes[b].ID) })
	rank := make([]int, len(nodes))
	for i, position := range f.order {
		f.nodes[i], rank[position] = nodes[position], i
	}
	for _, e := range edges {
		if a, b := rank[e.From], rank[e.To]; a != b {
			f.next[a], f.next[b] = append(f.next[a], b), append(f.next[b], a)
		}
	}
	for i := range f.next {
		slices.Sort(f.next[i])
		f.next[i] = slices.Compact(f.next[i])
	}
	return f
}

// hashFraction returns a number from 0 to 1 derived from a text.
func hashFraction(text string) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	mixed := h.Sum64() * 0x9e3779b97f4a7c15
	mixed ^= mixed >> 32
	return float64(mixed>>11) / (1 << 53)
}

// start places the nodes on rings around the center.
func (f *field) start() {
	rings := f.rings()
	crowd := map[int]int{}
	for _, ring := range rings {
		crowd[ring]++
	}
	for i, ring := range rings {
		id := f.nodes[i].ID
		angle := 2 * math.Pi * hashFraction(id)
		wide := max(float64(ring), math.Sqrt(float64(crowd[ring]))/2) * (0.9 + 0.2*hashFraction(id+"/"))
		f.at[i] = Point{wide * math.Cos(angle), wide * math.Sin(angle)}
	}
}

// rings computes the number of steps from the center to each node. Unconnected nodes are outermost.
func (f *field) rings() []int {
	found, queue, farthest := make([]int, len(f.nodes)), []int{}, 0
	for i := range found {
		if found[i] = -1; f.nodes[i].Center {
			found[i] = 0
			queue = append(queue, i)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		farthest = found[queue[0]]
		for _, j := range f.next[queue[0]] {
			if found[j] < 0 {
				found[j] = farthest + 1
				queue = append(queue, j)
			}
		}
	}
	for i := range found {
		if found[i] < 0 {
			found[i] = farthest + 1
		}
	}
	return found
}

// relax moves the nodes until they are nearly at rest.
func (f *field) relax() {
	count := float64(len(f.nodes))
	all := min(maxSteps, maxPairs/max(1, len(f.nodes)*len(f.nodes)))
	for step := range all {
		warmth := 0.4 * math.Sqrt(math.Sqrt(count)) * (1 - float64(step)/float64(all))
		for i, at := range f.at {
			f.push[i] = Point{-gravity * at.X, -gravity * at.Y}
		}
		for i := range f.at {
			for j := range f.at {
				f.apart(i, j)
			}
			for _, j := range f.next[i] {
				dx, dy := f.at[j].X-f.at[i].X, f.at[j].Y-f.at[i].Y
				far := math.Hypot(dx, dy)
				f.push[i].X += dx * far * 0.5
				f.push[i].Y += dy * far * 0.5
			}
		}
		for i := range f.at {
			if strength := math.Hypot(f.push[i].X, f.push[i].Y); strength > 0 {
				by := min(strength, warmth) / strength
				f.at[i].X += f.push[i].X * by
				f.at[i].Y += f.push[i].Y * by
			}
		}
	}
}

// apart pushes a node away from another one.
func (f *field) apart(i, j int) {
	if i == j {
		return
	}
	dx, dy := f.at[i].X-f.at[j].X, f.at[i].Y-f.at[j].Y
	square := dx*dx + dy*dy
	if square < 1e-6 { // same position: push in different directions
		angle := 2 * math.Pi * hashFraction(f.nodes[i].ID+"|"+f.nodes[j].ID)
		dx, dy, square = 1e-3*math.Cos(angle), 1e-3*math.Sin(angle), 1e-6
	}
	f.push[i].X += dx / square
	f.push[i].Y += dy / square
}

// bounds returns the corners of the drawing, with room for labels.
func bounds(places []Point) (low, high Point) {
	low, high = Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, p := range places {
		low = Point{min(low.X, p.X), min(low.Y, p.Y)}
		high = Point{max(high.X, p.X), max(high.Y, p.Y)}
	}
	if len(places) == 0 {
		low, high = Point{}, Point{}
	}
	return Point{low.X - 0.8, low.Y - 0.5}, Point{high.X + 0.8, high.Y + 0.6}
}

// byPriority sorts nodes by the priority of their labels.
func byPriority(a, b Node) int {
	marked := func(n Node) int {
		if n.Center || n.Strong {
			return 1
		}
		return 0
	}
	return cmp.Or(marked(b)-marked(a), cmp.Compare(b.Size, a.Size), strings.Compare(a.ID, b.ID))
}
