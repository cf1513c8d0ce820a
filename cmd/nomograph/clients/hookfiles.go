package clients

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"nomograph/hooks"
	"nomograph/internal/apperr"
)

// Hook is the target of a hook: a command, or the URL of a server for clients with HTTP hooks. The zero value is no
// hook.
type Hook struct {
	Command, URL string
	// Token is the name of the environment variable with the server's token; "" without authentication.
	Token string
	// Agent is the name of the acting agent for a server without authentication.
	Agent string
	// Extras are called for other events than those of checks. Program is the command for them; with a URL, the URL is called instead
	// where the client can.
	Extras  Extra
	Program string
}

// Extra is a set of groups of events that hooks are called for besides checks.
type Extra uint8

// The groups of events.
const (
	Executions     Extra = 1 << iota // after tools
	SessionContext                   // at the start of a session
	PromptContext                    // when a prompt is submitted
	SessionEnd                       // at the end of a turn or session
)

// An ExtraGroup is a group with its name on the command line.
type ExtraGroup struct {
	Name  string
	Group Extra
	uses  []hooks.Use
}

// Extras are all groups.
var Extras = []ExtraGroup{{"executions", Executions, []hooks.Use{hooks.AfterTool}}, {"session-context", SessionContext, []hooks.Use{hooks.AtStart}},
	{"prompt-context", PromptContext, []hooks.Use{hooks.BeforePrompt}}, {"session-end", SessionEnd, []hooks.Use{hooks.AtStop, hooks.AtEnd}}}

// HookFile describes the hook configuration of a client.
type HookFile struct {
	Name, Project string
	// Note says what the user must know or do after the installation.
	Note string

	user     func() (string, error)
	managed  map[string]string // managed paths by operating system
	base     string            // content of a new file
	nested   bool              // an entry contains a list of hooks
	matcher  string
	commands []string // fields with the command
	named    bool     // the command gets the event name as an argument
	options  map[string]any
	// root returns the place of the events in a file; nil for the field hooks.
	root func(path string) string
	// script returns the content of a whole file for an event, for clients that run files or load plugins. each says
	// that every event has a separate file.
	script func(event, command string, hook Hook) string
	// scripted returns the command in such a file if the file is not executable.
	scripted func(text string) string
	each     bool
	mode     uint32 // permissions of such a file
}

