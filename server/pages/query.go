package pages

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"nomograph/fault"
	"nomograph/graph"
	"nomograph/tools"
)

// queried is a query with what it gave, as a table and where it gave nodes as a picture too.
type queried struct {
	Query   string
	Answer  *graph.Answer
	Waits   bool // it came from elsewhere, so whoever looks has to run it
	Picture *picture
	Named   []tools.Operation
	Chosen  *tools.Operation
	Problem *fault.Error // of the query
}

const rowsShown = 500

// showQuery runs the query of the address: only where its own page, or a person, asks for that, so that no other site can make the
// database work.
func showQuery(v *Visit) (any, error) {
	out := queried{Query: v.Query("q")}
	for _, o := range v.door.operations {
		if (o.Toolset == "queries" || o.Toolset == "samples") && v.May(o.Name) {
			out.Named = append(out.Named, o)
			if o.Name == v.Query("named") {
				out.Chosen = &o
			}
		}
	}
	from := v.Header.Get("Sec-Fetch-Site")
	foreign := from == "cross-site" || from == "same-site"
	var answer graph.Answer
	var err error
	switch {
	case foreign && (out.Query != "" || out.Chosen != nil):
		out.Waits = true
		return out, nil
	case out.Chosen != nil && v.Query("run") != "":
		var arguments map[string]any
		if arguments, err = argumentsOf(v, *out.Chosen); err == nil {
			answer, err = Call[graph.Answer](v, out.Chosen.Name, arguments)
		}
	case strings.TrimSpace(out.Query) != "":
		answer, err = Call[graph.Answer](v, "run_cypher_readonly", graph.Question{Query: out.Query, Limit: rowsShown, Explain: v.Query("explain") != ""})
	default:
		return out, nil
	}
	if fault.Is(err, fault.Unavailable) || fault.Is(err, fault.PermissionDenied) {
		return nil, err
	}
	if err != nil {
		out.Problem = fault.From(err)
		return out, nil
	}
	out.Answer = &answer
	out.Picture, err = pictureOf(answer.Rows)
	return out, err
}

// argumentsOf reads the parameters of a named query from the address.
func argumentsOf(v *Visit, o tools.Operation) (map[string]any, error) {
	arguments := map[string]any{}
	for _, name := range o.Input.PropertyOrder {
		text := v.Query("p." + name)
		if text == "" {
			continue
		}
		var err error
		switch o.Input.Properties[name].Type {
		case "integer":
			arguments[name], err = strconv.ParseInt(text, 10, 64)
		case "number":
			arguments[name], err = strconv.ParseFloat(text, 64)
		case "boolean":
			arguments[name], err = strconv.ParseBool(text)
		case "array":
			arguments[name] = strings.Fields(text)
		default:
			arguments[name] = text
		}
		if err != nil {
			return nil, fault.Newf(fault.Validation, "%s is no %s", name, o.Input.Properties[name].Type)
		}
	}
	return arguments, nil
}

// queryWords gives what a query may name: labels and types of relationships, and the properties of nodes with the labels that are asked for.
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
	return JSON(map[string]any{"labels": labels, "types": types, "properties": append([]string{}, slices.Sorted(maps.Keys(properties))...)})
}

var queryFileName = regexp.MustCompile(`^[a-z][a-z0-9_]{1,44}$`)

// queryFile gives a query as a file for the folder of named queries.
func queryFile(v *Visit) (Answer, error) {
	name, use := v.Query("name"), strings.Join(strings.Fields(v.Query("use")), " ")
	switch {
	case !queryFileName.MatchString(name):
		return Answer{}, fault.Newf(fault.Validation, "%q is no name for a query", name).WithHint("Lower-case letters, digits and underscores, beginning with a letter")
	case use == "" || strings.HasPrefix(use, "$") || strings.HasPrefix(use, "name:"):
		return Answer{}, fault.New(fault.Validation, "A named query begins with a sentence that says what it answers").WithHint("Write one, such as: Which thresholds a table uses.")
	case strings.TrimSpace(v.Query("q")) == "":
		return Answer{}, fault.New(fault.Validation, "There is no query to save")
	}
	return File(name+".cypher", "text/plain; charset=utf-8", "// "+use+"\n"+strings.TrimSpace(v.Query("q"))+"\n")
}

