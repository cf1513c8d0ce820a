package rest_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

func TestOpenAPI_Document_MatchesTheGoldenFile(t *testing.T) {
	d := serve(t, nil)
	text := address.ReplaceAllString(d.wants(200, "GET", "/openapi.yaml", "").text, "http://127.0.0.1:9991")
	golden.Check(t, "testdata/openapi.yaml", text)
	var fromYAML any
	graphtest.OK(t, yaml.Unmarshal([]byte(text), &fromYAML))
	same := graphtest.Must(json.Marshal(fromYAML))(t)
	var a, b any
	_, _ = json.Unmarshal(same, &a), json.Unmarshal([]byte(address.ReplaceAllString(d.wants(200, "GET", "/openapi.json",
		"").text, "http://127.0.0.1:9991")), &b)
	if diff := cmp.Diff(b, a); diff != "" {
		t.Errorf("JSON and YAML differ: %s", diff)
	}
}

func TestOpenAPI_IsValid(t *testing.T) {
	toolstest.CheckOpenAPI(t, []byte(serve(t, nil).wants(200, "GET", "/openapi.json", "").text))
}

type openAPI struct {
	Servers []struct{ URL string }
	Paths   map[string]map[string]struct {
		OperationID string `json:"operationId"`
		Description string
		Parameters  []struct {
			Name, In, Description string
			Schema                struct {
				Type       any
				Properties map[string]any
				Items      struct{ Type string }
			}
		}
		RequestBody *struct {
			Content map[string]struct{ Example any }
		}
	}
}

func (d *endpoint) document(query string) (doc openAPI, ids []string) {
	d.t.Helper()
	graphtest.OK(d.t, json.Unmarshal([]byte(d.wants(200, "GET", "/openapi.json"+query, "").text), &doc))
	for _, methods := range doc.Paths {
		for _, operation := range methods {
			ids = append(ids, operation.OperationID)
		}
	}
	slices.Sort(ids)
	return doc, ids
}

// TestOpenAPI_SuitsOpenAIActions checks the limits of OpenAI's actions: one server, short descriptions, operation ids.
func TestOpenAPI_SuitsOpenAIActions(t *testing.T) {
	d := serve(t, nil)
	doc, ids := d.document("")
	operations, _ := tools.Operations("")
	var names []string
	for _, o := range operations {
		names = append(names, o.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, ids); diff != "" {
		t.Errorf("the operation ids are not the names: %s", diff)
	}
	if len(doc.Servers) != 1 || doc.Servers[0].URL != d.URL {
		t.Errorf("servers %v", doc.Servers)
	}
	examples := 0
	for path, methods := range doc.Paths {
		for method, operation := range methods {
			if n := len(operation.Description); n == 0 || n > 300 {
				t.Errorf("%s is described in %d characters", operation.OperationID, n)
			}
			if operation.RequestBody != nil && operation.RequestBody.Content["application/json"].Example != nil {
				examples++
			}
			for _, p := range operation.Parameters {
				if len(p.Description) > 700 {
					t.Errorf("%s %s is described in %d characters", operation.OperationID, p.Name, len(p.Description))
				}
				if p.In == "path" && (!strings.Contains(path, "{"+p.Name+"}") || p.Schema.Type != "string") {
					t.Errorf("%s %s: %s is %v", method, path, p.Name, p.Schema.Type)
				}
				if p.In == "query" && (p.Schema.Type == "object" && len(p.Schema.Properties) == 0 ||
					p.Schema.Type == "array" && p.Schema.Items.Type != "string") {
					t.Errorf("%s takes %s, which no query can hold", operation.OperationID, p.Name)
				}
			}
		}
	}
	if examples < 15 {
		t.Errorf("only %d bodies have an example", examples)
	}
	if _, core := d.document("?toolsets=core"); len(core) == 0 || len(core) > 30 {
		t.Errorf("core has %d operations, and OpenAI Actions take 30", len(core))
	}
	_, reader := d.as("reader").document("")
	if slices.Contains(reader, "set_threshold") || slices.Contains(reader, "run_cypher_readonly") ||
		!slices.Contains(reader, "get_threshold") {
		t.Errorf("a caller who may only read: got %v, want reader without set_threshold, reader without run_cypher_readonly, reader with get_threshold", reader)
	}
}
