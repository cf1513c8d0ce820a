package tools

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nomograph/internal/apperr"
)

func TestArguments_Invalid_NamesAllowedValues(t *testing.T) {
	cases := []struct{ operation, arguments, want string }{
		{"get_policy", `{}`, "name is required"},
		{"get_policy", ``, "name is required"},
		{"get_policy", `null`, "name is required"},
		{"get_policy", `{"name": ""}`, "name must not be empty"},
		{"get_policy", `{"name": "` + strings.Repeat("x", 201) + `"}`,
			"name must have at most 200 characters, not 201"},
		{"get_policy", `{"name": 7}`, "name must be string, not number"},
		{"get_policy", `{"name": null}`, "name must be string, not null"},
		{"get_policy", `{"nmae": "x"}`, `"nmae" is not known; did you mean name? Allowed: as_of, name, scope`},
		{"get_policy", `[]`, "must be object, not array"},
		{"get_policy", `{"name": "x"`, "are not valid JSON"},
		{"get_policy", `{"name": "x"} {}`, "are not valid JSON"},
		{"list_policies", `{"limit": 0}`, "limit must be at least 1, not 0"},
		{"check_action", `{"description": "x", "confidence": 1.2}`, "confidence must be at most 1, not 1.2"},
		{"list_policies", `{"limit": 501}`, "limit must be at most 500, not 501"},
		{"list_policies", `{"limit": 1.5}`, "limit must be integer, not number"},
		{"list_policies", `{"active": "yes"}`, "active must be boolean, not string"},
		{"list_policies", `{"active": "1"}`, "active must be boolean, not string"},
		{"list_policies", `{"active": 1}`, "active must be boolean, not number"},
		{"list_policies", `{"limit": "many"}`, "limit must be integer, not string"},
		{"list_policies", `{"limit": "010"}`, "limit must be integer, not string"},
		{"list_policies", `{"limit": "1.5"}`, "limit must be integer, not number"},
		{"list_policies", `{"limit": ""}`, "limit must be integer, not string"},
		{"list_policies", `{"limit": [5]}`, "limit must be integer, not array"},
		{"list_policies", `{"limit": 1e999}`, "limit must be at most 500"},
		{"check_action", `{"description": "x", "confidence": "high"}`, "confidence must be number, not string"},
		{"check_action", `{"description": "x", "confidence": "40%"}`, "confidence must be number, not string"},
		{"check_action", `{"description": "x", "confidence": "1.2"}`, "confidence must be at most 1, not 1.2"},
		{"check_action", `{"description": "x", "context": "a: 1"}`, "context must be object, not string"},
		{"check_action", `{"description": "x", "context": "[1]"}`, "context must be object, not array"},
		{"check_action", `{"description": "x", "context": "{\"a\": 1, \"a\": 2}"}`,
			"context must be object, not string"},
		{"check_action", `{"description": "x", "context": "{\"a\": 1"}`, "context must be object, not string"},
		{"check_action", `{"description": "x", "context": {"a": 1e999}}`, "a: 1e999 does not fit 64 bits"},
		{"check_action", `{"description": "x", "tags": "a"}`, "tags must be array, not string"},
		{"check_action", `{"description": "x", "tags": "{}"}`, "tags must be array, not object"},
		{"log_decision", `{"decision": "x\ud800 y", "category": "process", "stakes": "low", "confidence": 0.5}`,
			`\ud800 is half of a character`},
		{"check_action", `{"description": "x", "context": {"\udfff": 1}}`, `\udfff is half of a character`},
		{"check_action", `{"description": "x", "context": "{\"a\": \"\\ud800\"}"}`,
			"context must be object, not string"},
		{"check_action", `{"description": 5}`, "description must be string, not number"},
		{"check_action", `{"description": true}`, "description must be string, not boolean"},
		{"set_threshold", `{"name": "x", "value": 1e999, "reason": "y"}`, "1e999 does not fit 64 bits"},
		{"get_policy", `"x"`, "must be object, not string"},
		{"get_policy", `5`, "must be object, not number"},
		{"list_thresholds", `{"names": ["a", 1]}`, "names[1] must be string, not number"},
		{"get_threshold", `{"name": "x", "default": [1]}`, "default must be boolean or number or string, not array"},
		{"set_threshold", `{"name": "x", "value": 1}`, "reason is required"},
		{"apply_packs", `{"packs": [{"nam": "x"}]}`, `packs[0]: "nam" is not known; allowed: name, signature, text`},
		{"set_threshold", `{"name": "x", "value": 123456789012345678901234567890, "reason": "y"}`,
			"does not fit 64 bits"},
	}
	for _, c := range cases {
		t.Run(c.operation+c.arguments[:min(len(c.arguments), 30)], func(t *testing.T) {
			o, ok := Find(Catalog, c.operation)
			if !ok {
				t.Fatal("the operation is unknown")
			}
			// The calls are refused before they need an App.
			_, err := o.Run(t.Context(), &App{}, json.RawMessage(c.arguments))
			f := apperr.From(err)
			if f == nil || f.Code != apperr.Validation || !strings.Contains(f.Message, c.want) {
				t.Errorf("got %v, want a validation_error with %q", err, c.want)
			}
			if f != nil && o.FailsClosed && (f.Allowed == nil || *f.Allowed) {
				t.Errorf("a failed check does not say allowed: false")
			}
			if f != nil && (strings.Contains(f.Message, "json:") || strings.Contains(f.Message, "strconv") ||
				strings.Contains(f.Message, "Go ")) {
				t.Errorf("the message is Go's: %s", f.Message)
			}
			if f != nil && f.Hint == "" {
				t.Errorf("the hint is missing")
			}
		})
	}
}

