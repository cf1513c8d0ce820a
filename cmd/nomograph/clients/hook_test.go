package clients_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"nomograph/cmd/nomograph/clients"
	"nomograph/graph/graphtest"
	"nomograph/hooks"
	"nomograph/internal/golden"
	"nomograph/internal/pattern"
)

func TestHookFile_Edit_KeepsEverythingElse(t *testing.T) {
	hook := clients.Hook{Command: "/bin/nomograph hook x"}
	replacer := strings.NewReplacer(`\n`, "\n", "BOM", "\ufeff")
	for _, row := range golden.Rows(t, "testdata/edits.txt") {
		name, before, installed, removed := row[0], replacer.Replace(row[1]), replacer.Replace(row[2]),
			replacer.Replace(row[3])
		path := filepath.Join(t.TempDir(), "nomograph.json")
		if before != "" {
			write(t, path, before)
		}
		h, ok := clients.FindHookFile(name)
		if !ok {
			t.Fatal(name)
		}
		plain := func(text string) string { return strings.Join(strings.Fields(text), "") }
		text, _ := edited(t, h, path, hook)
		if events, err := h.Installed(path); !strings.Contains(plain(text), plain(installed)) || err != nil ||
			len(events) != len(h.Checks()) {
			t.Errorf("%s: installed %v, %v:\n%s", name, events, err, text)
		}
		if again, same := edited(t, h, path, hook); !same || again != text {
			t.Errorf("%s: written again:\n%s", name, again)
		}
		text, _ = edited(t, h, path, clients.Hook{})
		if events, _ := h.Installed(path); len(events) > 0 || !strings.Contains(plain(text), plain(removed)) {
			t.Errorf("%s: removed, but %v:\n%s", name, events, text)
		}
		if _, same := edited(t, h, path, clients.Hook{}); !same {
			t.Errorf("%s: removed twice", name)
		}
	}
}