// HookFiles lists the supported clients.
var HookFiles = []HookFile{
	{Name: "claude-code", user: home(".claude", "settings.json"), Project: ".claude/settings.json", base: "{}", nested: true, matcher: "*",
		managed: map[string]string{"linux": "/etc/claude-code/managed-settings.json", "darwin": "/Library/Application Support/ClaudeCode/managed-settings.json", "windows": `C:\Program Files\ClaudeCode\managed-settings.json`},
		options: map[string]any{"type": "command", "timeout": 15, "onFailure": "block"}, Note: "Versions before 2.1.295 let the action pass if the hook fails"},
	{Name: "cursor", user: home(".cursor", "hooks.json"), Project: ".cursor/hooks.json", base: `{"version": 1}`,
		managed: map[string]string{"linux": "/etc/cursor/hooks.json", "darwin": "/Library/Application Support/Cursor/hooks.json", "windows": `C:\ProgramData\Cursor\hooks.json`},
		options: map[string]any{"failClosed": true}},
	{Name: "codex", user: home(".codex", "hooks.json"), Project: ".codex/hooks.json", base: "{}", nested: true,
		options: map[string]any{"type": "command", "timeout": 15}, Note: "Open Codex and trust the hook with /hooks; until then it does not run"},
	{Name: "copilot", user: home(".copilot", "hooks", "nomograph.json"), Project: ".github/hooks/nomograph.json", base: `{"version": 1}`, named: true,
		managed: map[string]string{"linux": "/etc/github-copilot/policy.d/nomograph.json"}, commands: []string{"bash", "powershell"},
		options: map[string]any{"type": "command", "timeoutSec": 15}},
	{Name: "vscode", user: home(".copilot", "hooks", "nomograph-vscode.json"), Project: ".github/hooks/nomograph-vscode.json", base: "{}",
		options: map[string]any{"type": "command", "timeout": 15}, Note: "Copilot CLI reads the same folder; a call that comes twice is checked once"},
	{Name: "gemini", user: home(".gemini", "settings.json"), Project: ".gemini/settings.json", base: "{}", nested: true, matcher: "*",
		managed: map[string]string{"linux": "/etc/gemini-cli/settings.json", "darwin": "/Library/Application Support/GeminiCli/settings.json", "windows": `C:\ProgramData\gemini-cli\settings.json`},
		options: map[string]any{"type": "command", "name": "nomograph", "timeout": 15000}},
	{Name: "windsurf", user: home(".codeium", "windsurf", "hooks.json"), Project: ".windsurf/hooks.json", base: "{}",
		managed: map[string]string{"linux": "/etc/windsurf/hooks.json", "darwin": "/Library/Application Support/Windsurf/hooks.json", "windows": `C:\ProgramData\Windsurf\hooks.json`},
		options: map[string]any{"show_output": true}},
	{Name: "goose", user: home(".agents", "plugins", "nomograph", "hooks", "hooks.json"), Project: ".agents/plugins/nomograph/hooks/hooks.json", base: "{}", nested: true,
		options: map[string]any{"type": "command", "timeout": 15, "on_failure": "block"}},
	{Name: "kiro", user: home(".kiro", "hooks", "nomograph.json"), Project: ".kiro/hooks/nomograph.json", script: kiroHooks, scripted: kiroCommand, mode: 0o600},
	{Name: "droid", user: home(".factory", "settings.json"), Project: ".factory/settings.json", base: "{}", nested: true, matcher: "*",
		options: map[string]any{"type": "command", "timeout": 15}, Note: "Start Droid again. It ignores these hooks if a hooks.json is beside the file"},
	{Name: "cline", user: home("Documents", "Cline", "Hooks"), Project: ".clinerules/hooks", script: shellHook(""), each: true, mode: 0o755},
	{Name: "opencode", user: home(".config", "opencode", "plugins", "nomograph.js"), Project: ".opencode/plugins/nomograph.js", script: openCodePlugin, scripted: openCodeCommand, mode: 0o644, Note: "OpenCode 2 does not load plugins of version 1, which this is"},
	{Name: "devin", user: home(".config", "devin", "config.json"), Project: ".devin/hooks.v1.json", base: "{}", nested: true,
		root:    devinRoot,
		options: map[string]any{"type": "command", "timeout": 15}, Note: "Start a new session, and look at /hooks. A hook that fails lets the action pass"},
	{Name: "antigravity", user: home(".gemini", "config", "hooks.json"), Project: ".agents/hooks.json", base: "{}", nested: true, matcher: "*", named: true,
		root:    func(string) string { return ownRoot }, // each field is a hook with a name
		options: map[string]any{"type": "command", "timeout": 15}, Note: "Look at /hooks: some versions load hooks only from plugins"},
	{Name: "grok", user: home(".grok", "hooks", "nomograph.json"), Project: ".grok/hooks/nomograph.json", base: "{}", nested: true,
		options: map[string]any{"type": "command", "timeout": 15}, Note: "Trust the folder with /hooks-trust, or the hooks of a project do not run. A hook that fails lets the action pass"},
	{Name: "git", Project: gitHooks, script: shellHook(` "$@"`), named: true, each: true, mode: 0o755},
}

// User returns the path of the file for this user. It returns an unavailable error if the user has no home directory,
// and a validation_error for a client that has hooks only in projects.
func (h HookFile) User() (string, error) {
	files, err := h.Files(ForUser)
	if err != nil {
		return "", err
	}
	return files[0], nil
}

// gitHooks stands for the hooks directory that Git reports.
const gitHooks = ".git/hooks"

// HookFileNames returns the names of the supported clients.
func HookFileNames() []string {
	names := make([]string, len(HookFiles))
	for i, h := range HookFiles {
		names[i] = h.Name
	}
	return names
}

// FindHookFile returns the hook file of a client, and false for unsupported clients.
func FindHookFile(name string) (HookFile, bool) {
	at := slices.IndexFunc(HookFiles, func(h HookFile) bool { return h.Name == name })
	if at < 0 {
		return HookFile{}, false
	}
	return HookFiles[at], true
}

// Scope selects for whom hooks are installed.
type Scope string

// The scopes: this user, everyone in this directory, and everyone on this machine.
const (
	ForUser    Scope = "user"
	ForProject Scope = "project"
	ForMachine Scope = "managed"
)

// Files returns the paths of the hook files of a scope, one per event if the client requires that. It returns a
// validation_error for a scope that the client does not support, and a conflict for Git's hooks outside of the repository.
func (h HookFile) Files(scope Scope) ([]string, error) {
	var path string
	var err error
	switch {
	case scope == ForProject && h.Project == gitHooks:
		if path, err = gitPath("--git-path", "hooks"); err != nil {
			return nil, apperr.New(apperr.Validation, "This folder is not a Git repository").WithHint("Run the command inside a repository")
		}
		for _, event := range h.Checks() {
			if err := insideRepository(filepath.Join(path, event)); err != nil {
				return nil, err
			}
		}
	case scope == ForProject:
		path = filepath.FromSlash(h.Project)
	case scope == ForMachine:
		if path = h.managed[runtime.GOOS]; path == "" {
			return nil, apperr.Newf(apperr.Validation, "No file with managed hooks of %s is known on this system", h.Name).WithHint("Install for the user or the folder, or see docs/guides/hooks.md")
		}
	case h.user == nil:
		return nil, apperr.Newf(apperr.Validation, "Hooks of %s belong to a folder", h.Name).WithHint("Add --workspace")
	default:
		if path, err = h.user(); err != nil {
			return nil, err
		}
	}
	if !h.each {
		return []string{path}, nil
	}
	files := []string{}
	for _, event := range slices.Concat(h.Checks(), h.events(Executions)) {
		files = append(files, filepath.Join(path, event))
	}
	return files, nil
}

