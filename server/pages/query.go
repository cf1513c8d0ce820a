package pages

import (
	"html/template"
	"maps"
	"slices"
	"strings"

	"nomograph/decisions/drawing"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
	"nomograph/tools"
)

// queried is the data of the query page: a query with its result as a table and, if it has nodes, as a graph.
type queried struct {
	Query   string
	Answer  *graph.QueryResult
	Waits   bool // a link on another site opened the query, so it has not run yet
	Picture *picture
	Drawing template.HTML // drawing of the result's nodes if no script renders them
	Named   []tools.Operation
	Chosen  *tools.Operation
	Problem *apperr.Error // error of the query
}

const rowsShown = 500

// showQuery runs the query in the URL. It runs no query that a link on another site opened, so other sites cannot put
// load on the database.
func showQuery(v *Visit) (_ any, err error) {
	out := queried{Query: v.Query("q")}
	for _, o := range v.server.options.Operations {
		if (o.Toolset == "queries" || o.Toolset == "samples") && v.May(o.Name) {
			out.Named = append(out.Named, o)
			if o.Name == v.Query("named") {
				out.Chosen = &o
			}
		}
	}
	from := v.Header.Get("Sec-Fetch-Site")
	foreign := from == "cross-site" || from == "same-site"
	var answer graph.QueryResult
	switch {
	case foreign && (out.Query != "" || out.Chosen != nil):
		out.Waits = true
		return out, nil
	case out.Chosen != nil && v.Query("run") != "":
		answer, err = Call[graph.QueryResult](v, out.Chosen.Name, argumentsOf(v, *out.Chosen))
	case strings.TrimSpace(out.Query) != "":
		answer, err = Call[graph.QueryResult](v, "run_cypher_readonly",
			graph.ReadQuery{Query: out.Query, Limit: rowsShown, Explain: v.Query("explain") != ""})
	default:
		return out, nil
	}
	if apperr.Is(err, apperr.Unavailable) || apperr.Is(err, apperr.PermissionDenied) {
		return nil, err
	}
	if err != nil {
		out.Problem = tools.SpellError(apperr.From(err), tools.Command)
		return out, nil
	}
	out.Answer = &answer
	if out.Picture, err = pictureOf(answer.Rows); err != nil || out.Picture == nil {
		return out, err
	}
	if !v.server.assets.hasLibraries(v.page) || v.Query("plain") != "" {
		out.Picture.drawn.Places = drawing.Place(out.Picture.drawn.Nodes, out.Picture.drawn.Edges)
		out.Drawing = safeHTML(out.Picture.drawn.SVG()) // SVG escapes every text
	}
	return out, nil
}

// argumentsOf reads the parameters of a named query from the URL.
func argumentsOf(v *Visit, o tools.Operation) map[string]any {
	arguments := map[string]any{}
	for _, name := range o.Input().PropertyOrder {
		if text := v.Query("p." + name); text != "" {
			arguments[name] = tools.FromText(o.Input().Properties[name], text)
		}
	}
	return arguments
}

// queryWords returns completions for the query editor: labels, relationship types, and the properties of nodes with the
// given labels.
func queryWords(v *Visit) (Answer, error) {
	schema, err := Call[graph.Schema](v, "get_schema", graph.SchemaQuery{Labels: v.All("label")})
	if err != nil {
		return Answer{}, err
	}
	labels, types, properties := []string{}, []string{}, map[string]bool{}
	for _, label := range schema.Labels {
		labels = append(labels, label.Label)
		for name := range label.Properties {
			properties[name] = true
		}
	}
	for _, relationship := range schema.Relationships {
		types = append(types, relationship.Type)
	}
	return JSON(map[string]any{"labels": labels, "types": types,
		"properties": append([]string{}, slices.Sorted(maps.Keys(properties))...)})
}

var queryFileName = pattern.New(`^[a-z][a-z0-9_]{1,44}$`)

// queryFile returns a query as a file for the directory of named queries.
func queryFile(v *Visit) (Answer, error) {
	name, use := v.Query("name"), strings.Join(strings.Fields(v.Query("use")), " ")
	switch {
	case !queryFileName.MatchString(name):
		return Answer{}, apperr.Newf(apperr.Validation, "%q is not a valid query name", name).
			WithHint("Use lower-case letters, digits and underscores, starting with a letter")
	case use == "" || strings.HasPrefix(use, "$") || strings.HasPrefix(use, "name:"):
		return Answer{}, apperr.New(apperr.Validation, "A named query needs a description").
			WithHint("Write a sentence such as: List the thresholds of a table.")
	case strings.TrimSpace(v.Query("q")) == "":
		return Answer{}, apperr.New(apperr.Validation, "The query is empty").WithHint("Write a query that only reads")
	}
	return File(name+".cypher", "text/plain; charset=utf-8",
		"// "+use+"\n"+strings.TrimSpace(v.Query("q"))+"\n"), nil
}
