package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/goccy/go-yaml"

	"nomograph/fault"
)

// print writes an answer in the form that was asked for.
func (a *app) print(w io.Writer, answer any) error {
	if a.field != "" {
		return printField(w, answer, a.field)
	}
	if told, has := answer.(fmt.Stringer); has && a.output == "" {
		_, err := fmt.Fprint(w, visible(told.String()))
		return err
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	switch a.output {
	case "json":
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, raw, "", "  "); err != nil {
			return err
		}
		_, err = fmt.Fprintln(w, pretty.String())
		return err
	case "yaml":
		text, err := yaml.JSONToYAML(raw)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w, strings.TrimSuffix(string(text), "\n"))
		return err
	default:
		value, err := ordered(raw)
		if err != nil {
			return err
		}
		return printTable(w, value)
	}
}

// visible takes out of a text for people what a terminal would obey instead of showing it: recorded texts are whoever's who recorded
// them. Line ends and tabs stay, and so does what joins letters and emoji.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069': // the latter turn the direction of writing
			return -1
		}
		return r
	}, text)
}

// printField writes one field of the answer as it is, or of each row where the answer is a list: a line each, without the
// rows that lack it.
func printField(w io.Writer, answer any, name string) error {
	raw, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	value, err := ordered(raw)
	if err != nil {
		return err
	}
	object, _ := value.([]field)
	if one := member(object, name); one != nil {
		_, err := fmt.Fprintln(w, plain(one))
		return err
	}
	for _, f := range object {
		rows, isList := f.value.([]any)
		if !isList || len(rows) > 0 && !isObject(rows[0]) {
			continue
		}
		for _, row := range rows {
			if one := member(row.([]field), name); one != nil {
				fmt.Fprintln(w, plain(one))
			}
		}
		return nil
	}
	return fault.Newf(fault.Conflict, "The answer has no %s", name).WithHint("See the whole answer without --value or --field")
}

func member(object []field, name string) any {
	for _, f := range object {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

// plain is text as it is, and anything else as a table shows it.
func plain(value any) string {
	if text, ok := value.(string); ok {
		return strings.TrimSuffix(text, "\n")
	}
	return cell(value)
}

// field is one member of a JSON object, in the order in which it was written.
type field struct {
	name  string
	value any
}

// ordered reads JSON with the order of its members kept: objects become []field.
func ordered(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return orderedValue(decoder)
}

func orderedValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, isDelim := token.(json.Delim)
	if !isDelim {
		return token, nil
	}
	object, list := []field{}, []any{}
	for d.More() {
		if delim == '[' {
			item, err := orderedValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
			continue
		}
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		value, err := orderedValue(d)
		if err != nil {
			return nil, err
		}
		object = append(object, field{name.(string), value})
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if delim == '[' {
		return list, nil
	}
	return object, nil
}

// printTable shows an object whose one list of objects is its content as a table, any other as two columns.
func printTable(w io.Writer, value any) error {
	object, ok := value.([]field)
	if !ok {
		_, err := fmt.Fprintln(w, cell(value))
		return err
	}
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	var rest []string
	listed := false
	if columns, ok := member(object, "columns").([]any); ok { // the answer to a query
		for i, row := range member(object, "rows").([]any) {
			if i == 0 {
				fmt.Fprintln(out, strings.ToUpper(joined(columns)))
			}
			fmt.Fprintln(out, joined(row.([]any)))
		}
		object = slices.DeleteFunc(object, func(f field) bool { return f.name == "columns" || f.name == "rows" })
		fmt.Fprintln(out)
	}
	for _, f := range object {
		rows, isList := f.value.([]any)
		if isList && !listed && (len(rows) == 0 || isObject(rows[0])) {
			listed = true
			printRows(out, rows)
			continue
		}
		rest = append(rest, f.name+"\t"+cell(f.value))
	}
	if listed && len(rest) > 0 {
		fmt.Fprintln(out)
	}
	for _, line := range rest {
		fmt.Fprintln(out, line)
	}
	return out.Flush()
}

func printRows(out io.Writer, rows []any) {
	var columns []string
	for _, row := range rows {
		for _, f := range row.([]field) {
			if !slices.Contains(columns, f.name) {
				columns = append(columns, f.name)
			}
		}
	}
	if len(columns) == 0 {
		fmt.Fprintln(out, "(none)")
		return
	}
	fmt.Fprintln(out, strings.ToUpper(strings.Join(columns, "\t")))
	for _, row := range rows {
		cells := make([]string, len(columns))
		for _, f := range row.([]field) {
			cells[slices.Index(columns, f.name)] = cell(f.value)
		}
		fmt.Fprintln(out, strings.Join(cells, "\t"))
	}
}

func joined(values []any) string {
	cells := make([]string, len(values))
	for i, value := range values {
		cells[i] = cell(value)
	}
	return strings.Join(cells, "\t")
}

func isObject(value any) bool {
	_, ok := value.([]field)
	return ok
}

func cell(value any) string {
	switch v := value.(type) {
	case nil:
		return "-"
	case string:
		return visible(strings.Join(strings.Fields(v), " "))
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = cell(item)
		}
		return strings.Join(parts, ", ")
	case []field:
		parts := make([]string, len(v))
		for i, f := range v {
			parts[i] = f.name + "=" + cell(f.value)
		}
		return strings.Join(parts, " ")
	default:
		return fmt.Sprint(v)
	}
}
