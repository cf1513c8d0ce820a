package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"nomograph/fault"
	"nomograph/layout"
	"nomograph/tools"
)

// The forms of an answer, besides text for people.
var forms = []string{"text", "wide", "json", "yaml", "csv", "tsv", "name"}

// print writes an answer in the form that was asked for.
func (a *app) print(w io.Writer, answer any) error {
	raw, err := layout.JSON(answer)
	if err != nil {
		return err
	}
	page := a.page(w)
	if len(a.fields) == 0 && a.output == "" {
		switch told := answer.(type) {
		case interface{ Layout(layout.Page) string }:
			return write(w, page.Finish(told.Layout(page)))
		case fmt.Stringer:
			return write(w, page.Finish(told.String()))
		}
	}
	switch a.output {
	case "json":
		text, err := layout.IndentedJSON(answer)
		if err != nil {
			return err
		}
		return write(w, text+"\n")
	case "yaml":
		text, err := yamlOf(raw)
		if err != nil {
			return err
		}
		return write(w, strings.TrimSuffix(text, "\n")+"\n")
	}
	value, err := ordered(raw)
	if err != nil {
		return err
	}
	var text string
	switch {
	case len(a.fields) > 0:
		text, err = fieldsText(value, a.fields, a.answers)
	case a.output == "name":
		text, err = namesText(value)
	case a.output == "csv":
		text, err = csvText(value)
	case a.output == "tsv":
		text = tsvText(value)
	default:
		return write(w, page.Finish(answerText(page, value)))
	}
	if err != nil {
		return err
	}
	return write(w, layout.Visible(text))
}

func write(w io.Writer, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// answer prints the answer of an operation: what of it a person wants to see, or all.
func (a *app) answer(cmd *cobra.Command, o tools.Operation, out any) error {
	w := cmd.OutOrStdout()
	if path, _ := cmd.Flags().GetString("out"); path != "" && o.CLI.Document != "" {
		return a.writeDocument(cmd, o, out, path)
	}
	if len(a.fields) > 0 || a.output != "" || o.CLI.Print+o.CLI.Document == "" {
		return a.print(w, out)
	}
	text, err := textField(out, o.CLI.Print+o.CLI.Document)
	switch {
	case err != nil:
		return err
	case text == "":
		return a.print(w, out)
	}
	printNotes(cmd.ErrOrStderr(), out)
	text = strings.TrimSuffix(text, "\n") + "\n"
	switch {
	case o.CLI.Document == "":
		text = a.page(w).Finish(text)
	case onTerminal(w):
		text = layout.Visible(text)
	}
	return write(w, text)
}

// writeDocument writes the document of an answer to a file, whole or not at all, and says so.
func (a *app) writeDocument(cmd *cobra.Command, o tools.Operation, out any, path string) error {
	text, err := textField(out, o.CLI.Document)
	if err != nil {
		return err
	}
	if text == "" {
		return fault.Newf(fault.Validation, "This answer has no %s to write", o.CLI.Document).WithHint("See what it has without --out")
	}
	if kind := strings.ToLower(filepath.Ext(path)); o.CLI.Document == "svg" && slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"}, kind) {
		return fault.Newf(fault.Validation, "The drawing is an SVG, and %s would say that it is none", path).WithHint("Name a file that ends in .svg; a browser shows it")
	}
	text = strings.TrimSuffix(text, "\n") + "\n"
	if err := replaceFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}); err != nil {
		return err
	}
	printNotes(cmd.ErrOrStderr(), out)
	return a.print(cmd.OutOrStdout(), writtenFile{path, len(text)})
}

// writtenFile says what was written.
type writtenFile struct {
	File  string `json:"file"`
	Bytes int    `json:"bytes"`
}

func (f writtenFile) String() string { return fmt.Sprintf("wrote %s (%d bytes)\n", f.File, f.Bytes) }

func textField(out any, name string) (string, error) {
	raw, err := json.Marshal(out)
	if err != nil {
		return "", err
	}
	var answer map[string]any
	if err := json.Unmarshal(raw, &answer); err != nil {
		return "", err
	}
	text, _ := answer[name].(string)
	return text, nil
}

// yamlOf writes JSON as YAML, with what a terminal would obey escaped.
func yamlOf(raw []byte) (string, error) {
	var value any
	if err := yaml.UnmarshalWithOptions(raw, &value, yaml.UseOrderedMap()); err != nil {
		return "", err
	}
	text, err := yaml.MarshalWithOptions(value, yaml.CustomMarshaler[string](func(s string) ([]byte, error) {
		if layout.Visible(s) != s {
			return layout.JSON(s) // a JSON string is one of YAML
		}
		return yaml.Marshal(s)
	}))
	return string(text), err
}

// rowsOf gives the rows of an answer: those of a query, the objects of its first list of objects, or else itself as the only one.
func rowsOf(value any) (rows [][]field, rest []field) {
	object, is := value.([]field)
	if !is {
		return [][]field{{{"value", value}}}, nil
	}
	if columns, is := member(object, "columns").([]any); is {
		list, _ := member(object, "rows").([]any)
		for _, row := range list {
			var one []field
			for i, cell := range row.([]any) {
				one = append(one, field{fmt.Sprint(columns[i]), cell})
			}
			rows = append(rows, one)
		}
		return rows, slices.DeleteFunc(slices.Clone(object), func(f field) bool { return f.name == "columns" || f.name == "rows" })
	}
	for i, f := range object {
		list, is := f.value.([]any)
		if !is || len(list) > 0 && !isObject(list[0]) || len(list) == 0 && i > 0 {
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

// columnsOf names the columns of rows in the order in which they come up.
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

// nameOf is the member by which an object goes.
func nameOf(row []field) any {
	for _, f := range row {
		if strings.HasSuffix(f.name, "_id") || f.name == "name" || f.name == "id" {
			return cmp.Or(member(row, "name"), member(row, "id"), f.value)
		}
	}
	return cmp.Or(member(row, "scope"), member(row, "label"), member(row, "uid"))
}
