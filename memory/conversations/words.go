package conversations

import (
	"fmt"
	"strings"
)

// String tells a person what became of conversations.
func (i Imported) String() string {
	var b strings.Builder
	if i.DryRun {
		b.WriteString("Nothing was written. It would be:\n")
	}
	fmt.Fprintf(&b, "%d conversations in %d files: %d new, %d grown, %d unchanged; chunks: %d created, %d changed, %d removed\n", i.Conversations, i.Files, i.New, i.Grown, i.Unchanged,
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

// line says the same in short.
func (i Imported) line() string {
	return fmt.Sprintf("%d conversations: %d new, %d grown; %d chunks", i.Conversations, i.New, i.Grown, i.ChunksCreated+i.ChunksChanged)
}
