package hooks

import (
	_ "embed"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"nomograph/hooks/shell"
	"nomograph/internal/apperr"
)

// namesFile has the names in calls of tools, which differ between agents: see its first lines.
//
//go:embed names.tsv
var namesFile string

// meanings are the meanings of names in namesFile, by what is named.
var meanings = func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for line := range strings.Lines(namesFile) {
		kind, rest, _ := strings.Cut(line, "\t")
		meaning, names, ok := strings.Cut(rest, "\t")
		if !ok {
			continue
		}
		if all[kind] == nil {
			all[kind] = map[string]string{}
		}
		for name := range strings.FieldsSeq(names) {
			all[kind][name] = meaning
		}
	}
	return all
}()

// toolActions returns the actions of a call of one of the agent's tools.
func toolActions(tool string, input any, cwd string) ([]Action, error) {
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(tool))
	use := meanings["tool"][plain]
	if use == "harmless" {
		return nil, nil
	}
	if server, name, ok := mcpTool(tool); ok {
		return mcpCall(server, name, input, cwd)
	}
	arguments, isObject := argumentsOf(input)
	if dir := arguments.text("cwd", "workdir", "directory", "dir_path", "working_directory"); dir != "" {
		cwd = dir
	}
	if isPatchTool(tool) {
		texts := textsIn(arguments)
		if text, ok := input.(string); ok && !isObject {
			texts = []string{text}
		}
		if actions, err := patchActions(texts, "", cwd); err != nil || len(actions) > 0 {
			return actions, err
		}
	}
	if !isObject {
		return nil, unreadable(tool, "arguments")
	}
	switch use {
	case "shell":
		command := commandIn(arguments)
		if command == "" {
			return nil, unreadable(tool, "command")
		}
		return withPatch(CommandIn(dialectOf(tool, cwd), command, cwd), textsIn(arguments), cwd)
	case "read":
		return fileActions(FileRead, tool, arguments, cwd)
	case "write":
		if arguments.text("command") == "view" {
			return fileActions(FileRead, tool, arguments, cwd)
		}
		return fileActions(FileWrite, tool, arguments, cwd)
	case "delete":
		return fileActions(FileDelete, tool, arguments, cwd)
	case "fetch":
		return []Action{Fetch(arguments.text("url", "uri", "Url", "prompt"), cwd)}, nil
	case "agent":
		return []Action{Other(AgentSpawn, "prompt", arguments.text("task", "prompt", "description", "message"), cwd)},
			nil
	}
	server, name, ok := strings.Cut(tool, "__") // Grok names the tool of a server like this
	if !ok {
		server, name = "", server
	}
	return mcpCall(server, name, input, cwd)
}

// fileActions returns the actions of a call that reads, writes or deletes files.
func fileActions(kind Kind, tool string, arguments fields, cwd string) (actions []Action, err error) {
	for _, file := range pathsIn(arguments, arguments.text("file_path", "path", "absolute_path", "filePath", "filename",
		"target_file", "notebook_path", "file", "AbsolutePath", "TargetFile", "uri")) {
		content := arguments.text("content", "contents", "new_string", "new_str", "file_text", "newString", "code",
			"new_source", "CodeContent")
		actions = append(actions, File(kind, file, cwd, content))
	}
	if len(actions) == 0 {
		return nil, unreadable(tool, "path")
	}
	return actions, nil
}

// mcpCall returns the actions of calling a tool of an MCP server.
func mcpCall(server, tool string, input any, cwd string) ([]Action, error) {
	arguments, ok := argumentsOf(input)
	if !ok || tool == "" {
		return nil, unreadable(server+" "+tool, "arguments or no name")
	}
	actions := []Action{Tool(server, tool, arguments, cwd)}
	if isPatchTool(tool) {
		files, err := patchActions(textsIn(arguments), "", cwd)
		return append(actions, files...), err
	}
	return actions, nil
}

