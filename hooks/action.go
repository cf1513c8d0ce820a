package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"nomograph/hooks/shell"
	"nomograph/internal/lists"
	"nomograph/internal/redact"
)

// Kind is a kind of action, by the name with which rules select it.
type Kind string

// The kinds of actions.
const (
	ShellRun     Kind = "shell.run"
	FileRead     Kind = "file.read"
	FileWrite    Kind = "file.write" // includes edits
	FileDelete   Kind = "file.delete"
	WebFetch     Kind = "web.fetch"
	MCPCall      Kind = "mcp.call"
	AgentSpawn   Kind = "agent.spawn"
	PromptSubmit Kind = "prompt.submit"
	GitCommit    Kind = "git.commit"
	GitPush      Kind = "git.push"
)

// Kinds are all kinds of actions.
var Kinds = []Kind{ShellRun, FileRead, FileWrite, FileDelete, WebFetch, MCPCall, AgentSpawn, PromptSubmit, GitCommit,
	GitPush}

// Action is what an agent is about to do, the same for every client.
type Action struct {
	Kind        Kind
	Description string
	Params      map[string]any
	// Session and ToolUseID are the client's own ids, "" if it sends none.
	Session, ToolUseID string
	Subagent           string // kind of the subagent that acts, "" for the agent itself or if the client does not say
	// Event is the client's name of the event, and Version the client's version, "" if it sends none.
	Event, Version string
	Cwd            string
	// twice says that another event about the same call has no id.
	twice bool
}

const (
	maxCommand   = 16 << 10 // bytes of a command in params
	maxArguments = 16 << 10 // bytes of the arguments of an MCP tool
	maxRead      = 2000     // texts in the arguments of an MCP tool that are read as paths, statements or commands
	maxWalked    = 200_000  // values in the arguments of an MCP tool, of any kind
	commandReads = 20       // how many texts a command counts as, because it takes longer to parse
	maxShown     = 200      // bytes of a description
)

// Command returns the action of a shell command.
func Command(command, cwd string) Action { return CommandIn(shell.Guess, command, cwd) }

// CommandIn is Command for a command in a known dialect.
func CommandIn(dialect shell.Dialect, command, cwd string) Action {
	effects := shell.ParseIn(dialect, command, cwd)
	return Action{Kind: ShellRun, Description: "Run: " + shortLine(command),
		Params: effects.Params(cut(command, maxCommand)), Cwd: cwd}
}

// File returns the action of reading, writing or deleting a file. content is what is written; only its size is
// recorded.
func File(kind Kind, name, cwd, content string) Action {
	verb := map[Kind]string{FileRead: "Read ", FileWrite: "Write ", FileDelete: "Delete "}[kind]
	params := map[string]any{"path": cut(name, 4096)}
	reads, writes, deletes := shell.PlacesOf(name, cwd)
	switch kind {
	case FileRead:
		params["reads_of"] = texts(reads)
	case FileDelete:
		params["deletes_of"] = texts(deletes)
	default:
		params["writes_of"], params["bytes"] = texts(writes), len(content)
	}
	return Action{Kind: kind, Description: verb + shortLine(name), Params: params, Cwd: cwd}
}

// Fetch returns the action of reading a page.
func Fetch(address, cwd string) Action {
	params := map[string]any{"url": cut(address, 4096)}
	if parsed, err := url.Parse(address); err == nil {
		params["host"] = parsed.Hostname()
	}
	if file, ok := shell.LocalFile(address); ok {
		params["path"] = cut(file, 4096)
	}
	params["reads_of"], params["secrets"] = texts(shell.PlacesOfAddress(address, cwd)), holdsSecret(address)
	return Action{Kind: WebFetch, Description: "Fetch " + shortLine(address), Params: params, Cwd: cwd}
}

// minSecretLength is the minimum length in bytes of a query value that can be a secret. Examples such as token=abc are
// shorter.
const minSecretLength = 8

// holdsSecret reports whether an address contains a secret.
func holdsSecret(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil {
		return redact.Mask(address) != address
	}
	if query, err := url.ParseQuery(parsed.RawQuery); err == nil {
		for name, values := range query {
			if !slices.ContainsFunc(values, func(value string) bool { return len(value) >= minSecretLength }) {
				query.Del(name)
			}
		}
		parsed.RawQuery = query.Encode()
		address = parsed.String()
	}
	return redact.Mask(address) != address
}

// Other returns an action of the given kind. Its only param is the text under key.
func Other(kind Kind, key, text, cwd string) Action {
	verb := map[Kind]string{AgentSpawn: "Start an agent: ", PromptSubmit: "Submit a prompt: ", GitCommit: "Commit: ",
		GitPush: "Push: "}[kind]
	return Action{Kind: kind, Description: verb + shortLine(text), Params: map[string]any{key: cut(text, maxCommand)},
		Cwd: cwd}
}

// Arguments returns the arguments of check_action.
func (a Action) Arguments(client string) map[string]any {
	context := map[string]any{"client": client, "event": a.Event, "content_key": a.content()}
	for key, text := range map[string]string{"client_session": a.Session, "tool_use_id": a.ToolUseID,
		"client_version": a.Version, "cwd": a.Cwd, "subagent": a.Subagent} {
		if text != "" {
			context[key] = cut(text, 1000)
		}
	}
	return map[string]any{"name": string(a.Kind), "description": a.Description, "params": a.Params, "context": context}
}

// identifying are the params that are equal in the events before and after an action.
var identifying = []string{"command", "path", "url", "server", "tool", "arguments", "prompt"}

// content returns a hash that matches an executed action with its check if the program gives the call no id. Secrets
// are masked first, so it cannot be used to guess them.
func (a Action) content() string {
	parts := []any{a.Kind}
	for _, name := range identifying {
		parts = append(parts, a.Params[name])
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(redact.Mask(string(text))))
	return hex.EncodeToString(sum[:16])
}

// How long an answer counts for a repeated call: Cursor has two events for one command, and VS Code runs the hooks of
// three programs. The time begins when the check ends.
const (
	CallAgain    = time.Minute     // for a call with an id
	ContentAgain = 5 * time.Second // for an equal action in the same session
)

// Key returns the same key for events about one call of a client with the same surroundings, such as the client and the
// project. lasts is how long they count as one call, 0 if a repeated event cannot be told from a new call.
func (a Action) Key(surroundings ...any) (key string, lasts time.Duration, err error) {
	id := a.ToolUseID
	if a.twice {
		id = ""
	}
	text, err := json.Marshal([]any{a.Session, id, a.Kind, a.Params, a.Cwd, surroundings})
	if err != nil {
		return "", 0, err
	}
	switch {
	case id != "":
		lasts = CallAgain
	case a.Session != "":
		lasts = ContentAgain
	}
	return fmt.Sprintf("%x", sha256.Sum256(text)), lasts, nil
}

func texts(list []string) []any {
	return lists.Map(list, func(text string) any { return text })
}

// shortLine returns a text as one line for a description.
func shortLine(text string) string {
	text = strings.Join(strings.Fields(cut(text, 4*maxShown)), " ")
	if text == "" {
		return "(empty)"
	}
	if len(text) > maxShown {
		text = cut(text, maxShown) + "..."
	}
	return text
}

func cut(text string, maximum int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maximum {
		return text
	}
	for maximum > 0 && !utf8.RuneStart(text[maximum]) {
		maximum--
	}
	return text[:maximum]
}
