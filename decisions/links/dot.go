package links

import (
	"fmt"
	"slices"
	"strings"

	"nomograph/internal/render"
)

// dot renders the graph for Graphviz.
func (g Graph) dot() string {
	var b strings.Builder
	b.WriteString("digraph decisions {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"sans-serif\"];\n")
	names := g.nodeNames()
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "  %s [label=\"%s\\n%s\"%s];\n", names[n.ID], dotText(n.label()), dotText(n.Facts()),
			n.dotLook())
	}
	for _, e := range g.Edges {
		style := ""
		if e.EdgeType == "supersedes" {
			style = ", style=dashed"
		}
		fmt.Fprintf(&b, "  %s -> %s [label=\"%s\"%s];\n", names[e.SourceID], names[e.TargetID], dotText(e.Label()),
			style)
	}
	b.WriteString("}\n")
	return b.String()
}

func (n Node) dotLook() string {
	looks, style := n.looks(), ""
	if slices.Contains(looks, asCenter) {
		style += ", penwidth=3"
	}
	switch {
	case slices.Contains(looks, asRetracted):
		style += ", style=\"rounded,filled,dotted\""
	case slices.Contains(looks, asSuperseded):
		style += ", style=\"rounded,filled,dashed\""
	}
	switch {
	case slices.Contains(looks, asFailed):
		style += ", fillcolor=\"#f8d7da\", color=\"#b02a37\", fontcolor=\"#58151c\""
	case slices.Contains(looks, asRule):
		style += ", fillcolor=\"#e2e3f3\", color=\"#3d3d8f\""
	}
	return style
}

// dotEscapes escapes a backslash and a quote, which would end or change a label, and &, which would begin an entity.
var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`)

func dotText(text string) string { return dotEscapes.Replace(render.OneLine(text)) }
