package output

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// rowsOf returns the rows of an answer: those of a query, the first list of objects, or else the answer itself.
func rowsOf(value gjson.Result) (rows [][]field, rest []field) {
	object := membersOf(value)
	if !value.IsObject() {
		return [][]field{{{"value", value}}}, nil
	}
	if columns := member(object, "columns"); columns.IsArray() {
		names := columns.Array()
		for _, row := range member(object, "rows").Array() {
			var one []field
			for i, cell := range row.Array() {
				one = append(one, field{names[i].String(), cell})
			}
			rows = append(rows, one)
		}
		return rows, slices.DeleteFunc(slices.Clone(object),
			func(f field) bool { return f.name == "columns" || f.name == "rows" })
	}
	for i, f := range object {
		list := f.value.Array()
		if !f.value.IsArray() || len(list) > 0 && !list[0].IsObject() || len(list) == 0 && i > 0 {
			continue
		}
		for _, row := range list {
			rows = append(rows, membersOf(row))
		}
		return rows, slices.Delete(slices.Clone(object), i, i+1)
	}
	return [][]field{object}, nil
}

// columnsOf returns the columns of rows in order of appearance.
func columnsOf(rows [][]field) []string {
	var columns []string
	for _, row := range rows {
		for _, f := range row {
			if !slices.Contains(columns, f.name) {
				columns = append(columns, f.name)
			}
		}
	}
	return columns
}

// nameOf returns the member that identifies an object.
func nameOf(row []field) (name gjson.Result) {
	names := []string{"scope", "label", "uid"}
	if i := slices.IndexFunc(row, func(f field) bool {
		return strings.HasSuffix(f.name, "_id") || f.name == "name" || f.name == "id"
	}); i >= 0 {
		names = []string{"name", "id", row[i].name}
	}
	for _, of := range names {
		if name = member(row, of); name.Type != gjson.Null {
			break
		}
	}
	return name
}
