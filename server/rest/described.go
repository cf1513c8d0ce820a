package rest

import (
	"net/http"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// operation is one entry of the document.
type operation struct {
	ID          string                    `json:"operationId"`
	Summary     string                    `json:"summary"`
	Description string                    `json:"description"`
	Tags        []string                  `json:"tags"`
	Parameters  []parameter               `json:"parameters,omitempty"`
	Body        *body                     `json:"requestBody,omitempty"`
	Responses   map[string]map[string]any `json:"responses"`
	// Consequential makes OpenAI Actions ask the user first.
	Consequential bool `json:"x-openai-isConsequential"`
}

type parameter struct {
	Name        string             `json:"name"`
	In          string             `json:"in"`
	Required    bool               `json:"required,omitempty"`
	Description string             `json:"description,omitempty"`
	Style       string             `json:"style,omitempty"`
	Explode     *bool              `json:"explode,omitempty"`
	Schema      *jsonschema.Schema `json:"schema"`
}

type body struct {
	Required bool           `json:"required,omitempty"`
	Content  map[string]any `json:"content"`
}

func describe(rt *route) *operation {
	o := rt.operation
	described := &operation{ID: o.Name, Summary: o.Title, Description: o.Use, Tags: []string{o.Toolset},
		Responses: rt.responses(), Consequential: !o.Hints.ReadOnly}
	input := o.Input().CloneSchemas()
	input.Required, input.PropertyOrder = slices.Clone(input.Required),
		slices.Clone(input.PropertyOrder) // a clone of schemas shares these
	for _, name := range rt.inPath {
		described.Parameters = append(described.Parameters, parameterOf(name, "path", true, input.Properties[name]))
		input.Required = slices.DeleteFunc(input.Required, func(required string) bool { return required == name })
		input.PropertyOrder = slices.DeleteFunc(input.PropertyOrder,
			func(property string) bool { return property == name })
		delete(input.Properties, name)
	}
	described.Parameters = append(described.Parameters, rt.headers()...)
	example := rt.example()
	if rt.inQuery() {
		for _, name := range input.PropertyOrder {
			described.Parameters = append(described.Parameters,
				parameterOf(name, "query", o.Requires(name), input.Properties[name]))
		}
		return described
	}
	content := map[string]any{"schema": input}
	if example != nil {
		for _, name := range rt.inPath {
			delete(example, name)
		}
		content["example"] = example
	}
	described.Body = &body{Required: len(input.Required) > 0, Content: map[string]any{asJSON: content}}
	return described
}

func parameterOf(name, in string, required bool, property *jsonschema.Schema) parameter {
	p := parameter{Name: name, In: in, Required: required, Description: property.Description,
		Schema: property.CloneSchemas()}
	p.Schema.Description = ""
	yes := true
	switch property.Type {
	case "array":
		p.Style, p.Explode = "form", &yes
	case "object":
		p.Style, p.Explode = "deepObject", &yes
	}
	return p
}

// headers returns the headers that an operation uses.
func (rt *route) headers() []parameter {
	header := func(name, about string) parameter {
		return parameter{Name: name, In: "header", Description: about, Schema: &jsonschema.Schema{Type: "string"}}
	}
	var headers []parameter
	if rt.tagged() {
		headers = append(headers, header("If-None-Match",
			"ETag of your copy: 304 without a body if the copy is current"))
	}
	if rt.operation.Hints.ReadOnly {
		return headers
	}
	if rt.operation.Input().Properties[requestKey] != nil {
		headers = append(headers, header("Idempotency-Key",
			"the same as request_key: calls with the same key record one decision"))
	}
	if rt.operation.Input().Properties[ifVersion] != nil {
		headers = append(headers, header("If-Match", "ETag of the version that you read: 412 if it has changed"))
	}
	return headers
}

// tagged reports whether answers have an ETag: those that are one node with a version.
func (rt *route) tagged() bool {
	reading := rt.operation.Output().Properties["reading"]
	return rt.method == http.MethodGet && reading != nil && reading.Properties["version"] != nil
}

func (rt *route) paged() bool {
	return rt.method == http.MethodGet && rt.operation.Input().Properties["cursor"] != nil &&
		rt.operation.Output().Properties["next_cursor"] != nil
}

func (rt *route) responses() map[string]map[string]any {
	content := map[string]any{asJSON: map[string]any{"schema": rt.operation.Output()}}
	if rt.document != "" {
		content[asText] = map[string]any{"schema": map[string]string{"type": "string"}}
	}
	good := map[string]any{"description": "The answer.", "content": content}
	text := map[string]any{"schema": map[string]string{"type": "string"}}
	if rt.operation.FailsClosed {
		good["description"] = "The verdict, also one that denies: see allowed."
	}
	body := map[string]map[string]any{"200": good}
	switch {
	case rt.tagged():
		good["headers"] = map[string]any{"ETag": text}
		body["304"] = map[string]any{"description": "Your copy is current."}
	case rt.paged():
		good["headers"] = map[string]any{"Link": text}
	}
	for _, status := range []string{"400", "401", "403", "404", "409", "429", "500", "503", "504", "default"} {
		body[status] = map[string]any{"$ref": "#/components/responses/Problem"}
	}
	if rt.operation.Input().Properties[ifVersion] != nil {
		body["412"] = map[string]any{"$ref": "#/components/responses/Problem"}
	}
	return body
}
