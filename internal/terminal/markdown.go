package terminal

import (
	"strings"

	"nomograph/internal/pattern"
)

var (
	tableRule = pattern.New(`^\|[-:| ]+\|$`)
	unmarked  = strings.NewReplacer("**", "", "`", "", `\|`, "|", "&lt;", "<", "@\u200b", "@")
)

// Markdown shows a Markdown text of this program to people: tables with aligned columns, and headings and words
// without their marks. It undoes the escaping of recorded text.
func (p Page) Markdown(text string) string {
	var b strings.Builder
	var rows [][]string
	endTable := func() {
		if len(rows) > 0 {
			b.WriteString(p.Table(rows[0], rows[1:]))
			rows = nil
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "|") {
			endTable()
			if heading := strings.TrimLeft(line, "#"); heading != line {
				line = strings.TrimPrefix(heading, " ")
			}
			b.WriteString(unmarked.Replace(strings.TrimPrefix(line, "> ")) + "\n")
		} else if !tableRule.MatchString(line) {
			rows = append(rows, tableCells(line))
		}
	}
	endTable()
	return b.String()
}

// tableCells returns the cells of a row such as "| a | b |". A bar after a backslash is part of its cell.
func tableCells(line string) []string {
	const bar = "\x00"
	line = strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), `\|`, bar)
	cells := strings.Split(line, "|")
	for i, cell := range cells {
		cells[i] = unmarked.Replace(strings.ReplaceAll(strings.TrimSpace(cell), bar, "|"))
	}
	return cells
}
