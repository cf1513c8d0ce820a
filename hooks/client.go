package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
)

// Client is the contract of one program: what its hooks send, and what they take for an answer.
type Client struct {
	Name, Title string
	// Minimum is the oldest version for which the contract holds, "" where it is not known.
	Minimum string
	// Timeout is the program's own for a hook, and Failure what it does with a hook that fails.
	Timeout time.Duration
	Failure string
	Events  []Event
	// Traps are known problems, a sentence each.
	Traps []string
	// HTTP says that the program takes the body of an HTTP answer for what a command prints, so that a denial needs no exit code.
	HTTP bool
	// Starts is the event at the start of a session that can give the model a text, "" where there is none that is known to.
	Starts string
	// Prompts is the event of a submitted prompt whose answer can give the model a text, "" where there is none that is known to.
	Prompts string
	// Stops is the event at the end of a turn or session whose answer can show the user a text, "" where there is none that is known to.
	Stops string
	// Ends is the event at the end of a session that names its transcript, "" where import_sessions cannot read that.
	Ends string
	// Sample is a documented event about a harmless command, by which an installed hook can be tried. Git's is made of arguments.
	Sample string

	read   func(e envelope) ([]Action, error)
	answer func(event string, v Verdict) Answer
	// printed is a field of events of the program itself, which takes a printed denial without an exit code. Other programs that read its
	// hooks send events without the field, and some look only at the exit code. "" if the exit code is always needed.
	printed string
	// context writes a text for the model at the start of a session; nil for the form of Claude Code.
	context func(event, text string) string
}

// Event is one event of a program. Blocks says that an answer can stop what is about to happen.
type Event struct {
	Name   string
	Blocks bool
}

// Input is what a hook is given.
type Input struct {
	Stdin []byte
	Event string   // where the command line names it
	Args  []string // that follow the event
	// Message and Staged are what git's hooks look at: the message of a commit, and the paths that it holds.
	Message string
	Staged  []string
}

// Decision is what happens to an action.
type Decision string

// The decisions. Ask leaves it to the person in front of the program.
const (
	Allow Decision = "allow"
	Deny  Decision = "deny"
	Ask   Decision = "ask"
)

// Verdict is the result of the checks of an event.
type Verdict struct {
	Decision Decision
	Reason   string // for Deny and Ask, never empty then
	Context  string // what the model should know, such as warnings
	ID       string
}

// Answer is what a hook prints and how it exits.
type Answer struct {
	Stdout, Stderr string
	Exit           int
}

// Contract is the version of what hooks over HTTP send and get. A hook that was written for another version is denied.
const Contract = "1"

// Limits of an input.
const (
	LongestInput = 64 << 20 // bytes
	maxDocuments = 16
	exitBlock    = 2
)

// Clients are the contracts of all programs.
var Clients = []Client{claudeCode, cursor, codex, copilot, vscode, gemini, antigravity, windsurf, devin, goose, kiro, droid, cline, openCode, git, generic}

// Find returns a client by its name. It returns a not_found error that names the nearest.
func Find(name string) (Client, error) {
	for _, c := range Clients {
		if c.Name == strings.ToLower(name) {
			return c, nil
		}
	}
	return Client{}, apperr.Newf(apperr.NotFound, "client %q not found", name).WithHint("Use %s", strings.Join(Names(), ", "))
}

// Names are the names of all clients.
func Names() []string {
	names := make([]string, len(Clients))
	for i, c := range Clients {
		names[i] = c.Name
	}
	return names
}

// envelope is one event with the input that it came in.
type envelope struct {
	Input
	fields fields
}

// Read returns the actions that an event is about, and the name of the event. There are none where the event is not about an action. A
// validation error says that the input cannot be read; the caller then denies.
func (c Client) Read(in Input) (actions []Action, event string, err error) {
	event = in.Event
	documents, err := documentsIn(in.Stdin)
	if c.Name == git.Name {
		documents, err = []fields{{}}, nil
	}
	if err != nil {
		return nil, c.eventOr(event), err
	}
	if len(documents) == 0 {
		return nil, c.eventOr(event), apperr.Newf(apperr.Validation, "the hook of %s got no input", c.Title).WithHint("Pass the event as JSON on standard input")
	}
	for _, document := range documents {
		one := in
		if one.Event == "" {
			one.Event = document.event()
		}
		if event == "" {
			event = one.Event
		}
		found, err := c.read(envelope{one, document})
		if err != nil {
			return nil, c.eventOr(event), err
		}
		for i := range found {
			found[i].Event = one.Event
			found[i].Session, found[i].ToolUseID, found[i].Version = document.session(), document.toolUse(), document.version()
		}
		actions = append(actions, found...)
	}
	return actions, c.eventOr(event), nil
}

