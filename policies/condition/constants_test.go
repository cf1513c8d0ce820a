package condition_test

import (
	"encoding/json"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies/condition"
)

func TestCondition_ComparedValues_AreListed(t *testing.T) {
	compile := map[string]func(string) (*condition.Program, error){"row": condition.Row, "rule": condition.Rule}
	for _, row := range golden.Rows(t, "testdata/compared.txt") {
		kind, simple, _ := strings.Cut(row[1], " ")
		program, err := compile[kind](row[0])
		if err != nil {
			t.Fatalf("%s: got %v, want no error", row[0], err)
		}
		got := program.Comparisons()
		if text, _ := json.Marshal(got.Facts); string(text) != row[2] || got.Simple != (simple != "") {
			t.Errorf("%s: simple %v, %s", row[0], got.Simple, text)
		}
	}
}

func TestCondition_Numbers_AreListed(t *testing.T) {
	program := graphtest.Must(condition.Row(`inputs.a > 0.5 && inputs.b == 2 && inputs.list[3] >= -1`))(t)
	text := graphtest.Must(json.Marshal(program.Comparisons().Numbers))(t)
	golden.Equal(t, "the numbers", string(text),
		`[{"Value":0.5,"Bound":true},{"Value":2,"Bound":false},{"Value":3,"Bound":false},{"Value":-1,"Bound":true}]`)
}
