package views

import (
	"fmt"
	"strings"

	"nomograph/internal/render"
	"nomograph/memory/conversations"
)

// conversationsImported formats the result of importing conversations.
func conversationsImported(i conversations.Imported) string {
	var b strings.Builder
	if i.DryRun {
		b.WriteString("Nothing was written. It would be:\n")
	}
	fmt.Fprintf(&b, "%s in %s: %d new, %d grown, %d unchanged; chunks: %d created, %d changed, %d removed\n",
		render.Plural(i.Conversations, "conversation"), render.Plural(i.Files, "file"), i.New, i.Grown, i.Unchanged,
		i.ChunksCreated, i.ChunksChanged, i.ChunksRemoved)
	if i.SkippedCount > 0 {
		fmt.Fprintf(&b, "\n%d skipped:\n", i.SkippedCount)
		for _, p := range i.Skipped {
			fmt.Fprintf(&b, "  %s\n", p.Error())
		}
		if more := i.SkippedCount - len(i.Skipped); more > 0 {
			fmt.Fprintf(&b, "  and %d more\n", more)
		}
	}
	for _, note := range i.Notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	return b.String()
}
