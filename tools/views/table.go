package views

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/terminal"
	"nomograph/policies"
	"nomograph/policies/table"
)

// tableNode formats a decision table with the conditions and outputs of its rows, in order of evaluation.
func tableNode(t table.Node, page terminal.Page) string {
	var b strings.Builder
	line := func(label string, value any) {
		if value = graph.JSON(value); value != nil && value != "" {
			b.WriteString(page.HangingIndent(label, policies.ShowValue(value)) + "\n")
		}
	}
	fmt.Fprintf(&b, "%v", t.Properties["table_id"])
	if label := t.Properties["label"]; label != nil {
		fmt.Fprintf(&b, "  %v", label)
	}
	b.WriteByte('\n')
	for _, name := range slices.Sorted(maps.Keys(t.Properties)) {
		if !slices.Contains([]string{"table_id", "label", "uid", "schema_version"}, name) {
			line(fmt.Sprintf("  %-11s  ", name), t.Properties[name])
		}
	}
	fmt.Fprintf(&b, "  %-11s  %.12s\n", "version", t.Reading.Version)
	for _, row := range t.Rows {
		fmt.Fprintf(&b, "%v\n", row["row_id"])
		line("  when  ", row["conditions"])
		line("  then  ", row["outputs"])
		line("  note  ", row["note"])
	}
	if len(t.Thresholds) > 0 {
		b.WriteString("thresholds\n")
	}
	width := 0
	for _, threshold := range t.Thresholds {
		width = max(width, len(fmt.Sprint(threshold.Name)))
	}
	for _, threshold := range t.Thresholds {
		fmt.Fprintf(&b, "  %-*v  %s\n", width, threshold.Name, policies.ShowValue(threshold.Value))
	}
	return b.String()
}
