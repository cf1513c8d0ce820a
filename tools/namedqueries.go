package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/document"
	"nomograph/internal/pattern"
	"nomograph/internal/schema"
)

// Operations returns the catalog, the shipped named queries and those in folder dir, which may be missing. Invalid
// queries are skipped and returned in problems as validation_error or query_refused with file and line.
func Operations(dir string) (operations []Operation, problems []error) {
	operations = slices.Clone(Catalog)
	for _, from := range []struct {
		files   fs.FS
		toolset string
	}{{cypher.Samples(), "samples"}, {os.DirFS(dir), "queries"}} {
		named, wrong := namedQueries(from.files, from.toolset)
		problems = append(problems, wrong...)
		for _, o := range named {
			if slices.ContainsFunc(operations, func(other Operation) bool {
				return other.Name == o.Name && other.Toolset != "samples"
			}) {
				problems = append(problems, apperr.Newf(apperr.Conflict, "Query '%s' has the name of another operation",
					o.Name).WithHint("Rename its file"))
				continue
			}
			// A query of the installation replaces a shipped one with the same name.
			operations = slices.DeleteFunc(operations, func(other Operation) bool { return other.Name == o.Name })
			operations = append(operations, o)
		}
	}
	return operations, problems
}

func namedQueries(files fs.FS, toolset string) (operations []Operation, problems []error) {
	names, err := fs.Glob(files, "*.cypher")
	if err != nil {
		return nil, []error{err}
	}
	for _, file := range names {
		var text []byte
		info, err := fs.Stat(files, file)
		switch {
		case err != nil:
		case !info.Mode().IsRegular():
			err = apperr.Newf(apperr.Validation, "%s: not a regular file", file).
				WithHint("Save the query as a regular .cypher file")
		case info.Size() > document.DefaultBytes:
			err = apperr.Newf(apperr.Validation, "%s: longer than %d bytes", file, document.DefaultBytes).
				WithHint("Shorten the query")
		default:
			text, err = fs.ReadFile(files, file)
		}
		if err == nil {
			var o Operation
			if o, err = namedQuery(file, string(text), toolset); err == nil {
				operations = append(operations, o)
				continue
			}
		}
		problems = append(problems, err)
	}
	return operations, problems
}

var (
	queryName     = pattern.New(`^[a-z][a-z0-9_]{1,44}$`)
	parameterLine = pattern.New(`^\$([A-Za-z_][A-Za-z0-9_]*):\s*(string|integer|number|boolean|strings)(?:\s*=\s*("(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^,]+))?\s*(?:,\s*(.*))?$`)
)

// namedQuery parses a query with its header: comment lines with a description, and one line per parameter:
//
//	// Which thresholds a table uses.
//	// $table: string, the table's id
//	// $limit: integer = 20, maximum number of results
//
// A parameter without a default is required. The name is the file's, unless a line `name: other` changes it.
func namedQuery(file, text, toolset string) (Operation, error) {
	o := Operation{Name: strings.TrimSuffix(file, ".cypher"), Toolset: toolset, Permission: Query}
	h := header{file: file, defaults: graph.Parameters{},
		input: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{},
			AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}}
	for i, line := range strings.Split(text, "\n") {
		comment, isComment := strings.CutPrefix(strings.TrimSpace(line), "//")
		comment = strings.TrimSpace(comment)
		if !isComment && comment != "" {
			break
		}
		if name, ok := strings.CutPrefix(comment, "name:"); ok {
			o.Name = strings.TrimSpace(name)
		} else if !strings.HasPrefix(comment, "$") {
			o.Use = strings.TrimSpace(o.Use + " " + comment)
		} else if err := h.parameter(i+1, comment); err != nil {
			return o, err
		}
	}
	switch {
	case !queryName.MatchString(o.Name):
		return o, h.wrong(1, "%q is not a valid query name: use lower-case letters, digits and underscores", o.Name)
	case o.Use == "":
		return o, h.wrong(1, "the file must begin with a comment that describes the query")
	}
	o.Title = strings.ToUpper(o.Name[:1]) + strings.ReplaceAll(o.Name[1:], "_", " ")
	o.Command, o.CLI.Args = "query "+strings.ReplaceAll(o.Name, "_", "-"), positional(h.input)
	o.REST = "GET /v1/queries/" + o.Name
	if err := h.check(text); err != nil {
		return o, err
	}
	o.finish(reflect.TypeFor[graph.Parameters](), reflect.TypeFor[graph.QueryResult](),
		func(ctx context.Context, app *App, in any) (any, error) {
			return app.Graph.RunReadOnly(ctx, graph.ReadQuery{Query: text,
				Params: h.defaults.With(*in.(*graph.Parameters))})
		})
	o.made.given = h.input
	return o, nil
}