func unreadable(tool, what string) error {
	return apperr.Newf(apperr.Validation, "The call of %q has no readable %s", shortLine(tool), what).
		WithHint("The client may have changed its hooks: check for a newer version of Nomograph")
}

// argumentsOf returns the arguments of a call, an object or a text with a JSON object, and false for other values. A
// client cuts a long text off, so that a part of it could pass for harmless.
func argumentsOf(input any) (fields, bool) {
	if text, ok := input.(string); ok && strings.TrimSpace(text) == "" {
		return fields{}, true
	}
	if object, ok := input.(fields); ok {
		return object, true
	}
	object := fields{"": input}.object("")
	return object, object != nil
}

// dialectOf returns the dialect of a tool's commands: the tool's name says it, or else the machine. On Windows, only a
// tool that is called Bash runs Bash.
func dialectOf(tool, cwd string) shell.Dialect {
	switch name := strings.ToLower(tool); {
	case strings.Contains(name, "powershell") || strings.Contains(name, "pwsh"):
		return shell.PowerShell
	case name == "cmd":
		return shell.Cmd
	case tool != "Bash" && (runtime.GOOS == "windows" || shell.IsWindowsPath(cwd)):
		return shell.PowerShell
	}
	return shell.Guess
}

// mcpTool splits mcp__SERVER__TOOL.
func mcpTool(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", "", false
	}
	server, tool, ok = strings.Cut(rest, "__")
	return server, tool, ok
}

// commandIn returns the command of a shell tool, which is a text or a list of words.
func commandIn(arguments fields) string {
	if command := arguments.text("command", "cmd", "command_line", "commandLine", "CommandLine", "script",
		"input"); command != "" {
		return command
	}
	for _, name := range []string{"command", "cmd", "argv", "args"} {
		list, ok := arguments[name].([]any)
		if !ok {
			continue
		}
		var words []string
		for _, item := range list {
			word, ok := item.(string)
			if !ok {
				return ""
			}
			quoted, err := syntax.Quote(word, syntax.LangBash)
			if err != nil {
				return ""
			}
			words = append(words, quoted)
		}
		return strings.Join(words, " ")
	}
	return ""
}

// pathsIn returns the paths of a call that may have several.
func pathsIn(arguments fields, first string) (paths []string) {
	if first != "" {
		paths = append(paths, first)
	}
	for _, name := range []string{"paths", "files", "file_paths", "operations", "operation", "edits", "replacements"} {
		list, _ := arguments[name].([]any)
		if object, ok := arguments[name].(map[string]any); ok {
			list = []any{object}
		}
		for _, item := range list {
			switch item := item.(type) {
			case string:
				paths = append(paths, item)
			case map[string]any:
				if path := fields(item).text("path", "file_path", "filePath"); path != "" {
					paths = append(paths, path)
				}
			}
		}
	}
	return paths
}

// readCall reads events in Claude Code's form, which many programs share.
func readCall(e envelope) ([]Action, error) {
	cwd := e.fields.cwd()
	if e.event.Use == BeforePrompt {
		return []Action{Other(PromptSubmit, "prompt", e.fields.text("prompt", "user_prompt", "message"), cwd)}, nil
	}
	if e.event.Tool != "" {
		return toolActions(e.event.Tool, e.fields, cwd)
	}
	tool := e.fields.text("tool_name", "toolName", "tool")
	if cutOff, _ := e.fields["toolInputTruncated"].(bool); tool == "" || cutOff {
		return nil, apperr.Newf(apperr.Validation, "The event %q has no tool name, or its input is cut off",
			e.event.Name).WithHint("Make the call smaller, or check for a newer version of Nomograph")
	}
	for _, name := range []string{"tool_input", "toolInput", "toolArgs", "tool_args", "arguments", "input",
		"parameters"} {
		if input := e.fields[name]; input != nil {
			return toolActions(tool, input, cwd)
		}
	}
	return toolActions(tool, nil, cwd)
}
