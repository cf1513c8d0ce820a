package links

import (
	"fmt"
	"strings"

	"nomograph/decisions/drawing"
	"nomograph/internal/render"
)

// looks are the special styles of a diagram. The colors are readable on light and dark pages.
var looks = []struct {
	name, mermaid, dot string
	of                 func(Node) bool
}{
	{"center", "stroke-width:3px", ", penwidth=3", func(n Node) bool { return n.Distance == 0 }},
	{"failed", "fill:#f8d7da,stroke:#b02a37,color:#58151c",
		`, fillcolor="#f8d7da", color="#b02a37", fontcolor="#58151c"`, Node.failed},
	{"superseded", "stroke-dasharray:5 5", `, style="rounded,filled,dashed"`,
		func(n Node) bool { return n.Superseded }},
	{"retracted", "stroke-dasharray:2 4,opacity:0.5", `, style="rounded,filled,dotted"`,
		func(n Node) bool { return n.Retracted }},
	{"rule", "fill:#e2e3f3,stroke:#3d3d8f,color:#1c1c4a", `, fillcolor="#e2e3f3", color="#3d3d8f"`,
		func(n Node) bool { return n.Kind != "" }},
}

// Render returns the graph as a diagram: mermaid, dot or svg; "" for any other format.
func (g Graph) Render(format string) string {
	switch format {
	case "mermaid":
		return g.mermaid()
	case "dot":
		return g.dot()
	case "svg":
		return g.Picture().SVG()
	}
	return ""
}

// Picture computes the position and style of each node. Links with an end outside of the graph are omitted.
func (g Graph) Picture() drawing.Picture {
	p := drawing.Picture{Title: "Decisions and how they are linked", Legend: true}
	places := map[string]int{}
	for i, n := range g.Nodes {
		places[n.ID] = i
		node := drawing.Node{ID: n.ID, Label: n.Title, Words: n.Title + ", " + n.Facts(), Kind: n.Kind, Look: n.Outcome,
			Size: 0.4, Faded: n.Superseded || n.Retracted, Center: n.ID == g.CenterID}
		if n.Confidence != nil {
			node.Size = *n.Confidence
		}
		p.Nodes = append(p.Nodes, node)
	}
	for _, e := range g.Edges {
		from, ok := places[e.SourceID]
		to, both := places[e.TargetID]
		if ok && both {
			p.Edges = append(p.Edges, drawing.Edge{From: from, To: to, Kind: e.EdgeType,
				Words: strings.ReplaceAll(e.Label(), "_", " ")})
		}
	}
	p.Places = drawing.Place(p.Nodes, p.Edges)
	return p
}

func (n Node) failed() bool { return n.Outcome == "failure" || n.Outcome == "abandoned" }

// Facts returns the text below a node's title.
func (n Node) Facts() string {
	if n.Kind != "" {
		return n.Kind
	}
	words := []string{n.ID}
	for _, word := range []string{n.Category, n.Status, n.Outcome} {
		if word != "" && (word != "reviewed" || n.Outcome == "") {
			words = append(words, word)
		}
	}
	if n.Retracted {
		words = append(words, "retracted")
	}
	return strings.Join(words, ", ")
}

// label returns the title for a diagram, cut at a word.
func (n Node) label() string { return render.Shorten(n.Title, render.MaxTitleLength-1) }

// Label returns the text of an edge.
func (e Edge) Label() string {
	if e.Weight == 1 {
		return e.EdgeType
	}
	return fmt.Sprintf("%s %.2g", e.EdgeType, e.Weight)
}

// nodeNames assigns each node a name that contains no caller's text.
func (g Graph) nodeNames() map[string]string {
	names := make(map[string]string, len(g.Nodes))
	for i, n := range g.Nodes {
		names[n.ID] = fmt.Sprintf("n%d", i)
	}
	return names
}
