package rest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/sjson"
	"go.yaml.in/yaml/v4"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/render"
	"nomograph/server"
	"nomograph/tools"
)

// document is an OpenAPI 3.1 description. Its maps are sorted, so the output is deterministic.
type document struct {
	OpenAPI    string                    `json:"openapi"`
	Info       map[string]any            `json:"info"`
	Servers    []map[string]string       `json:"servers"`
	Security   []map[string][]string     `json:"security"`
	Tags       []map[string]string       `json:"tags"`
	Paths      map[string]map[string]any `json:"paths"`
	Components map[string]any            `json:"components"`
}

const apiDescription = "Policies, thresholds and decisions of an organization, live from one graph. Each operation is also at " +
	"POST /api/v1/tools/{operationId}, with all its arguments in the body. A verdict that denies is an answer (200, allowed: false)."

// describe returns the document of the operations at a base URL.
func (d *Server) describe(base string, selected []tools.Operation) document {
	doc := document{OpenAPI: "3.1.0", Info: map[string]any{"title": "Nomograph", "version": d.options.Version,
		"description": apiDescription},
		Servers: []map[string]string{{"url": base}}, Security: []map[string][]string{{"bearer": {}}, {"apiKey": {}}},
		Paths: map[string]map[string]any{}, Components: components()}
	for _, set := range tools.Toolsets {
		if slices.ContainsFunc(selected, func(o tools.Operation) bool { return o.Toolset == set.Name }) {
			doc.Tags = append(doc.Tags, map[string]string{"name": set.Name, "description": set.Use})
		}
	}
	for _, rt := range d.routes {
		if _, ok := tools.Find(selected, rt.operation.Name); !ok {
			continue
		}
		if doc.Paths[rt.path] == nil {
			doc.Paths[rt.path] = map[string]any{}
		}
		doc.Paths[rt.path][strings.ToLower(rt.method)] = describe(rt)
	}
	return doc
}

// documentFor returns the document for a request: the operations that its caller may use, in the requested toolsets.
func (d *Server) documentFor(r *http.Request) (document, error) {
	selected := d.options.Operations
	for name, values := range r.URL.Query() {
		if name != "toolsets" {
			return document{}, apperr.Newf(apperr.Validation, "Unknown parameter %q", name).
				WithHint("Use toolsets, for example toolsets=core,manage")
		}
		var err error
		if selected, err = tools.Select(selected, strings.Split(strings.Join(values, ","), ",")); err != nil {
			return document{}, err
		}
	}
	who := caller.From(r.Context())
	selected = slices.DeleteFunc(slices.Clone(selected), func(o tools.Operation) bool { return !o.Permits(who) })
	doc := d.describe(server.BaseURL(r), selected)
	if who.May(caller.Read) && !r.URL.Query().Has("toolsets") {
		for _, route := range d.options.Beside {
			operation := maps.Clone(route.Operation)
			operation["tags"] = []string{route.Tag}
			doc.Paths[route.Path] = map[string]any{route.Method: operation}
			if !slices.ContainsFunc(doc.Tags, func(tag map[string]string) bool { return tag["name"] == route.Tag }) {
				doc.Tags = append(doc.Tags, map[string]string{"name": route.Tag, "description": route.Use})
			}
		}
	}
	return doc, nil
}

func (d *Server) serveJSON(w http.ResponseWriter, r *http.Request) {
	doc, err := d.documentFor(r)
	if err != nil {
		server.Refuse(w, r, err)
		return
	}
	server.Answer(w, http.StatusOK, doc)
}

func (d *Server) serveYAML(w http.ResponseWriter, r *http.Request) {
	doc, err := d.documentFor(r)
	var text []byte
	if err == nil {
		text, err = asYAML(doc)
	}
	if err != nil {
		server.Refuse(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(text)
}

// asYAML converts the JSON of a value to YAML in the same order.
func asYAML(value any) ([]byte, error) {
	text, err := render.JSON(value)
	if err != nil {
		return nil, err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(text, &node); err != nil {
		return nil, err
	}
	splitLines(&node)
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(&node); err != nil {
		return nil, err
	}
	return out.Bytes(), encoder.Close()
}

// splitLines puts each member on its own line.
func splitLines(node *yaml.Node) {
	node.Style = 0
	for _, child := range node.Content {
		splitLines(child)
	}
}

// componentsFile has the shared parts of the document, without the codes of errors.
//
//go:embed components.json
var componentsFile []byte

// components are the shared parts of the document.
func components() (all map[string]any) {
	text, err := sjson.SetBytes(componentsFile, "schemas.Problem.properties.error.enum", codes())
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil { // part of the program
		panic(err)
	}
	return all
}

func codes() []apperr.Code {
	return []apperr.Code{apperr.Validation, apperr.Unauthenticated, apperr.PermissionDenied, apperr.NotFound,
		apperr.Conflict, apperr.RateLimited, apperr.QueryRefused,
		apperr.QueryFailed, apperr.QueryTimeout, apperr.RuleFailed, apperr.Unavailable, apperr.Internal}
}
