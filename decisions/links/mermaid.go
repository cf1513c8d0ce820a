package links

import (
	"fmt"
	"strings"
	"unicode"

	"nomograph/internal/render"
)

// mermaid renders the graph as a flowchart, for a Markdown block or a .mmd file.
func (g Graph) mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	names := g.nodeNames()
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "  %s[\"%s<br/>%s\"]\n", names[n.ID], mermaidText(n.label()), mermaidText(n.Facts()))
	}
	for _, e := range g.Edges {
		arrow := "-->"
		if e.EdgeType == "supersedes" {
			arrow = "-.->"
		}
		fmt.Fprintf(&b, "  %s %s|\"%s\"| %s\n", names[e.SourceID], arrow, mermaidText(e.Label()), names[e.TargetID])
	}
	for _, look := range looks {
		var nodes []string
		for _, n := range g.Nodes {
			if look.of(n) {
				nodes = append(nodes, names[n.ID])
			}
		}
		if len(nodes) > 0 {
			fmt.Fprintf(&b, "  classDef %s %s\n  class %s %s\n", look.name, look.mermaid, strings.Join(nodes, ","),
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