func TestHookFile_NotAnObject_StaysUnchanged(t *testing.T) {
	for _, text := range []string{"{", "[]", `{"hooks": []}`, `{"hooks": {"PreToolUse": {}}}`} {
		path := filepath.Join(t.TempDir(), "settings.json")
		write(t, path, text)
		h, _ := clients.FindHookFile("claude-code")
		if _, err := h.Edit(path, false, clients.Hook{Command: "nomograph hook claude-code"}); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// edited installs or removes a hook, and returns the file afterwards.
func edited(t *testing.T, h clients.HookFile, path string, hook clients.Hook) (text string, same bool) {
	t.Helper()
	e, err := h.Edit(path, false, hook)
	if err == nil && !e.Same {
		err = e.Write()
	}
	graphtest.OK(t, err)
	raw, _ := os.ReadFile(path)
	return string(raw), e.Same
}

func TestHookFile_URL_ReplacesTheCommandAndBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	h, _ := clients.FindHookFile("claude-code")
	command := clients.Hook{Command: "/bin/nomograph hook claude-code"}
	web := clients.Hook{URL: "https://nomograph.example.org/hooks/claude-code?contract=1", Token: "NOMOGRAPH_TOKEN"}
	before, _ := edited(t, h, path, command)
	text, _ := edited(t, h, path, web)
	for _, want := range []string{`"type":"http"`, `"url":"https://nomograph.example.org/hooks/claude-code?contract=1"`,
		`"Authorization":"Bearer $NOMOGRAPH_TOKEN"`, `"allowedEnvVars":["NOMOGRAPH_TOKEN"]`, `"onFailure":"block"`} {
		graphtest.Contains(t, strings.Join(strings.Fields(text), ""), strings.Join(strings.Fields(want), ""))
	}
	if strings.Contains(text, "nomograph hook") {
		t.Errorf("the command was not removed:\n%s", text)
	}
	if again, same := edited(t, h, path, web); !same || again != text {
		t.Errorf("written again:\n%s", again)
	}
	moved := web
	moved.URL = "http://127.0.0.1:7480/hooks/claude-code?contract=1"
	if text, _ = edited(t, h, path, moved); !strings.Contains(text, "127.0.0.1:7480") ||
		strings.Contains(text, "example.org") {
		t.Errorf("got:\n%s", text)
	}
	if events, err := h.Installed(path); err != nil || len(events) != 1 {
		t.Errorf("got the events %v, %v", events, err)
	}
	if text, _ = edited(t, h, path, command); strings.Join(strings.Fields(text),
		"") != strings.Join(strings.Fields(before), "") {
		t.Errorf("got:\n%s\nwant:\n%s", text, before)
	}
}

func TestHookFile_OtherLinesOfAScript_Stay(t *testing.T) {
	git, _ := clients.FindHookFile("git")
	path := filepath.Join(t.TempDir(), "pre-push")
	hook := clients.Hook{Command: "/bin/nomograph hook git"}
	text, _ := edited(t, git, path, hook)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o100 == 0 ||
		!strings.Contains(text, `exec /bin/nomograph hook git pre-push "$@"`) {
		t.Errorf("the script is %s, %v", text, err)
	}
	if _, same := edited(t, git, path, hook); !same {
		t.Error("written again")
	}
	if edited(t, git, path, clients.Hook{}); func() bool { _, err := os.Stat(path); return err == nil }() {
		t.Error("the script is not deleted")
	}
	write(t, path, "#!/bin/sh\nmake lint\n")
	if _, err := git.Edit(path, false, hook); err == nil || !strings.Contains(err.Error(), "hook of yours") {
		t.Errorf("got %v, want a conflict", err)
	}
	own := "#!/bin/sh\nmake lint\nnomograph hook git pre-push \"$@\"\n"
	write(t, path, own)
	if text, same := edited(t, git, path, hook); !same || text != own {
		t.Errorf("got %s, want %s", text, own)
	}
	if events, _ := git.Installed(path); len(events) != 1 {
		t.Errorf("got %v, want pre-push", events)
	}
	if _, err := git.Edit(path, false, clients.Hook{}); err == nil {
		t.Error("a user's own script was removed")
	}
}

// TestHookEdit_FileAfterTools_BelongsToExecutions: Cline runs a file for each event. That of the event after a tool
// stops nothing.
func TestHookEdit_FileAfterTools_BelongsToExecutions(t *testing.T) {
	cline, _ := clients.FindHookFile("cline")
	dir := t.TempDir()
	before, after := filepath.Join(dir, "PreToolUse"), filepath.Join(dir, "PostToolUse")
	hook := clients.Hook{Command: "nomograph hook cline", Extras: clients.Executions}
	there := func(path string, want bool) {
		t.Helper()
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: got %v, want it there: %v", path, err, want)
		}
	}
	edited(t, cline, before, hook)
	edited(t, cline, after, hook)
	there(after, true)
	if events, err := cline.Installed(after); err != nil || len(events) != 0 ||
		cline.Extras(after) != clients.Executions || cline.Extras(before) != 0 {
		t.Errorf("got events %v (%v) and groups %v, want a hook that only records", events, err, cline.Extras(after))
	}
	hook.Extras = 0
	edited(t, cline, before, hook)
	edited(t, cline, after, hook)
	there(before, true)
	there(after, false)
	const own = "#!/bin/sh\nlog\n"
	write(t, after, own)
	for _, hook := range []clients.Hook{{Command: "nomograph hook cline", Extras: clients.Executions}, {}} {
		if text, _ := edited(t, cline, after, hook); text != own {
			t.Errorf("got %q, want the user's own script", text)
		}
	}
}

func TestHookFiles_EachScope_HasItsFiles(t *testing.T) {
	for _, h := range clients.HookFiles() {
		for _, scope := range []clients.Scope{clients.ForUser, clients.ForProject, clients.ForMachine} {
			files, err := h.Files(scope)
			if err == nil && len(files) != 1 && len(files) != len(h.Checks())+len(h.Contract().
				Installed(hooks.AfterTool)) {
				t.Errorf("%s, %s: got %v", h.Name, scope, files)
			}
			if err != nil && scope == clients.ForUser && h.Name != "git" {
				t.Errorf("%s: %v", h.Name, err)
			}
		}
	}
}

