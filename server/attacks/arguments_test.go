package attacks_test

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/graph/graphtest"
	"nomograph/internal/schema"
	"nomograph/tools"
)

func escaped(name string) string { return url.PathEscape(name) }

// class returns the meaning of an argument, which selects its test value: the argument's name, except for the cases
// below.
func class(o tools.Operation, name string) string {
	if kind := map[string]string{"explain_verdict.id": "verdict", "request_access.evaluation_id": "verdict",
		"list-sessions.from": "", "list-sessions.to": "", "reconstruct.from": "", "reconstruct.to": "",
		"reconstruct.session_id": "session", "forget.session_id": "session", "compare_versions.from": "",
		"compare_versions.to": "", "revert.to": "", "list-sessions.project": "folder", "reconstruct.project": "folder",
		"recall.project": "folder", "explain.project": "folder", "predict.project": "folder",
		"search.project": "folder"}[o.Name+"."+name]; kind != "" {
		return kind
	}
	switch name {
	case "id", "decision_id", "node_id", "source_id", "target_id", "from", "to":
		return "decision"
	case "session_id", "current_session_id":
		return "session"
	case "atlas_id", "context_id", "approval_id", "proposal_id", "exception_id", "intent_id", "evaluation_id",
		"agent_id", "agent", "project":
		return name
	}
	return ""
}

// wanted holds values that schemas require and names do not imply.
var wanted = map[string]any{
	"action_of_pre_action":        map[string]any{"description": "Do it", "category": "process", "confidence": 0.7},
	"action_of_cra_report_action": "deploy.all", // an action that a person has approved or rejected for the victim
	"events":                      []any{map[string]any{"event_type": "pr_merged", "source": "ci"}},
	"event_seqs":                  []any{1},
	"decisions":                   []any{map[string]any{"id": "x", "outcome": "success", "at": "2026-01-20T14:00:00Z"}},
	"agents":                      []any{"nobody"},
	"window":                      "30d",
	"url":                         "https://127.0.0.1:1",
	"capabilities":                []any{"deploy"},
}

// argumentsOf returns valid arguments of an operation, with values from have by class.
func argumentsOf(o tools.Operation, have map[string]string) map[string]any {
	out := map[string]any{}
	for _, name := range o.Input().Required {
		out[name] = valueFor(o, name, o.Input().Properties[name], have)
	}
	return out
}

func valueFor(o tools.Operation, name string, property *jsonschema.Schema, have map[string]string) any {
	if value, ok := wanted[name]; ok {
		return value
	}
	if value, ok := wanted[name+"_of_"+o.Name]; ok {
		return value
	}
	takes := func(kind string) bool { return property.Type == kind || slices.Contains(property.Types, kind) }
	switch {
	case len(property.Enum) > 0:
		return property.Enum[0]
	case takes("number"):
		return 0.5
	case takes("integer"):
		return 1
	case takes("boolean"):
		return true
	case takes("array"):
		if property.Items != nil && property.Items.Type == "object" {
			return []any{objectFor(o, property.Items, have)}
		}
		return []any{"x"}
	case takes("object"):
		return objectFor(o, property, have)
	}
	if value := have[class(o, name)]; value != "" {
		return value
	}
	return "kumquat"
}

func objectFor(o tools.Operation, s *jsonschema.Schema, have map[string]string) map[string]any {
	out := map[string]any{}
	for _, name := range s.Required {
		out[name] = valueFor(o, name, s.Properties[name], have)
	}
	return out
}

// TestArguments_EveryOperation_AcceptsThem checks that every operation accepts the generated arguments. A call that
// fails validation would not test the protection.
func TestArguments_EveryOperation_AcceptsThem(t *testing.T) {
	for _, o := range all() {
		rules := graphtest.Must(json.Marshal(o.Input()))(t)
		body := graphtest.Must(json.Marshal(argumentsOf(o,
			map[string]string{"decision": "abcd1234", "proposal_id": "abcd1234"})))(t)
		var value any
		graphtest.OK(t, json.Unmarshal(body, &value))
		for _, problem := range schema.MustCompile(rules).Check(value) {
			t.Errorf("%s does not take %s: %s. Add to wanted, or to class, what it takes", o.Name, body,
				problem.Message)
		}
	}
}

// attack is a call whose argument asks for data that the caller may not see. The argument may be nested (outer.name).
type attack struct {
	operation tools.Operation
	arguments map[string]any
	argument  string
	reaches   string // class of the object that the argument reaches; "" if it is an ordinary word
	value     string
	claims    bool // the argument claims the caller's identity
}

// spellings returns variants of a name that may be mistaken for the same name.
func spellings(name string) []string {

	return []string{strings.ToUpper(name), " " + name + " ", name[:3] + "\u200b" + name[3:],
		strings.ReplaceAll(name, "k", "ｋ"), strings.ReplaceAll(name, "k", "\u212a")}
}

// claimsAgent distinguishes arguments that claim the caller's identity from filters with the same name.
func claimsAgent(argument string, property *jsonschema.Schema) bool {
	return argument == "agent_id" && strings.Contains(property.Description, "if not the caller")
}

// attacksOn returns calls of an operation. Each has one argument that refers to data of the other project.
func attacksOn(o tools.Operation, ours, theirs map[string]string) (out []attack) {
	base := argumentsOf(o, ours)
	out = append(out, attack{operation: o, arguments: base})
	try := func(set func(arguments map[string]any, value any), argument string, property *jsonschema.Schema,
		required bool) {
		reaches := class(o, argument)
		values := []string{}
		switch {
		case len(property.Enum) > 0 && required: // a kind of object to read
			for _, value := range property.Enum {
				if text, ok := value.(string); ok {
					values = append(values, text)
				}
			}
		case property.Type == "string" && theirs[reaches] != "":
			values = append(values, theirs[reaches])
			if reaches == "project" || claimsAgent(argument, property) {
				values = append(values, spellings(theirs[reaches])...)
			}
		}
		for _, value := range values {
			arguments := maps.Clone(base)
			set(arguments, value)
			out = append(out, attack{o, arguments, argument, reaches, value, claimsAgent(argument, property)})
		}
	}
	for _, name := range o.Input().PropertyOrder {
		property := o.Input().Properties[name]
		try(func(arguments map[string]any, value any) { arguments[name] = value }, name, property, o.Requires(name))
		for _, inner := range property.PropertyOrder {
			try(func(arguments map[string]any, value any) {
				object, _ := arguments[name].(map[string]any)
				object = maps.Clone(object)
				if object == nil {
					object = map[string]any{}
				}
				object[inner] = value
				arguments[name] = object
			}, inner, property.Properties[inner], false)
		}
	}
	return out
}
