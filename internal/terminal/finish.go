package terminal

import (
	"strings"

	"nomograph/internal/render"
)

var (
	painted  = strings.NewReplacer(good, "\x1b[32m", bad, "\x1b[31m", fair, "\x1b[33m", plain, "\x1b[0m")
	marked   = strings.NewReplacer("\x1b[32m", good, "\x1b[31m", bad, "\x1b[33m", fair, "\x1b[0m", plain)
	unmarked = strings.NewReplacer(good, "", bad, "", fair, "", plain, "")
)

// Finish makes a text ready to be written: nothing that a terminal would obey but our colors, and no line wider than the page.
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

// wrap breaks a line between words; what follows stands under it, a step further in.
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

// HangingIndent sets a text behind a label, broken between words, each line under the first.
func (p Page) HangingIndent(label, text string) string {
	at := columns(label)
	if p.Width == 0 {
		return label + Line(text)
	}
	if at > p.Width/2 { // under it then
		label, at = strings.TrimRight(label, " ")+"\n    ", 4
	}
	wrapped := broken(painted.Replace(render.EscapeControl(text)), max(p.Width-at, 1)) // which knows colors, and not our marks
	lines := strings.Split(marked.Replace(wrapped), "\n")
	return label + strings.Join(lines, "\n"+strings.Repeat(" ", at))
}

// columns is how wide a terminal shows a line.
func columns(line string) int { return cells.String(unmarked.Replace(line)) }
