package pack

import (
	"context"
	"fmt"
	"slices"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/policies"
)

// text writes the pack and reads it back, so that no export differs from the graph.
func (e *packExport) text(ctx context.Context) (string, error) {
	if err := e.fit(); err != nil {
		return "", err
	}
	empty, err := e.yaml()
	if err != nil {
		return "", err
	}
	implied, err := Parse(ctx, e.name, empty)
	if err != nil { // a manual edit broke a rule: the text shows the edited rule
		implied = Pack{}
	}
	e.link(implied)
	text, err := e.yaml()
	if err != nil {
		return "", err
	}
	pack, err := Parse(ctx, e.name, text)
	if err != nil {
		e.note("the text cannot be applied as it is: %s", apperr.From(err).Message)
		return text, nil
	}
	return text, e.prove(pack)
}

// link adds the links for which packs have keys, except for implied links.
func (e *packExport) link(implied Pack) {
	for i := range e.Nodes {
		n := &e.Nodes[i]
		var stated []string
		if item := implied.Item(n.Section, n.key); item != nil {
			stated = item.LinkTexts()
		}
		for key, link := range linkKeys[n.Section] {
			var targets []string
			for _, l := range n.Links {
				if target, ok := l.Key.(string); ok && l.Type == link.linkType && l.Section == link.section &&
					link.section != rowSection &&
					!slices.Contains(stated, l.text()) && !slices.Contains(targets, target) {
					targets = append(targets, target)
				}
			}
			if len(targets) > 0 {
				slices.Sort(targets)
				n.form[key] = graph.List(targets)
			}
		}
	}
}

// prove compares the text with the graph, and lists links and values that a pack can only express differently.
func (e *packExport) prove(pack Pack) error {
	if len(pack.Items) != len(e.Nodes) {
		return apperr.Newf(apperr.Internal, "The export of the pack '%s' has %d nodes instead of %d", e.name,
			len(pack.Items), len(e.Nodes))
	}
	for _, n := range e.Nodes {
		item := pack.Item(n.Section, n.key)
		if item == nil {
			return apperr.Newf(apperr.Internal, "The export of the pack '%s' lacks %s '%s'", e.name, n.Section, n.key)
		}
		for key := range n.form {
			if _, ok := linkKeys[n.Section][key]; !ok && !policies.Same(item.Properties[key], n.Properties[key]) {
				return apperr.Newf(apperr.Internal, "The export of %s '%s' lacks its %s", n.Section, n.key, key)
			}
		}
		for key, value := range item.Properties {
			if _, ok := n.form[key]; !ok && !policies.Same(value, n.Properties[key]) {
				e.note("%s '%s': the text sets %s to %s, but the graph has %s", n.Section, n.key, key,
					policies.ShowValueOrNone(value), policies.ShowValueOrNone(n.Properties[key]))
			}
		}
		e.compareLinks(n, *item)
	}
	return nil
}

func (e *packExport) compareLinks(n exportedNode, item Item) {
	have := map[string]bool{}
	stated := item.LinkTexts()
	for _, link := range n.Links {
		if text := link.text(); !have[text] && !slices.Contains(stated, text) {
			e.note("%s '%s': a pack cannot express its link %s", n.Section, n.key, text)
		}
		have[link.text()] = true
	}
	for _, text := range slices.Compact(stated) {
		if !have[text] {
			e.note("%s '%s': the text implies the link %s, which is not in the graph", n.Section, n.key, text)
		}
	}
}

func (l exportedLink) text() string {
	if l.Key == nil {
		return l.Type + " (to a node without a key)"
	}
	return l.Type + " " + fmt.Sprint(l.Key)
}
