package terminal

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"nomograph/internal/pattern"
	"nomograph/internal/render"
)

const (
	gap = "  "
	// Minimum widths before columns are left out: enough for a time such as "11 minutes ago", and for recognizable
	// prose.
	legible = 14
	prose   = 24
)

// Table formats rows below headings. If the page is too narrow, long cells are truncated with an ellipsis. If that is
// not enough, columns are left out from the right and listed in a last line.
func (p Page) Table(head []string, rows [][]string) string {
	all := [][]string{head}
	widths := make([]int, len(head))
	for _, row := range rows {
		all = append(all, slices.Clone(row))
	}
	for _, row := range all {
		for i := range row {
			row[i] = Line(row[i])
			widths[i] = max(widths[i], columns(row[i]))
		}
	}
	shown := p.fit(widths, rows)
	var b strings.Builder
	for _, row := range all {
		line := ""
		for i, cell := range row[:shown] {
			line += cut(cell, widths[i]) + strings.Repeat(" ", max(widths[i]-columns(cell), 0)) + gap
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if shown < len(head) {
		b.WriteString("(also " + strings.Join(head[shown:], ", ") + ": -o wide)\n")
	}
	return b.String()
}

// fit narrows the widest columns, the first one last, until they fit the page. It returns the number of columns shown.
func (p Page) fit(widths []int, rows [][]string) (shown int) {
	if p.Width == 0 {
		return len(widths)
	}
	minimum := make([]int, len(widths))
	for i := range widths {
		minimum[i] = min(widths[i], legible)
		if slices.ContainsFunc(rows, func(row []string) bool {
			return columns(row[i]) > prose && strings.Contains(row[i], " ")
		}) {
			minimum[i] = prose
		}
	}
	minimum[0] = widths[0]
	shown = len(widths)
	for shown > 2 && total(minimum[:shown]) > p.Width {
		shown--
	}
	for total(widths[:shown]) > p.Width && shown > 0 {
		widest := 0
		for i, width := range widths[:shown] {
			if width > minimum[i] && (widest == 0 || width > widths[widest]) {
				widest = i
			}
		}
		switch {
		case widest > 0 || widths[0] > legible || shown == 1:
			widths[widest]--
		default:
			shown--
		}
	}
	return shown
}

// total returns the width of columns with gaps.
func total(widths []int) int {
	sum := len(gap) * (len(widths) - 1)
	for _, width := range widths {
		sum += width
	}
	return sum
}

// cut truncates a cell to a width and keeps its color.
func cut(cell string, width int) string {
	if columns(cell) <= width {
		return cell
	}
	short := displaywidth.TruncateString(withoutMarkers.Replace(cell), width, "…")
	if text := withoutMarkers.Replace(cell); strings.HasSuffix(cell, plain) {
		before, _, _ := strings.Cut(cell, text)
		return before + short + plain
	}
	return short
}

// Line puts a text on one line and removes the quote marks of render.QuoteValue.
func Line(text string) string {
	return strings.Join(strings.Fields(render.EscapeControl(strings.ReplaceAll(text, "\n> ", "\n"))), " ")
}

// List formats a page of rows as a table, or "(none)", and how to get the next page.
func (p Page) List(head []string, rows [][]string, cursor string) string {
	text := "(none)\n"
	if len(rows) > 0 {
		text = p.Table(head, rows)
	}
	if cursor != "" {
		text += p.More(cursor) + "\n"
	}
	return text
}

var uuid = pattern.New(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

const shortUUID = 13 // characters of a UUIDv7 that hold its time in milliseconds

// IDs shortens the ids of a list to distinct prefixes, which commands accept. It shortens only UUIDs, and only in
// output for people.
func (p Page) IDs(ids []string) []string {
	if p.Now.IsZero() {
		return ids
	}
	short, different := slices.Clone(ids), distinct(ids)
	for length := shortUUID; ; length++ {
		for i, id := range ids {
			if uuid.MatchString(id) {
				short[i] = id[:length]
			}
		}
		if distinct(short) == different {
			return short
		}
	}
}

func distinct(texts []string) int { return len(slices.Compact(slices.Sorted(slices.Values(texts)))) }