// TestArguments_SentByMistake_HaveOneReading: rows are what models and their clients send.
func TestArguments_SentByMistake_HaveOneReading(t *testing.T) {
	for _, c := range []struct{ operation, arguments, want string }{
		{"check_action", `{"description": "x", "confidence": "0.4"}`,
			`{"description": "x", "confidence": 0.4}`}, // https://github.com/VibiumDev/vibium/issues/85
		{"check_action", `{"description": "x", "confidence": " .4 "}`, `{"description": "x", "confidence": 0.4}`},
		{"check_action", `{"description": "x", "confidence": "1"}`, `{"description": "x", "confidence": 1}`},
		{"check_action", `{"description": "x", "confidence": null, "context": null, "tags": null}`,
			`{"description": "x"}`},
		{"check_action", `{"description": "x", "context": "{\"a\": [1, 2.0], \"b\": null}"}`,
			// https://github.com/makenotion/notion-mcp-server/pull/160
			`{"description": "x", "context": {"a": [1, 2.0], "b": null}}`},
		{"check_action", `{"description": "x", "context": "{}"}`, `{"description": "x", "context": {}}`},
		{"check_action", `{"description": "x", "tags": "[\"a\", \"b\"]"}`,
			`{"description": "x", "tags": ["a", "b"]}`}, // https://github.com/anthropics/claude-code/issues/59227
		{"check_action", `"{\"description\": \"x\", \"confidence\": \"0.4\"}"`,
			`{"description": "x", "confidence": 0.4}`},
		{"check_action", `{"description": "{\"a\": 1}"}`, `{"description": "{\"a\": 1}"}`}, // text stays text
		{"check_action", `{"description": "5"}`, `{"description": "5"}`},
		{"check_action", `{"description": "x", "context": {"sha": "0123456", "count": "5"}}`,
			`{"description": "x", "context": {"sha": "0123456", "count": "5"}}`},
		{"list_policies", `{"limit": 5.0}`, `{"limit": 5}`}, // https://github.com/warpdotdev/warp/issues/10596
		{"list_policies", `{"limit": 5e1}`, `{"limit": 50}`},
		{"list_policies", `{"limit": "5"}`, `{"limit": 5}`},
		{"list_policies", `{"limit": "5.0"}`, `{"limit": 5}`},
		{"list_policies", `{"active": "true"}`, `{"active": true}`},
		// Python's spelling
		{"list_policies", `{"active": "False"}`, `{"active": false}`},
		{"set_threshold", `{"name": "x", "value": "25", "reason": "y"}`,
			`{"name": "x", "value": "25", "reason": "y"}`}, // a value can be text
		{"set_threshold", `{"name": "x", "value": "true", "reason": "y"}`,
			`{"name": "x", "value": "true", "reason": "y"}`},
		{"log_decision", `{"decision": "x", "category": "process", "stakes": "low", "confidence": "0.5", "reasons": "[{\"type\": \"analysis\", \"text\": \"y\", \"strength\": \"0.9\"}]"}`,
			`{"decision": "x", "category": "process", "stakes": "low", "confidence": 0.5, "reasons": [{"type": "analysis", "text": "y", "strength": 0.9}]}`},
		{"log_decision", `{"decision": "x", "category": "process", "stakes": "low", "confidence": 0.5, "reasons": ["{\"type\": \"analysis\", \"text\": \"y\"}"]}`,
			`{"decision": "x", "category": "process", "stakes": "low", "confidence": 0.5, "reasons": [{"type": "analysis", "text": "y"}]}`},
		{"pre_action", `{"action": "{\"description\": \"x\", \"category\": \"process\", \"stakes\": \"low\", \"confidence\": \"0.5\"}", "reasons": null}`,
			`{"action": {"description": "x", "category": "process", "stakes": "low", "confidence": 0.5}}`},
	} {
		o, _ := Find(Catalog, c.operation)
		got, err := o.decode(t.Context(), json.RawMessage(c.arguments))
		want, wrong := o.decode(t.Context(), json.RawMessage(c.want))
		if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); err != nil ||
			wrong != nil || diff != "" {
			t.Errorf("%s %s: %v, %v: %s", c.operation, c.arguments, err, wrong, diff)
		}
	}
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"name": "x", "value": 1.0, "reason": "r"}`)
	f.Add(`{"name": "x", "value": {"a": [1]}, "reason": "r"}`)
	f.Add(`{"names": ["a"], "limit": 1e2}`)
	f.Fuzz(func(t *testing.T, arguments string) {
		for _, o := range Catalog {
			in, err := o.decode(t.Context(), json.RawMessage(arguments))
			if err == nil && in == nil {
				t.Errorf("%s: %q returns neither a value nor an error", o.Name, arguments)
			}
			if err != nil && !apperr.Is(err, apperr.Validation) {
				t.Errorf("%s: %q: got %v", o.Name, arguments, err)
			}
		}
	})
}
