package clients

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
)

// Hook is the target of a hook: a command, or the URL of a server for clients with HTTP hooks. The zero value is no
// hook.
type Hook struct {
	Command, URL string
	// Token is the name of the environment variable with the server's token; "" without authentication.
	Token string
	// Agent is the name of the acting agent for a server without authentication.
	Agent string
	// Extras are called for other events than those of checks. Program is the command for them; with a URL, the URL is
	// called instead where the client can.
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
var Extras = []ExtraGroup{{"executions", Executions, []hooks.Use{hooks.AfterTool}},
	{"session-context", SessionContext, []hooks.Use{hooks.AtStart}},
	{"prompt-context", PromptContext, []hooks.Use{hooks.BeforePrompt}},
	{"session-end", SessionEnd, []hooks.Use{hooks.AtStop, hooks.AtEnd}}}

// HookFile describes the hook configuration of a client: a row of clients.json.
type HookFile struct {
	Name, Project string
	// Note says what the user must know or do after the installation.
	Note string

	UserPath string            `json:"user"`
	Managed  map[string]string // managed paths by operating system
	Base     string            // content of a new file; empty means {}
	Nested   bool              // an entry contains a list of hooks
	Matcher  string
	Commands []string // fields with the command; empty means command
	Named    bool     // the command gets the event name as an argument
	Options  map[string]any
	Root     string // field with the events; empty means hooks
	// Script is the key in scripts of a whole file for an event, for clients that run files or load plugins. Each says
	// that every event has a separate file.
	Script string
	Each   bool
	// Off are the settings that stop Nomograph's hook, with the files that can have them: beside the hook file, in
	// this folder, or in the user's home. A user's hook also obeys the settings of a folder.
	Off struct {
		Files    []string
		Settings []setting
	}
}

// A script is a way to write a file that contains only Nomograph's hook.
type script struct {
	write   func(event, command string, hook Hook) string
	command func(text string) string // returns the command in the file; nil if the file itself is the command
	mode    fs.FileMode
}

var scripts = map[string]script{"sh": {shellHook(""), nil, 0o755}, "git": {shellHook(` "$@"`), nil, 0o755},
	"kiro":     {kiroHooks, kiroCommand, 0o600},
	"opencode": {openCodePlugin, openCodeCommand, 0o644}}

// HookFiles lists the supported clients.
func HookFiles() []HookFile { return known().Hooks }

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
	return lists.Map(HookFiles(), func(h HookFile) string { return h.Name })
}

// FindHookFile returns the hook file of a client, and false for unsupported clients.
func FindHookFile(name string) (HookFile, bool) {
	at := slices.IndexFunc(HookFiles(), func(h HookFile) bool { return h.Name == name })
	if at < 0 {
		return HookFile{}, false
	}
	return HookFiles()[at], true
}

// Scope selects for whom hooks are installed.
type Scope string

// The scopes: this user, everyone in this directory, and everyone on this machine.
const (
	ForUser    Scope = "user"
	ForProject Scope = "project"
	ForMachine Scope = "managed"
)

// Scopes are all scopes.
var Scopes = []Scope{ForUser, ForProject, ForMachine}

// Files returns the paths of the hook files of a scope, one per event if the client requires that. It returns a
// validation_error for a scope that the client does not support, and a conflict for Git's hooks outside of the
// repository.
func (h HookFile) Files(scope Scope) ([]string, error) {
	var path string
	var err error
	switch {
	case scope == ForProject && h.Project == gitHooks:
		if path, err = gitPath("--git-path", "hooks"); err != nil {
			return nil, apperr.New(apperr.Validation, "This folder is not a Git repository").
				WithHint("Run the command inside a repository")
		}
		for _, event := range h.Checks() {
			if err := insideRepository(filepath.Join(path, event)); err != nil {
				return nil, err
			}
		}
	case scope == ForProject:
		path = filepath.FromSlash(h.Project)
	case scope == ForMachine:
		if path = h.Managed[runtime.GOOS]; path == "" {
			return nil, apperr.Newf(apperr.Validation, "No file with managed hooks of %s is known on this system",
				h.Name).WithHint("Install for the user or the folder, or see docs/guides/hooks.md")
		}
	case h.UserPath == "":
		return nil, apperr.Newf(apperr.Validation, "Hooks of %s belong to a folder", h.Name).WithHint("Add --workspace")
	default:
		if path, err = expand(h.UserPath); err != nil {
			return nil, err
		}
	}
	if !h.Each {
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
	if h.Each {
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
	}{{Executions, "nomograph-executions", "PostToolUse", ""},
		{SessionContext, "nomograph-session", "SessionStart", ""},
		{PromptContext, "nomograph-prompt", "UserPromptSubmit", promptPasses}} {
		if hook.Extras&extra.group != 0 {
			text += `, ` + kiroHook(extra.name, extra.trigger, command+extra.arguments)
		}
	}
	return text + `]}` + "\n"
}

func kiroHook(name, trigger, command string) string {
	return `{"name": ` + quote(name) + `, "trigger": ` + quote(trigger) +
		`, "action": {"type": "command", "command": ` + quote(command) + `}, "timeout": 15, "enabled": true}`
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
