package hooks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/document"
	"nomograph/internal/lists"
	"nomograph/internal/pattern"
)

// Client is the contract of one program: the events that its hooks send, and the answers that it understands. It is a
// row of clients.json with the program's functions.
type Client struct {
	Name, Title string
	// Minimum is the oldest version for which the contract holds, "" if unknown.
	Minimum string
	// Timeout is the program's own timeout for a hook in seconds, and Failure what it does if a hook fails.
	Timeout int
	Failure string
	// Events are all events that the program is known to have. The first one is meant if an event has no name. Unused
	// names the last ones.
	Events []Event
	Unused string
	// Traps are known problems, one sentence each.
	Traps []string
	// HTTP reports whether the program treats the body of an HTTP answer like the output of a command, so that a
	// denial needs no exit code.
	HTTP bool
	// Twice says that one call can fire two events, of which only one has an id.
	Twice bool
	// Sample is a documented event about a harmless command, with which an installed hook is tested. Git's is built
	// from arguments.
	Sample json.RawMessage
	// HooksOf are other clients whose hook files the program reads.
	HooksOf []string `json:"hooks_of"`
	// Printed is a field that only events of the program itself have; for them, a printed denial needs no exit code.
	// Other programs that run its hooks send events without the field, and some look only at the exit code. "" if the
	// exit code is always needed.
	Printed string

	contract
}

// Event is one event of a program.
type Event struct {
	Name string
	Use  Use
	// As is the event before a tool with the same form, for an event after a tool; "" is the first of the table.
	As string
	// Tool is the tool that an event is about, "" if the event names it.
	Tool string
	// Manual says that hook install does not write the event, and Mute that the answer to a prompt gives the model no
	// text.
	Manual, Mute bool
}

// Use is what Nomograph does at an event.
type Use string

// The uses of events.
const (
	Unused       Use = ""              // the answer is neutral
	BeforeAction Use = "before action" // the action is checked, and the answer can stop it
	BeforePrompt Use = "before prompt" // the prompt is checked, and the answer can stop it or give the model a text
	AfterTool    Use = "after tool"    // the executed call is recorded
	AtStart      Use = "start"         // the answer gives the model a text at the start of a session
	AtStop       Use = "stop"          // the answer shows the user a text at the end of a turn or session
	AtEnd        Use = "end"           // a session has ended whose transcript can be imported
)

// Blocks reports whether the answer can stop the action.
func (e Event) Blocks() bool { return e.Use == BeforeAction || e.Use == BeforePrompt }

// event returns an event of the program. Programs that run the hooks of others spell names in their own case:
// pre_tool_use for PreToolUse.
func (c Client) event(name string) (Event, bool) {
	plain := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	for _, same := range []func(e Event) bool{
		func(e Event) bool { return e.Name == name },
		func(e Event) bool { return plain(e.Name) == plain(name) },
		func(Event) bool { return name == "" || len(c.Events) == 1 },
	} {
		if at := slices.IndexFunc(c.Events, same); at >= 0 {
			return c.Events[at], true
		}
	}
	return Event{}, false
}

// eventIn returns the event of a document, whose name the command line can give.
func (c Client) eventIn(in Input, document fields) (Event, bool) {
	return c.event(cmp.Or(in.Event, document.event()))
}

// EventOf returns the event of an input: the first one that blocks, and the first of the table if the input cannot be
// read.
func (c Client) EventOf(in Input) Event {
	documents, err := documentsIn(in.Stdin)
	found, _ := c.event(in.Event)
	for _, document := range documents {
		if e, ok := c.eventIn(in, document); ok && err == nil {
			if found = e; e.Blocks() {
				break
			}
		}
	}
	return found
}

// Use returns what Nomograph does at an event.
func (c Client) Use(event string) Use {
	e, _ := c.event(event)
	return e.Use
}

// Installed returns the events with these uses that hook install writes.
func (c Client) Installed(uses ...Use) (names []string) {
	for _, e := range c.Events {
		if slices.Contains(uses, e.Use) && !e.Manual {
			names = append(names, e.Name)
		}
	}
	return names
}