// Answer returns a verdict in the client's form.
func (c Client) Answer(event string, v Verdict) Answer {
	if v.Decision != Allow && strings.TrimSpace(v.Reason) == "" {
		v.Reason = "A policy does not allow this"
	}
	return c.answer(event, v)
}

// AnswerTo is Answer to the event of an input. A program that shows the model a failed command for an exit code gets only
// what is printed.
func (c Client) AnswerTo(in Input, event string, v Verdict) Answer {
	answer := c.Answer(event, v)
	if c.printed == "" || v.Decision == Allow || answer.Stdout == "" {
		return answer
	}
	documents, err := documentsIn(in.Stdin)
	for _, document := range documents {
		if err != nil || document.text(c.printed) == "" {
			return answer
		}
	}
	if len(documents) == 0 {
		return answer
	}
	return Answer{Stdout: answer.Stdout}
}

// denies matches what a program takes for a denial.
var denies = pattern.New(`"(?:permissionDecision|decision|permission)"\s*:\s*"(?:deny|block|ask|force_ask)"|"cancel"\s*:\s*true|"continue"\s*:\s*false`)

// Denies reports whether a program takes an answer for a denial, or for a question to the person in front of it.
func (a Answer) Denies() bool { return a.Exit != 0 || denies.MatchString(a.Stdout) }

// eventOr is the event, else the first that blocks.
func (c Client) eventOr(event string) string {
	if event == "" {
		for _, e := range c.Events {
			if e.Blocks {
				return e.Name
			}
		}
	}
	return event
}

// documentsIn reads the JSON objects of an input. Some programs send a byte order mark, and some two objects.
func documentsIn(text []byte) ([]fields, error) {
	if len(text) > LongestInput {
		return nil, apperr.Newf(apperr.Validation, "the event is larger than %d MB", LongestInput>>20).WithHint("Split the action into smaller ones")
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if utf16 := decodeUTF16(text); utf16 != nil {
		text = utf16
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	var documents []fields
	for {
		var document any
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		object, ok := document.(map[string]any)
		if inner, isText := document.(string); isText {
			ok = json.Unmarshal([]byte(inner), &object) == nil && object != nil
		}
		if err != nil || !ok || len(documents) == maxDocuments {
			return nil, apperr.New(apperr.Validation, "the event is not a JSON object").WithHint("Check the hook's configuration: standard input must be the client's unchanged event").Because(err)
		}
		documents = append(documents, object)
	}
}

// decodeUTF16 returns the text of Windows programs that write UTF-16 with a byte order mark, nil for any other.
func decodeUTF16(text []byte) []byte {
	if len(text) < 4 || len(text)%2 != 0 || !(text[0] == 0xff && text[1] == 0xfe) {
		return nil
	}
	var out []rune
	for i := 2; i < len(text); i += 2 {
		out = append(out, rune(text[i])|rune(text[i+1])<<8)
	}
	return []byte(string(out))
}

// fields are those of an event, read without trust in their types.
type fields map[string]any

// text returns the first of the fields that is a text.
func (f fields) text(names ...string) string {
	for _, name := range names {
		if text, ok := f[name].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// Fields that programs name differently.
func (f fields) event() string {
	return f.text("hook_event_name", "hookEventName", "hookName", "agent_action_name", "event", "event_name", "eventName")
}

func (f fields) session() string {
	return f.text("session_id", "sessionId", "conversation_id", "trajectory_id", "taskId", "session", "conversationId")
}

func (f fields) toolUse() string {
	return f.text("tool_use_id", "toolUseId", "tool_call_id", "toolCallId", "execution_id", "call_id")
}

func (f fields) version() string {
	return f.text("cursor_version", "version", "clineVersion", "client_version")
}

// object returns the first of the fields that is an object, also one that is written as text.
func (f fields) object(names ...string) fields {
	for _, name := range names {
		switch value := f[name].(type) {
		case map[string]any:
			return value
		case string:
			var object map[string]any
			if json.Unmarshal([]byte(value), &object) == nil && object != nil {
				return object
			}
		}
	}
	return nil
}

// cwd returns the directory, "" where it is not known.
func (f fields) cwd() string {
	if dir := f.text("cwd", "working_directory", "workingDirectory", "workspace"); dir != "" {
		return dir
	}
	for _, name := range []string{"workspace_roots", "workspaceRoots", "workspacePaths"} {
		if roots, ok := f[name].([]any); ok && len(roots) == 1 {
			if root, is := roots[0].(string); is {
				return root
			}
		}
	}
	return ""
}

func object(pairs ...any) string {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	text, _ := json.Marshal(m) // texts and objects of texts
	return string(text) + "\n"
}

// exitAnswer is the answer of programs that look at the exit code, and give standard error to the model.
func exitAnswer(_ string, v Verdict) Answer {
	if v.Decision == Allow {
		return Answer{}
	}
	return Answer{Stderr: v.Reason + "\n", Exit: exitBlock}
}
