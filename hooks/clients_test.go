package hooks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/document/documenttest"
	"nomograph/internal/golden"
)

func client(t testing.TB, name string) hooks.Client {
	t.Helper()
	c := graphtest.Must(hooks.Find(name))(t)
	return c
}

// event is a documented event with the actions that it describes.
type event struct{ client, event, want, input string }

func documented(t testing.TB) (events []event) {
	for _, row := range golden.Columns(t, "testdata/events.txt", 4) {
		events = append(events, event{row[0], row[1], row[2], row[3]})
	}
	return events
}

func shown(actions []hooks.Action) string {
	var list []string
	for _, a := range actions {
		what := ""
		for _, key := range []string{"command", "path", "url", "prompt", "hook", "remote"} {
			if text, ok := a.Params[key].(string); ok && a.Kind != hooks.MCPCall {
				what = text
			}
		}
		if a.Kind == hooks.MCPCall {
			what = fmt.Sprint(a.Params["server"], " ", a.Params["tool"])
		}
		list = append(list, string(a.Kind)+" "+what)
	}
	return strings.Join(list, ", ")
}

func TestRead_EventsOfEachClient_BecomeActions(t *testing.T) {
	seen := map[string]bool{}
	for _, tt := range documented(t) {
		seen[tt.client] = true
		forms := map[string]string{"a new line": "\n" + tt.input + "\r\n",
			"a field more": strings.Replace(tt.input, "{", `{"unknown":{"a":[1]},`, 1)}
		for name, encode := range documenttest.Accepted {
			forms[name] = string(encode(tt.input))
		}
		for form, input := range forms {
			actions, _, err := client(t, tt.client).Read(hooks.Input{Stdin: []byte(input), Event: tt.event})
			if got := shown(actions); err != nil || got != tt.want {
				t.Errorf("%s, %s: %s: got %q, %v, want %q", tt.client, form, tt.input, got, err, tt.want)
			}
		}
	}
	for _, name := range hooks.Names() {
		if !seen[name] {
			t.Errorf("no event of %s is tested", name)
		}
	}
}

// TestRead_Subagent_IsNamed: only a subagent has an id; the agent itself can have a kind.
func TestRead_Subagent_IsNamed(t *testing.T) {
	for fields, want := range map[string]string{
		`"agent_id": "a1", "agent_type": "Explore"`: "Explore",
		`"agent_id": "a1"`:                          "a1",
		`"agent_type": "reviewer"`:                  "",
		`"agent_id": 7`:                             "",
	} {
		event := `{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, ` + fields +
			`}`
		actions, _, err := client(t, "claude-code").Read(hooks.Input{Stdin: []byte(event)})
		if err != nil || len(actions) != 1 || actions[0].Subagent != want {
			t.Errorf("%s: got %+v, %v, want %q", fields, actions, err, want)
		}
		if facts := actions[0].Arguments("claude-code")["context"].(map[string]any); want != "" &&
			facts["subagent"] != want {
			t.Errorf("%s: got facts %v", fields, facts)
		}
	}
}

func TestRead_TwoDocuments_AreBothEvaluated(t *testing.T) {
	input := `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}` + "\n" +
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm x"}}`
	actions, event, err := client(t, "claude-code").Read(hooks.Input{Stdin: []byte(input)})
	if err != nil || event != "PreToolUse" || shown(actions) != "shell.run ls, shell.run rm x" {
		t.Errorf(`got %q, %q, %v, want event=PreToolUse, shown(actions)="shell.run ls, shell.run rm x"`, shown(actions),
			event, err)
	}
}

