package hooks_test

import (
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
		{"write_file", map[string]any{"path": "/home/dev/project/.cursor/hooks.json", "content": "{}"}, true},
		{"write_file", map[string]any{"path": "/etc/cron.d/x", "content": "x"}, true},
		{"edit_file", map[string]any{"path": ".git/config"}, true},
		{"read_file", map[string]any{"path": ".env"}, true},
		{"delete_file", map[string]any{"path": "/etc/passwd"}, true},
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
