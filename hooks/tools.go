package hooks

import (
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"nomograph/hooks/shell"
	"nomograph/internal/apperr"
)

// Names of tools, which differ between agents. They are compared in lower case and without underscores.
var (
	shellTools = []string{"bash", "shell", "runshellcommand", "executecommand", "runterminalcmd", "runterminalcommand", "terminal", "execcommand", "localshell", "localshellcall", "runinterminal", "executebash", "powershell", "pwsh", "cmd", "execute", "developershell", "runcommand", "execute_shell", "containerexec", "unifiedexec", "shellcommand", "runtests", "exec"}
	readTools  = []string{"read", "readfile", "view", "fsread", "readmanyfiles", "openfile", "notebookread", "viewfile", "readnotebook", "viewimage", "developertexteditorview", "cat"}
	writeTools = []string{"write", "writefile", "edit", "multiedit", "replace", "create", "createfile", "strreplace", "strreplaceeditor", "strreplacebasededittool", "editfile", "searchreplace", "writetofile", "replaceinfile", "inserteditintofile", "fswrite", "replacestringinfile", "multireplacestringinfile", "patch", "notebookedit", "editnotebookfile", "editnotebook", "createnewfile", "developertexteditor", "texteditor", "insert", "update", "replacefilecontent"}
	patchTools = []string{"applypatch"}
	dropTools  = []string{"delete", "deletefile", "removefile", "rm"}
	fetchTools = []string{"webfetch", "fetchwebpage", "fetch", "fetchurl", "readurlcontent", "urlfetch", "browsernavigate", "openurl"}
	agentTools = []string{"task", "agent", "spawnagent", "subagent", "runsubagent", "newtask", "dispatchagent", "collabspawnagent"}
	// harmlessTools do not touch files, machines or networks.
	harmlessTools = []string{"todowrite", "todoread", "exitplanmode", "enterplanmode", "askuserquestion", "askfollowupquestion", "updateplan", "think", "attemptcompletion", "taskoutput", "bashoutput", "killshell", "killbash", "managetodolist", "reportintent", "taskcreate", "tasklist", "taskget", "taskupdate", "toolsearch", "skill"}
)

// toolActions returns the actions of a call of one of the agent's tools.
func toolActions(tool string, arguments fields, cwd string) ([]Action, error) {
	if server, name, ok := mcpTool(tool); ok {
		return []Action{Tool(server, name, arguments, cwd)}, nil
	}
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(tool))
	if dir := arguments.text("cwd", "workdir", "directory", "dir_path", "working_directory"); dir != "" {
		cwd = dir
	}
	one := func(a Action) ([]Action, error) { return []Action{a}, nil }
	path := func() string {
		return arguments.text("file_path", "path", "absolute_path", "filePath", "filename", "target_file", "notebook_path", "file", "AbsolutePath", "TargetFile", "uri")
	}
	unreadable := func(what string) ([]Action, error) {
		return nil, apperr.Newf(apperr.Validation, "The call of %q has no %s", tool, what).WithHint("The client may have changed its hooks: check for a newer version of Nomograph")
	}
	switch {
	case slices.Contains(harmlessTools, plain):
		return nil, nil
	case slices.Contains(patchTools, plain), plain == "patch" && arguments.text("patchText") != "":
		return patchActions(arguments.text("patchText", "input", "patch", "command", "diff"), cwd), nil
	case slices.Contains(shellTools, plain):
		command := commandIn(arguments)
		if command == "" {
			return unreadable("command")
		}
		return one(CommandIn(dialectOf(tool, cwd), command, cwd))
	case slices.Contains(readTools, plain) || slices.Contains(writeTools, plain) && arguments.text("command") == "view":
		var actions []Action
		for _, file := range pathsIn(arguments, path()) {
			actions = append(actions, File(FileRead, file, cwd, ""))
		}
		if len(actions) == 0 {
			return unreadable("path")
		}
		return actions, nil
	case slices.Contains(writeTools, plain):
		content := arguments.text("content", "new_string", "new_str", "file_text", "newString", "code", "new_source", "CodeContent")
		var actions []Action
		for _, file := range pathsIn(arguments, path()) {
			actions = append(actions, File(FileWrite, file, cwd, content))
		}
		if len(actions) == 0 {
			return unreadable("path")
		}
		return actions, nil
	case slices.Contains(dropTools, plain):
		var actions []Action
		for _, file := range pathsIn(arguments, path()) {
			actions = append(actions, File(FileDelete, file, cwd, ""))
		}
		if len(actions) == 0 {
			return unreadable("path")
		}
		return actions, nil
	case slices.Contains(fetchTools, plain):
		return one(Fetch(arguments.text("url", "uri", "Url", "prompt"), cwd))
	case slices.Contains(agentTools, plain):
		return one(Other(AgentSpawn, "prompt", arguments.text("prompt", "description", "message", "task"), cwd))
	}
	return one(Tool("", tool, arguments, cwd))
}

// dialectOf returns the dialect of a tool's commands: the tool's name says it, or else the machine. On Windows, only a tool that
// is called Bash runs Bash.
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
	if command := arguments.text("command", "cmd", "command_line", "commandLine", "CommandLine", "script", "input"); command != "" {
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
	for _, name := range []string{"paths", "files", "file_paths", "operations", "edits", "replacements"} {
		list, _ := arguments[name].([]any)
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

// patchActions returns the actions of a patch in the form of apply_patch, or of a unified diff.
func patchActions(patch, cwd string) (actions []Action) {
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		for prefix, kind := range map[string]Kind{"*** Update File: ": FileWrite, "*** Add File: ": FileWrite, "*** Move to: ": FileWrite, "*** Delete File: ": FileDelete, "+++ b/": FileWrite} {
			if file, ok := strings.CutPrefix(line, prefix); ok && len(actions) < 100 {
				actions = append(actions, File(kind, file, cwd, ""))
			}
		}
	}
	if len(actions) == 0 {
		actions = append(actions, File(FileWrite, "(patch)", cwd, patch))
	}
	return actions
}

// claudeReader reads events in Claude Code's form, which many programs share.
func claudeReader(before, prompt []string) func(e envelope) ([]Action, error) {
	return func(e envelope) ([]Action, error) {
		cwd := e.fields.cwd()
		switch {
		case slices.Contains(prompt, e.Event):
			return []Action{Other(PromptSubmit, "prompt", e.fields.text("prompt", "user_prompt", "message"), cwd)}, nil
		case !slices.Contains(before, e.Event) && e.Event != "":
			return nil, nil
		}
		tool := e.fields.text("tool_name", "toolName", "tool")
		if tool == "" {
			return nil, apperr.Newf(apperr.Validation, "The event %q has no tool name", e.Event).WithHint("The client may have changed its hooks: check for a newer version of Nomograph")
		}
		return toolActions(tool, e.fields.object("tool_input", "toolInput", "toolArgs", "tool_args", "arguments", "input", "parameters"), cwd)
	}
}