// Input is the input of a hook.
type Input struct {
	Stdin []byte
	Event string   // name of the event in the command line, "" without one
	Args  []string // arguments after the event
	// Message and Staged are the input of git's hooks: the message of a commit, and the paths in it.
	Message string
	Staged  []string
}

// Decision is the decision about an action.
type Decision string

// The decisions. Ask leaves the decision to the program's user.
const (
	Allow Decision = "allow"
	Deny  Decision = "deny"
	Ask   Decision = "ask"
)

// Verdict is the result of the checks of an event.
type Verdict struct {
	Decision Decision
	Reason   string // never empty for Deny and Ask
	Context  string // information for the model, such as warnings
	ID       string
}

// Answer is the output of a hook and its exit code.
type Answer struct {
	Stdout, Stderr string
	Exit           int
}

// Contract is the version of the format of hooks over HTTP. A hook with another version is denied.
const Contract = "1"

// Limits of an input.
const (
	LongestInput = 64 << 20 // bytes
	maxDocuments = 16
	exitBlock    = 2
)

// Find returns a client by its name. It returns a not_found error that lists the names.
func Find(name string) (Client, error) {
	for _, c := range Clients() {
		if c.Name == strings.ToLower(name) {
			return c, nil
		}
	}
	return Client{}, apperr.Newf(apperr.NotFound, "Client %q not found", name).
		WithHint("Use %s", strings.Join(Names(), ", "))
}

// Names returns the names of all clients.
func Names() []string {
	return lists.Map(Clients(), func(c Client) string { return c.Name })
}

// envelope is one event with its input.
type envelope struct {
	Input
	event  Event
	fields fields
}

// Sender returns the contract of the program that sent an event to a hook of the client: some programs run the hooks of
// others.
func (c Client) Sender(in Input) Client {
	documents, err := documentsIn(in.Stdin)
	if err != nil || len(documents) == 0 {
		return c
	}
	for _, other := range Clients() {
		if slices.Contains(other.HooksOf, c.Name) && other.isSender(documents[0]) {
			return other
		}
	}
	return c
}

// Read returns the actions of an event, none if the event is about no action, and the name of the event. It returns a
// validation_error for an invalid input and for an unknown event; the caller then denies.
func (c Client) Read(in Input) (actions []Action, event string, err error) {
	documents, err := documentsIn(in.Stdin)
	if c.Name == "git" {
		documents, err = []fields{{}}, nil
	}
	if err != nil {
		return nil, c.eventOr(in.Event), err
	}
	if len(documents) == 0 {
		return nil, c.eventOr(in.Event), apperr.Newf(apperr.Validation, "The hook of %s received no input", c.Title).
			WithHint("Pass the event as JSON on standard input")
	}
	for _, document := range documents {
		e, ok := c.eventIn(in, document)
		if event == "" {
			event = c.eventOr(e.Name)
		}
		if !ok {
			return nil, event, apperr.Newf(apperr.Validation, "The event %q of %s is not known",
				shortLine(cmp.Or(in.Event, document.event())), c.Title).
				WithHint("Remove the hook from this event, or check for a newer version of Nomograph")
		}
		if !e.Blocks() {
			continue
		}
		found, err := c.read(envelope{in, e, document})
		if err != nil {
			return nil, event, err
		}
		for i := range found {
			found[i].Event, found[i].twice = e.Name, c.Twice
			found[i].Session, found[i].ToolUseID, found[i].Version = document.session(), document.toolUse(),
				document.version()
			found[i].Subagent = document.subagent()
		}
		actions = append(actions, found...)
	}
	return actions, event, nil
}

// Answer formats a verdict for the client.
func (c Client) Answer(event string, v Verdict) Answer {
	if v.Decision != Allow && strings.TrimSpace(v.Reason) == "" {
		v.Reason = "A policy does not allow this"
	}
	return c.answer(c.eventOr(event), v) // some clients ignore a denial without the event's name
}

