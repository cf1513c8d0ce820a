package change

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/policies"
	"nomograph/policies/pack"
)

// actionWords maps actions to their past tense and their conditional for a dry run.
var actionWords = map[string][2]string{
	"create": {"created", "to create"},
	"update": {"updated", "to update"},
	"adopt":  {"adopted", "to adopt"},
	"remove": {"removed", "to remove"},
	"drift":  {"kept as changed in the graph (--overwrite resets it)", "changed in the graph (--overwrite resets it)"},
	"left":   {"left the pack (--prune removes it)", "left the pack (--prune removes it)"},
}

// summary formats the result: a line for each pack, then a line for each change. New nodes are listed only by a dry
// run, since a first apply consists of new nodes.
func (r ApplyResult) summary() string {
	tense := 0
	if r.DryRun {
		tense = 1
	}
	var b strings.Builder
	for _, p := range r.Packs {
		counts, counted := map[string]int{}, map[string]bool{}
		for _, c := range p.Changes {
			if node := c.Section + " " + c.Name; !counted[node] { // a changed node may also have drift
				counts[c.Action]++
				counted[node] = true
			}
		}
		fmt.Fprintf(&b, "%s %s: ", p.Pack, p.Version)
		for _, action := range slices.Sorted(maps.Keys(counts)) {
			word, _, _ := strings.Cut(actionWords[action][tense], " (")
			fmt.Fprintf(&b, "%d %s, ", counts[action], word)
		}
		fmt.Fprintf(&b, "%d unchanged", p.Unchanged)
		if p.Mode != "" {
			fmt.Fprintf(&b, ", %d %s", p.Switched, [2]string{"set to " + p.Mode, "to set to " + p.Mode}[tense])
		}
		b.WriteByte('\n')
		for _, c := range p.Changes {
			if c.Action == "create" && !c.Deleted && !r.DryRun {
				continue
			}
			fmt.Fprintf(&b, "  %s %s: %s\n", pack.SectionOf(c.Section).One, c.Name, c.words(tense))
			if c.Action == "create" {
				continue
			}
			for _, key := range slices.Sorted(maps.Keys(c.To)) {
				form := "    %s: %s -> %s\n"
				if c.Action == "drift" { // drift has no direction
					form = "    %s: %s here, %s in the pack\n"
				}
				fmt.Fprintf(&b, form, key, policies.ShowValueOrNone(c.From[key]), policies.ShowValueOrNone(c.To[key]))
			}
		}
	}
	return b.String()
}

// words describes a change of a node.
func (c PlannedChange) words(tense int) string {
	switch words := actionWords[c.Action][tense]; {
	case c.Deleted && c.Action == "drift":
		return "deleted in the graph (--overwrite brings it back)"
	case c.Deleted:
		return words + ", because it was deleted in the graph"
	case c.Action == "left" && c.node.hasDrift(nil):
		return "left the pack and was changed in the graph (--prune --overwrite removes it)"
	case c.Action == "drift" && c.annotated:
		return "annotated in the graph (nothing reads it, so it stays)"
	default:
		return words
	}
}