func TestRead_InputThatIsNoEvent_IsAnError(t *testing.T) {
	for _, input := range []string{"", " ", "null", "[]", "{", `{"a":1} x`, `"text"`,
		`{"hook_event_name":"PreToolUse"}`, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":["rm",1]}}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":[]}`} {
		if actions, event, err := client(t, "claude-code").Read(hooks.Input{Stdin: []byte(input)}); err == nil ||
			event != "PreToolUse" {
			t.Errorf("%q: got %q, %q, want an error", input, shown(actions), event)
		}
	}
}

// TestRead_UnknownEvents_AreErrors: a program that runs the hook of a client can have events and shapes that the
// client does not.
func TestRead_UnknownEvents_AreErrors(t *testing.T) {
	for _, c := range hooks.Clients() {
		for _, input := range []string{`{"hook_event_name":"SomethingNew","tool_name":"Read","tool_input":{"file_path":"a"}}`, `{"hookEventName":"before_everything","toolName":"read","toolInput":{"path":"a"}}`, `{"hello":"world"}`} {
			in := hooks.Input{Stdin: []byte(input)}
			if c.Name == "git" {
				in.Event = "post-merge"
			}
			actions, event, err := c.Read(in)
			if c.Name == "generic" && strings.Contains(input, "ool") { // it reads a call of a tool without an event
				continue
			}
			if err == nil {
				t.Errorf("%s, %s: got %q, want an error", c.Name, input, shown(actions))
				continue
			}
			answer := c.AnswerTo(in, event, hooks.Unchecked(apperr.From(err)))
			graphtest.Values(t, c.Name, answer.Denies(), true, event, c.Events[0].Name)
		}
	}
	for _, input := range []string{
		`"tool_name":"mcp__db__drop","tool_input":"{\"sql\": \"drop tab"`,
		`"tool_name":"Unheard","tool_input":"cut off"`, `"tool_name":"Unheard","args":{"command":"rm -rf /"}`,
		`"tool_name":"mcp__db__drop"`, `"tool_name":"Unheard","tool_input":["rm"]`,
		`"tool_name":"Bash","tool_input":{"command":"ls"},"toolInputTruncated":true`,
		`"tool_name":"Write","tool_input":{"content":"x"}`,
	} {
		if actions, _, err := client(t, "claude-code").
			Read(hooks.Input{Stdin: []byte(`{"hook_event_name":"PreToolUse",` + input + `}`)}); err == nil {
			t.Errorf("%s: got %q, want an error", input, shown(actions))
		}
	}
}

// TestSender_HookOfAnotherClient_IsReadInTheSendersForm: Grok Build runs the hooks of Claude Code and Cursor, and
// Cursor those of Claude Code.
func TestSender_HookOfAnotherClient_IsReadInTheSendersForm(t *testing.T) {
	for _, row := range golden.Columns(t, "testdata/senders.txt", 5) {
		in := hooks.Input{Stdin: []byte(row[4])}
		c := client(t, row[0]).Sender(in)
		actions, event, err := c.Read(in)
		got := shown(actions)
		if err != nil {
			got = "error"
		}
		graphtest.Values(t, row, c.Name, row[1], got, row[2])
		if answer := c.AnswerTo(in, event, hooks.Verdict{Decision: hooks.Deny, Reason: "No."}); row[3] != "" &&
			(!strings.Contains(answer.Stdout, row[3]) || answer.Exit != 2) {
			t.Errorf("%s: got %+v, want exit code 2 and %s", row, answer, row[3])
		}
	}
}

func TestRead_TenMegabytes_AreNotStored(t *testing.T) {
	input, _ := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "tool_name": "Write",
		"tool_input": map[string]any{"file_path": "a.txt", "content": strings.Repeat("x", 10<<20)}})
	actions, _, err := client(t, "claude-code").Read(hooks.Input{Stdin: input})
	if err != nil || len(actions) != 1 {
		t.Fatalf("got %d actions, %v, want len(actions)=1", len(actions), err)
	}
	if remaining, _ := json.Marshal(actions[0].Arguments("claude-code")); len(remaining) > 4096 {
		t.Errorf("got %d bytes of arguments, want at most 4096", len(remaining))
	}
}

func TestRead_UTF16_IsRead(t *testing.T) {
	text := []byte{0xff, 0xfe}
	for _, r := range `{"hook_event_name":"beforeShellExecution","command":"ls"}` {
		text = append(text, byte(r), 0)
	}
	if actions, _, err := client(t, "cursor").Read(hooks.Input{Stdin: text}); err != nil ||
		shown(actions) != "shell.run ls" {
		t.Errorf(`got %q, %v, want shown(actions)="shell.run ls"`, shown(actions), err)
	}
}

func TestRead_Push_GivesRefsAndDeletions(t *testing.T) {
	zero := strings.Repeat("0", 40)
	actions, _, err := client(t, "git").Read(hooks.Input{Event: "pre-push",
		Args:  []string{"origin", "https://me:pass@host.example/r.git"},
		Stdin: []byte("(delete) " + zero + " refs/heads/a " + strings.Repeat("1", 40) + "\n")})
	if err != nil || len(actions) != 1 || actions[0].Params["url"] != "https://host.example/r.git" ||
		fmt.Sprint(actions[0].Params["git"], actions[0].Params["refs"]) != "[push push --delete] [refs/heads/a]" {
		t.Errorf(`got %+v, %v, want len(actions)=1, url="https://host.example/r.git", fmt.Sprint(actions[0].Params["git"], actions[0].Params["refs"])="[push push --delete] [refs/heads/a]"`, actions, err)
	}
}

func TestAnswer_EachClient_MatchesItsFormat(t *testing.T) {
	for _, row := range golden.Columns(t, "testdata/answers.txt", 6) {
		v, stderr, want := hooks.Verdict{Decision: hooks.Decision(row[2])}, row[4], row[5]
		if v.Decision != hooks.Allow {
			v.Reason = "No."
		}
		got := client(t, row[0]).Answer(row[1], v)
		stdout := strings.TrimSpace(got.Stdout)
		same := stdout == want || want != "" && want[0] != '{' && strings.Contains(stdout, want)
		graphtest.Values(t, row, same, true, strings.TrimSpace(got.Stderr), stderr, fmt.Sprint(got.Exit), row[3])
		if got.Stdout != "" && (!json.Valid([]byte(got.Stdout)) || bytes.Count([]byte(got.Stdout), []byte("\n")) != 1) {
			t.Errorf("%s: got %q, want one line with a JSON document", row[0], got.Stdout)
		}
	}
}

func TestAnswer_DenialWithoutReason_GetsADefaultReason(t *testing.T) {
	for _, c := range hooks.Clients() {
		if got := c.Answer("PreToolUse", hooks.Verdict{Decision: hooks.Deny,
			Reason: " "}); !strings.Contains(got.Stdout+got.Stderr, "policy") {
			t.Errorf("%s: got %+v, want got.Stdout + got.Stderr with policy", c.Name, got)
		}
	}
}

func TestClients_Contracts_AreComplete(t *testing.T) {
	for _, c := range hooks.Clients() {
		event := map[bool]string{true: "preToolUse"}[c.Name == "copilot"]
		if actions, event, err := c.Read(hooks.Input{Stdin: []byte(c.Sample), Event: event}); c.Name != "git" &&
			(err != nil || shown(actions) != "shell.run echo nomograph") ||
			c.Answer(event, hooks.Verdict{Decision: hooks.Allow}).Denies() ||
			!c.Answer(event, hooks.Verdict{Decision: hooks.Deny}).Denies() {
			t.Errorf("%s: the sample is read as %q, %v", c.Name, shown(actions), err)
		}
		if c.Title == "" || c.Failure == "" || !slices.ContainsFunc(c.Events,
			func(e hooks.Event) bool { return e.Blocks() }) {
			t.Errorf("got %+v, want a Title, a Failure, ...", c)
		}
	}
	if _, err := hooks.Find("emacs"); err == nil {
		t.Error("a client that is not known is found")
	}
	known := json.NewDecoder(bytes.NewReader(graphtest.Must(os.ReadFile("clients.json"))(t)))
	known.DisallowUnknownFields()
	graphtest.OK(t, known.Decode(&[]hooks.Client{}))
}

// TestNames_EachName_HasOneMeaning: a name in a second row would replace its meaning silently.
func TestNames_EachName_HasOneMeaning(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(string(graphtest.Must(os.ReadFile("names.tsv"))(t))) {
		columns := strings.Split(strings.TrimSpace(line), "\t")
		if len(columns) != 3 && columns[0][0] != '#' {
			t.Errorf("%q: got %d columns, want 3", line, len(columns))
		}
		for _, name := range strings.Fields(strings.Join(columns[min(2, len(columns)):], " ")) {
			if key := columns[0] + " " + name; seen[key] {
				t.Errorf("%s is there twice", key)
			}
			seen[columns[0]+" "+name] = true
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, e := range documented(f) {
		f.Add(e.client, e.event, []byte(e.input))
	}
	f.Fuzz(func(t *testing.T, name, event string, input []byte) {
		c, err := hooks.Find(name)
		if err != nil {
			c = hooks.Clients()[len(input)%len(hooks.Clients())]
		}
		actions, event, err := c.Read(hooks.Input{Stdin: input, Event: event})
		if err != nil && len(actions) > 0 {
			t.Errorf("%d actions and an error", len(actions))
		}
		for _, a := range actions {
			if _, err := json.Marshal(a.Arguments(c.Name)); err != nil || !slices.Contains(hooks.Kinds, a.Kind) ||
				a.Description == "" {
				t.Errorf("got %+v, %v, want Kinds with %v, a Description", a, err, a.Kind)
			}
		}
		c.Answer(event, hooks.Verdict{Decision: hooks.Deny})
	})
}

// TestContext_EachClient_HasItsForm: a text for the model has a field of its own in each client, and a denial stays a
// denial.
func TestContext_EachClient_HasItsForm(t *testing.T) {
	for _, tt := range []struct{ client, start, prompt string }{
		{"claude-code", `{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"SessionStart"}}`,
			`{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"UserPromptSubmit"}}`},
		{"codex", `{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"SessionStart"}}`,
			`{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"UserPromptSubmit"}}`},
		{"gemini", `{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"SessionStart"}}`,
			`{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"BeforeAgent"}}`},
		{"droid", `{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"SessionStart"}}`,
			`{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"UserPromptSubmit"}}`},
		{"cursor", `{"additional_context":"Weigh this"}`, `{"additional_context":"Weigh this","continue":true}`},
		{"vscode", `{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"SessionStart"}}`, ""},
		{"devin", `{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"SessionStart"}}`, ""},
		{"cline", "", `{"cancel":false,"contextModification":"Weigh this"}`},
		{"kiro", "Weigh this", "Weigh this"},
	} {
		c := client(t, tt.client)
		starts, prompts := first(c.Installed(hooks.AtStart)), first(c.Installed(hooks.BeforePrompt))
		if manual := map[string]string{"cursor": "beforeSubmitPrompt",
			"cline": "UserPromptSubmit"}[tt.client]; manual != "" {
			prompts = manual
		}
		graphtest.Equal(t, strings.TrimSpace(c.Context(starts, "Weigh this").Stdout), tt.start, tt.client,
			"at the start")
		graphtest.Equal(t, c.Context("another event", "Weigh this"), hooks.Answer{}, tt.client, "another event")
		prompt := []hooks.Action{{Kind: hooks.PromptSubmit, Event: prompts, Params: map[string]any{"prompt": "Fix it"}}}
		graphtest.Equal(t, c.Prompt(prompt) == "Fix it", tt.prompt != "", tt.client, "the prompt")
		if prompts == "" {
			continue
		}
		allowed := c.WithContext(prompt, hooks.Verdict{Decision: hooks.Allow, ID: "v"}, "Weigh this")
		got := c.Answer(prompts, allowed)
		graphtest.Values(t, tt.client, strings.TrimSpace(got.Stdout), tt.prompt, got.Exit, 0, got.Denies(), false)
		if got := c.Answer(prompts, c.WithContext(prompt, hooks.Verdict{Decision: hooks.Deny, Reason: "No.", ID: "v"},
			"Weigh this")); !got.Denies() || strings.Contains(got.Stdout, "Weigh") {
			t.Errorf("%s: a denied prompt got %+v, want got.Denies()=true, Stdout without Weigh", tt.client, got)
		}
	}
	graphtest.Equal(t, strings.TrimSpace(client(t, "cursor").Answer("preToolUse",
		hooks.Verdict{Decision: hooks.Allow, Context: "Weigh this"}).Stdout),
		`{"additional_context":"Weigh this","permission":"allow"}`, "a warning in Cursor", "strings.TrimSpace")
	claude, away := client(t, "claude-code"), hooks.NotChecked(apperr.New(apperr.Unavailable, "away"))
	prompt := []hooks.Action{{Kind: hooks.PromptSubmit, Event: "UserPromptSubmit",
		Params: map[string]any{"prompt": "Fix it"}}}
	graphtest.Equal(t, claude.WithContext(prompt, away, "").Context, "", "a prompt that was not checked says",
		"to the model")
	if v := claude.WithContext([]hooks.Action{{Kind: hooks.ShellRun, Event: "PreToolUse"}}, away, ""); v.Context == "" {
		t.Error("a command that was not checked says nothing to the model")
	}
	key := "AKIA" + "Z7QX5RMD3KPLW2NB"
	if text := client(t, "claude-code").Context("SessionStart", "The key is "+key).Stdout; strings.Contains(text, key) {
		t.Errorf("a secret reaches the model: %s", text)
	}
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func TestSessionEnd_Events_NameTranscriptAndReviews(t *testing.T) {
	claude := client(t, "claude-code")
	end := `{"session_id":"s","hook_event_name":"SessionEnd","transcript_path":"/home/me/.claude/projects/a/s.jsonl"}`
	for input, want := range map[string]string{end: "/home/me/.claude/projects/a/s.jsonl",
		strings.Replace(end, "SessionEnd", "Stop", 1): "", strings.Replace(end, "/home", "home", 1): "", "x": "",
		`{"hook_event_name":"SessionEnd"}`: ""} {
		graphtest.Equal(t, claude.Transcript(hooks.Input{Stdin: []byte(input)}), want, input, "transcript")
	}
	graphtest.Equal(t, client(t, "codex").Transcript(hooks.Input{Stdin: []byte(end)}), "",
		"a transcript that cannot be read")
	text := hooks.Reviews([]hooks.Due{{ID: "1a2b3c4d", Title: "Use a queue"}})
	graphtest.Contains(t, claude.UserMessage("Stop", text).Stdout,
		`"systemMessage":"Nomograph: these decisions await a review.\n- 1a2b3c4d Use a queue\nReview one: nomograph decision review 1a2b3c4d success"`)
	graphtest.Equal(t, claude.UserMessage("Stop", hooks.Reviews(nil)), hooks.Answer{}, "without anything to review")
}
