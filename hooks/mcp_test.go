package hooks_test

import (
	"fmt"
	"reflect"
	"testing"

	"nomograph/hooks"
)

func TestTool_EffectsOfArguments_AreJudgedLikeCommands(t *testing.T) {
	rules := enforced(t)
	for _, tt := range []struct {
		tool      string
		arguments map[string]any
		stopped   bool
	}{
		{"exec", map[string]any{"command": "rm -rf /"}, true},
		{"exec", map[string]any{"command": []any{"rm", "-rf", "/"}}, true},
		{"exec", map[string]any{"command": []any{"git", "push", "--force"}}, true},
		{"exec", map[string]any{"command": "iptables -F"}, true},
		{"run_query", map[string]any{"sql": "DROP TABLE users"}, true},
		{"write_file", map[string]any{"path": "/etc/passwd", "content": "x"}, true},
		{"update_file", map[string]any{"path": "/etc/passwd", "content": "x"}, true},
		{"get_settings", map[string]any{"path": "/etc/hosts"}, false},
		{"write_file", map[string]any{"path": "/home/dev/project/.cursor/hooks.json", "content": "{}"}, true},
		{"write_file", map[string]any{"path": "/etc/cron.d/x", "content": "x"}, true},
		{"edit_file", map[string]any{"path": ".git/config"}, true},
		{"read_file", map[string]any{"path": ".env"}, true},
		{"delete_file", map[string]any{"path": "/etc/passwd"}, true},
		{"upload_file", map[string]any{"path": ".env"}, true},
		{"move_file", map[string]any{"source": ".env", "destination": "x.txt"}, true},
		{"create_gist", map[string]any{"file": ".env"}, true},
		{"remove_background", map[string]any{"file": ".env"}, true},
		{"copy_file", map[string]any{"source": "x", "destination": "/etc/passwd"}, true},
		{"copy_file", map[string]any{"source": "x", "dest": "/etc/passwd"}, true},
		{"link", map[string]any{"source": "x", "target": "/etc/passwd"}, true},
		{"rename", map[string]any{"path": "x", "new_path": "/etc/passwd"}, true},
		{"copy", map[string]any{"path": "x", "to": "/etc/passwd"}, true},
		{"write_file", map[string]any{"file_path": "/etc/passwd", "path": "x"}, true},
		{"write_file", map[string]any{"path": "/etc/passwd", "source": "x"}, true},
		{"delete_file", map[string]any{"filename": "/etc/passwd", "path": "x"}, true},
		{"write_file", map[string]any{"path": "/etc/passwd", "shell": "make"}, true},
		{"run_query", map[string]any{"sql": "DROP TABLE users", "statement": "DROP TABLE x"}, true},
		{"run_query", map[string]any{"query": "DROP TABLE users", "script": "make"}, true},
		{"exec", map[string]any{"cmd": "rm -rf /", "command": "make"}, true},
		{"exec", map[string]any{"cmd": "make", "command": "rm -rf /"}, true},
		{"exec", map[string]any{"command": "rm", "args": []any{"-rf", "/"}}, true},
		{"exec", map[string]any{"command": "rm", "args": []any{"-rf", "/", 1}}, true},
		{"exec", map[string]any{"command": "rm", "args": "-rf /"}, true},
		{"exec", map[string]any{"command": "bash", "args": []any{"-c", "rm -rf ~"}}, true},
		{"exec", map[string]any{"command": "echo", "args": []any{"a; rm -rf /"}}, false},
		{"read_multiple_files", map[string]any{"paths": []any{"README.md", ".env"}}, true},
		{"read_files", map[string]any{"files": []any{map[string]any{"path": "~/.ssh/id_rsa"}}}, true},
		{"delete_files", map[string]any{"file_paths": []any{"x", "/etc/passwd"}}, true},
		{"edit_files", map[string]any{"edits": []any{map[string]any{"file_path": "/etc/passwd", "text": "x"}}}, true},
		{"move_files", map[string]any{"moves": []any{map[string]any{"source": "x", "destination": "/etc/passwd"}}}, true},
		{"run", map[string]any{"commands": []any{"make", "rm -rf /"}}, true},
		{"run", map[string]any{"steps": []any{map[string]any{"command": "rm", "args": []any{"-rf", "/"}}}}, true},
		{"batch", map[string]any{"input": map[string]any{"command": "rm -rf ~"}}, true},
		{"run_query", map[string]any{"queries": []any{"SELECT 1", "DROP TABLE users"}}, true},
		{"run", map[string]any{"script": []any{"rm", "-rf", "/"}}, true},
		{"run", map[string]any{"script": []any{"make build", "rm -rf /"}}, true},
		{"run", map[string]any{"bash": []any{"bash", "-c", "rm -rf ~"}}, true},
		{"run", map[string]any{"script": []any{"npm ci", "npm test"}}, false},
		{"run", map[string]any{"script": []any{"go", "test", "./..."}}, false},
		{"run_query", map[string]any{"queries": []any{"SELECT 1", "SELECT 2"}}, false},
		{"read_multiple_files", map[string]any{"paths": []any{"README.md", "go.mod"}}, false},
		{"create_issue", map[string]any{"labels": []any{"rm -rf /"}, "files": []any{"a.txt"}}, false},
		{"copy_file", map[string]any{"source": "a.txt", "destination": "b.txt"}, false},
		{"send_mail", map[string]any{"to": "me@host.example", "body": "x"}, false},
		{"exec", map[string]any{"command": []any{"make", "test"}}, false},
		{"run_query", map[string]any{"sql": "SELECT 1"}, false},
		{"search", map[string]any{"query": "the syntax of drop table users"}, false},
		{"write_file", map[string]any{"path": "src/main.go", "content": "rm -rf /"}, false},
		{"read_file", map[string]any{"path": "README.md"}, false},
		{"create_issue", map[string]any{"title": "rm -rf / is dangerous"}, false},
	} {
		if v := judge(t, rules, hooks.Tool("server", tt.tool, tt.arguments, "/home/dev/project")); stopped(v) != tt.stopped {
			t.Errorf("%s %v: stopped %v, want %v", tt.tool, tt.arguments, stopped(v), tt.stopped)
		}
	}
}

