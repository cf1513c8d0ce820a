package hooks_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"nomograph/hooks"
	"nomograph/internal/golden"
	"nomograph/policies/check"
)

// A tool is evaluated by its name and by the code, the program, the method, the path and the address that its arguments
// hold.
func TestTool_Calls_AreEvaluatedLikeCommands(t *testing.T) {
	rules := enforced(t)
	for _, row := range golden.Columns(t, "testdata/calls.txt", 3) {
		server, tool, _ := strings.Cut(row[0], " ")
		input := strings.ReplaceAll(row[2], "<token>", token)
		var arguments map[string]any
		if err := json.Unmarshal([]byte(input), &arguments); err != nil {
			t.Fatalf("%s: %v", row[2], err)
		}
		golden.Equal(t, row[0]+" "+row[2], outcome(verdictOf(t, rules,
			hooks.Tool(server, tool, arguments, "/home/dev/project"))), row[1])
	}
}

// token looks like a token of GitHub.
const token = "ghp_" + "0123456789abcdefghijklmnopqrstuvwxyzAB"

func outcome(v check.Verdict) string {
	if stopped(v) {
		return "stopped"
	}
	return "passes"
}

func TestFileAndFetch_PathsAndAddresses_AreEvaluatedByLocation(t *testing.T) {
	const dir = "/home/dev/project"
	rules := enforced(t)
	for _, row := range golden.Rows(t, "testdata/paths.txt") {
		kind, where := hooks.Kind(row[0]), strings.ReplaceAll(row[2], "<token>", token)
		action := hooks.File(kind, where, dir, "x")
		if kind == hooks.WebFetch {
			action = hooks.Fetch(where, dir)
		}
		golden.Equal(t, string(kind)+" "+where, outcome(verdictOf(t, rules, action)), row[1])
	}
	if v := verdictOf(t, rules, hooks.Fetch(" file:///home/dev/.ssh/id_rsa", dir)); !stopped(v) {
		t.Error("an address after a space passes")
	}
}

func TestTool_SeveralArguments_GiveListsInFixedOrder(t *testing.T) {
	arguments := map[string]any{"path": "/etc/a", "file": "/etc/b", "source": "/etc/c", "command": "cat x > y",
		"cmd": "sudo make"}
	want := hooks.Tool("server", "write_file", arguments, "/w").Params
	if writes, _ := want["writes"].([]any); len(writes) != 4 {
		t.Errorf("writes are %v, want y and the three paths", writes)
	}
	if want["command"] != "sudo make\ncat x > y" || want["privileged"] != true || want["parsed"] != true {
		t.Errorf("got command %q, privileged %v, parsed %v", want["command"], want["privileged"], want["parsed"])
	}
	if reads, ok := hooks.Tool("server", "search", nil, "/w").Params["reads_of"].([]any); !ok || reads == nil {
		t.Errorf("reads_of of no arguments are %#v, want an empty list", reads)
	}
	for range 20 {
		if got := hooks.Tool("server", "write_file", arguments, "/w").Params; !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v, then %v, want got=%v", want, got, want)
		}
	}
}

func TestTool_TooManyPaths_IsTooComplex(t *testing.T) {
	paths := make([]any, 200_000)
	for i := range paths {
		paths[i] = fmt.Sprint("f", i)
	}
	if v := verdictOf(t, enforced(t), hooks.Tool("server", "write_files",
		map[string]any{"paths": append(paths, "/etc/passwd")}, "/w")); !stopped(v) {
		t.Error("a path after very many others is not stopped")
	}
}

func TestTool_LargeTable_IsNotTooComplex(t *testing.T) {
	rows, vector := make([]any, 50), make([]any, 5000)
	for i := range rows {
		cells := make([]any, 90)
		for j := range cells {
			cells[j] = fmt.Sprint("cell ", i, j)
		}
		rows[i] = cells
	}
	for i := range vector {
		vector[i] = float64(i)
	}
	rules := enforced(t)
	for _, arguments := range []map[string]any{
		{"range": "A1:CL50", "values": rows},
		{"vector": vector, "query": "similar pages"},
		{"path": vector},
	} {
		a := hooks.Tool("server", "update_cells", arguments, "/w")
		if v := verdictOf(t, rules, a); stopped(v) || a.Params["unresolved"] != nil {
			t.Errorf("%.60v: stopped %v, unresolved %v, want neither", arguments, stopped(v), a.Params["unresolved"])
		}
	}
	if v := verdictOf(t, rules, hooks.Tool("server", "write_file", map[string]any{"path": "/etc/passwd", "aaa": rows},
		"/w")); !stopped(v) {
		t.Error("a path beside a large table is not stopped")
	}
}

func TestTool_TooManyValues_IsTooComplex(t *testing.T) {
	numbers := make([]any, 200_001)
	a := hooks.Tool("server", "write_file", map[string]any{"a": numbers, "path": "x"}, "/w")
	if list, _ := a.Params["unresolved"].([]any); len(list) != 1 {
		t.Errorf("unresolved is %v, want one value", a.Params["unresolved"])
	}
}
