package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/cmd/nomograph/clients"
)

func TestHookFile_Edit_KeepsEverythingElse(t *testing.T) {
	const command = "/bin/nomograph hook x"
	for _, tt := range []struct{ name, before, installed, removed string }{
		{"cursor", "", `"beforeReadFile": [{"command": "/bin/nomograph hook x", "failClosed": true}]`, ""},
		{"cursor", "{\n  // mine\n  \"version\": 1,\n  \"hooks\": {\"stop\": [{\"command\": \"a\"}], \"beforeReadFile\": [{\"command\": \"b\"}]}\n}\n", "// mine", `"beforeReadFile": [{"command": "b"}]`},
		{"claude-code", `{"model": "m", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}]}}`, `"command":"/bin/nomograph hook x"`, `{"model": "m", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}]}}`},
		{"claude-code", `{"hooks": {"PreToolUse": [{"hooks": [{"command": "lint"}, {"command": "\"/old place/nomograph\" hook claude-code", "timeout": 5}]}]}}`, `"command": "/bin/nomograph hook x", "timeout": 5`, `{"hooks": {"PreToolUse": [{"hooks": [{"command": "lint"}]}]}}`},
		{"codex", `{"hooks": {}}`, `"PreToolUse"`, ""},
	} {
		path := filepath.Join(t.TempDir(), "hooks.json")
		if tt.before != "" {
			if err := os.WriteFile(path, []byte(tt.before), 0o640); err != nil {
				t.Fatal(err)
			}
		}
		h, ok := clients.FindHookFile(tt.name)
		if !ok {
			t.Fatal(tt.name)
		}
		edit := func(command string) (string, bool) {
			t.Helper()
			e, err := h.Edit(path, false, command)
			if err != nil {
				t.Fatal(err)
			}
			if !e.Same {
				if err := e.Write(); err != nil {
					t.Fatal(err)
				}
			}
			text, _ := os.ReadFile(path)
			return string(text), e.Same
		}
		plain := func(text string) string { return strings.Join(strings.Fields(text), "") }
		text, _ := edit(command)
		if events, err := h.Installed(path); !strings.Contains(plain(text), plain(tt.installed)) || err != nil || len(events) != len(h.Events) {
			t.Errorf("%s: installed %v, %v:\n%s", tt.name, events, err, text)
		}
		if again, same := edit(command); !same || again != text {
			t.Errorf("%s: written again:\n%s", tt.name, again)
		}
		text, _ = edit("")
		if events, _ := h.Installed(path); len(events) > 0 || !strings.Contains(plain(text), plain(tt.removed)) {
			t.Errorf("%s: removed, but %v:\n%s", tt.name, events, text)
		}
		if _, same := edit(""); !same {
			t.Errorf("%s: removed twice", tt.name)
		}
	}
}

func TestHookFile_FileThatIsNoObject_IsLeftAlone(t *testing.T) {
	for _, text := range []string{"{", "[]", `{"hooks": []}`, `{"hooks": {"PreToolUse": {}}}`} {
		path := filepath.Join(t.TempDir(), "settings.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		h, _ := clients.FindHookFile("claude-code")
		if _, err := h.Edit(path, false, "nomograph hook claude-code"); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}