func TestTool_SeveralArguments_GiveListsInOneOrder(t *testing.T) {
	arguments := map[string]any{"path": "/etc/a", "file": "/etc/b", "source": "/etc/c", "command": "cat x > y", "cmd": "sudo make"}
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
			t.Fatalf("got %v, then %v", want, got)
		}
	}
}

func TestTool_MorePathsThanAreListed_IsTooComplex(t *testing.T) {
	paths := make([]any, 200_000)
	for i := range paths {
		paths[i] = fmt.Sprint("f", i)
	}
	if v := judge(t, enforced(t), hooks.Tool("server", "write_files", map[string]any{"paths": append(paths, "/etc/passwd")}, "/w")); !stopped(v) {
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
		if v := judge(t, rules, a); stopped(v) || a.Params["unresolved"] != nil {
			t.Errorf("%.60v: stopped %v, unresolved %v, want neither", arguments, stopped(v), a.Params["unresolved"])
		}
	}
	if v := judge(t, rules, hooks.Tool("server", "write_file", map[string]any{"path": "/etc/passwd", "aaa": rows}, "/w")); !stopped(v) {
		t.Error("a path beside a large table is not stopped")
	}
}

func TestTool_MoreValuesThanAreWalked_IsTooComplex(t *testing.T) {
	numbers := make([]any, 200_001)
	a := hooks.Tool("server", "write_file", map[string]any{"a": numbers, "path": "x"}, "/w")
	if list, _ := a.Params["unresolved"].([]any); len(list) != 1 {
		t.Errorf("unresolved is %v, want one value", a.Params["unresolved"])
	}
}
