package mcp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// scriptAnswer is the result that the SDK returns.
type scriptAnswer struct {
	Result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent map[string]any
	}
	Thrown *struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

// typescript makes calls with MCP's official TypeScript SDK, which `make test` installs into the user's cache
// directory.
func typescript(t *testing.T, g *graphtest.Graph, calls []map[string]any) (listed []string, answers []scriptAnswer) {
	t.Helper()
	node, modules := toolstest.NPM(t)
	dir := t.TempDir() // Node resolves modules relative to the importing file
	script := graphtest.Must(os.ReadFile(filepath.Join("testdata", "clients", "typescript.mjs")))(t)
	graphtest.OK(t, os.WriteFile(filepath.Join(dir, "client.mjs"), script, 0o600))
	graphtest.OK(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	input := graphtest.Must(json.Marshal(calls))(t)
	stdout, stderr, code := graphtest.Run(t, g.Environ(t), bytes.NewReader(input), node,
		filepath.Join(dir, "client.mjs"), graphtest.Binary(t), "serve")
	var out struct {
		Tools   []string
		Answers []scriptAnswer
	}
	if err := json.Unmarshal([]byte(stdout), &out); err != nil || code != 0 || len(out.Answers) != len(calls) {
		t.Fatalf("the client ends with %d (%v)\n%s\n%s", code, err, stdout, stderr)
	}
	return out.Tools, out.Answers
}

// TestTypeScriptSDK_Errors_AreReceived calls every default tool once successfully and once with an error.
func TestTypeScriptSDK_Errors_AreReceived(t *testing.T) {
	g := graphtest.New(t)
	toolstest.ApplyShipped(t, g, "core", "chrystallum")
	g.Exec(t, `CREATE (:Decision {uid: 'u1', id: 'aaaa0001', decision: 'Cache for a day', confidence: 0.7, status: 'pending', created_at: datetime()}),
		(:Decision {uid: 'u2', id: 'aaaa0002', decision: 'Cache for an hour', created_at: datetime()})`, nil)
	cases := golden.Rows(t, "testdata/outcomes.txt")
	var calls []map[string]any
	var names []string
	for _, c := range cases {
		if o, _ := tools.Find(tools.Catalog, c[0]); o.Listing != tools.ListedNever { // unlisted tools can be called too
			names = append(names, c[0])
		}
		for _, arguments := range c[2:] {
			calls = append(calls, map[string]any{"tool": c[0], "arguments": json.RawMessage(arguments)})
		}
	}
	calls = append(calls, map[string]any{"uri": "nomograph://threshold/none"})
	listed, answers := typescript(t, g, calls)
	if missing := answers[len(calls)-1].Thrown; missing == nil || missing.Code != -32002 ||
		!strings.Contains(missing.Message, "'none' not found") || missing.Data["hint"] == nil {
		t.Errorf(`a missing resource: got %+v, want non-nil missing, Code=-32002, Message with "'none' not found", non-nil hint`, missing)
	}
	listed = slices.DeleteFunc(listed, func(name string) bool { // covered by governed_test.go and the tests of memory
		o, _ := tools.Find(tools.Catalog, name)
		return o.Toolset == "cra" || o.Toolset == "memory"
	})
	slices.Sort(listed)
	slices.Sort(names)
	if diff := cmp.Diff(names, listed); diff != "" {
		t.Errorf("the tools tried and listed differ: %s", diff)
	}
	for i, c := range cases {
		good, bad := answers[2*i], answers[2*i+1]
		if good.Thrown != nil || good.Result.IsError || good.Result.StructuredContent == nil {
			t.Errorf("%s %s: got %+v %+v, want Thrown=nil, IsError=false, non-nil StructuredContent", c[0],
				c[2], good.Result, good.Thrown)
		}
		if bad.Thrown != nil || !bad.Result.IsError || bad.Result.StructuredContent != nil ||
			len(bad.Result.Content) != 1 {
			t.Errorf("%s %s: got %+v %+v, want Thrown=nil, IsError=true, StructuredContent=nil, len(Content)=1", c[0],
				c[3], bad.Result, bad.Thrown)
			continue
		}
		var fault struct {
			Error, Message, Hint, ID string
			Allowed                  *bool
		}
		text := bad.Result.Content[0].Text
		if json.Unmarshal([]byte(text), &fault) != nil || fault.Error != c[1] || fault.Message == "" ||
			fault.Hint == "" || fault.ID == "" {
			t.Errorf("%s %s: got %s, want json.Unmarshal([]byte(text), &fault)=nil, Error=%v, non-empty Message, non-empty Hint, non-empty ID", c[0], c[3], text, c[1])
		}
		if checks := strings.HasSuffix(c[0], "_action"); checks && (fault.Allowed == nil || *fault.Allowed) {
			t.Errorf("%s: got %s", c[0], text)
		}
	}
}
