package mcp_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tokens"
	"nomograph/tools/toolstest"
)

// TestHTTP_OfficialSDKs_Work connects MCP's Python SDK and the command line of its inspector to a server with tokens.
func TestHTTP_OfficialSDKs_Work(t *testing.T) {
	g := graphtest.New(t)
	toolstest.ApplyShipped(t, g, "core", "releases", "chrystallum")
	n := overHTTP(t, g, true)
	made := graphtest.Must(n.env.Tokens.Create(t.Context(),
		tokens.CreateRequest{Name: "ada", Permissions: []string{"read", "govern"}}))(t)
	t.Run("Python SDK", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(toolstest.Python(t, "mcp"), "python"),
			filepath.Join("testdata", "clients", "python.py"), n.url, made.Token)
		var answers []struct {
			Revision, Agent string
			Tools, Prompts  []string
			Value, Resource float64
			Missing         []any
			Allowed         bool
			Unknown         int
			Told            string
		}
		run(t, cmd, &answers)
		for i, revision := range []string{"2025-11-25", modern} {
			reply := answers[i]
			if reply.Revision != revision || reply.Value != reply.Resource || reply.Value == 0 ||
				reply.Missing[0] != true || reply.Missing[1] != "not_found" ||
				reply.Allowed || reply.Agent != "ada" || reply.Unknown != -32602 ||
				!slices.Contains(reply.Prompts, "before_decision") {
				t.Errorf("got %+v, want Revision=%v, Value=%v, nonzero Value, reply.Missing[0]=true, reply.Missing[1]=not_found, Allowed=false, Agent=ada, Unknown=-32602, Prompts with before_decision", reply, revision, reply.Resource)
			}
			if !slices.Contains(reply.Tools, "set_threshold") || slices.Contains(reply.Tools, "log_decision") {
				t.Errorf("got tools %v, want set_threshold and no log_decision", reply.Tools)
			}
			if text := "nomograph://threshold/rollout_percent_first"; revision == modern && reply.Told != text {
				t.Errorf("got a notification about %q, want %q", reply.Told, text)
			}
		}
	})
	t.Run("inspector", func(t *testing.T) {
		node, modules := toolstest.NPM(t)
		inspect := func(args ...string) *exec.Cmd {
			launcher := filepath.Join(modules, "@modelcontextprotocol", "inspector", "clients", "launcher", "build",
				"index.js")
			cmd := exec.CommandContext(t.Context(), node,
				append([]string{launcher, "--cli", n.url, "--transport", "http", "--header", "Authorization: Bearer " +
					made.Token}, args...)...)
			cmd.Dir = t.TempDir()
			cmd.Env = append(cmd.Environ(), "HOME="+cmd.Dir) // the program stores settings in HOME
			return cmd
		}
		var listed struct{ Tools []struct{ Name string } }
		run(t, inspect("--method", "tools/list", "--strict"), &listed) // fails for schemas that some clients cannot use
		if len(listed.Tools) < 20 {
			t.Errorf("got %v, want len(Tools) at least 20", listed)
		}
		var called struct {
			IsError           bool
			StructuredContent map[string]any
		}
		run(t, inspect("--method", "tools/call", "--tool-name", "get_policy", "--tool-arg", "name=NoTemporalFacet"),
			&called)
		if called.IsError || called.StructuredContent["facet_key"] != "TEMPORAL" {
			t.Errorf("got %+v, want IsError=false, facet_key=TEMPORAL", called)
		}
	})
}

// run decodes the JSON output of a program.
func run(t *testing.T, cmd *exec.Cmd, into any) {
	t.Helper()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		t.Fatalf("got %v, want no error\n%s\n%s", err, out, &stderr)
	}
}
