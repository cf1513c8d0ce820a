package graph_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

func TestValues_JSON_KeepsEachType(t *testing.T) {
	g := graphtest.New(t)
	for _, c := range golden.Cases(t, "testdata/json.txt") {
		t.Run(c.Name, func(t *testing.T) {
			row := graphtest.Must(graph.One[struct{ Value any }](t.Context(), g,
				statement("RETURN "+c.Text+" AS value"),
				graph.Params{"bytes": []byte{0, 255}}))(t)
			golden.Equal(t, c.Text+" is shown as", asJSON(t, graph.JSON(row.Value)), c.Want)
		})
	}
}

func TestValues_NodesAndRelationships_HaveTheirLabels(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:A:B {day: date('2026-02-25')})-[:KNOWS {since: 2020}]->(:C)", nil)
	row := graphtest.Must(graph.One[struct {
		N, R, P any
		A, B, C string
	}](t.Context(), g, statement("MATCH p = (n:A)-[r]->(c) RETURN n, r, p, elementId(n) AS a, elementId(r) AS b, elementId(c) AS c"), nil))(t)
	node := `{"element_id":"` + row.A + `","labels":["A","B"],"properties":{"day":"2026-02-25"}}`
	end := `{"element_id":"` + row.C + `","labels":["C"],"properties":{}}`
	relationship := `{"element_id":"` + row.B + `","end":"` + row.C + `","properties":{"since":2020},"start":"` +
		row.A + `","type":"KNOWS"}`
	for name, tt := range map[string]struct {
		value any
		want  string
	}{
		"a node":         {row.N, node},
		"a relationship": {row.R, relationship},
		"a path":         {row.P, `{"nodes":[` + node + `,` + end + `],"relationships":[` + relationship + `]}`},
		"in a list":      {[]any{row.R}, `[` + relationship + `]`},
	} {
		golden.Equal(t, name, asJSON(t, graph.JSON(tt.value)), tt.want)
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Error(err)
	}
	return string(bytes.TrimSpace(out.Bytes()))
}

// TestParameters_Decode_KeepsTypes: floats of any size stay floats, and every accepted number can be read back.
func TestParameters_Decode_KeepsTypes(t *testing.T) {
	want := graph.Parameters{"whole": int64(1) << 62, "one": 1.0, "large": 1e15, "beyond": -2.0237407348837224e+19,
		"exponent": 8.268780044658649e+184, "deep": []any{map[string]any{"x": 1e20}}}
	text := graphtest.Must(json.Marshal(want))(t)
	var got graph.Parameters
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("got %v: %s, want no error", err, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
