package links

import (
	"fmt"
	"strings"

	"nomograph/internal/render"
)

// dot renders the graph for Graphviz.
func (g Graph) dot() string {
	var b strings.Builder
	b.WriteString("digraph decisions {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"sans-serif\"];\n")
	names := g.nodeNames()
	for _, n := range g.Nodes {
		style := ""
		for _, look := range looks {
			if look.of(n) {
				style += look.dot // of two styles of one kind, the last one counts
			}
		}
		fmt.Fprintf(&b, "  %s [label=\"%s\\n%s\"%s];\n", names[n.ID], dotText(n.label()), dotText(n.Facts()), style)
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

// dotEscapes escapes a backslash and a quote, which would end or change a label, and &, which would begin an entity.
var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`)

func dotText(text string) string { return dotEscapes.Replace(render.OneLine(text)) }
