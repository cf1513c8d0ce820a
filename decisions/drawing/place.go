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
	// Round is the step in which the node was added: later nodes are placed around earlier ones, which do not move.
	Round int
}

// Edge is a link between nodes, by index.
type Edge struct {
	From, To int
	Kind     string
	Words    string
	Strong   bool
}

const (
	allPairs      = 400 // up to this number of nodes all pairs repel each other, above it only close pairs
	repelDistance = 2.5 // distance within which nodes repel each other
	gravity       = 0.015
)

// steps is the number of iterations: fewer for large graphs, to bound the time.
func steps(nodes int) int {
	switch {
	case nodes <= allPairs:
		return 250
	case nodes <= 2500:
		return 90
	}
	return 24
}

// Place computes positions with forces between nodes and along links (Fruchterman and Reingold, 1991). Nodes start on
// rings around the center, at angles derived from their ids.
func Place(nodes []Node, edges []Edge) []Point {
	f := newField(nodes, edges)
	last := 0
	for _, n := range nodes {
		last = max(last, n.Round)
	}
	for round := 0; round <= last; round++ {
		f.start(round)
		f.relax(round)
	}
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

// start places the nodes of a round on a ring around their neighbors; in the first round around the center.
func (f *field) start(round int) {
	steps := f.rings(round)
	crowd := map[int]int{}
	for _, s := range steps {
		crowd[s.ring]++
	}
	for i, s := range steps {
		if f.nodes[i].Round != round || s.ring < 0 {
			continue
		}
		angle := 2 * math.Pi * hashFraction(f.nodes[i].ID)
		if round == 0 {
			wide := max(float64(s.ring), math.Sqrt(float64(crowd[s.ring]))/2) * (0.9 + 0.2*hashFraction(f.nodes[i].ID+
				"/"))
			f.at[i] = Point{wide * math.Cos(angle), wide * math.Sin(angle)}
			continue
		}
		around := f.at[s.from]
		f.at[i] = Point{around.X + math.Cos(angle), around.Y + math.Sin(angle)}
	}
}

// ring is the number of steps from the center, -1 for a node of a later round; from is the previous node
type step struct{ ring, from int }

// rings computes the distance of the nodes up to a round from the center. Unconnected nodes are outermost.
func (f *field) rings(round int) []step {
	found := make([]step, len(f.nodes))
	queue := []int{}
	for i := range found {
		found[i] = step{-1, i}
		if f.nodes[i].Center && f.nodes[i].Round <= round {
			found[i] = step{0, i}
			queue = append(queue, i)
		}
	}
	farthest := 0
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		farthest = found[i].ring
		for _, j := range f.next[i] {
			if found[j].ring < 0 && f.nodes[j].Round <= round {
				found[j] = step{found[i].ring + 1, i}
				queue = append(queue, j)
			}
		}
	}
	for i := range found {
		if found[i].ring < 0 && f.nodes[i].Round <= round {
			found[i] = step{farthest + 1, i}
		}
	}
	return found
}

// relax moves the nodes of a round until they are nearly at rest.
func (f *field) relax(round int) {
	var moving, there []int
	for i, n := range f.nodes {
		if n.Round <= round {
			there = append(there, i)
		}
		if n.Round == round {
			moving = append(moving, i)
		}
	}
	all := steps(len(there))
	for step := range all {
		warmth := 0.4 * math.Sqrt(math.Sqrt(float64(len(there)))) * (1 - float64(step)/float64(all))
		for _, i := range moving {
			f.push[i] = Point{-gravity * f.at[i].X, -gravity * f.at[i].Y}
		}
		f.repel(moving, there)
		for _, i := range moving {
			for _, j := range f.next[i] {
				if f.nodes[j].Round <= round {
					dx, dy := f.at[j].X-f.at[i].X, f.at[j].Y-f.at[i].Y
					far := math.Hypot(dx, dy)
					f.push[i].X += dx * far * 0.5
					f.push[i].Y += dy * far * 0.5
				}
			}
		}
		for _, i := range moving {
			if strength := math.Hypot(f.push[i].X, f.push[i].Y); strength > 0 {
				by := min(strength, warmth) / strength
				f.at[i].X += f.push[i].X * by
				f.at[i].Y += f.push[i].Y * by
			}
		}
	}
}

// repel pushes nodes apart.
func (f *field) repel(moving, there []int) {
	if len(there) <= allPairs {
		for _, i := range moving {
			for _, j := range there {
				f.apart(i, j)
			}
		}
		return
	}
	type cell struct{ x, y int32 }
	cells := make(map[cell][]int, len(there)/4)
	// maximum number of nodes of a cell that repel; more would change nothing in a crowd
	crowd := max(8, 20_000/len(there))
	of := func(i int) cell {
		return cell{int32(math.Floor(f.at[i].X / repelDistance)), int32(math.Floor(f.at[i].Y / repelDistance))}
	}
	for _, i := range there {
		cells[of(i)] = append(cells[of(i)], i)
	}
	for _, i := range moving {
		c := of(i)
		for x := c.x - 1; x <= c.x+1; x++ {
			for y := c.y - 1; y <= c.y+1; y++ {
				others := cells[cell{x, y}]
				stride := max(1, len(others)/crowd)
				for k := 0; k < len(others); k += stride {
					f.apart(i, others[k])
				}
			}
		}
	}
}

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
