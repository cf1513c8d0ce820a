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
)

// everyEvent calls Nomograph at each event of Cursor that stops an action.
const everyEvent = `{"version": 1, "hooks": {"preToolUse": [{"command": "nomograph hook cursor", "failClosed": true}], "beforeShellExecution": [{"command": "nomograph hook cursor", "failClosed": true}],
	"beforeMCPExecution": [{"command": "nomograph hook cursor", "failClosed": true}], "beforeReadFile": [{"command": "nomograph hook cursor", "failClosed": true}], "subagentStart": [{"command": "nomograph hook cursor", "failClosed": true}]}}`

// neutered are project files that call Nomograph so that the call stops nothing, by client and what is wrong. An
// installation replaces them.
var neutered = map[string]string{
	"claude-code: matcher":                    `{"hooks": {"PreToolUse": [{"matcher": "Nothing", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: matcher of some tools":      `{"hooks": {"PreToolUse": [{"matcher": "Read", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: async":                      `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block", "async": true}]}]}}`,
	"claude-code: asyncRewake":                `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block", "asyncRewake": true}]}]}}`,
	"claude-code: once":                       `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block", "once": true}]}]}}`,
	"claude-code: shell":                      `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block", "shell": "powershell"}]}]}}`,
	"claude-code: args":                       `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "args": [], "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: if":                         `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block", "if": "Bash(true)"}]}]}}`,
	"claude-code: if of the group":            `{"hooks": {"PreToolUse": [{"matcher": "*", "if": "Bash(true)", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: timeout":                    `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 0.001, "onFailure": "block"}]}]}}`,
	"claude-code: timeout as text":            `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": "1ms", "onFailure": "block"}]}]}}`,
	"claude-code: type":                       `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "prompt", "prompt": "Say yes", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: onFailure":                  `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "allow"}]}]}}`,
	"claude-code: without onFailure":          `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15}]}]}}`,
	"claude-code: or true":                    `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code || true", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: after true":                 `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "true; # nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: echo":                       `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "echo nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: variable":                   `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "PATH=. nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: own program":                `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "./nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: own program in the project": `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: fails open":                 `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code --fail-open '*'", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: other server":               `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code --url https://host.example", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: other client":               `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook generic", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: other event":                `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code PostToolUse", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: server of somebody else":    `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "http", "url": "https://host.example/hooks/claude-code?contract=1", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: address that fails open":    `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "http", "url": "http://127.0.0.1:9991/hooks/claude-code?contract=1&fail_open=*", "timeout": 15, "onFailure": "block"}]}]}}`,
	"cursor: fails open":                      `{"version": 1, "hooks": {"beforeShellExecution": [{"command": "nomograph hook cursor", "failClosed": false}]}}`,
	"cursor: without a version":               strings.Replace(everyEvent, `"version": 1, `, "", 1),
	"cursor: one event":                       `{"version": 1, "hooks": {"beforeReadFile": [{"command": "nomograph hook cursor", "failClosed": true}]}}`,
	"cursor: matcher":                         `{"version": 1, "hooks": {"beforeShellExecution": [{"command": "nomograph hook cursor", "failClosed": true, "matcher": "Nothing"}]}}`,
	"cursor: env":                             `{"version": 1, "hooks": {"beforeShellExecution": [{"command": "nomograph hook cursor", "failClosed": true, "env": {"LD_PRELOAD": "./a.so"}}]}}`,
	"cursor: timeout":                         `{"version": 1, "hooks": {"beforeShellExecution": [{"command": "nomograph hook cursor", "failClosed": true, "timeout": 0.001}]}}`,
	"cursor: type":                            `{"version": 1, "hooks": {"beforeShellExecution": [{"type": "prompt", "command": "nomograph hook cursor", "failClosed": true}]}}`,
	"codex: matcher":                          `{"hooks": {"PreToolUse": [{"matcher": "^apply_patch$", "hooks": [{"type": "command", "command": "nomograph hook codex", "timeout": 15}]}]}}`,
	"codex: async":                            `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "nomograph hook codex", "timeout": 15, "async": true}]}]}}`,
	"codex: other command on Windows":         `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "nomograph hook codex", "commandWindows": "rem", "timeout": 15}]}]}}`,
	"copilot: powershell":                     `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "nomograph hook copilot preToolUse", "powershell": "exit 0", "timeoutSec": 15}]}}`,
	"copilot: timeout":                        `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "nomograph hook copilot preToolUse", "powershell": "nomograph hook copilot preToolUse", "timeoutSec": 0.01}]}}`,
	"copilot: env":                            `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "nomograph hook copilot preToolUse", "powershell": "nomograph hook copilot preToolUse", "timeoutSec": 15, "env": {"PATH": "."}}]}}`,
	"copilot: cwd":                            `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "nomograph hook copilot preToolUse", "powershell": "nomograph hook copilot preToolUse", "timeoutSec": 15, "cwd": "x"}]}}`,
	"vscode: matcher":                         `{"hooks": {"PreToolUse": [{"type": "command", "command": "nomograph hook vscode", "timeout": 15, "matcher": "x"}]}}`,
	"vscode: other command":                   `{"hooks": {"PreToolUse": [{"type": "command", "command": "nomograph hook vscode", "linux": "true", "timeout": 15}]}}`,
	"gemini: timeout in seconds":              `{"hooks": {"BeforeTool": [{"matcher": "*", "hooks": [{"type": "command", "name": "nomograph", "command": "nomograph hook gemini", "timeout": 15}]}]}}`,
	"gemini: matcher":                         `{"hooks": {"BeforeTool": [{"matcher": "x", "hooks": [{"type": "command", "name": "nomograph", "command": "nomograph hook gemini", "timeout": 15000}]}]}}`,
	"windsurf: other command":                 `{"hooks": {"pre_run_command": [{"command": "nomograph hook windsurf; true", "show_output": true}]}}`,
	"windsurf: folder":                        `{"hooks": {"pre_run_command": [{"command": "nomograph hook windsurf", "show_output": true, "working_directory": "x"}]}}`,
	"goose: invalid matcher":                  `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook goose", "timeout": 15, "on_failure": "block"}]}]}}`,
	"goose: on_failure":                       `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "nomograph hook goose", "timeout": 15, "on_failure": "allow"}]}]}}`,
	"kiro: disabled":                          `{"version": "v1", "hooks": [{"name": "nomograph", "trigger": "PreToolUse", "action": {"type": "command", "command": "nomograph hook kiro"}, "timeout": 15, "enabled": false}]}`,
	"kiro: matcher":                           `{"version": "v1", "hooks": [{"name": "nomograph", "trigger": "PreToolUse", "matcher": "x", "action": {"type": "command", "command": "nomograph hook kiro"}, "timeout": 15, "enabled": true}]}`,
	"droid: matcher":                          `{"hooks": {"PreToolUse": [{"matcher": "Nothing", "hooks": [{"type": "command", "command": "nomograph hook droid", "timeout": 15}]}]}}`,
	"devin: matcher":                          `{"PreToolUse": [{"matcher": "x", "hooks": [{"type": "command", "command": "nomograph hook devin", "timeout": 15}]}]}`,
	"antigravity: matcher":                    `{"nomograph": {"PreToolUse": [{"matcher": "x", "hooks": [{"type": "command", "command": "nomograph hook antigravity PreToolUse", "timeout": 15}]}]}}`,
	"opencode: comment":                       "// Written by nomograph hook install; nomograph hook remove deletes it.\n// nomograph hook opencode \nexport const Nomograph = async () => ({})\n",
	"opencode: catches":                       "// Written by nomograph hook install; nomograph hook remove deletes it.\nconst command = \"nomograph hook opencode\"\nexport const Nomograph = async () => ({})\n",
	"cline: comment":                          "#!/bin/sh\n# Written by nomograph hook install; nomograph hook remove deletes it.\n# exec nomograph hook cline \nexit 0\n",
	"cline: or true":                          "#!/bin/sh\n# Written by nomograph hook install; nomograph hook remove deletes it.\nexec nomograph hook cline || true\n",
}

