package hooks

import (
	"strings"

	"nomograph/internal/apperr"
)

// generic is for every program without a contract of its own. An event has a kind and the fields of that kind:
// command, path, url, server and tool with arguments, or prompt. Events in Claude Code's form are also read.
var generic = contract{
	read: func(e envelope) ([]Action, error) {
		f := e.fields
		cwd := f.cwd()
		switch kind := Kind(strings.ToLower(f.text("kind", "action"))); kind {
		case ShellRun:
			return toolActions("bash", f, cwd)
		case FileRead, FileWrite, FileDelete:
			name := f.text("path", "file_path")
			if name == "" {
				return nil, apperr.Newf(apperr.Validation, "The event %s has no path", kind).
					WithHint(`Use a form such as {"kind": "file.read", "path": "..."}`)
			}
			return []Action{File(kind, name, cwd, f.text("content"))}, nil
		case WebFetch:
			return []Action{Fetch(f.text("url"), cwd)}, nil
		case MCPCall:
			if f["arguments"] == nil {
				f["arguments"] = map[string]any{}
			}
			return mcpCall(f.text("server"), f.text("tool"), f["arguments"], cwd)
		case AgentSpawn, PromptSubmit, GitCommit, GitPush:
			return []Action{Other(kind, "prompt", f.text("prompt", "message", "remote"), cwd)}, nil
		case "":
			if f.text("tool_name", "toolName") != "" {
				return readCall(e)
			}
		}
		return nil, apperr.New(apperr.Validation, "The event has no known kind").
			WithHint(`Use a form such as {"kind": "shell.run", "command": "..."}`)
	},
	answer: func(_ string, v Verdict) Answer {
		pairs := []any{"decision", string(v.Decision)}
		for key, text := range map[string]string{"reason": v.Reason, "context": v.Context, "verdict_id": v.ID} {
			if text != "" {
				pairs = append(pairs, key, text)
			}
		}
		answer := Answer{Stdout: object(pairs...)}
		if v.Decision != Allow {
			answer.Stderr, answer.Exit = v.Reason+"\n", exitBlock
		}
		return answer
	},
}