// Checks returns the events with a hook for Nomograph that checks.
func (h HookFile) Checks() []string { return h.Contract().Installed(hooks.BeforeAction) }

// HTTP reports whether the client supports HTTP hooks that block the action if they fail.
func (h HookFile) HTTP() bool { return h.Contract().HTTP }

// Contract returns the contract of the client, whose table has the events.
func (h HookFile) Contract() hooks.Client {
	c, _ := hooks.Find(h.Name) // a test compares the names
	return c
}

// gitPath returns a path that Git reports for this folder.
func gitPath(arguments ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"rev-parse"}, arguments...)...).Output()
	if err != nil {
		return "", err
	}
	return filepath.Abs(strings.TrimRight(string(out), "\r\n"))
}

// event returns the event of a file, for clients with a file per event.
func (h HookFile) event(path string) string {
	if h.each {
		return filepath.Base(path)
	}
	return h.Checks()[0]
}

const writtenBy = "Written by nomograph hook install; nomograph hook remove deletes it."

// shellHook returns a shell script that the client runs for an event.
func shellHook(arguments string) func(event, command string, _ Hook) string {
	return func(_, command string, _ Hook) string {
		return "#!/bin/sh\n# " + writtenBy + "\nexec " + command + arguments + "\n"
	}
}

// kiroHooks returns a hook file for Kiro 3 that contains only Nomograph's hooks.
func kiroHooks(event, command string, hook Hook) string {
	text := `{"version": "v1", "hooks": [` + kiroHook("nomograph", event, command)
	for _, extra := range []struct {
		group         Extra
		name, trigger string
		arguments     string
	}{{Executions, "nomograph-executions", "PostToolUse", ""}, {SessionContext, "nomograph-session", "SessionStart", ""}, {PromptContext, "nomograph-prompt", "UserPromptSubmit", promptPasses}} {
		if hook.Extras&extra.group != 0 {
			text += `, ` + kiroHook(extra.name, extra.trigger, command+extra.arguments)
		}
	}
	return text + `]}` + "\n"
}

func kiroHook(name, trigger, command string) string {
	return `{"name": ` + quote(name) + `, "trigger": ` + quote(trigger) + `, "action": {"type": "command", "command": ` + quote(command) + `}, "timeout": 15, "enabled": true}`
}

// devinRoot returns the place of Devin's events. A file of a project has them at its top.
func devinRoot(path string) string {
	if filepath.Base(path) == "config.json" {
		return "hooks"
	}
	return ""
}

// openCodePlugin returns a plugin that checks each tool call, and throws an error unless the answer is an explicit
// allow.
func openCodePlugin(_, command string, hook Hook) string {
	before, after := "", ""
	if hook.Extras&Executions != 0 {
		before = `    if (asked.size > 100) asked.delete(asked.keys().next().value)
    asked.set(input.callID, output.args)
`
		after = `  "tool.execute.after": async (input, output) => {
    ask("tool.execute.after", directory, input, asked.get(input.callID) ?? input.args, output?.metadata?.exit)
    asked.delete(input.callID)
  },
`
	}
	return `// ` + writtenBy + `
import { spawnSync } from "node:child_process"

const command = ` + quote(command) + `
const asked = new Map() // arguments by call, until its end; a call that fails has none

const ask = (name, cwd, input, args, exit_code) => {
  const event = { hook_event_name: name, session_id: input.sessionID, tool_use_id: input.callID, tool_name: input.tool, tool_input: args ?? {}, cwd, exit_code }
  return spawnSync(command, { shell: true, input: JSON.stringify(event), encoding: "utf8", timeout: 15000 })
}

export const Nomograph = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const ran = ask("tool.execute.before", directory, input, output.args)
    let answer = {}
    try { answer = JSON.parse(ran.stdout) } catch {}
    if (ran.status !== 0 || answer.decision !== "allow") throw new Error(answer.reason ?? "Nomograph did not answer, so this action is not allowed")
` + before + `  },
` + after + `})
`
}

func kiroCommand(text string) string { return gjson.Get(text, "hooks.0.action.command").String() }

// openCodeCommand returns the command in the plugin.
func openCodeCommand(text string) string {
	_, rest, _ := strings.Cut(text, "\nconst command = ")
	line, _, _ := strings.Cut(rest, "\n")
	return gjson.Parse(line).String()
}
