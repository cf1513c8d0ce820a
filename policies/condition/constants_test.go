package condition_test

import (
	"encoding/json"
	"testing"

	"nomograph/policies/condition"
)

func TestCondition_ComparedValues_AreListed(t *testing.T) {
	tests := []struct {
		rule, text, facts string
		simple            bool
	}{
		{"row", `inputs.a > 3 && 0.5 <= inputs.a`, `{"inputs.a":{"Values":[3,0.5],"Thresholds":null,"Truth":false}}`,
			true},
		{"row", `inputs.a || !inputs["b"]`, `{"inputs.a":{"Values":null,"Thresholds":null,"Truth":true},"inputs.b":{"Values":null,"Thresholds":null,"Truth":true}}`, true},
		{"row", `has(inputs.a) ? inputs.a == "x" : true`,
			`{"inputs.a":{"Values":["x"],"Thresholds":null,"Truth":false}}`, true},
		{"row", `inputs.a in ["x", "y", null]`, `{"inputs.a":{"Values":["x","y",null],"Thresholds":null,"Truth":false}}`, true},
		{"row", `inputs.a >= threshold("t") && threshold("t") > 1`,
			`{"inputs.a":{"Values":null,"Thresholds":[{"Name":"t","Scope":"","ScopePath":""}],"Truth":false}}`, true},
		{"row", `inputs.a < threshold("t", inputs.?s.orValue("none"))`,
			`{"inputs.a":{"Values":null,"Thresholds":[{"Name":"t","Scope":"","ScopePath":"inputs.s"}],"Truth":false},"inputs.s":{"Values":["none"],"Thresholds":null,"Truth":false}}`, true},
		{"row", `inputs.a < threshold("t", inputs.s)`,
			`{"inputs.a":{"Values":null,"Thresholds":[{"Name":"t","Scope":"","ScopePath":"inputs.s"}],"Truth":false},"inputs.s":{"Values":null,"Thresholds":null,"Truth":false}}`, true},
		{"row", `inputs.a < threshold("t", "far")`, `{"inputs.a":{"Values":null,"Thresholds":[{"Name":"t","Scope":"far","ScopePath":""}],"Truth":false}}`, true},
		{"row", `inputs.?a.orValue(false)`, `{"inputs.a":{"Values":[false],"Thresholds":null,"Truth":true}}`, true},
		{"row", `inputs.a > inputs.b`, `{}`, false},
		{"row", `inputs.a + 1 > 2`, `{}`, false},
		{"row", `inputs.a.b > 2`, `{}`, false},
		{"row", `inputs.a > threshold("t") * 2.0`, `{}`, false},
		{"row", `inputs.a < "m"`, `{}`, false},
		{"row", `inputs.list.exists(x, x > 2) || inputs.a == 1`,
			`{"inputs.a":{"Values":[1],"Thresholds":null,"Truth":false}}`, false},
		{"rule", `action.stakes >= high && action.confidence < 0.5`,
			`{"action.confidence":{"Values":[0.5],"Thresholds":null,"Truth":false},"action.stakes":{"Values":[3],"Thresholds":null,"Truth":false}}`, true},
		{"rule", `action.context.done && agent != "ana"`,
			`{"action.context.done":{"Values":null,"Thresholds":null,"Truth":true},"agent":{"Values":["ana"],"Thresholds":null,"Truth":false}}`, true},
		{"rule", `"billing" in action.tags`, `{}`, false},
		{"rule", `now > timestamp("2026-01-01T00:00:00Z")`, `{}`, false},
		{"rule", `false`, `{}`, true},
	}
	for _, tt := range tests {
		program, err := map[string]func(string) (*condition.Program,
			error){"row": condition.Row, "rule": condition.Rule}[tt.rule](tt.text)
		if err != nil {
			t.Fatalf("%s: got %v, want no error", tt.text, err)
		}
		got := program.Comparisons()
		if text, _ := json.Marshal(got.Facts); string(text) != tt.facts || got.Simple != tt.simple {
			t.Errorf("%s: simple %v, %s", tt.text, got.Simple, text)
		}
	}
}

func TestCondition_Numbers_AreListed(t *testing.T) {
	program, err := condition.Row(`inputs.a > 0.5 && inputs.b == 2 && inputs.list[3] >= -1`)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := json.Marshal(program.Comparisons().Numbers); err != nil ||
		string(text) != `[{"Value":0.5,"Bound":true},{"Value":2,"Bound":false},{"Value":3,"Bound":false},{"Value":-1,"Bound":true}]` {
		t.Errorf(`got %s %v, want [{"Value":0.5,"Bound":true},{"Value":2,"Bound":false},{"Value":3,"Bound":false},{"Value":-1,"Bound":true}]`, text, err)
	}
}
