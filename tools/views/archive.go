package views

import (
	"fmt"
	"slices"
	"strings"

	"nomograph/graph/archive"
	"nomograph/internal/render"
)

// archiveImported formats the result of an archive import.
func archiveImported(r archive.Imported) string {
	var b strings.Builder
	for _, part := range []struct {
		name string
		archive.LineCounts
	}{{"nodes", r.Nodes}, {"vectors", r.Vectors}, {"relationships", r.Relationships}} {
		if part.LineCounts != (archive.LineCounts{}) {
			fmt.Fprintf(&b, "%s: %d created, %d there already", part.name, part.Created, part.Unchanged)
			render.WriteNonEmpty(&b, ", %d replaced", part.Replaced)
			render.WriteNonEmpty(&b, ", %d in conflict", part.Conflicts)
			b.WriteString("\n")
		}
	}
	if r.Dangling > 0 {
		fmt.Fprintf(&b, "%s left out: one of its nodes is neither in the file nor in the graph\n",
			render.Plural(r.Dangling, "relationship"))
	}
	for _, c := range r.Conflicts {
		note := strings.Join(slices.DeleteFunc([]string{strings.Join(c.Differs, ", "), c.Note},
			func(s string) bool { return s == "" }), "; ")
		fmt.Fprintf(&b, "  line %d: %s differs: %s\n", c.Line, c.What, note)
	}
	for _, l := range r.Broken {
		fmt.Fprintf(&b, "  line %d is broken: %s\n", l.Line, l.Problem)
	}
	render.WriteNonEmpty(&b, "%s\n", r.Problem)
	if b.Len() == 0 {
		b.WriteString("the archive is empty\n")
	}
	addNotes(&b, r.Notes)
	return b.String()
}
