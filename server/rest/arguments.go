package rest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"nomograph/internal/apperr"
	"nomograph/server"
	"nomograph/tools"
)

// fromQuery builds arguments from path and query. A list is repeated or comma-separated; an object is
// name[field]=value, or in one of the forms of [tools.FromText].
func (rt *route) fromQuery(r *http.Request) (json.RawMessage, error) {
	if r.ContentLength != 0 {
		return nil, apperr.Newf(apperr.Validation, "%s takes no body", rt.method).
			WithHint("Pass arguments in the query: ?name=value")
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, apperr.New(apperr.Validation, "Invalid query").
			WithHint("Escape special characters: curl -G --data-urlencode name=value")
	}
	arguments := map[string]any{}
	for _, name := range rt.inPath {
		arguments[name] = tools.FromText(rt.operation.Input().Properties[name], r.PathValue(name))
	}
	for key, values := range query {
		if !utf8.ValidString(key) || !utf8.ValidString(strings.Join(values, "")) {
			return nil, apperr.New(apperr.Validation, "The query is not UTF-8").WithHint("Encode it as UTF-8")
		}
		into, name, property := arguments, key, rt.operation.Input().Properties[key]
		if object, field, ok := fieldOf(key); ok && isObject(rt.operation.Input().Properties[object]) {
			inner, _ := arguments[object].(map[string]any)
			if inner == nil {
				inner = map[string]any{}
				arguments[object] = inner
			}
			into, name, property = inner, field, rt.operation.Input().Properties[object].Properties[field]
		}
		if _, ok := into[name]; ok {
			return nil, apperr.Newf(apperr.Validation, "%s is set in the path and in the query", name).
				WithHint("Leave it out of the query")
		}
		if property != nil && property.Type == "array" {
			list := []any{}
			for _, value := range values {
				list = append(list, tools.FromText(property, value).([]any)...)
			}
			into[name] = list
			continue
		}
		if len(values) > 1 {
			return nil, apperr.Newf(apperr.Validation, "%s is set %d times", key, len(values)).WithHint("Set it once")
		}
		into[name] = tools.FromText(property, values[0])
	}
	return json.Marshal(arguments)
}

// fieldOf splits name[field].
func fieldOf(key string) (object, field string, ok bool) {
	object, rest, open := strings.Cut(key, "[")
	field, closed := strings.CutSuffix(rest, "]")
	return object, field, open && closed && field != ""
}

func isObject(property *jsonschema.Schema) bool { return property != nil && property.Type == "object" }

// fromBody builds arguments from path and body.
func (rt *route) fromBody(r *http.Request) (json.RawMessage, error) {
	if r.URL.RawQuery != "" {
		return nil, apperr.Newf(apperr.Validation, "%s takes its arguments in the body, not in the query", rt.method).
			WithHint("Send them as a JSON object")
	}
	body, err := server.ReadJSON(r)
	if err != nil {
		return nil, err
	}
	if body == nil {
		body = []byte("{}")
	}
	if string(body) == "null" { // the other interfaces take null as no arguments
		return nil, apperr.New(apperr.Validation, "The body is null").WithHint("Send a JSON object, or nothing")
	}
	for _, name := range rt.inPath {
		if !utf8.ValidString(r.PathValue(name)) {
			return nil, apperr.New(apperr.Validation, "The path is not UTF-8").WithHint("Encode it as UTF-8")
		}
		if body, err = withArgument(body, name, r.PathValue(name), "the path"); err != nil {
			return nil, err
		}
	}
	return body, nil
}

// withArgument adds an argument given outside of the body. A body that is not an object is left to the operation to
// refuse.
func withArgument(body []byte, name, value, place string) ([]byte, error) {
	if body[0] != '{' || !json.Valid(body) {
		return body, nil
	}
	if text := gjson.GetBytes(body, name); text.Exists() {
		if text.Type != gjson.String || text.Str != value {
			return nil, apperr.Newf(apperr.Validation, "%s differs between the body and %s", name, place).
				WithHint("Leave it out of the body")
		}
		return body, nil
	}
	return sjson.SetBytes(body, name, value)
}
