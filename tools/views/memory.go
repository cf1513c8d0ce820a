package views

import (
	"fmt"
	"strings"

	"nomograph/internal/render"
	"nomograph/memory"
)

const minutes = "2006-01-02 15:04 UTC"

// memoryRememberResult formats the result of storing a fact.
func memoryRememberResult(k memory.RememberResult) string {
	var b strings.Builder
	verb := "Remembered"
	if k.Known {
		verb = "Remembered before"
	}
	fmt.Fprintf(&b, "%s: %s (valid from %s", verb, k.ID, k.ValidFrom.Format(minutes))
	if !k.ValidUntil.IsZero() {
		fmt.Fprintf(&b, " until %s", k.ValidUntil.Format(minutes))
	}
	b.WriteString(")\n")
	render.WriteNonEmpty(&b, "Superseded by %s, which is valid from a later time\n", k.SupersededBy)
	for _, f := range k.Superseded {
		fmt.Fprintf(&b, "Supersedes %s (valid from %s until %s)\n%s\n", f.ID, f.ValidFrom.Format(minutes),
			f.SupersededAt.Format(minutes), render.Quote(f.Text))
	}
	return b.String()
}

// memoryForgetResult formats the result of forgetting chunks.
func memoryForgetResult(f memory.ForgetResult) string {
	var b strings.Builder
	verb := "Forgotten"
	if f.DryRun {
		verb = "Would forget"
	}
	fmt.Fprintf(&b, "%s: %s (%s) of %s", verb, render.Plural(f.Chunks, "chunk"), render.Plural(f.Tokens, "token"),
		render.Plural(f.Sessions, "session"))
	if f.Events > 0 {
		fmt.Fprintf(&b, ", and the text of %s", render.Plural(f.Events, "event"))
	}
	b.WriteString("\n")
	for _, c := range f.First {
		fmt.Fprintf(&b, "  %s  %s  %s  %s\n", c.UID, c.At.Format("2006-01-02 15:04"), c.Project,
			strings.ReplaceAll(c.Begins, "\n", " "))
	}
	for _, note := range f.Notes {
		fmt.Fprintf(&b, "%s\n", note)
	}
	return b.String()
}
