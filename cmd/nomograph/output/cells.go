package output

import (
	"encoding/csv"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/internal/apperr"
)

// fieldsText is the named fields of the answer, or of each of its rows, a line each with tabs between them. One field of a single
// answer is written as it is; rows without the only field are left out. A name that nothing here has is a validation_error with the
// nearest ones, unless the answer could have it by its schema.
func fieldsText(value any, names []string, shape *jsonschema.Schema) (string, error) {
	rows, single, err := chosen(value, names, shape)
	if err != nil {
		return "", err
	}
	if single && len(names) == 1 {
		if text, ok := member(rows[0], names[0]).(string); ok {
			return strings.TrimSuffix(text, "\n") + "\n", nil
		}
	}
	var b strings.Builder
	for _, row := range rows {
		cells := make([]string, len(names))
		for i, name := range names {
			cells[i] = tsvCell(member(row, name))
		}
		if len(names) == 1 && member(row, names[0]) == nil {
			continue
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	return b.String(), nil
}

// fieldsValue is the named fields as data: an object, or a list of objects where the answer has rows.
func fieldsValue(value any, names []string, shape *jsonschema.Schema) (any, error) {
	rows, single, err := chosen(value, names, shape)
	if err != nil {
		return nil, err
	}
	list := make([]any, len(rows))
	for i, row := range rows {
		object := make([]field, len(names))
		for n, name := range names {
			object[n] = field{name, member(row, name)}
		}
		list[i] = object
	}
	if single {
		return list[0], nil
	}
	return list, nil
}

// chosen gives the objects that the named fields are read from: the answer itself, an object inside it that has them all, or its rows.
// single tells that it is one object and no list. A name that the answer cannot have is a validation_error.
func chosen(value any, names []string, shape *jsonschema.Schema) (rows [][]field, single bool, err error) {
	object, _ := value.([]field)
	rows, rest := rowsOf(value)
	there := columnsOf([][]field{object})
	_, isText := member(object, names[0]).(string)
	if among(names, slices.Concat(there, schemaNames(shape, false))) && (len(names) == 1 && isText || !among(names, columnsOf(rows))) {
		return [][]field{object}, true, nil
	}
	ofRows := slices.Concat(columnsOf(rows), schemaNames(shape, true))
	unknown := slices.IndexFunc(names, func(name string) bool { return !slices.Contains(ofRows, name) })
	if unknown < 0 {
		return rows, rest == nil, nil
	}
	var inside []string
	for _, f := range object { // such as the decision of get_decision
		one, ok := f.value.([]field)
		if !ok {
			continue
		}
		has := columnsOf([][]field{one})
		if among(names, has) {
			return [][]field{one}, true, nil
		}
		inside = append(inside, has...)
	}
	if len(rows) == 0 {
		return nil, false, nil
	}
	return nil, false, noField(names[unknown], slices.Concat(ofRows, there, inside))
}

func among(names, all []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(all, name) })
}

func noField(name string, there []string) error {
	slices.Sort(there)
	there = slices.Compact(there)
	f := apperr.Newf(apperr.Validation, "The answer has no field '%s'", name).With("fields", there)
	if near := apperr.Nearest(name, there); len(near) > 0 {
		return f.WithHint("Did you mean %s?", strings.Join(near, ", "))
	}
	return f.WithHint("It has %s", strings.Join(there, ", "))
}

// schemaNames are the fields that an answer may have, or its rows.
func schemaNames(shape *jsonschema.Schema, ofRows bool) []string {
	if shape == nil {
		return nil
	}
	names := slices.Collect(maps.Keys(shape.Properties))
	if !ofRows {
		return names
	}
	for _, name := range shape.PropertyOrder {
		if list := shape.Properties[name]; list.Type == "array" && list.Items != nil && list.Items.Type == "object" {
			return slices.Collect(maps.Keys(list.Items.Properties))
		}
	}
	return names
}

// namesText is what each row goes by, a line each, for other commands to take.
func namesText(value any) (string, error) {
	rows, _ := rowsOf(value)
	var b strings.Builder
	for _, row := range rows {
		name := nameOf(row)
		if name == nil {
			return "", apperr.New(apperr.Validation, "The answer has no names or ids").WithHint("Choose a field: --field %s", strings.Join(columnsOf(rows), ", "))
		}
		b.WriteString(tsvCell(name) + "\n")
	}
	return b.String(), nil
}

// csvText is the rows as RFC 4180 has them, with the columns' names first and nested values as JSON.
func csvText(value any) (string, error) {
	rows, _ := rowsOf(value)
	columns := columnsOf(rows)
	var b strings.Builder
	out := csv.NewWriter(&b)
	if len(columns) > 0 {
		_ = out.Write(columns) // Flush tells
	}
	for _, row := range rows {
		cells := make([]string, len(columns))
		for i, name := range columns {
			cells[i] = written(member(row, name))
		}
		_ = out.Write(cells)
	}
	out.Flush()
	return b.String(), out.Error()
}

// tsvText is the rows with tabs between the cells.
func tsvText(value any) string {
	rows, _ := rowsOf(value)
	columns := columnsOf(rows)
	var b strings.Builder
	if len(columns) > 0 {
		b.WriteString(strings.Join(columns, "\t") + "\n")
	}
	for _, row := range rows {
		cells := make([]string, len(columns))
		for i, name := range columns {
			cells[i] = tsvCell(member(row, name))
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	return b.String()
}

var tsvEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

func tsvCell(value any) string { return tsvEscapes.Replace(written(value)) }

// written is a value in a cell for programs: text as it is, nothing for none, anything else as JSON.
func written(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return compact(value)
}
