package links

import (
	"fmt"
	"strings"
)

// String tells a person what link was made.
func (l LinkResult) String() string {
	word := "already"
	if l.Created {
		word = "now"
	}
	text := fmt.Sprintf("%s %s %s %s (weight %g)\n", l.Edge.SourceID, word, strings.ReplaceAll(l.Edge.EdgeType, "_", " "), l.Edge.TargetID, l.Edge.Weight)
	if len(l.Cycle) > 0 {
		text += "note: this closes a circle: " + strings.Join(l.Cycle, ", ") + "\n"
	}
	return text
}

// String tells a person what link is gone.
func (u UnlinkResult) String() string {
	return fmt.Sprintf("%s no longer %s %s\n", u.Edge.SourceID, strings.ReplaceAll(u.Edge.EdgeType, "_", " "), u.Edge.TargetID)
}
