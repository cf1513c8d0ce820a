package views

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"nomograph/internal/render"
	"nomograph/internal/terminal"
)

// list returns the view of an answer whose first list is shown as a table, and whose notes follow. See tableOf for the
// columns.
func list[T any](columns string) view {
	return of(func(answer T, page terminal.Page) string {
		v := reflect.ValueOf(answer)
		for i := range v.NumField() {
			if items := v.Field(i); items.Kind() == reflect.Slice {
				cursor := ""
				if next := v.FieldByName("NextCursor"); next.IsValid() {
					cursor = next.String()
				}
				var notes strings.Builder
				if found := v.FieldByName("Notes"); found.IsValid() {
					addNotes(&notes, found.Interface().([]string))
				}
				return tableOf(page, items, columns, cursor) + notes.String()
			}
		}
		panic(fmt.Sprintf("%T has no list", answer))
	})
}

// tableOf formats a list of structs as a table with the given columns: HEADING=Field, or HEADING=Field.Field of the
// items of a list. With :word a cell is colored, with :id it is shortened to a prefix that commands accept. An empty
// cell is -.
func tableOf(page terminal.Page, items reflect.Value, columns, cursor string) string {
	rows, head := make([][]string, items.Len()), []string{}
	for column := range strings.FieldsSeq(columns) {
		heading, field, _ := strings.Cut(column, "=")
		field, form, _ := strings.Cut(field, ":")
		cells := make([]string, len(rows))
		for i := range cells {
			if cells[i] = cellOf(page, items.Index(i), strings.Split(field, ".")); form == "word" {
				cells[i] = page.ColorWord(cells[i])
			}
		}
		if form == "id" {
			cells = page.IDs(cells)
		}
		head = append(head, heading)
		for i, cell := range cells {
			rows[i] = append(rows[i], render.OrDash(cell))
		}
	}
	return page.List(head, rows, cursor)
}

// cellOf formats the value at a path of fields.
func cellOf(page terminal.Page, v reflect.Value, path []string) string {
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil():
		return ""
	case v.Kind() == reflect.Pointer:
		return cellOf(page, v.Elem(), path)
	case v.Kind() == reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = cellOf(page, v.Index(i), path)
		}
		return strings.Join(parts, ", ")
	case len(path) > 0:
		return cellOf(page, v.FieldByName(path[0]), path[1:])
	}
	switch value := v.Interface().(type) {
	case time.Time:
		if value.IsZero() {
			return ""
		}
		return page.Time(value)
	case bool:
		return map[bool]string{true: "allowed", false: "denied"}[value]
	}
	return fmt.Sprint(v.Interface())
}