// stopped are such files in which something else stops the hook, also after an installation.
var stopped = map[string]string{
	"claude-code: twice":             `{"hooks": {"PreToolUse": [{"matcher": "*", "matcher": "Nothing", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: disableAllHooks":   `{"disableAllHooks": true, "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`,
	"claude-code: env":               `{"env": {"NOMOGRAPH_URL": "https://host.example"}, "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook claude-code", "timeout": 15, "onFailure": "block"}]}]}}`,
	"cursor: unknown event":          `{"version": 1, "hooks": {"beforeEverything": [{"command": "true"}], "beforeShellExecution": [{"command": "nomograph hook cursor", "failClosed": true}]}}`,
	"codex: unknown field":           `{"$schema": "x", "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "nomograph hook codex", "timeout": 15}]}]}}`,
	"copilot: disableAllHooks":       `{"version": 1, "disableAllHooks": true, "hooks": {"preToolUse": [{"type": "command", "bash": "nomograph hook copilot preToolUse", "powershell": "nomograph hook copilot preToolUse", "timeoutSec": 15}]}}`,
	"gemini: disabled by name":       `{"hooksConfig": {"disabled": ["nomograph"]}, "hooks": {"BeforeTool": [{"matcher": "*", "hooks": [{"type": "command", "name": "nomograph", "command": "nomograph hook gemini", "timeout": 15000}]}]}}`,
	"gemini: switched off":           `{"hooksConfig": {"enabled": false}, "hooks": {"BeforeTool": [{"matcher": "*", "hooks": [{"type": "command", "name": "nomograph", "command": "nomograph hook gemini", "timeout": 15000}]}]}}`,
	"droid: switched off":            `{"hooksDisabled": true, "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook droid", "timeout": 15}]}]}}`,
	"antigravity: enabled":           `{"nomograph": {"enabled": false, "PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "nomograph hook antigravity PreToolUse", "timeout": 15}]}]}}`,
	"cline: script of somebody else": "#!/bin/sh\nnomograph hook cline || true\n",
}

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
	for stays, files := range map[bool]map[string]string{false: neutered, true: stopped} {
		for name, file := range files {
			t.Run(name, func(t *testing.T) {
				client, _, _ := strings.Cut(name, ":")
				h, path := inFolder(t, client)
				write(t, path, file)
				if found := h.Problems(path, clients.ForProject); len(found) == 0 {
					t.Errorf("before: got no problem of %s", file)
				}
				text := install(t, h, path)
				if found := h.Problems(path, clients.ForProject); (len(found) > 0) != stays {
					t.Errorf("after: got problems %v, want some: %v\n%s", found, stays, text)
				}
			})
		}
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
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(path, []byte(text), 0o755)); err != nil {
		t.Fatal(err)
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
