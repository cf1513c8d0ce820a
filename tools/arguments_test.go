package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"nomograph/internal/apperr"
)

func TestArguments_Invalid_NamesAllowedValues(t *testing.T) {
	cases := []struct{ operation, arguments, want string }{
		{"get_policy", `{}`, "name is required"},
		{"get_policy", ``, "name is required"},
		{"get_policy", `null`, "name is required"},
		{"get_policy", `{"name": ""}`, "name must not be empty"},
		{"get_policy", `{"name": "` + strings.Repeat("x", 201) + `"}`, "name must have at most 200 characters, not 201"},
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
		{"list_thresholds", `{"names": ["a", 1]}`, "names[1] must be string, not number"},
		{"get_threshold", `{"name": "x", "default": [1]}`, "default must be boolean or number or string, not array"},
		{"set_threshold", `{"name": "x", "value": 1}`, "reason is required"},
		{"apply_packs", `{"packs": [{"nam": "x"}]}`, `packs[0]: "nam" is not known; allowed: name, signature, text`},
		{"set_threshold", `{"name": "x", "value": 123456789012345678901234567890, "reason": "y"}`, "does not fit 64 bits"},
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
			if f != nil && f.Hint == "" {
				t.Errorf("the hint is missing")
			}
		})
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
