package output

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// rowsOf returns the rows of an answer: those of a query, the first list of objects, or else the answer itself.
func rowsOf(value any) (rows [][]field, rest []field) {
	object, ok := value.([]field)
	if !ok {
		return [][]field{{{"value", value}}}, nil
	}
	if columns, ok := member(object, "columns").([]any); ok {
		list, _ := member(object, "rows").([]any)
		for _, row := range list {
			var one []field
			for i, cell := range row.([]any) {
				one = append(one, field{fmt.Sprint(columns[i]), cell})
			}
			rows = append(rows, one)
		}
		return rows, slices.DeleteFunc(slices.Clone(object),
			func(f field) bool { return f.name == "columns" || f.name == "rows" })
	}
	for i, f := range object {
		list, ok := f.value.([]any)
		if !ok || len(list) > 0 && !isObject(list[0]) || len(list) == 0 && i > 0 {
			continue
		}
		for _, row := range list {
			one, _ := row.([]field)
			rows = append(rows, one)
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
func nameOf(row []field) any {
	for _, f := range row {
		if strings.HasSuffix(f.name, "_id") || f.name == "name" || f.name == "id" {
			return cmp.Or(member(row, "name"), member(row, "id"), f.value)
		}
	}
	return cmp.Or(member(row, "scope"), member(row, "label"), member(row, "uid"))
}