// header is what the comment lines of a query declare.
type header struct {
	file     string
	input    *jsonschema.Schema
	defaults graph.Parameters
}

func (h header) wrong(line int, format string, args ...any) error {
	return apperr.Newf(apperr.Validation, "%s:%d: %s", h.file, line, fmt.Sprintf(format, args...)).
		WithHint("See docs/guides/cypher-queries.md for the form of a named query")
}

// parameter adds the parameter that a line declares.
func (h header) parameter(line int, comment string) error {
	found := parameterLine.FindStringSubmatch(comment)
	if found == nil {
		return h.wrong(line, "a parameter is written as `$name: string|integer|number|boolean|strings = default, what it is`")
	}
	name, kind := found[1], found[2]
	if h.input.Properties[name] != nil {
		return h.wrong(line, "$%s is declared twice", name)
	}
	property := &jsonschema.Schema{Type: kind, Description: found[4]}
	switch kind {
	case "string":
		property.MaxLength = whole("10000")
	case "strings":
		property.Type, property.Items, property.MaxItems = "array", &jsonschema.Schema{Type: "string"}, whole("1000")
	}
	if standard := strings.TrimSpace(found[3]); standard != "" {
		if kind == "string" && !strings.HasPrefix(standard, `"`) {
			quoted, _ := json.Marshal(standard) // strings always encode
			standard = string(quoted)
		}
		var value graph.Parameters
		if err := json.Unmarshal([]byte(`{"v":`+standard+`}`), &value); err != nil {
			return h.wrong(line, "the default of $%s is not JSON", name)
		}
		if !isValid(property, standard) {
			return h.wrong(line, "the default of $%s is not of the type %s", name, kind)
		}
		property.Default, h.defaults[name] = json.RawMessage(standard), value["v"]
	} else {
		h.input.Required = append(h.input.Required, name)
	}
	h.input.Properties[name] = property
	h.input.PropertyOrder = append(h.input.PropertyOrder, name)
	return nil
}

// check checks that a query only reads, and uses the declared parameters.
func (h header) check(text string) error {
	parsed, err := graph.CheckQuery(text, h.defaults)
	if err != nil {
		f := apperr.From(err)
		f.Message = h.file + ": " + f.Message
		return f
	}
	for _, name := range parsed.Parameters {
		if h.input.Properties[name] == nil {
			return h.wrong(1, "the query uses $%s, which the header does not declare", name)
		}
	}
	for _, name := range h.input.PropertyOrder {
		if !slices.Contains(parsed.Parameters, name) {
			return h.wrong(1, "the header declares $%s, which the query does not use", name)
		}
	}
	return nil
}

// isValid reports whether a JSON text is valid for a property.
func isValid(property *jsonschema.Schema, text string) bool {
	kind, err := json.Marshal(property)
	if err != nil { // own schemas always encode
		panic(err)
	}
	value, err := unmarshal(json.RawMessage(text))
	return err == nil && len(schema.MustCompile(kind).Check(value)) == 0
}

// positional returns the required arguments in order, with a list last, because it takes all remaining arguments. A
// second list becomes a flag.
func positional(input *jsonschema.Schema) []string {
	var args, lists []string
	for _, name := range input.Required {
		if input.Properties[name].Type == "array" {
			lists = append(lists, name)
		} else {
			args = append(args, name)
		}
	}
	return append(args, lists[:min(len(lists), 1)]...)
}
