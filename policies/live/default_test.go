package live_test

import (
	"encoding/json"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
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
	for _, row := range golden.Rows(t, "testdata/defaults.txt") {
		t.Run(row[0]+" or "+row[1], func(t *testing.T) {
			var fallback policies.Value
			graphtest.OK(t, json.Unmarshal([]byte(row[1]), &fallback))
			node, err := env.Live.Threshold(t.Context(),
				live.ThresholdQuery{Name: row[0], Scope: strings.Join(row[3:], ""), Default: &fallback})
			if err != nil {
				graphtest.Equal(t, toolstest.ErrorWithCode(t, err, apperr.Conflict).Message, row[2], "message")
				return
			}
			got := policies.CanonicalText(node.Properties["value"]) + " from " + node.Reading.Source // 1.0 is not 1
			graphtest.Values(t, "got, name", got, row[2], node.Properties["name"], row[0])
			if node.Reading.Source == "default" && (node.Reading.Version != "" || len(node.Properties) != 2) {
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