func TestHookFile_SessionContext_IsAddedAndRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	h, _ := clients.FindHookFile("claude-code")
	hook := clients.Hook{URL: "http://127.0.0.1:9991/hooks/claude-code?contract=1",
		Program: "/bin/nomograph hook claude-code", Extras: clients.SessionContext}
	text, _ := edited(t, h, path, hook)
	plain := strings.Join(strings.Fields(text), "")
	if !strings.Contains(plain, `"SessionStart":[{"hooks":[{"command":"/bin/nomographhookclaude-code"`) ||
		strings.Count(plain, "onFailure") != 1 || h.Extras(path) != clients.SessionContext {
		t.Errorf("got:\n%s", text)
	}
	if _, same := edited(t, h, path, hook); !same {
		t.Error("written again")
	}
	hook.Extras = 0
	if text, _ = edited(t, h, path, hook); strings.Contains(text, "SessionStart") || h.Extras(path) != 0 ||
		!strings.Contains(text, "/hooks/claude-code") {
		t.Errorf("got:\n%s", text)
	}
}

// TestHookFiles_Extras_AreAddedAndRemoved: every event that is written is one of the client's contract.
func TestHookFiles_Extras_AreAddedAndRemoved(t *testing.T) {
	for _, h := range clients.HookFiles() {
		names := h.Contract().Installed(hooks.BeforeAction, hooks.BeforePrompt, hooks.AfterTool, hooks.AtStart,
			hooks.AtStop, hooks.AtEnd)
		if h.Name == "cline" || h.Name == "git" || h.Name == "opencode" { // one file for each event, or a program
			continue
		}
		path := filepath.Join(t.TempDir(), "nomograph.json")
		hook := clients.Hook{Command: "/bin/nomograph hook " + h.Name, Program: "/bin/nomograph hook " + h.Name,
			Extras: h.Has()}
		text, _ := edited(t, h, path, hook)
		for _, event := range names {
			graphtest.Contains(t, text, `"`+event+`"`)
		}
		if got := h.Extras(path); got != h.Has() {
			t.Errorf("%s: got groups %b, want %b", h.Name, got, h.Has())
		}
		graphtest.Equal(t, strings.Count(text, "--fail-open prompt.submit"), len(h.Contract().
			Installed(hooks.BeforePrompt)), h.Name+": hooks for prompts that may pass unchecked: "+text)

		if again, same := edited(t, h, path, hook); !same {
			t.Errorf("%s: written again:\n%s", h.Name, again)
		}
		hook.Extras = 0
		text, _ = edited(t, h, path, hook)
		if events, err := h.Installed(path); h.Extras(path) != 0 || err != nil || len(events) != len(h.Checks()) {
			t.Errorf("%s: left out, but got %b, %v, %v:\n%s", h.Name, h.Extras(path), events, err, text)
		}
	}
}