// AnswerTo is Answer for the event of an input. A program that shows an exit code to the model as a failed command
// gets only the printed answer.
func (c Client) AnswerTo(in Input, event string, v Verdict) Answer {
	answer := c.Answer(event, v)
	if c.Printed == "" || v.Decision == Allow || answer.Stdout == "" {
		return answer
	}
	documents, err := documentsIn(in.Stdin)
	for _, document := range documents {
		if _, ok := c.eventIn(in, document); err != nil || !ok || document.text(c.Printed) == "" {
			return answer
		}
	}
	if len(documents) == 0 {
		return answer
	}
	return Answer{Stdout: answer.Stdout}
}

// denies matches answers that a program treats as a denial.
var denies = pattern.New(`"(?:permissionDecision|decision|permission)"\s*:\s*"(?:deny|block|ask|force_ask)"|"cancel"\s*:\s*true|"continue"\s*:\s*false`)

// Denies reports whether a program treats an answer as a denial, or as a question to its user.
func (a Answer) Denies() bool { return a.Exit != 0 || denies.MatchString(a.Stdout) }

// eventOr returns the name of an event in the client's table, or of its first event.
func (c Client) eventOr(event string) string {
	if e, ok := c.event(event); ok {
		return e.Name
	}
	return c.Events[0].Name
}

// documentsIn reads the JSON objects of an input. Some programs send a byte order mark, and some send two objects.
func documentsIn(text []byte) ([]fields, error) {
	if len(text) > LongestInput {
		return nil, apperr.Newf(apperr.Validation, "The event is larger than %d MB", LongestInput>>20).
			WithHint("Split the action into smaller ones")
	}
	text, err := document.Decode(text)
	if err != nil {
		return nil, document.NotText("The event", err)
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
			return nil, apperr.New(apperr.Validation, "The event is not a JSON object").
				WithHint("Check the hook's configuration: standard input must be the client's unchanged event").
				Because(err)
		}
		documents = append(documents, object)
	}
}

// fields are the fields of an event. Their types are not trusted.
type fields map[string]any

// text returns the first of the fields that is a non-empty text.
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
	return f.text("hook_event_name", "hookEventName", "hookName", "agent_action_name", "event", "event_name",
		"eventName")
}

func (f fields) session() string {
	return f.text("session_id", "sessionId", "conversation_id", "trajectory_id", "taskId", "session", "conversationId")
}

func (f fields) toolUse() string {
	return f.text("tool_use_id", "toolUseId", "tool_call_id", "toolCallId", "execution_id", "call_id")
}

// subagent returns the kind of the subagent, or its id. A client can state the kind of the agent itself, without an id.
func (f fields) subagent() string {
	if id := f.text("agent_id"); id != "" {
		return cmp.Or(f.text("agent_type"), id)
	}
	return ""
}

func (f fields) version() string {
	return f.text("cursor_version", "version", "clineVersion", "client_version")
}

// object returns the first of the fields that is an object or a text with a JSON object.
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

// cwd returns the working directory, "" if unknown.
func (f fields) cwd() string {
	if dir := f.text("cwd", "working_directory", "workingDirectory", "working_dir", "workspace"); dir != "" {
		return dir
	}
	for _, name := range []string{"workspace_roots", "workspaceRoots", "workspacePaths"} {
		if roots, ok := f[name].([]any); ok && len(roots) == 1 {
			if root, ok := roots[0].(string); ok {
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
	text, _ := json.Marshal(m) // texts and objects of texts always encode
	return string(text) + "\n"
}

// exitAnswer is the answer for programs that read the exit code and pass standard error to the model.
func exitAnswer(_ string, v Verdict) Answer {
	if v.Decision == Allow {
		return Answer{}
	}
	return Answer{Stderr: v.Reason + "\n", Exit: exitBlock}
}

// decided returns the answer for programs that read a field decision, which is word for a denial.
func decided(word string) func(string, Verdict) Answer {
	return func(_ string, v Verdict) Answer {
		if v.Decision == Allow {
			return Answer{}
		}
		return Answer{Stdout: object("decision", word, "reason", v.Reason), Stderr: v.Reason + "\n", Exit: exitBlock}
	}
}
