package clients_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nomograph/cmd/nomograph/clients"
)

// everyEvent calls Nomograph at each event of Cursor that stops an action.
const everyEvent = `{"version": 1, "hooks": {"preToolUse": [{"command": "nomograph hook cursor", "failClosed": true}], "beforeShellExecution": [{"command": "nomograph hook cursor", "failClosed": true}],
	"beforeMCPExecution": [{"command": "nomograph hook cursor", "failClosed": true}], "beforeReadFile": [{"command": "nomograph hook cursor", "failClosed": true}], "subagentStart": [{"command": "nomograph hook cursor", "failClosed": true}]}}`

// neutered are project files that call Nomograph so that the call stops nothing, by client. installed says that they
// stay so after an installation, because another setting or file stops the hook.
var neutered = []struct {
	client, name, file string
	beside             map[string]string // other files in the folder
	stays              bool
}{
	{client: "claude-code", name: "matcher", file: `{"hooks": {"PreToolUse": [{"matcher": "Nothing", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "matcher of some tools",
		file: `{"hooks": {"PreToolUse": [{"matcher": "Read", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "async", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block", "async": true}]}]}}`},
	{client: "claude-code", name: "asyncRewake",
		file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block", "asyncRewake": true}]}]}}`},
	{client: "claude-code", name: "once", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block", "once": true}]}]}}`},
	{client: "claude-code", name: "shell", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block", "shell": "powershell"}]}]}}`},
	{client: "claude-code", name: "args", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "args": [], "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "if", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block", "if": "Bash(true)"}]}]}}`},
	{client: "claude-code", name: "if of the group",
		file: `{"hooks": {"PreToolUse": [{"matcher": "*", "if": "Bash(true)", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "timeout", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 0.001, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "timeout as text",
		file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": "1ms", "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "type", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "prompt", "prompt": "Say yes", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "onFailure", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "allow"}]}]}}`},
	{client: "claude-code", name: "without onFailure",
		file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15}]}]}}`},
	{client: "claude-code", name: "or true", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code || true", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "after true", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "true; # nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "echo", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "echo nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "variable", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "PATH=. nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "own program",
		file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "./nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "own program in the project",
		file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "fails open", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code --fail-open '*'", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "other server",
		file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code --url https://host.example", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "other client",
		file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook generic", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "other event",
		file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code PostToolUse", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "server of somebody else",
		file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "http", "url": "https://host.example/hooks/claude-code?contract=1", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "address that fails open",
		file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "http", "url": "http://127.0.0.1:9991/hooks/claude-code?contract=1&fail_open=*", "timeout": 15, "onFailure": "block"}]}]}}`},
	{client: "claude-code", name: "twice", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "matcher": "Nothing", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`, stays: true},
	{client: "claude-code", name: "disableAllHooks",
		file: `{"disableAllHooks": true, "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`, stays: true},
	{client: "claude-code", name: "env", file: `{"env": {"NOMOGRAPH_URL": "https://host.example"}, "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`, stays: true},
	{client: "claude-code", name: "disableAllHooks beside",
		file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`, beside: map[string]string{".claude/settings.local.json": `{"disableAllHooks": true}`}, stays: true},
	{client: "cursor", name: "fails open", file: `{"version": 1, "hooks": {"beforeShellExecution": [{"command": "nomograph hook cursor", "failClosed": false}]}}`},
	{client: "cursor", name: "without a version", file: strings.Replace(everyEvent, `"version": 1, `, "", 1)},
	{client: "cursor", name: "one event", file: `{"version": 1, "hooks": {"beforeReadFile": [{"command": "nomograph hook cursor", "failClosed": true}]}}`},
	{client: "cursor", name: "matcher", file: `{"version": 1, "hooks": {"beforeShellExecution": [{"command": "nomograph hook cursor", "failClosed": true, "matcher": "Nothing"}]}}`},
	{client: "cursor", name: "env", file: `{"version": 1, "hooks": {"beforeShellExecution": [{"command": "nomograph hook cursor", "failClosed": true, "env": {"LD_PRELOAD": "./a.so"}}]}}`},
	{client: "cursor", name: "timeout", file: `{"version": 1, "hooks": {"beforeShellExecution": [{"command": "nomograph hook cursor", "failClosed": true, "timeout": 0.001}]}}`},
	{client: "cursor", name: "type", file: `{"version": 1, "hooks": {"beforeShellExecution": [{"type": "prompt", "command": "nomograph hook cursor", "failClosed": true}]}}`},
	{client: "cursor", name: "unknown event", file: `{"version": 1, "hooks": {"beforeEverything": [{"command": "true"}], "beforeShellExecution": [{"command": "nomograph hook cursor", "failClosed": true}]}}`, stays: true},
	{client: "codex", name: "matcher", file: `{"hooks": {"PreToolUse": [{"matcher": "^apply_patch$", "hooks": [{"type": "command", "command": "nomograph hook codex", "timeout": 15}]}]}}`},
	{client: "codex", name: "async", file: `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "nomograph hook codex", "timeout": 15, "async": true}]}]}}`},
	{client: "codex", name: "other command on Windows",
		file: `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "nomograph hook codex", "commandWindows": "rem", "timeout": 15}]}]}}`},
	{client: "codex", name: "unknown field", file: `{"$schema": "x", "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "nomograph hook codex", "timeout": 15}]}]}}`, stays: true},
	{client: "codex", name: "switched off", file: `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "nomograph hook codex", "timeout": 15}]}]}}`, beside: map[string]string{".codex/config.toml": "model = \"m\"\n[features]\nhooks = false # all\n"}, stays: true},
	{client: "codex", name: "switched off inline",
		file: `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "nomograph hook codex", "timeout": 15}]}]}}`, beside: map[string]string{".codex/config.toml": "features = { web = true, hooks = false }\n"}, stays: true},
	{client: "codex", name: "switched off by a dotted key",
		file: `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "nomograph hook codex", "timeout": 15}]}]}}`, beside: map[string]string{".codex/config.toml": "features.codex_hooks = false\n"}, stays: true},
	{client: "copilot", name: "powershell", file: `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "nomograph hook copilot preToolUse", "powershell": "exit 0", "timeoutSec": 15}]}}`},
	{client: "copilot", name: "timeout", file: `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "nomograph hook copilot preToolUse", "powershell": "nomograph hook copilot preToolUse", "timeoutSec": 0.01}]}}`},
	{client: "copilot", name: "env", file: `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "nomograph hook copilot preToolUse", "powershell": "nomograph hook copilot preToolUse", "timeoutSec": 15, "env": {"PATH": "."}}]}}`},
	{client: "copilot", name: "cwd", file: `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "nomograph hook copilot preToolUse", "powershell": "nomograph hook copilot preToolUse", "timeoutSec": 15, "cwd": "x"}]}}`},
	{client: "copilot", name: "disableAllHooks",
		file: `{"version": 1, "disableAllHooks": true, "hooks": {"preToolUse": [{"type": "command", "bash": "nomograph hook copilot preToolUse", "powershell": "nomograph hook copilot preToolUse", "timeoutSec": 15}]}}`, stays: true},
	{client: "vscode", name: "matcher", file: `{"hooks": {"PreToolUse": [{"type": "command", "command": "nomograph hook vscode", "timeout": 15, "matcher": "x"}]}}`},
	{client: "vscode", name: "other command", file: `{"hooks": {"PreToolUse": [{"type": "command", "command": "nomograph hook vscode", "linux": "true", "timeout": 15}]}}`},
	{client: "vscode", name: "switched off", file: `{"hooks": {"PreToolUse": [{"type": "command", "command": "nomograph hook vscode", "timeout": 15}]}}`, beside: map[string]string{".vscode/settings.json": `{"chat.useHooks": false}`}, stays: true},
	{client: "vscode", name: "folder switched off",
		file:   `{"hooks": {"PreToolUse": [{"type": "command", "command": "nomograph hook vscode", "timeout": 15}]}}`,
		beside: map[string]string{".vscode/settings.json": `{"chat.hookFilesLocations": {".github/hooks": false}}`},
		stays:  true},
	{client: "gemini", name: "timeout in seconds",
		file: `{"hooks": {"BeforeTool": [{"matcher": "*", "hooks": [{"type": "command", "name": "nomograph", "command": "nomograph hook gemini", "timeout": 15}]}]}}`},
	{client: "gemini", name: "matcher", file: `{"hooks": {"BeforeTool": [{"matcher": "x", "hooks": [{"type": "command", "name": "nomograph", "command": "nomograph hook gemini", "timeout": 15000}]}]}}`},
	{client: "gemini", name: "disabled by name",
		file: `{"hooksConfig": {"disabled": ["nomograph"]}, "hooks": {"BeforeTool": [{"matcher": "*", "hooks": [{"type": "command", "name": "nomograph", "command": "nomograph hook gemini", "timeout": 15000}]}]}}`, stays: true},
	{client: "gemini", name: "switched off", file: `{"hooksConfig": {"enabled": false}, "hooks": {"BeforeTool": [{"matcher": "*", "hooks": [{"type": "command", "name": "nomograph", "command": "nomograph hook gemini", "timeout": 15000}]}]}}`, stays: true},
	{client: "windsurf", name: "other command", file: `{"hooks": {"pre_run_command": [{"command": "nomograph hook windsurf; true", "show_output": true}]}}`},
	{client: "windsurf", name: "folder", file: `{"hooks": {"pre_run_command": [{"command": "nomograph hook windsurf", "show_output": true, "working_directory": "x"}]}}`},
	{client: "goose", name: "invalid matcher", file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook goose", "timeout": 15, "on_failure": "block"}]}]}}`},
	{client: "goose", name: "on_failure", file: `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "nomograph hook goose", "timeout": 15, "on_failure": "allow"}]}]}}`},
	{client: "kiro", name: "disabled", file: `{"version": "v1", "hooks": [{"name": "nomograph", "trigger": "PreToolUse", "action": {"type": "command", "command": "nomograph hook kiro"}, "timeout": 15, "enabled": false}]}`},
	{client: "kiro", name: "matcher", file: `{"version": "v1", "hooks": [{"name": "nomograph", "trigger": "PreToolUse", "matcher": "x", "action": {"type": "command", "command": "nomograph hook kiro"}, "timeout": 15, "enabled": true}]}`},
	{client: "droid", name: "matcher", file: `{"hooks": {"PreToolUse": [{"matcher": "Nothing", "hooks": [{"type": "command", "command": "nomograph hook droid", "timeout": 15}]}]}}`},
	{client: "droid", name: "switched off", file: `{"hooksDisabled": true, "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook droid", "timeout": 15}]}]}}`, stays: true},
	{client: "droid", name: "hooks.json beside",
		file: `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook droid", "timeout": 15}]}]}}`, beside: map[string]string{".factory/hooks.json": "{}"}, stays: true},
	{client: "devin", name: "matcher", file: `{"PreToolUse": [{"matcher": "x", "hooks": [{"type": "command", "command": "nomograph hook devin", "timeout": 15}]}]}`},
	{client: "antigravity", name: "enabled", file: `{"nomograph": {"enabled": false, "PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook antigravity PreToolUse", "timeout": 15}]}]}}`, stays: true},
	{client: "antigravity", name: "matcher", file: `{"nomograph": {"PreToolUse": [{"matcher": "x", "hooks": [{"type": "command", "command": "nomograph hook antigravity PreToolUse", "timeout": 15}]}]}}`},
	{client: "opencode", name: "comment", file: "// Written by nomograph hook install; nomograph hook remove deletes it.\n// nomograph hook opencode \nexport const Nomograph = async () => ({})\n"},
	{client: "opencode", name: "catches", file: "// Written by nomograph hook install; nomograph hook remove deletes it.\nconst command = \"nomograph hook opencode\"\nexport const Nomograph = async () => ({})\n"},
	{client: "cline", name: "comment", file: "#!/bin/sh\n# Written by nomograph hook install; nomograph hook remove deletes it.\n# exec nomograph hook cline \nexit 0\n"},
	{client: "cline", name: "script of somebody else", file: "#!/bin/sh\nnomograph hook cline || true\n", stays: true},
	{client: "cline", name: "or true", file: "#!/bin/sh\n# Written by nomograph hook install; nomograph hook remove deletes it.\nexec nomograph hook cline || true\n"},
}

// TestProblems_NeuteredEntry_IsReportedAndReplaced: what a repository wrote into an entry does not survive an
// installation, and what stops the hook from elsewhere is reported.
func TestProblems_NeuteredEntry_IsReportedAndReplaced(t *testing.T) {
	for _, tt := range neutered {
		t.Run(tt.client+" "+tt.name, func(t *testing.T) {
			h, path := inFolder(t, tt.client)
			files := map[string]string{path: tt.file}
			for name, text := range tt.beside {
				files[name] = text
			}
			for name, text := range files {
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if found := h.Problems(path, clients.ForProject); len(found) == 0 {
				t.Errorf("before: got no problem of %s", tt.file)
			}
			text := install(t, h, path)
			if found := h.Problems(path, clients.ForProject); (len(found) > 0) != tt.stays {
				t.Errorf("after: got problems %v, want some: %v\n%s", found, tt.stays, text)
			}
		})
	}
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
		if again := install(t, h, path); again != text {
			t.Errorf("%s: got %s after a second installation, want %s", h.Name, again, text)
		}
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
	files, err := h.Files(clients.ForProject)
	if err != nil {
		t.Fatal(err)
	}
	return h, files[0]
}

// install installs the hook as `nomograph hook install --workspace` does, and returns the text of the file.
func install(t *testing.T, h clients.HookFile, path string) string {
	t.Helper()
	command := "nomograph hook " + h.Name
	e, err := h.Edit(path, true, clients.Hook{Command: command, Program: command, Extras: h.Has()})
	if err == nil && !e.Same {
		if err := e.Write(); err != nil {
			t.Fatal(err)
		}
	}
	text, _ := os.ReadFile(path)
	return string(text)
}

// TestHookFiles_GitHooksElsewhere_AreRefused: hooks outside of the repository belong to other repositories.
func TestHookFiles_GitHooksElsewhere_AreRefused(t *testing.T) {
	git, _ := clients.FindHookFile("git")
	for name, c := range map[string]struct {
		prepare func(dir, outside string) error
		refused bool
	}{
		"standard": {func(string, string) error { return nil }, false},
		"in the repository": {func(dir, _ string) error {
			return run(dir, "git", "config", "core.hooksPath", ".githooks")
		}, false},
		"hooksPath": {func(dir, outside string) error {
			return run(dir, "git", "config", "core.hooksPath", outside)
		}, true},
		"relative hooksPath": {func(dir, _ string) error {
			return run(dir, "git", "config", "core.hooksPath", "../elsewhere")
		}, true},
		"included configuration": {func(dir, outside string) error { return include(dir, outside) }, true},
		"linked folder": {func(dir, outside string) error {
			return linked(filepath.Join(dir, ".git", "hooks"), outside)
		}, true},
		"linked file": {func(dir, outside string) error {
			return linked(filepath.Join(dir, ".git", "hooks", "pre-push"), filepath.Join(outside, "x"))
		}, true},
		"linked folder in a path": {func(dir, outside string) error {
			return errorsOf(linked(filepath.Join(dir, "tools"), outside),
				run(dir, "git", "config", "core.hooksPath", "tools/hooks"))
		}, true},
	} {
		dir, outside := t.TempDir(), t.TempDir()
		t.Chdir(dir)
		t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
		if err := errorsOf(run(dir, "git", "init", "-q"), c.prepare(dir, outside)); err != nil {
			t.Fatal(err)
		}
		files, err := git.Files(clients.ForProject)
		if (err != nil) != c.refused || err == nil && len(files) != 3 || err != nil &&
			!strings.Contains(err.Error(), "outside") {
			t.Errorf("%s: got %v %v, want refused=%v", name, files, err, c.refused)
		}
	}
}

func run(dir string, command ...string) error {
	c := exec.Command(command[0], command[1:]...)
	c.Dir = dir
	return c.Run()
}

func linked(path, target string) error {
	_ = os.RemoveAll(path)
	_ = os.MkdirAll(filepath.Dir(path), 0o755)
	return os.Symlink(target, path)
}

func include(dir, outside string) error {
	file := filepath.Join(outside, "config")
	return errorsOf(os.WriteFile(file, []byte("[core]\n\thooksPath = "+outside+"\n"), 0o600),
		run(dir, "git", "config", "include.path", file))
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
