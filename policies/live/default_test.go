package live_test

import (
	"encoding/json"
	"testing"

	"nomograph/internal/apperr"
	"nomograph/policies"
	"nomograph/policies/live"
	"nomograph/tools/toolstest"
)

func TestGet_Default_AnswersOnlyForMissingThreshold(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'whole', value: 3}), (:SYS_Threshold {name: 'float', value: 0.5}), (:SYS_Threshold {name: 'text', value: '0.5'}),
		(:SYS_Threshold {name: 'truth', value: true}), (:SYS_Threshold {name: 'empty'}), (:SYS_Threshold {name: 'list', value: [1, 2]}),
		(:SYS_Threshold {name: 'day', value: date('2026-03-01')}),
		(:SYS_Threshold {name: 'twice', value: 1}), (:SYS_Threshold {name: 'twice', value: 2}), (:SYS_Threshold {name: 'far', value: 1, scope: 'x'})`, nil)
	tests := []struct {
		name, scope, fallback string
		value                 any
		source                string
		fails                 apperr.Code
		message               string
	}{
		{name: "none", fallback: `7`, value: int64(7), source: "default"},
		{name: "none", fallback: `0.25`, value: 0.25, source: "default"},
		{name: "none", fallback: `1.0`, value: 1.0, source: "default"},
		{name: "none", fallback: `"seven"`, value: "seven", source: "default"},
		{name: "none", fallback: `false`, value: false, source: "default"},
		{name: "far", scope: "y", fallback: `2`, value: int64(2), source: "default"},
		{name: "whole", fallback: `7`, value: int64(3), source: "node"},
		{name: "whole", fallback: `7.5`, value: int64(3), source: "node"},
		{name: "float", fallback: `1`, value: 0.5, source: "node"},
		{name: "text", fallback: `"x"`, value: "0.5", source: "node"},
		{name: "truth", fallback: `false`, value: true, source: "node"},
		{name: "text", fallback: `0.5`, fails: apperr.Conflict,
			message: "SYS_Threshold node 'text' holds a string and the default is a number"},
		{name: "whole", fallback: `"7"`, fails: apperr.Conflict,
			message: "SYS_Threshold node 'whole' holds a number and the default is a string"},
		{name: "truth", fallback: `1`, fails: apperr.Conflict,
			message: "SYS_Threshold node 'truth' holds a boolean and the default is a number"},
		{name: "empty", fallback: `1`, fails: apperr.Conflict,
			message: "SYS_Threshold node 'empty' holds a null and the default is a number"},
		{name: "day", fallback: `"2026-03-01"`, fails: apperr.Conflict,
			message: "SYS_Threshold node 'day' holds a date and the default is a string"},
		{name: "list", fallback: `1`, fails: apperr.Conflict,
			message: "SYS_Threshold node 'list' holds a list and the default is a number"},
		{name: "twice", fallback: `7`, fails: apperr.Conflict, message: "2 SYS_Threshold nodes are called 'twice'"},
	}
	for _, tt := range tests {
		t.Run(tt.name+" or "+tt.fallback, func(t *testing.T) {
			var fallback policies.Value
			if err := json.Unmarshal([]byte(tt.fallback), &fallback); err != nil {
				t.Fatal(err)
			}
			node, err := env.Live.Threshold(t.Context(),
				live.ThresholdQuery{Name: tt.name, Scope: tt.scope, Default: &fallback})
			if tt.fails != "" {
				if got := toolstest.ErrorWithCode(t, err, tt.fails); got.Message != tt.message {
					t.Errorf("message %q, want %q", got.Message, tt.message)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if node.Properties["value"] != tt.value || node.Reading.Source != tt.source ||
				node.Properties["name"] != tt.name {
				t.Errorf("got %T %v %+v, want %T %v", node.Properties["value"], node.Properties, node.Reading, tt.value,
					tt.value)
			}
			if tt.source == "default" && (node.Reading.Version != "" || len(node.Properties) != 2) {
				t.Errorf("a default looks like a node: %+v", node)
			}
		})
	}
}

func TestGet_DefaultAndDatabaseDown_Fails(t *testing.T) {
	fallback := policies.ValueOf(int64(1))
	_, err := toolstest.App(t, toolstest.Unavailable(t)).Live.Threshold(t.Context(),
		live.ThresholdQuery{Name: "any", Default: &fallback})
	toolstest.ErrorWithCode(t, err, apperr.Unavailable)
}

func TestGet_IntegerAndFloat_KeepType(t *testing.T) {
	for text, want := range map[string]any{`1`: int64(1), `1.0`: 1.0, `1e2`: 100.0, `-0.5`: -0.5, `"1"`: "1",
		`true`: true, `null`: nil, `9223372036854775807`: int64(9223372036854775807)} {
		var value policies.Value
		if err := json.Unmarshal([]byte(text), &value); err != nil || value.Any() != want {
			t.Errorf("%s: %T %v, want %T (%v)", text, value.Any(), value.Any(), want, err)
		}
	}
	var lists policies.Value
	if err := json.Unmarshal([]byte(`[1, 2.5, "x"]`), &lists); err != nil || lists.Any().([]any)[0] != int64(1) ||
		lists.Any().([]any)[1] != 2.5 {
		t.Errorf("got %v %v, want Any[0]=1, Any[1]=2.5", lists.Any(), err)
	}
	for _, text := range []string{`9223372036854775808`, `[18446744073709551615]`, `1e999`, `{`} {
		var value policies.Value
		if err := json.Unmarshal([]byte(text), &value); err == nil {
			t.Errorf("%s is read as %v", text, value.Any())
		}
	}
}
