package graph_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nomograph/graph"
	"nomograph/graph/graphtest"
)

func TestValues_JSON_KeepsEachType(t *testing.T) {
	g := graphtest.New(t)
	tests := map[string]struct{ cypher, want string }{
		"null":                    {"null", `null`},
		"truth":                   {"true", `true`},
		"text":                    {"'<é \"🧭\">'", `"<é \"🧭\">"`},
		"a whole number":          {"7", `7`},
		"the largest number":      {"9223372036854775807", `9223372036854775807`},
		"the smallest number":     {"-9223372036854775807 - 1", `-9223372036854775808`},
		"beyond a double":         {"9007199254740993", `9007199254740993`},
		"a float":                 {"0.1", `0.1`},
		"no number":               {"0.0 / 0.0", `"NaN"`},
		"beyond every number":     {"-1.0 / 0.0", `"-Inf"`},
		"a date":                  {"date('2026-02-25')", `"2026-02-25"`},
		"a date before Christ":    {"date('-0044-03-15')", `"-0044-03-15"`},
		"a datetime":              {"datetime('2026-02-25T10:15:30.123456789Z')", `"2026-02-25T10:15:30.123456789Z"`},
		"a datetime of an offset": {"datetime('2026-02-25T10:15:30+05:30')", `"2026-02-25T10:15:30+05:30"`},
		"a datetime of a zone":    {"datetime('2026-07-25T10:15:30[Europe/Rome]')", `"2026-07-25T10:15:30+02:00"`},
		"a local datetime":        {"localdatetime('2026-02-25T10:15:30.5')", `"2026-02-25T10:15:30.5"`},
		"a time":                  {"time('10:15:30+01:00')", `"10:15:30+01:00"`},
		"a local time":            {"localtime('10:15:30.25')", `"10:15:30.25"`},
		"a duration":              {"duration('P1Y2M3DT4H5M6S')", `"P14M3DT14706S"`},
		"a negative duration":     {"duration('PT-0.5S')", `"P0M0DT-0.500000000S"`},
		"a point":                 {"point({longitude: 12.5, latitude: 41.9})", `{"srid":4326,"x":12.5,"y":41.9}`},
		"a point in space":        {"point({x: 1, y: 2, z: 3})", `{"srid":9157,"x":1,"y":2,"z":3}`},
		"bytes":                   {"$bytes", `{"base64":"AP8="}`},
		"a list":                  {"[1, [date('2026-02-25')], {a: null}]", `[1,["2026-02-25"],{"a":null}]`},
		"an empty list":           {"[]", `[]`},
		"a map":                   {"{b: time('10:00Z'), a: {}}", `{"a":{},"b":"10:00:00Z"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			row, err := graph.One[struct{ Value any }](t.Context(), g, statement("RETURN "+tt.cypher+" AS value"),
				graph.Params{"bytes": []byte{0, 255}})
			if err != nil {
				t.Fatal(err)
			}
			if got := asJSON(t, graph.JSON(row.Value)); got != tt.want {
				t.Errorf("%s is shown as %s, want %s", tt.cypher, got, tt.want)
			}
		})
	}
}

func TestValues_NodesAndRelationships_HaveTheirLabels(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:A:B {day: date('2026-02-25')})-[:KNOWS {since: 2020}]->(:C)", nil)
	row, err := graph.One[struct {
		N, R, P any
		A, B, C string
	}](t.Context(), g, statement("MATCH p = (n:A)-[r]->(c) RETURN n, r, p, elementId(n) AS a, elementId(r) AS b, elementId(c) AS c"), nil)
	if err != nil {
		t.Fatal(err)
	}
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
		if got := asJSON(t, graph.JSON(tt.value)); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
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
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got graph.Parameters
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("got %v: %s, want no error", err, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
