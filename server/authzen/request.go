package authzen

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"github.com/tidwall/gjson"

	"nomograph/internal/apperr"
	"nomograph/internal/document"
	"nomograph/server"
)

// Semantics of a batch of evaluations.
const (
	executeAll    = "execute_all"
	denyOnFirst   = "deny_on_first_deny"
	permitOnFirst = "permit_on_first_permit"
)

// maxEvaluations is the maximum number of evaluations in a request.
const maxEvaluations = 100

// request is an evaluation request. Member names are case-sensitive, and unknown members are ignored, as in the
// standard.
type request struct {
	defaults    evaluation
	evaluations []evaluation
	semantic    string
}

// evaluation is one evaluation with its members as sent.
type evaluation map[string]json.RawMessage

func requestError(format string, args ...any) *apperr.Error {
	return apperr.Newf(apperr.Validation, format, args...).
		WithHint(`Use the form {"subject": {"type", "id"}, "action": {"name"}, "resource": {"type", "id"}, "context": {}}`)
}

// bodyOf returns the members of a request body.
func bodyOf(r *http.Request) (map[string]json.RawMessage, error) {
	body, err := server.ReadJSON(r)
	if err != nil {
		return nil, err
	}
	var refused *document.Error
	if err := document.JSON(r.Context(), body, document.DefaultLimits()); errors.As(err, &refused) {
		return nil, requestError("The body is not valid JSON: %s", refused)
	} else if err != nil {
		return nil, err
	}
	return object(body, "The body")
}

func read(r *http.Request) (request, error) {
	fields, err := bodyOf(r)
	if err != nil {
		return request{}, err
	}
	asked := request{defaults: fields}
	if raw, ok := fields["evaluations"]; ok {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			return request{}, requestError("evaluations is not a list")
		}
		if len(list) > maxEvaluations {
			return request{}, apperr.Newf(apperr.Validation, "The request has %d evaluations", len(list)).
				WithHint("Send at most %d", maxEvaluations)
		}
		for i, raw := range list {
			fields, err := object(raw, fmt.Sprintf("evaluations[%d]", i))
			if err != nil {
				return request{}, err
			}
			own := maps.Clone(asked.defaults)
			maps.Copy(own, fields)
			asked.evaluations = append(asked.evaluations, own)
		}
	}
	asked.semantic, err = semanticOf(fields["options"])
	return asked, err
}

func semanticOf(options json.RawMessage) (string, error) {
	if options == nil {
		return executeAll, nil
	}
	fields, err := object(options, "options")
	if err != nil {
		return "", err
	}
	raw, ok := fields["evaluations_semantic"]
	if !ok {
		return executeAll, nil
	}
	switch semantic := gjson.ParseBytes(raw).Str; semantic { // a value of a different type is not a known semantic
	case executeAll, denyOnFirst, permitOnFirst:
		return semantic, nil
	}
	return "", apperr.New(apperr.Validation, "Unknown options.evaluations_semantic").
		WithHint("Use %s, %s or %s", executeAll, denyOnFirst, permitOnFirst)
}

// object returns the members of a JSON object with exact names. A member that is null is absent.
func object(raw json.RawMessage, field string) (map[string]json.RawMessage, error) {
	fields, err := facts(raw, field)
	maps.DeleteFunc(fields, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return fields, err
}

// facts returns the members of an object that rules read, where null is a value.
func facts(raw json.RawMessage, field string) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return nil, requestError("%s is not an object", field)
	}
	return fields, nil
}

// entity is a subject or a resource.
type entity struct {
	Type       string                     `json:"type"`
	ID         string                     `json:"id"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// arguments returns the arguments of check_action. Subject and resource are in the action's context with all their
// properties; the action's properties are its params. Properties that are arguments of check_action are also passed as
// these.
func (e evaluation) arguments() (map[string]any, error) {
	subject, err := entityOf(e["subject"], "subject")
	if err != nil {
		return nil, err
	}
	resource, err := entityOf(e["resource"], "resource")
	if err != nil {
		return nil, err
	}
	action, err := members(e["action"], "action")
	if err != nil {
		return nil, err
	}
	name, err := text(action, "action", "name")
	if err != nil {
		return nil, err
	}
	params, err := properties(action, "action")
	if err != nil {
		return nil, err
	}
	given := map[string]json.RawMessage{}
	if e["context"] != nil {
		if given, err = facts(e["context"], "context"); err != nil {
			return nil, err
		}
	}
	arguments := map[string]any{"name": name, "params": params,
		"description": fmt.Sprintf("%s %s: %s %s %s", subject.Type, subject.ID, name, resource.Type, resource.ID)}
	for _, known := range []string{"category", "stakes", "confidence", "tags"} {
		if value, ok := params[known]; ok {
			arguments[known] = value
		}
	}
	if project, ok := given["project"]; ok {
		arguments["project"] = project
	}
	context := map[string]any{}
	for key, value := range given {
		if key == "approval" && e.approval() != "" { // the approval is not part of the action
			continue
		}
		if key == "subject" || key == "resource" {
			return nil, apperr.Newf(apperr.Validation, "context has a member %s, a reserved name", key).
				WithHint("Rename the member")
		}
		context[key] = value
	}
	context["subject"], context["resource"] = subject, resource
	arguments["context"] = context
	return arguments, nil
}

func members(raw json.RawMessage, field string) (map[string]json.RawMessage, error) {
	if raw == nil {
		return nil, requestError("%s is missing", field)
	}
	return object(raw, field)
}

func entityOf(raw json.RawMessage, field string) (e entity, err error) {
	fields, err := members(raw, field)
	if err != nil {
		return e, err
	}
	if e.Type, err = text(fields, field, "type"); err != nil {
		return e, err
	}
	if e.ID, err = text(fields, field, "id"); err != nil {
		return e, err
	}
	e.Properties, err = properties(fields, field)
	return e, err
}

func text(fields map[string]json.RawMessage, field, name string) (string, error) {
	raw, ok := fields[name]
	if !ok {
		return "", requestError("%s.%s is missing", field, name)
	}
	var body *string
	if json.Unmarshal(raw, &body) != nil || body == nil {
		return "", requestError("%s.%s is not text", field, name)
	}
	return *body, nil
}

// properties returns the properties of a subject, an action or a resource. It is never nil, so that rules can test for
// a property.
func properties(fields map[string]json.RawMessage, field string) (map[string]json.RawMessage, error) {
	raw, ok := fields["properties"]
	if !ok {
		return map[string]json.RawMessage{}, nil
	}
	return facts(raw, field+".properties")
}