func TestCodexUntrusted_StoredHashes_MatchTheFile(t *testing.T) {
	h, _ := clients.FindHookFile("codex")
	dir := t.TempDir()
	file, config := filepath.Join(dir, "hooks.json"), filepath.Join(dir, "config.toml")
	const (
		hooks = `{"hooks": {"PreToolUse": [{"hooks": [{"command": "lint"}, {"type": "command", "command": "/bin/nomograph hook codex && true", "timeout": 15}]}],
			"Stop": [{"hooks": [{"type": "command", "command": "/bin/nomograph hook codex"}]}]}}`
		hash  = "sha256:c7308b5685c67894012f5b1b553b61b8758cde016b39ca9de4ed395499ca60d8"
		other = "sha256:dfc5683c9e89a57ce1f05b9cc28686b5c18c45b8cad29184e0dad1d61925f10f"
	)
	state := func(key, value, more string) string {
		return "[hooks.state.\"" + strings.ReplaceAll(file, `\`, `\\`) + ":" + key + "\"]\ntrusted_hash = \"" + value +
			"\"\n" + more
	}
	for _, tt := range []struct {
		name, config string
		want         []string
	}{
		{"no file", "", []string{"PreToolUse", "Stop"}},
		{"both", "model = \"m\"\n" + state("pre_tool_use:0:1", hash, "") + state("stop:0:0", other, "enabled = true\n"),
			[]string{}},
		{"comments", strings.NewReplacer("]\n", "] # a note\n", "\"\n", "\" # \"noted\"\n").
			Replace(state("pre_tool_use:0:1", hash, "") + state("stop:0:0", other, "enabled = false # not now\n")),
			[]string{"Stop"}},
		{"literal strings with comments", strings.ReplaceAll(state("pre_tool_use:0:1", hash, "")+state("stop:0:0",
			other, ""), "trusted_hash = \""+hash+"\"", "trusted_hash = '"+hash+"' # 'noted'"), []string{}},
		{"another position", state("pre_tool_use:0:0", hash, "") + state("stop:0:0", other, ""),
			[]string{"PreToolUse"}},
		{"rewritten", state("pre_tool_use:0:1", other, "") + state("stop:0:0", other, ""), []string{"PreToolUse"}},
		{"switched off", state("pre_tool_use:0:1", hash, "enabled = false\n") + state("stop:0:0", other, ""),
			[]string{"PreToolUse"}},
	} {
		write(t, file, hooks)
		write(t, config, tt.config)
		if got, err := h.CodexUntrusted(file, config); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v (%v), want %v", tt.name, got, err, tt.want)
		}
	}
}

// TestHookFiles_Table_InstallerAndHandlersAgree: the events in installed files are those of the client's table, and
// the handler stops, or answers, each event of the table.
func TestHookFiles_Table_InstallerAndHandlersAgree(t *testing.T) {
	all := []hooks.Use{hooks.BeforeAction, hooks.BeforePrompt, hooks.AfterTool, hooks.AtStart, hooks.AtStop,
		hooks.AtEnd}
	for _, c := range hooks.Clients() {
		h, ok := clients.FindHookFile(c.Name)
		if !ok && c.Name != "generic" {
			t.Errorf("%s: got no hook file", c.Name)
		}
		if ok {
			if got, want := writtenEvents(t, h), c.Installed(all...); !slices.Equal(got,
				slices.Sorted(slices.Values(want))) {
				t.Errorf("%s: got events %v in the files, want %v", c.Name, got, want)
			}
		}
		seen := map[string]bool{}
		for _, e := range c.Events {
			if seen[e.Name] || e.Use == hooks.Unused && e.Manual || e.Use != hooks.Unused &&
				!slices.Contains(all, e.Use) {
				t.Errorf("%s: got %+v, want each event once, with a known use", c.Name, e)
			}
			seen[e.Name] = true
			actions, name, err := c.Read(hooks.Input{Event: e.Name, Stdin: []byte("{}"), Args: []string{"origin"}})
			if name != e.Name || e.Blocks() != (len(actions) > 0 || err != nil) {
				t.Errorf("%s, %s: got %v, %q, %v, want it blocked: %v", c.Name, e.Name, actions, name, err, e.Blocks())
			}
			if denied := c.Answer(e.Name, hooks.Verdict{Decision: hooks.Deny, Reason: "No."}).Denies(); e.Blocks() &&
				!denied {
				t.Errorf("%s, %s: a denial allows", c.Name, e.Name)
			}
			if e.Use != hooks.AfterTool && e.As != "" || e.As != "" && c.Use(e.As) != hooks.BeforeAction {
				t.Errorf("%s, %s: got %q as the event before the tool", c.Name, e.Name, e.As)
			}
		}
		if !c.Events[0].Blocks() {
			t.Errorf("%s: got %+v for an event without a name, want one that blocks", c.Name, c.Events[0])
		}
	}
}

// writtenEvents installs all hooks of a client in a folder of their own, and returns the events in the files.
func writtenEvents(t *testing.T, h clients.HookFile) (events []string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if h.Name == "git" {
		run(t, "git init -q")
	}
	files := graphtest.Must(h.Files(clients.ForProject))(t)
	command := "nomograph hook " + h.Name
	for _, file := range files {
		text, _ := edited(t, h, file, clients.Hook{Command: command, Program: command, Extras: h.Has()})
		if len(files) > 1 {
			events = append(events, filepath.Base(file))
			continue
		}
		root := gjson.Parse(text)
		lists := root.Get("hooks")
		switch h.Name {
		case "antigravity":
			lists = root.Get("nomograph")
		case "devin":
			lists = root
		}
		for name, list := range lists.Map() {
			if list.IsArray() {
				events = append(events, name)
			}
		}
		for _, hook := range lists.Array() { // Kiro
			if trigger := hook.Get("trigger").String(); trigger != "" {
				events = append(events, trigger)
			}
		}
		for _, found := range pattern.New(`(?m)^ +"(tool\.[a-z.]+)": async`).
			FindAllStringSubmatch(text, -1) { // OpenCode
			events = append(events, found[1])
		}
	}
	slices.Sort(events)
	return events
}
