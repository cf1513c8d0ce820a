package links

import (
	"fmt"
	"strings"
	"unicode"

	"nomograph/internal/render"
)

// The colors are readable on light and dark pages.
var mermaidLooks = []struct{ name, style string }{
	{asCenter, "stroke-width:3px"},
	{asFailed, "fill:#f8d7da,stroke:#b02a37,color:#58151c"},
	{asSuperseded, "stroke-dasharray:5 5"},
	{asRetracted, "stroke-dasharray:2 4,opacity:0.5"},
	{asRule, "fill:#e2e3f3,stroke:#3d3d8f,color:#1c1c4a"},
}

// mermaid renders the graph as a flowchart, for a Markdown block or a .mmd file.
func (g Graph) mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	names, looks := g.nodeNames(), map[string][]string{}
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "  %s[\"%s<br/>%s\"]\n", names[n.ID], mermaidText(n.label()), mermaidText(n.Facts()))
		for _, look := range n.looks() {
			looks[look] = append(looks[look], names[n.ID])
		}
	}
	for _, e := range g.Edges {
		arrow := "-->"
		if e.EdgeType == "supersedes" {
			arrow = "-.->"
		}
		fmt.Fprintf(&b, "  %s %s|\"%s\"| %s\n", names[e.SourceID], arrow, mermaidText(e.Label()), names[e.TargetID])
	}
	for _, look := range mermaidLooks {
		if nodes := looks[look.name]; len(nodes) > 0 {
			fmt.Fprintf(&b, "  classDef %s %s\n  class %s %s\n", look.name, look.style, strings.Join(nodes, ","),
				look.name)
		}
	}
	return b.String()
}

// mermaidText escapes a label, so that nothing in it is syntax, Markdown, HTML, a formula, a directive or an icon: it
// replaces such characters by their numbers.
func mermaidText(text string) string {
	var b strings.Builder
	for _, r := range render.OneLine(text) {
		if r > unicode.MaxASCII || unicode.IsLetter(r) || unicode.IsDigit(r) ||
			strings.ContainsRune(" .,-/'()!?+=_", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
