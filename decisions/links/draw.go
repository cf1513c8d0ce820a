package links

import (
	"fmt"
	"strings"
)

// What a drawing shows in another way: the node it is about, failures, what others took the place of, what was retracted, and rules.
const (
	asCenter     = "center"
	asFailed     = "failed"
	asSuperseded = "superseded"
	asRetracted  = "retracted"
	asRule       = "rule"
)

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

// facts are the words under a node's title.
func (n Node) facts() string {
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

// word is what stands on an edge.
func (e Edge) word() string {
	if e.Weight == 1 {
		return e.EdgeType
	}
	return fmt.Sprintf("%s %.2g", e.EdgeType, e.Weight)
}

// places numbers the nodes: a name for each that no caller's text is part of.
func (g Graph) places() map[string]string {
	names := make(map[string]string, len(g.Nodes))
	for i, n := range g.Nodes {
		names[n.ID] = fmt.Sprintf("n%d", i)
	}
	return names
}
