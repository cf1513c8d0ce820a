package views

import (
	"fmt"
	"strings"

	"nomograph/decisions/imports"
	"nomograph/internal/lists"
	"nomograph/internal/render"
)

// importsImported formats the result of importing records.
func importsImported(i imports.Imported) string {
	var b strings.Builder
	would := ""
	if i.DryRun {
		would = "Nothing was written. An import would give:\n"
	}
	fmt.Fprintf(&b, "%s%d read: %d created, %d updated, %d unchanged; %s created\n", would, i.Read, i.Created,
		i.Updated, i.Unchanged, render.Plural(i.LinksCreated, "link"))
	list := func(n int, kind string, lines []string) {
		if n == 0 {
			return
		}
		fmt.Fprintf(&b, "\n%d %s\n", n, kind)
		for _, line := range lines {
			fmt.Fprintf(&b, "  %s\n", line)
		}
		if n > len(lines) {
			fmt.Fprintf(&b, "  and %d more\n", n-len(lines))
		}
	}
	skipped := make([]string, len(i.Skipped))
	for n, p := range i.Skipped {
		skipped[n] = p.Error()
	}
	list(i.SkippedCount, "skipped:", skipped)
	list(i.UnresolvedCount, "links to missing records:", importsLines(i.UnresolvedLinks))
	list(len(i.Cycles), "supersedes links left out because they form a cycle:", importsLines(i.Cycles))
	for _, note := range i.Notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	return b.String()
}

func importsLines(links []imports.UnresolvedLink) []string {
	return lists.Map(links, func(l imports.UnresolvedLink) string { return l.From + " " + l.Type + " " + l.Target })
}
