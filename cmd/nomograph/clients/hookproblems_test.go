package clients_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nomograph/cmd/nomograph/clients"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// everyEvent calls Nomograph at each event of Cursor that stops an action.
const everyEvent = `{"version": 1, "hooks": {"preToolUse": [{"command": "nomograph hook cursor", "failClosed": true}], "beforeShellExecution": [{"command": "nomograph hook cursor", "failClosed": true}],
	"beforeMCPExecution": [{"command": "nomograph hook cursor", "failClosed": true}], "beforeReadFile": [{"command": "nomograph hook cursor", "failClosed": true}], "subagentStart": [{"command": "nomograph hook cursor", "failClosed": true}]}}`

// stopping are files beside an installed hook that stop it.
var stopping = []struct{ client, file, text string }{
	{"claude-code", ".claude/settings.local.json", `{"disableAllHooks": true}`},
	{"codex", ".codex/config.toml", "model = \"m\"\n[features]\nhooks = false # all\n"},
	{"codex", ".codex/config.toml", "features = { web = true, hooks = false }\n"},
	{"codex", ".codex/config.toml", "features.codex_hooks = false\n"},
	{"vscode", ".vscode/settings.json", `{"chat.useHooks": false}`},
	{"vscode", ".vscode/settings.json", `{"chat.hookFilesLocations": {".github/hooks": false}}`},
	{"droid", ".factory/hooks.json", "{}"},
}

// TestProblems_NeuteredEntry_IsReportedAndReplaced: what a repository wrote into an entry does not survive an
// installation, and what stops the hook from elsewhere is reported.
func TestProblems_NeuteredEntry_IsReportedAndReplaced(t *testing.T) {
	files := append(golden.Rows(t, "testdata/problems.txt"), []string{"neutered", "cursor: without a version",
		strings.Replace(everyEvent, `"version": 1, `, "", 1)})
	for _, row := range files {
		stays, name, file := row[0] == "stopped", row[1], strings.ReplaceAll(row[2], `\n`, "\n")
		t.Run(name, func(t *testing.T) {
			client, _, _ := strings.Cut(name, ":")
			h, path := inFolder(t, client)
			write(t, path, file)
			if found := h.Problems(path, clients.ForProject); len(found) == 0 {
				t.Errorf("before: got no problem of %s", file)
			}
			text := install(t, h, path)
			graphtest.Equal(t, len(h.Problems(path, clients.ForProject)) > 0, stays, "after: problems: "+text)
		})
	}
	for _, tt := range stopping {
		h, path := inFolder(t, tt.client)
		install(t, h, path)
		write(t, tt.file, tt.text)
		if found := h.Problems(path, clients.ForProject); len(found) == 0 {
			t.Errorf("%s: got no problem of %s", tt.client, tt.text)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	graphtest.OK(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(path, []byte(text), 0o755)))
}

// TestProblems_InstalledHook_HasNone installs the hook of each client for each scope.
func TestProblems_InstalledHook_HasNone(t *testing.T) {
	for _, h := range clients.HookFiles() {
		if h.Name == "git" {
			continue
		}
		h, path := inFolder(t, h.Name)
		text := install(t, h, path)
		if found := h.Problems(path, clients.ForProject); len(found) > 0 {
			t.Errorf("%s: got problems %v, want none:\n%s", h.Name, found, text)
		}
		graphtest.Equal(t, install(t, h, path), text, h.Name+": after a second installation")
	}
	claude, path := inFolder(t, "claude-code")
	edited(t, claude, path, clients.Hook{URL: "https://nomograph.example/hooks/claude-code?contract=1",
		Token: "NOMOGRAPH_TOKEN"})
	if found := claude.Problems(path, clients.ForUser, "nomograph.example"); len(found) > 0 {
		t.Errorf("over HTTP: got problems %v, want none", found)
	}
	for _, command := range []string{`/usr/local/bin/nomograph hook claude-code`,
		`"/a b/nomograph" hook claude-code --budget 5s`, `/x/nomograph-hook claude-code --fail-open file.read`} {
		edited(t, claude, path, clients.Hook{Command: command})
		if found := claude.Problems(path, clients.ForUser); len(found) > 0 && runtime.GOOS != "windows" {
			t.Errorf("%s: got problems %v, want none", command, found)
		}
	}
}

// inFolder returns the hook file of a client in a new folder, which becomes the working directory and the home.
func inFolder(t *testing.T, client string) (clients.HookFile, string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	h, ok := clients.FindHookFile(client)
	if !ok {
		t.Fatal(client)
	}
	files := graphtest.Must(h.Files(clients.ForProject))(t)
	return h, files[0]
}

// install installs the hook as `nomograph hook install --workspace` does, and returns the text of the file.
func install(t *testing.T, h clients.HookFile, path string) string {
	t.Helper()
	command := "nomograph hook " + h.Name
	e, err := h.Edit(path, true, clients.Hook{Command: command, Program: command, Extras: h.Has()})
	if err == nil && !e.Same {
		graphtest.OK(t, e.Write())
	}
	text, _ := os.ReadFile(path)
	return string(text)
}

// TestHookFiles_GitHooksElsewhere_AreRefused: hooks outside of the repository belong to other repositories.
func TestHookFiles_GitHooksElsewhere_AreRefused(t *testing.T) {
	git, _ := clients.FindHookFile("git")
	for script, refused := range map[string]bool{
		`true`:                                                      false,
		`git config core.hooksPath .githooks`:                       false,
		`git config core.hooksPath "$OUT"`:                          true,
		`git config core.hooksPath ../elsewhere`:                    true,
		`git config include.path "$OUT/config"`:                     true,
		`rm -r .git/hooks; ln -s "$OUT" .git/hooks`:                 true,
		`mkdir -p .git/hooks; ln -sf "$OUT/x" .git/hooks/pre-push`:  true,
		`ln -s "$OUT" tools; git config core.hooksPath tools/hooks`: true,
	} {
		outside := t.TempDir()
		t.Chdir(t.TempDir())
		t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
		t.Setenv("OUT", outside)
		write(t, filepath.Join(outside, "config"), "[core]\n\thooksPath = "+outside+"\n")
		run(t, "git init -q; "+script)
		files, err := git.Files(clients.ForProject)
		if (err != nil) != refused || err == nil && len(files) != 3 || err != nil &&
			!strings.Contains(err.Error(), "outside") {
			t.Errorf("%s: got %v %v, want refused=%v", script, files, err, refused)
		}
	}
}

// run runs a script in the working directory.
func run(t *testing.T, script string) {
	t.Helper()
	if out, err := exec.Command("sh", "-ec", script).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}
