package links

import (
	"fmt"
	"strings"

	"nomograph/internal/render"
)

// String tells a person the graph: as the diagram asked for, else as a tree from its center.
func (g Graph) String() string {
	if g.Diagram != "" {
		return g.Diagram
	}
	return g.indented()
}

// indented is the graph as a tree: each node under one that is a step nearer to the center. Links beside those follow.
func (g Graph) indented() string {
	nodes, children, under := map[string]Node{}, map[string][]Edge{}, map[string]bool{}
	for _, n := range g.Nodes {
		nodes[n.ID] = n
	}
	var beside []Edge
	for _, e := range g.Edges {
		source, target := nodes[e.SourceID].Distance, nodes[e.TargetID].Distance
		switch {
		case target == source+1 && !under[e.TargetID]:
			under[e.TargetID] = true
			children[e.SourceID] = append(children[e.SourceID], e)
		case source == target+1 && !under[e.SourceID]:
			under[e.SourceID] = true
			children[e.TargetID] = append(children[e.TargetID], e)
		default:
			beside = append(beside, e)
		}
	}
	var b strings.Builder
	var tell func(id, indent string)
	tell = func(id, indent string) {
		for _, e := range children[id] {
			arrow, other := "-> "+e.Label(), e.TargetID
			if e.TargetID == id {
				arrow, other = "<- "+e.Label(), e.SourceID
			}
			fmt.Fprintf(&b, "%s%s  %s\n", indent, arrow, nodes[other].line())
			tell(other, indent+"  ")
		}
	}
	for _, n := range g.Nodes {
		if n.Distance == 0 {
			fmt.Fprintln(&b, n.line())
			tell(n.ID, "  ")
		}
	}
	for i, e := range beside {
		if i == 0 {
			b.WriteString("and:\n")
		}
		fmt.Fprintf(&b, "  %s %s %s\n", e.SourceID, e.Label(), e.TargetID)
	}
	for _, circle := range g.Cycles {
		fmt.Fprintf(&b, "circle: %s\n", strings.Join(circle, " -> "))
	}
	if g.Truncated {
		b.WriteString("There is more: raise --limit, or name --edge-types\n")
	}
	for _, note := range g.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	return b.String()
}

// line is a node in a line of text.
func (n Node) line() string {
	text := fmt.Sprintf("%s  (%s)", render.OneLine(n.Title), n.Facts())
	if n.Superseded {
		text += " superseded"
	}
	return text
}

// String tells a person the neighbors.
func (n Neighbors) String() string {
	var b strings.Builder
	for _, neighbor := range n.Neighbors {
		arrow := "<-"
		if neighbor.Edge.SourceID == n.NodeID {
			arrow = "->"
		}
		fmt.Fprintf(&b, "%s %s  %s\n", arrow, neighbor.Edge.Label(), neighbor.Node.line())
	}
	fmt.Fprintf(&b, "%d of %d links\n", len(n.Neighbors), n.Total)
	for _, note := range n.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	return b.String()
}

// String tells a person the path, a line a step.
func (p Path) String() string {
	if !p.Found {
		return "They are not linked within that many steps\n"
	}
	var b strings.Builder
	fmt.Fprintln(&b, p.Nodes[0].line())
	for i, step := range p.Edges {
		arrow := "->"
		if step.Direction == "incoming" {
			arrow = "<-"
		}
		fmt.Fprintf(&b, "  %s %s  %s\n", arrow, step.Label(), p.Nodes[i+1].line())
	}
	return b.String()
}

// String tells a person the lineage, nearest first, or the failures with what stands on them.
func (l Lineage) String() string {
	var b strings.Builder
	for _, d := range l.Decisions {
		fmt.Fprintf(&b, "%s%s %s  %s\n", strings.Repeat("  ", d.Distance-1), d.Through, d.Via, d.line())
	}
	for _, f := range l.Failures {
		fmt.Fprintln(&b, f.line())
		for _, n := range f.Standing {
			fmt.Fprintf(&b, "  <- %s\n", n.line())
		}
	}
	if len(l.Decisions)+len(l.Failures) == 0 {
		b.WriteString("Nothing\n")
	}
	if l.Pending > 0 {
		fmt.Fprintf(&b, "%d not reviewed yet\n", l.Pending)
	}
	if l.Truncated {
		b.WriteString("There is more: raise --limit\n")
	}
	if l.NextCursor != "" {
		fmt.Fprintf(&b, "more: --cursor %s\n", l.NextCursor)
	}
	return b.String()
}
