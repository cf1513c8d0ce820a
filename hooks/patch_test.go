package hooks_test

import (
	"encoding/json"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/hooks"
)

// TestRead_Patches_NameTheirFiles: a patch comes as a text, as a field of any name, as a document in a command, and as
// an argument.
func TestRead_Patches_NameTheirFiles(t *testing.T) {
	const (
		patch = "*** Begin Patch\n*** Add File: a.go\n+x\n*** Update File: b.go\n*** Move to: c.go\n@@\n-y\n+z\n*** Delete File: d.go\n*** End Patch"
		files = "file.write a.go, file.write b.go, file.write c.go, file.delete d.go"
		diff  = "diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-x\n+++ y\n--- a/d.go\t2026-11-28\n+++ /dev/null\n"
	)
	heredoc := "apply_patch <<'EOF'\n" + patch + "\nEOF"
	for name, tt := range map[string]struct {
		tool  string
		input any
		want  string // the files; "error" if the call cannot be read
	}{
		"text":              {"apply_patch", patch, files},
		"field input":       {"apply_patch", map[string]any{"input": patch}, files},
		"field command":     {"apply_patch", map[string]any{"command": patch}, files},
		"field of any name": {"ApplyPatch", map[string]any{"theChange": patch}, files},
		"list":              {"apply_patch", map[string]any{"command": []any{"apply_patch", patch}}, files},
		"nested":            {"apply_patch", map[string]any{"edit": map[string]any{"texts": []any{patch}}}, files},
		"text of an object": {"apply_patch", `{"input": "*** Begin Patch\n*** Delete File: d.go\n*** End Patch"}`,
			"file.delete d.go"},
		"spaces and CRLF": {"apply_patch", "*** Begin Patch\r\n  *** Add File: a.go  \r\n+x\r\n*** End Patch\r\n",
			"file.write a.go"},
		"tool of a server": {"mcp__fs__apply_patch", map[string]any{"diff": patch}, "mcp.call fs apply_patch, " +
			files},
		"diff": {"patch", map[string]any{"diff": diff}, "file.write a.go, file.delete d.go"},
		"operation": {"apply_patch", map[string]any{"operation": map[string]any{"type": "update_file",
			"path": "a.go", "diff": "@@\n-x\n+y"}}, "file.write a.go"},
		"path":           {"apply_patch", map[string]any{"file_path": "a.go"}, "file.write a.go"},
		"no file":        {"apply_patch", "*** Begin Patch\n*** End Patch", "error"},
		"nothing":        {"apply_patch", map[string]any{}, "error"},
		"cut off":        {"apply_patch", `{"input": "*** Begin Patch\n*** Add File: a.go\n+x`, "error"},
		"too many files": {"apply_patch", strings.Repeat("*** Add File: a\n", 101), "error"},
		"heredoc":        {"Bash", map[string]any{"command": heredoc}, "shell.run , " + files},
		"words": {"shell", map[string]any{"command": []any{"apply_patch", patch}}, "shell.run , " +
			files},
		"words with a shell": {"shell", map[string]any{"command": []any{"bash", "-lc", "cd sub && " + heredoc}},
			"shell.run , file.write sub/a.go, file.write sub/b.go, file.write sub/c.go, file.delete sub/d.go"},
		"another folder": {"Bash", map[string]any{"command": "cd ~ && " + heredoc},
			"shell.run , file.write ~/a.go, file.write ~/b.go, file.write ~/c.go, file.delete ~/d.go"},
		"a shell in a shell": {"Bash", map[string]any{"command": "bash -lc \"" + heredoc + "\""}, "shell.run , " +
			files},
		"a word for apply_patch": {"Bash", map[string]any{"command": "rg apply_patch src && cat <<'EOF'\n" + patch +
			"\nEOF"}, "shell.run "},
	} {
		input := graphtest.Must(json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "cwd": "/w",
			"tool_name":  tt.tool,
			"tool_input": tt.input}))(t)
		actions, _, err := client(t, "claude-code").Read(hooks.Input{Stdin: input})
		for i := range actions {
			if actions[i].Kind == hooks.ShellRun {
				actions[i].Params["command"] = ""
			}
		}
		got := shown(actions)
		if err != nil {
			got = "error"
		}
		graphtest.Equal(t, got, tt.want, name)
	}
}

// TestPacks_Patches_AreStopped: a patch that writes where an edit must not is stopped, and so is one whose files are
// unknown.
func TestPacks_Patches_AreStopped(t *testing.T) {
	rules := enforced(t)
	for command, want := range map[string]bool{
		"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: /etc/cron.d/x\n+x\n*** End Patch\nEOF":                true,
		"cd /etc && apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: passwd\n+x\n*** End Patch\nEOF":         true,
		"cd ~/.ssh; bash -c 'apply_patch <<EOF\n*** Begin Patch\n*** Update File: id_rsa\n+x\n*** End Patch\nEOF'": true,
		"apply_patch < change.patch":          true,
		"apply_patch \"$(cat change.patch)\"": true,
		"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: main.go\n+x\n*** End Patch\nEOF": false,
		"grep -rn apply_patch src":                                 false,
		"git commit -m 'Read apply_patch'":                         false,
		"git log --grep apply_patch | head -5 && echo apply_patch": false,
	} {
		input := graphtest.Must(json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "cwd": "/home/dev/project",
			"tool_name": "Bash", "tool_input": map[string]any{"command": command}}))(t)
		actions, _, err := client(t, "claude-code").Read(hooks.Input{Stdin: input})
		got := err != nil
		for _, action := range actions {
			got = got || stopped(verdictOf(t, rules, action))
		}
		graphtest.Equal(t, got, want, command, "stopped")
	}
}
