package views

import (
	"cmp"
	"fmt"
	"strings"

	"nomograph/decisions/links"
	"nomograph/internal/render"
)

// linksGraph returns the requested diagram, or else the graph as a tree from its center.
func linksGraph(g links.Graph) string {
	return cmp.Or(g.Diagram, linksIndented(g))
}

// linksIndented formats the graph as a tree: each node below one that is nearer to the center. The remaining links
// follow.
func linksIndented(g links.Graph) string {
	nodes, children, under := map[string]links.Node{}, map[string][]links.Edge{}, map[string]bool{}
	for _, n := range g.Nodes {
		nodes[n.ID] = n
	}
	var others []links.Edge
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
			others = append(others, e)
		}
	}
	var b strings.Builder
	var notify func(id, indent string)
	notify = func(id, indent string) {
		for _, e := range children[id] {
			arrow, other := "-> "+e.Label(), e.TargetID
			if e.TargetID == id {
				arrow, other = "<- "+e.Label(), e.SourceID
			}
			fmt.Fprintf(&b, "%s%s  %s\n", indent, arrow, linksNode(nodes[other]))
			notify(other, indent+"  ")
		}
	}
	for _, n := range g.Nodes {
		if n.Distance == 0 {
			fmt.Fprintln(&b, linksNode(n))
			notify(n.ID, "  ")
		}
	}
	for i, e := range others {
		if i == 0 {
			b.WriteString("and:\n")
		}
		fmt.Fprintf(&b, "  %s %s %s\n", e.SourceID, e.Label(), e.TargetID)
	}
	for _, circle := range g.Cycles {
		fmt.Fprintf(&b, "cycle: %s\n", strings.Join(circle, " -> "))
	}
	if g.Truncated {
		b.WriteString("more links exist: raise --limit or set --edge-types\n")
	}
	addNotes(&b, g.Notes)
	return b.String()
}

// linksNode formats a node on one line.
func linksNode(n links.Node) string {
	text := fmt.Sprintf("%s  (%s)", render.OneLine(n.Title), n.Facts())
	if n.Superseded {
		text += " superseded"
	}
	return text
}

// linksNeighbors formats the neighbors of a decision.
func linksNeighbors(n links.Neighbors) string {
	var b strings.Builder
	for _, neighbor := range n.Neighbors {
		arrow := "<-"
		if neighbor.Edge.SourceID == n.NodeID {
			arrow = "->"
		}
		fmt.Fprintf(&b, "%s %s  %s\n", arrow, neighbor.Edge.Label(), linksNode(neighbor.Node))
	}
	fmt.Fprintf(&b, "%d of %s\n", len(n.Neighbors), render.Plural(n.Total, "link"))
	addNotes(&b, n.Notes)
	return b.String()
}

// linksPath formats a path with one step per line.
func linksPath(p links.Path) string {
	if !p.Found {
		return "not linked within that many steps\n"
	}
	var b strings.Builder
	fmt.Fprintln(&b, linksNode(p.Nodes[0]))
	for i, step := range p.Edges {
		arrow := "->"
		if step.Direction == "incoming" {
			arrow = "<-"
		}
		fmt.Fprintf(&b, "  %s %s  %s\n", arrow, step.Label(), linksNode(p.Nodes[i+1]))
	}
	return b.String()
}

// linksLineage formats a lineage, nearest first, or failed decisions with their dependents.
func linksLineage(l links.Lineage) string {
	var b strings.Builder
	for _, d := range l.Decisions {
		fmt.Fprintf(&b, "%s%s %s  %s\n", strings.Repeat("  ", d.Distance-1), d.Through, d.Via, linksNode(d.Node))
	}
	for _, f := range l.Failures {
		fmt.Fprintln(&b, linksNode(f.Node))
		for _, n := range f.ActiveDependents {
			fmt.Fprintf(&b, "  <- %s\n", linksNode(n))
		}
	}
	if len(l.Decisions)+len(l.Failures) == 0 {
		b.WriteString("Nothing\n")
	}
	render.WriteNonEmpty(&b, "%d not reviewed yet\n", l.Pending)
	if l.Truncated {
		b.WriteString("more exist: raise --limit\n")
	}
	render.WriteNonEmpty(&b, "more: --cursor %s\n", l.NextCursor)
	return b.String()
}

// linksLinkResult formats the result of linking decisions.
func linksLinkResult(l links.LinkResult) string {
	word := "already"
	if l.Created {
		word = "now"
	}
	text := fmt.Sprintf("%s %s %s %s (weight %g)\n", l.Edge.SourceID, word,
		strings.ReplaceAll(l.Edge.EdgeType, "_", " "), l.Edge.TargetID, l.Edge.Weight)
	if len(l.Cycle) > 0 {
		text += "note: this closes a cycle: " + strings.Join(l.Cycle, ", ") + "\n"
	}
	return text
}

// linksUnlinkResult formats the result of removing a link.
func linksUnlinkResult(u links.UnlinkResult) string {
	return fmt.Sprintf("%s no longer %s %s\n", u.Edge.SourceID, strings.ReplaceAll(u.Edge.EdgeType, "_", " "),
		u.Edge.TargetID)
}
