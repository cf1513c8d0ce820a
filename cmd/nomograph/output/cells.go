package output

import (
	"cmp"
	"encoding/csv"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tidwall/gjson"

	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/render"
)

// fieldsText returns the named fields of the answer or of each row, one line each, separated by tabs. A single field of
// a single answer is printed unchanged. Rows without the only field are omitted. It returns a validation_error with
// similar names for an unknown field, unless the answer's schema defines it.
func fieldsText(value gjson.Result, names []string, shape *jsonschema.Schema) (string, error) {
	rows, single, err := selectObjects(value, names, shape)
	if err != nil {
		return "", err
	}
	if single && len(names) == 1 {
		if only := member(rows[0], names[0]); only.Type == gjson.String {
			return strings.TrimSuffix(only.Str, "\n") + "\n", nil
		}
	}
	if len(names) == 1 {
		rows = slices.DeleteFunc(rows, func(row []field) bool { return member(row, names[0]).Type == gjson.Null })
	}
	return tabbed(cellsOf(rows, names, tsvCell)), nil
}

// cellsOf returns the values of the named fields in each row.
func cellsOf(rows [][]field, names []string, cell func(gjson.Result) string) [][]string {
	lines := make([][]string, len(rows))
	for i, row := range rows {
		lines[i] = lists.Map(names, func(name string) string { return cell(member(row, name)) })
	}
	return lines
}

// tableOf returns the rows of an answer below the names of their columns.
func tableOf(value gjson.Result, cell func(gjson.Result) string) [][]string {
	rows, _ := rowsOf(value)
	columns := columnsOf(rows)
	if len(columns) == 0 {
		return cellsOf(rows, columns, cell)
	}
	return append([][]string{columns}, cellsOf(rows, columns, cell)...)
}

func tabbed(lines [][]string) string {
	var b strings.Builder
	for _, cells := range lines {
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	return b.String()
}

// fieldsJSON returns the named fields as a JSON object, or as a list of objects if the answer has rows.
func fieldsJSON(value gjson.Result, names []string, shape *jsonschema.Schema) ([]byte, error) {
	rows, single, err := selectObjects(value, names, shape)
	if err != nil {
		return nil, err
	}
	list := make([]string, len(rows))
	for i, cells := range cellsOf(rows, names, func(v gjson.Result) string { return cmp.Or(v.Raw, "null") }) {
		for n, name := range names {
			key, _ := render.JSON(name) // a string is always encoded
			cells[n] = string(key) + ":" + cells[n]
		}
		list[i] = "{" + strings.Join(cells, ",") + "}"
	}
	if single {
		return []byte(list[0]), nil
	}
	return []byte("[" + strings.Join(list, ",") + "]"), nil
}

// selectObjects returns the objects from which the named fields are read: the answer, an object in it that has all of
// them, or its rows. single is true for one object. It returns a validation_error for a name that the answer cannot
// have.
func selectObjects(value gjson.Result, names []string, shape *jsonschema.Schema) (rows [][]field, single bool,
	err error) {
	object := membersOf(value)
	rows, rest := rowsOf(value)
	there := columnsOf([][]field{object})
	if areAll(names, slices.Concat(there, schemaNames(shape, false))) &&
		(len(names) == 1 && member(object, names[0]).Type == gjson.String || !areAll(names, columnsOf(rows))) {
		return [][]field{object}, true, nil
	}
	ofRows := slices.Concat(columnsOf(rows), schemaNames(shape, true))
	unknown := slices.IndexFunc(names, func(name string) bool { return !slices.Contains(ofRows, name) })
	if unknown < 0 {
		return rows, rest == nil, nil
	}
	var inside []string
	for _, f := range object { // such as the decision of get_decision
		one := membersOf(f.value)
		has := columnsOf([][]field{one})
		if areAll(names, has) {
			return [][]field{one}, true, nil
		}
		inside = append(inside, has...)
	}
	if len(rows) == 0 {
		return nil, false, nil
	}
	return nil, false, noField(names[unknown], slices.Concat(ofRows, there, inside))
}

func areAll(names, all []string) bool {
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

// schemaNames returns the fields that the schema defines for an answer or for its rows.
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

// namesText returns the name of each row, one per line, for other commands.
func namesText(value gjson.Result) (string, error) {
	rows, _ := rowsOf(value)
	var b strings.Builder
	for _, row := range rows {
		name := nameOf(row)
		if name.Type == gjson.Null {
			return "", apperr.New(apperr.Validation, "The answer has no names or ids").
				WithHint("Choose a field: --field %s", strings.Join(columnsOf(rows), ", "))
		}
		b.WriteString(tsvCell(name) + "\n")
	}
	return b.String(), nil
}

// csvText returns the rows as CSV (RFC 4180) with a header. Nested values are JSON. Texts are written so that no
// spreadsheet reads them as formulas.
func csvText(value gjson.Result) string {
	var b strings.Builder
	_ = csv.NewWriter(&b).WriteAll(tableOf(value, func(value gjson.Result) string { // a builder takes everything
		if value.Type == gjson.String {
			return render.Cell(value.Str)
		}
		return programText(value)
	}))
	return b.String()
}

// tsvText returns the rows separated by tabs.
func tsvText(value gjson.Result) string { return tabbed(tableOf(value, tsvCell)) }

var tsvEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

func tsvCell(value gjson.Result) string { return tsvEscapes.Replace(programText(value)) }

// programText returns a value for programs: strings unchanged, null as empty, everything else as JSON.
func programText(value gjson.Result) string {
	if value.Type == gjson.String || value.Type == gjson.Null {
		return value.Str
	}
	return value.Raw
}
