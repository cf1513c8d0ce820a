package hooks_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/hooks"
	"nomograph/internal/golden"
)

// TestRead_Patches_NameTheirFiles: a patch comes as a text, as a field of any name, as a document in a command, and as
// an argument.
func TestRead_Patches_NameTheirFiles(t *testing.T) {
	const (
		patch = `*** Begin Patch\n*** Add File: a.go\n+x\n*** Update File: b.go\n*** Move to: c.go\n@@\n-y\n+z\n*** Delete File: d.go\n*** End Patch`
		files = "file.write a.go, file.write b.go, file.write c.go, file.delete d.go"
		diff  = `diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-x\n+++ y\n--- a/d.go\t2026-11-28\n+++ /dev/null\n`
	)
	texts := strings.NewReplacer("PATCH", patch, "DIFF", diff, "HEREDOC", `apply_patch <<'EOF'\n`+patch+`\nEOF`, "MANY",
		strings.Repeat(`*** Add File: a\n`, 101))
	for _, row := range golden.Rows(t, "testdata/patches.txt") {
		name, want := row[0], strings.Replace(row[2], "FILES", files, 1)
		input := graphtest.Must(json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "cwd": "/w",
			"tool_name": row[1], "tool_input": json.RawMessage(texts.Replace(row[3]))}))(t)
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
		golden.Equal(t, fmt.Sprint(name, " (", err, ")"), strings.TrimSpace(got), want)
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
		golden.Equal(t, fmt.Sprint(command, " is stopped (", err, ")"), got, want)
	}
}
