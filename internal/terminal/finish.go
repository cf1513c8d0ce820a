package terminal

import (
	"strings"

	"nomograph/internal/render"
)

var (
	painted         = strings.NewReplacer(good, "\x1b[32m", bad, "\x1b[31m", fair, "\x1b[33m", plain, "\x1b[0m")
	colorsToMarkers = strings.NewReplacer("\x1b[32m", good, "\x1b[31m", bad, "\x1b[33m", fair, "\x1b[0m", plain)
	withoutMarkers  = strings.NewReplacer(good, "", bad, "", fair, "", plain, "")
)

// Finish prepares a text for output: it removes control characters except our colors, and wraps lines at the page
// width.
func (p Page) Finish(text string) string {
	text = painted.Replace(render.EscapeControl(text))
	if p.Width == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = wrap(line, p.Width)
	}
	return strings.Join(lines, "\n")
}

// wrap wraps a line between words. Continuation lines are indented.
func wrap(line string, width int) string {
	line = strings.ReplaceAll(line, "\t", "    ")
	if columns(line) <= width {
		return line
	}
	words := strings.TrimLeft(line, " ")
	indent := min(len(line)-len(words), width/2)
	wrapped := strings.Split(broken(words, max(width-indent-2, 1)), "\n")
	for i := range wrapped {
		wrapped[i] = strings.TrimRight(wrapped[i], " ")
	}
	return strings.Repeat(" ", indent) + strings.Join(wrapped, "\n"+strings.Repeat(" ", indent+2))
}

// HangingIndent writes a text after a label, wrapped, with lines aligned below the first.
func (p Page) HangingIndent(label, text string) string {
	at := columns(label)
	if p.Width == 0 {
		return label + Line(text)
	}
	if at > p.Width/2 { // start below the label
		label, at = strings.TrimRight(label, " ")+"\n    ", 4
	}
	wrapped := broken(painted.Replace(render.EscapeControl(text)),
		max(p.Width-at, 1)) // wrapping ignores the width of colors, but not of our marks
	lines := strings.Split(colorsToMarkers.Replace(wrapped), "\n")
	return label + strings.Join(lines, "\n"+strings.Repeat(" ", at))
}

// columns returns the display width of a line.
func columns(line string) int { return cells.String(withoutMarkers.Replace(line)) }
