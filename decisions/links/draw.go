package links

import (
	"fmt"
	"strings"

	"nomograph/decisions/drawing"
	"nomograph/internal/render"
)

// Special styles of a drawing: the center, failures, superseded and retracted decisions, and rules.
const (
	asCenter     = "center"
	asFailed     = "failed"
	asSuperseded = "superseded"
	asRetracted  = "retracted"
	asRule       = "rule"
)

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

func (n Node) looks() []string {
	var looks []string
	if n.Distance == 0 {
		looks = append(looks, asCenter)
	}
	if n.failed() {
		looks = append(looks, asFailed)
	}
	if n.Superseded {
		looks = append(looks, asSuperseded)
	}
	if n.Retracted {
		looks = append(looks, asRetracted)
	}
	if n.Kind != "" {
		looks = append(looks, asRule)
	}
	return looks
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
