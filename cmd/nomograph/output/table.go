package output

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"nomograph/internal/lists"
	"nomograph/internal/pattern"
	"nomograph/internal/render"
	"nomograph/internal/terminal"
)

// answerText formats an answer as a table of its rows with the remaining fields below. Answers without rows, or with a
// single row that does not fit, are listed field by field.
func answerText(page terminal.Page, value gjson.Result) string {
	rows, rest := rowsOf(value)
	switch {
	case !value.IsObject():
		return cell(page, value) + "\n"
	case rest == nil:
		return details(page, rows[0], 0)
	case value.Get("columns").Exists():
		page.Now = time.Time{} // show exact property values
	}
	text := "(none)\n"
	if len(rows) > 0 {
		text = rowsText(page, rows)
	}
	if len(rows) == 1 && page.Width > 0 && strings.Contains(text, "…") {
		text = details(page, rows[0], 0)
	}
	if len(rest) > 0 {
		text += "\n" + details(page, rest, 0)
	}
	return text
}

// maxPipedWidth is the maximum width of lines in a table with nested values when nothing is truncated, as in a pipe.
const maxPipedWidth = 200

// rowsText formats rows as a table. If nothing is truncated and nested values would make lines too long, each row is
// listed field by field; -o wide keeps the table.
func rowsText(page terminal.Page, rows [][]field) string {
	table := rowsTable(page, rows)
	if page.Width > 0 || page.Wide || !slices.ContainsFunc(rows, hasNested) ||
		!slices.ContainsFunc(strings.Split(table, "\n"), func(line string) bool { return len(line) > maxPipedWidth }) {
		return table
	}
	blocks := lists.Map(rows, func(row []field) string { return details(page, row, 0) })
	return strings.Join(blocks, "\n")
}

// hasNested reports whether a cell of a row contains an object or a list of objects.
func hasNested(row []field) bool {
	return slices.ContainsFunc(row, func(f field) bool {
		return f.value.IsObject() || f.value.IsArray() && slices.ContainsFunc(f.value.Array(), gjson.Result.IsObject)
	})
}

// cutIDs are the columns of ids for which commands accept prefixes.
var cutIDs = []string{"verdict_id", "session_id"}

func rowsTable(page terminal.Page, rows [][]field) string {
	columns := columnsOf(rows)
	head, cells := make([]string, len(columns)), cellsOf(rows, columns, func(gjson.Result) string { return "" })
	for c, name := range columns {
		head[c] = strings.ToUpper(name)
		column := lists.Map(rows, func(row []field) string { return colorCell(page, name, member(row, name)) })
		if slices.Contains(cutIDs, name) {
			column = page.IDs(column)
		}
		for r := range rows {
			cells[r][c] = column[r]
		}
	}
	return page.Table(head, cells)
}

// coloredColumns are the columns with colored words.
var coloredColumns = []string{"allowed", "outcome", "status", "result", "state", "severity", "effect", "mode",
	"healthy"}

func colorCell(page terminal.Page, name string, value gjson.Result) string {
	switch {
	case !slices.Contains(coloredColumns, name):
		return cell(page, value)
	case value.Type == gjson.True && page.Color:
		return page.Colorize("allowed", "true")
	case value.Type == gjson.False && page.Color:
		return page.Colorize("denied", "false")
	}
	return page.ColorWord(cell(page, value))
}

var (
	digest = pattern.New(`^[0-9a-f]{40,}$`)
	moment = pattern.New(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`)
)

const shortDigest = 12

// cell formats a value on one line.
func cell(page terminal.Page, value gjson.Result) string {
	var parts []string
	switch {
	case value.Type == gjson.Null:
		return "-"
	case value.Type == gjson.String:
		return scalar(page, terminal.Line(value.Str))
	case value.IsArray():
		for _, item := range value.Array() {
			parts = append(parts, cell(page, item))
		}
		return strings.Join(parts, ", ")
	case value.IsObject():
		for _, f := range membersOf(value) {
			parts = append(parts, f.name+"="+cell(page, f.value))
		}
		return strings.Join(parts, " ")
	}
	return value.Raw
}

// Cell formats a value on one line, independent of the output device.
func Cell(value any) string {
	raw, _ := render.JSON(value) // what cannot be encoded is shown as missing
	return cell(terminal.Page{}, gjson.ParseBytes(raw))
}

// scalar formats a text for people: relative times and shortened hashes.
func scalar(page terminal.Page, text string) string {
	if page.Now.IsZero() {
		return text
	}
	if digest.MatchString(text) {
		return text[:shortDigest]
	}
	if moment.MatchString(text) {
		if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
			return page.Time(at)
		}
	}
	return text
}

const maxNameWidth = 30

// details lists an object field by field. Nested values are indented below their name.
func details(page terminal.Page, object []field, indent int) string {
	width := 0
	for _, f := range object {
		if n := len(terminal.Line(f.name)); n <= maxNameWidth {
			width = max(width, n)
		}
	}
	margin := strings.Repeat(" ", indent)
	var b strings.Builder
	for _, f := range object {
		name := terminal.Line(f.name)
		list, text, inner := f.value.Array(), f.value.Str, membersOf(f.value)
		label := fmt.Sprintf("%s%-*s  ", margin, width, name)
		switch {
		case len(inner) > 0:
			fmt.Fprintf(&b, "%s%s\n%s", margin, name, details(page, inner, indent+2))
		case f.value.IsArray() && len(list) > 0 && list[0].IsObject():
			fmt.Fprintf(&b, "%s%s\n%s\n", margin, name, listText(page, list, margin+"  "))
		case f.value.Type == gjson.String && page.Width > 0 && f.name == "next_cursor":
			b.WriteString(margin + page.More(text) + "\n")
		case f.value.Type == gjson.String && page.Width > 0 && !slices.Contains(coloredColumns, f.name) &&
			scalar(page, strings.TrimSpace(text)) == strings.TrimSpace(text):
			b.WriteString(page.HangingIndent(label, strings.TrimSpace(text)) + "\n")
		default:
			b.WriteString(page.HangingIndent(label, colorCell(page, f.name, f.value)) + "\n")
		}
	}
	return b.String()
}

// listText formats a list of objects with a margin.
func listText(page terminal.Page, list []gjson.Result, margin string) string {
	rows := make([][]field, len(list))
	for i := range list {
		rows[i] = membersOf(list[i])
	}
	if page.Width > 0 {
		page.Width = max(page.Width-len(margin), maxNameWidth)
	}
	return margin + strings.ReplaceAll(strings.TrimSuffix(rowsText(page, rows), "\n"), "\n", "\n"+margin)
}