// picture is the graph of the nodes that an answer has, drawn in a circle.
type picture struct {
	Nodes []pictured
	Edges []stroke
	Left  int // out, since there are too many
}

type pictured struct{ X, Y, TextX, Anchor, Name, Label, Link string }

type resultNode struct {
	ElementID  string         `json:"element_id"`
	Labels     []string       `json:"labels"`
	Properties map[string]any `json:"properties"`
	Type       string         `json:"type"` // of a relationship
	Start      string         `json:"start"`
	End        string         `json:"end"`
}

const (
	mostPictured              = 60
	pictureMiddle             = 300.0
	pictureRadius, nodeRadius = 190.0, 7.0
)

// pictureOf finds nodes and relationships in rows, however deep; nil where there is no node.
func pictureOf(rows [][]any) (*picture, error) {
	text, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, err
	}
	var nodes, edges []resultNode
	place := map[string]int{}
	var find func(any)
	find = func(value any) {
		switch v := value.(type) {
		case []any:
			for _, item := range v {
				find(item)
			}
		case map[string]any:
			var n resultNode
			if raw, err := json.Marshal(v); err == nil && v["element_id"] != nil && json.Unmarshal(raw, &n) == nil {
				switch _, known := place[n.ElementID]; {
				case n.Start != "":
					edges = append(edges, n)
				case !known:
					place[n.ElementID] = len(nodes)
					nodes = append(nodes, n)
				}
				return
			}
			for _, name := range slices.Sorted(maps.Keys(v)) {
				find(v[name])
			}
		}
	}
	find(plain)
	if len(nodes) == 0 {
		return nil, nil
	}
	p := &picture{Left: max(0, len(nodes)-mostPictured)}
	nodes = nodes[:len(nodes)-p.Left]
	at := func(i int) (x, y float64) {
		angle := 2 * math.Pi * float64(i) / float64(len(nodes))
		return pictureMiddle + 80 + pictureRadius*math.Cos(angle), pictureMiddle - 80 + pictureRadius*math.Sin(angle)
	}
	for i, n := range nodes {
		p.Nodes = append(p.Nodes, n.pictured(at(i)))
	}
	for _, e := range edges {
		start, from := place[e.Start]
		end, to := place[e.End]
		if from && to && start < len(nodes) && end < len(nodes) {
			x1, y1 := at(start)
			x2, y2 := at(end)
			p.Edges = append(p.Edges, stroke{D: fmt.Sprintf("M%.1f %.1fL%.1f %.1f", x1, y1, x2, y2), Text: e.Type})
		}
	}
	return p, nil
}

// pictured is a node at its place, with a link to its page where it has one.
func (n resultNode) pictured(x, y float64) pictured {
	out := pictured{X: fmt.Sprintf("%.1f", x), Y: fmt.Sprintf("%.1f", y), TextX: fmt.Sprintf("%.1f", x+2*nodeRadius), Anchor: "start", Label: strings.Join(n.Labels, " ")}
	if x < pictureMiddle+80 {
		out.TextX, out.Anchor = fmt.Sprintf("%.1f", x-2*nodeRadius), "end"
	}
	for _, name := range []string{"name", "title", "decision", "id", "uid"} {
		if out.Name = graph.Text(n.Properties, name); out.Name != "" {
			break
		}
	}
	const longest = 28
	if runes := []rune(out.Name); len(runes) > longest {
		out.Name = string(runes[:longest-1]) + "…"
	}
	id, name := graph.Text(n.Properties, "id"), graph.Text(n.Properties, "name")
	switch {
	case slices.Contains(n.Labels, "Decision") && id != "":
		out.Link = "/decisions/" + id
	case slices.Contains(n.Labels, "SYS_Policy") && name != "":
		out.Link = link("/policy", "name", name)
	case slices.Contains(n.Labels, "SYS_Threshold") && name != "":
		out.Link = link("/threshold", "name", name)
	case slices.Contains(n.Labels, "Verdict"):
		out.Link = "/verdicts/" + graph.Text(n.Properties, "uid")
	}
	return out
}
