package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tools"
)

func TestRequests_Calls_CoverEveryOperation(t *testing.T) {
	called := map[string]bool{}
	for _, c := range lines("calls.txt") {
		name, arguments, _ := strings.Cut(c.text, " ")
		if called[name] = true; name != "wait" && !json.Valid([]byte(arguments)) {
			t.Errorf("%s: got arguments that are not JSON", c.text)
		}
	}
	commands := graphtest.Must(data.ReadFile("data/commands.txt"))(t)
	methods := graphtest.Must(data.ReadFile("data/cstp.txt"))(t)
	for _, o := range tools.Catalog {
		words, _, _ := strings.Cut(o.Command, " <")
		switch {
		case !called[o.Name]:
			t.Errorf("calls.txt has no call of %s", o.Name)
		case !strings.Contains(string(commands), "nomograph "+words):
			t.Errorf("commands.txt has no line with %q", words)
		case o.CSTP != "" && !strings.Contains(string(methods), "\n"+o.CSTP+" "):
			t.Errorf("cstp.txt has no call of %s", o.CSTP)
		}
	}
}

func TestRequest_Route_PutsArgumentsWhereTheyBelong(t *testing.T) {
	for _, tt := range []struct{ method, path, arguments, want string }{
		{"GET", "/thresholds/{name}", `{"name": "a b", "limit": 2}`, "GET /thresholds/a%20b?limit=2"},
		{"GET", "/thresholds", `{}`, "GET /thresholds"},
		{"GET", "/decisions/{id}", `{"id": "$table"}`, "GET /decisions/$table"},
		{"GET", "/decisions", `{"tags": ["a", "b"], "filters": {"category": "x"}}`,
			"GET /decisions?filters%5Bcategory%5D=x&tags=a&tags=b"},
		{"PUT", "/thresholds/{name}", `{"name": "a", "value": 2}`, `PUT /thresholds/a {"value":2}`},
	} {
		graphtest.Equal(t, (route{tt.method, tt.path}).
			request(tt.arguments), tt.want, fmt.Sprint(tt.method, " ", tt.path, " ", tt.arguments))
	}
}

func TestMask_ChangingValues_AreReplaced(t *testing.T) {
	p := &program{home: "/home/old", version: regexp.MustCompile(`(version )1\.2`),
		known: map[string]bool{"c11433f9": true, "2026-01-02 03:04:05": true},
		vars:  map[string]string{"kept": "0badcafe"}}
	for text, want := range map[string]string{
		"a 01a221f9-8d13-7027-820e-5f498356cad4 b 01a221f9-0000-7027-820e-5f498356cad4 c 01a221f9-8d13-7027-820e-5f498356cad4": "a <uuid 1> b <uuid 2> c <uuid 1>",
		"at 2026-11-28T11:45:32.123Z until 2026-12-01":             "at <time> until <time>",
		"at 2026-01-02T03:04:05.6789Z":                             "at 2026-01-02T03:04:05.6789Z",
		"c11433f9 0badcafe 12ab34cd":                               "c11433f9 $kept <id 1>",
		"nmg_ab-c_1 http://127.0.0.1:4711/x 12.5ms 3 minutes ago":  "<token 1> http://<port>/x <took> <ago>",
		"/home/old/work, version 1.2, 10s, 3 days, 0.25, 12345678": "<home>/work, version <version>, 10s, 3 days, 0.25, <id 1>",
	} {
		graphtest.Equal(t, p.mask(text), want, text)
	}
}

func TestAlike_Fractions_AreComparedWithTolerance(t *testing.T) {
	for _, tt := range []struct {
		was, is string
		same    bool
	}{
		{"score 0.81234", "score 0.81299", true},
		{"score 0.81234", "score 0.9123", false},
		{"value 0.7", "value 0.701", false},
		{"value 0.70", "value 0.7", false},
		{"count 3", "count 4", false},
		{"a\nb", "a", false},
	} {
		graphtest.Equal(t, alike(tt.was, tt.is) == tt.was, tt.same, fmt.Sprint(tt.was, " and ", tt.is))
	}
}

func TestPretty_TextsWithJSON_AreRead(t *testing.T) {
	for raw, want := range map[string]string{
		`{"b": 1.50, "a": "x"}`: "{\n \"a\": \"x\",\n \"b\": 1.50\n}\n",
		`{"content": [{"text": "{\"a\": 1}"}], "structuredContent": {"a": 1}}`: "{\n \"content\": [\n  {\n   \"text\": \"<structuredContent>\"\n  }\n ],\n \"structuredContent\": {\n  \"a\": 1\n }\n}\n",
		`{"query_time_ms": 12}`: "{\n \"query_time_ms\": \"<took>\"\n}\n",
		"a\nb":                  "a\nb",
	} {
		graphtest.Equal(t, pretty([]byte(raw)), want, raw)
	}
}
