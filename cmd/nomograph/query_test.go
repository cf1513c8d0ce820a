package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

const handshake = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pipe","version":"1"}}}` + "\n"

func TestRunCypher_OverMCP_Answers(t *testing.T) {
	g := withPacks(t)
	c := graphtest.Start(t, g.Environ(t), graphtest.Binary(t), "serve", "--toolsets", "default,explore")
	c.Initialize("2025-06-18")
	before := fingerprint(t, g)
	for _, row := range golden.Rows(t, "testdata/cypher_calls.txt") {
		name, tool, arguments, wantCode, want := row[0], row[1], row[2], row[3], row[4]
		t.Run(name, func(t *testing.T) {
			content, failed := c.Call(tool, json.RawMessage(arguments))
			text, err := json.Marshal(content)
			if code, _ := content["error"].(string); err != nil || failed != (wantCode != "") || code != wantCode ||
				!strings.Contains(string(text), want) {
				t.Errorf("got %s, %v, want the code %q and %s", text, err, wantCode, want)
			}
		})
	}
	graphtest.Equal(t, fingerprint(t, g), before, "the graph")
}

func TestRunCypher_CommandLine_Answers(t *testing.T) {
	g := withPacks(t)
	environ := append(g.Environ(t), "NOMOGRAPH_QUERIES="+folder(t, map[string]string{
		"policies_like.cypher": "// Policies whose name begins so.\n// $start: string, how\n// $most: integer = 50, at most\n// $only_active: boolean = false, leave others out\n" +
			"MATCH (p:SYS_Policy) WHERE p.name STARTS WITH $start AND (NOT $only_active OR p.active) RETURN p.name AS name ORDER BY name LIMIT $most",
		"policies_for_project.cypher": "// Policies, and the project that was asked about.\n// $names: strings, which\n// $project: string, which\n// $output: string = none, where to\n" +
			"MATCH (p:SYS_Policy) WHERE p.name IN $names RETURN p.name AS name, $project AS project, $output AS output",
	}))
	session(t, environ, `
$ cypher "MATCH (p:SYS_Policy {name: 'NoTemporalFacet'}) RETURN p.facet_key AS f" -o json
out TEMPORAL
$ cypher 'RETURN $n AS n' --params '{"n": 7}' -o json
out 7
$ cypher 'MATCH (n) DELETE n' # 1
err DELETE at line 1, column 11
$ cypher 'RETURN nope' # 1
err (line 1, column 8)
$ schema SYS_Policy -o json
out GOVERNED_BY
$ schema Nope # 3
err Label 'Nope' not found
$ query policies-like NoTemp -o json
out NoTemporalFacet
$ query policies-like No --most 1 --only-active -o json
out "row_count": 1
$ query policies-like # 2
err START is missing
$ query policies-like No --most many # 2
err --most must be a whole number
$ query policies-like --help
out Policies whose name begins so.
$ query policies-for-project example/shop NoTemporalFacet -o json
out example/shop
$ query policies-for-project example/shop NoTemporalFacet --param-output there
out there
$ query tables-downstream D10 -o json
out "row_count"
$ query no-such # 2
err unknown command
$ call policies_like '{"start": "NoTemp"}'
out NoTemporalFacet`)
}

func TestServe_NamedQueries_AreTools(t *testing.T) {
	g := withPacks(t)
	dir := folder(t, map[string]string{"policies_like.cypher": "// Policies whose name begins so.\n// $start: string, how\n// $most: integer = 50\nMATCH (p:SYS_Policy) WHERE p.name STARTS WITH $start RETURN p.name AS name LIMIT $most"})
	c := graphtest.Start(t, append(g.Environ(t), "NOMOGRAPH_QUERIES="+dir), graphtest.Binary(t), "serve")
	c.Initialize("2025-06-18")
	listed := map[string]map[string]any{}
	for _, tool := range c.Request("tools/list", nil).Result["tools"].([]any) {
		listed[tool.(map[string]any)["name"].(string)] = tool.(map[string]any)
	}
	mine := listed["policies_like"]
	if mine == nil || listed["history_of"] != nil {
		t.Fatalf("got the transactions %v", listed)
	}
	input, err := json.Marshal(mine["inputSchema"])
	if err != nil || mine["description"] != "Policies whose name begins so." ||
		!strings.Contains(string(input), `"required":["start"]`) ||
		!strings.Contains(string(input), `"most":{"default":50,"description":"most","type":"integer"}`) ||
		!strings.Contains(string(input), `"additionalProperties":false`) {
		t.Errorf("the tool is %v with the arguments %s", mine["description"], input)
	}
	if hints := mine["annotations"].(map[string]any); hints["readOnlyHint"] != true ||
		hints["destructiveHint"] != false {
		t.Errorf("the hints are %v", hints)
	}
	if content, failed := c.Call("policies_like", map[string]any{"start": "NoTemp", "most": 1}); failed ||
		content["row_count"] != 1.0 {
		t.Errorf("the query answers %v", content)
	}
	if content, failed := c.Call("policies_like", map[string]any{}); !failed || content["error"] != "validation_error" {
		t.Errorf("without arguments it answers %v", content)
	}
}

func TestServe_BrokenNamedQuery_KeepsRunning(t *testing.T) {
	g := withPacks(t)
	for name, tt := range map[string]struct{ file, text, log string }{
		"a write": {"sweep.cypher", "// Sweeps.\nMATCH (n) DETACH DELETE n",
			"sweep.cypher: DETACH at line 2"},
		"not a header":             {"bare.cypher", "RETURN 1 AS one", "bare.cypher:1"},
		"the name of an operation": {"get_policy.cypher", "// Other.\nRETURN 1 AS one", "get_policy"},
		"a parameter declared twice": {"twice.cypher",
			"// Twice.\n// $a: integer = 1\n// $a: integer = 2\nRETURN $a AS a", "twice.cypher:3"},
		"a default of the wrong kind": {"kind.cypher", "// Kind.\n// $a: integer = \"x\"\nRETURN $a AS a",
			"kind.cypher:2"},
		"bytes that are no text": {"bytes.cypher", "// Bytes \xff.\nRETURN 1 AS one", "bytes.cypher"},
	} {
		t.Run(name, func(t *testing.T) {
			environ := append(g.Environ(t), "NOMOGRAPH_QUERIES="+
				folder(t, map[string]string{tt.file: tt.text, "fine.cypher": "// Fine.\nRETURN 1 AS one"}))
			in := handshake + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n" +
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fine","arguments":{}}}` + "\n"
			stdout, stderr, code := graphtest.Run(t, environ, strings.NewReader(in), graphtest.Binary(t), "serve")
			if code != 0 || !strings.Contains(stdout, `"name":"fine"`) || !strings.Contains(stdout, `"rows":[[1]]`) {
				t.Errorf("exit %d: %.300s", code, stdout)
			}
			graphtest.Contains(t, stderr, tt.log, "ERR")
		})
	}
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		graphtest.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}
