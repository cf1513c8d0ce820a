package transcripts_test

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/memory/transcripts"
)

func write(t testing.TB, path, text string) {
	t.Helper()
	graphtest.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	graphtest.OK(t, os.WriteFile(path, []byte(text), 0o600))
}

// read returns the contents of a file or folder: a line for each utterance and each problem.
func read(t testing.TB, path string) string {
	t.Helper()
	files := graphtest.Must(transcripts.Files(path))(t)
	var out strings.Builder
	for _, f := range files {
		for text, err := range f.Read() {
			var problem *transcripts.Problem
			switch {
			case errors.As(err, &problem):
				fmt.Fprintf(&out, "! %s: %s\n", strings.TrimPrefix(strings.TrimPrefix(problem.Place,
					filepath.Dir(path)), "/"), problem.Why)
			case err != nil:
				t.Fatal(err)
			case text.Over:
				fmt.Fprintf(&out, "%s %s over: title %q, folder %q, project %q, parent %q\n", text.Source,
					text.ExternalID, text.Title, text.Folder, text.Project, text.Parent)
			default:
				mark := map[bool]string{true: "?", false: " "}[text.Asks]
				if text.Summary {
					mark = "="
				}
				at := text.At.UTC().Format("2006-01-02 15:04")
				if text.At.Equal(f.Changed) {
					at = "changed"
				}
				fmt.Fprintf(&out, "%s%s [%s] %s: %s\n", mark, text.ExternalID, at, text.Speaker,
					strings.ReplaceAll(text.Text, "\n", "|"))
			}
		}
	}
	return out.String()
}

func TestTranscripts_EveryForm_IsRead(t *testing.T) {
	for name, tt := range map[string]struct{ path, text, want string }{
		"Claude Code": {"0b1c.jsonl", `{"type":"file-history-snapshot","messageId":"m","snapshot":{}}
{"parentUuid":null,"isSidechain":false,"cwd":"/home/ada/shop","sessionId":"0b1c","version":"2.1.0","gitBranch":"main","type":"user","message":{"role":"user","content":"<system-reminder>be brief</system-reminder>Why does the import stop?"},"uuid":"u1","timestamp":"2026-05-01T10:00:00.000Z"}
{"sessionId":"0b1c","type":"assistant","message":{"role":"assistant","id":"msg_1","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go test ./...","description":"test"}}]},"uuid":"a1","timestamp":"2026-05-01T10:00:05.000Z"}
{"sessionId":"0b1c","type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"FAIL imports"}]}]},"toolUseResult":{"stdout":"FAIL imports"},"uuid":"u2","timestamp":"2026-05-01T10:00:09.000Z"}
{"sessionId":"0b1c","type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"A lock is held."}]},"uuid":"a2","timestamp":"2026-05-01T10:00:10.000Z"}
{"sessionId":"0b1c","type":"user","isMeta":true,"message":{"role":"user","content":"Caveat"},"uuid":"u3","timestamp":"2026-05-01T10:01:00.000Z"}
{"sessionId":"0b1c","type":"user","message":{"role":"user","content":"<command-message>compact</command-message><command-name>/compact</command-name><command-args>keep names</command-args>"},"uuid":"u4","timestamp":"2026-05-01T10:02:00.000Z"}
{"sessionId":"0b1c","type":"system","subtype":"compact_boundary","content":"Conversation compacted","uuid":"s1","timestamp":"2026-05-01T10:03:00.000Z","compactMetadata":{"trigger":"auto","preTokens":1000}}
{"sessionId":"0b1c","type":"user","isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{"role":"user","content":"The import stopped at a lock."},"uuid":"u5","timestamp":"2026-05-01T10:03:01.000Z"}
{"sessionId":"0b1c","isSidechain":true,"agentId":"a9","type":"user","message":{"role":"user","content":"Find the lock"},"uuid":"u6","timestamp":"2026-05-01T10:04:00.000Z"}
not json
{"sessionId":"0b1c","type":"ai-title","aiTitle":"The import that stops"}
{"sessionId":"0b1c","type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"half a li`,
			`?0b1c [2026-05-01 10:00] User: Why does the import stop?
 0b1c [2026-05-01 10:00] Assistant: I look.
 0b1c [2026-05-01 10:00] : [Bash] go test ./...
 0b1c [2026-05-01 10:00] : -> FAIL imports
 0b1c [2026-05-01 10:00] Assistant: A lock is held.
?0b1c [2026-05-01 10:02] User: /compact keep names
=0b1c [2026-05-01 10:03] Summary: The import stopped at a lock.
?0b1c/a9 [2026-05-01 10:04] User: Find the lock
! 0b1c.jsonl:11: the line is not a JSON object
claude-code 0b1c over: title "The import that stops", folder "/home/ada/shop", project "", parent ""
claude-code 0b1c/a9 over: title "", folder "", project "", parent "0b1c"
`},
		"Cursor's transcripts": {"projects/home-ada-shop/agent-transcripts/c7/c7.jsonl",
			`{"role":"user","message":{"content":[{"type":"text","text":"<open_files>x</open_files>\n<user_query>\nAdd a test\n</user_query>"}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"Added."},{"type":"tool_use","name":"Write","input":{"path":"a_test.go","contents":"x"}}]}}
{"type":"turn_ended"}
`, `?c7 [changed] User: Add a test
 c7 [changed] Assistant: Added.
 c7 [changed] : [Write] a_test.go
cursor c7 over: title "", folder "", project "home-ada-shop", parent ""
`},
		"Cursor's export": {"chat.md", "# Lock of the import\n_Exported on 5/19/2026 at 11:13:55 EDT from Cursor (2.0.1)_\n\n---\n\n**User**\n\nWhy does it wait?\n\n---\n\n**Cursor**\n\n## Reason\n\n```go\n**User**\n```\n\n---\n\n**User**\n\nMend it\n",
			`?ID [2026-05-19 11:13] User: Why does it wait?
 ID [2026-05-19 11:13] Assistant: ## Reason||` + "```go|**User**|```" + `
?ID [2026-05-19 11:13] User: Mend it
cursor ID over: title "Lock of the import", folder "", project "", parent ""
`},
		"Cursor's database as JSON": {"composer.json",
			`{"composerId":"k1","name":"A lock","createdAt":1767000000000,"conversation":[{"type":1,"text":"Why?"},{"type":2,"text":"A lock"},{"type":2,"text":""}]}`,
			`?k1 [2025-12-29 09:20] User: Why?
 k1 [2025-12-29 09:20] Assistant: A lock
cursor k1 over: title "A lock", folder "", project "", parent ""
`},
		"ChatGPT": {"conversations.json", `[{"id":"g1","title":"Locks","create_time":1767000000.5,"current_node":"d","mapping":{
"a":{"id":"a","message":null,"parent":null,"children":["b"]},
"b":{"id":"b","parent":"a","children":["c","x"],"message":{"author":{"role":"user"},"create_time":1767000060,"content":{"content_type":"text","parts":["What is a lock?"]},"metadata":{}}},
"x":{"id":"x","parent":"b","children":[],"message":{"author":{"role":"assistant"},"content":{"content_type":"text","parts":["another branch"]}}},
"c":{"id":"c","parent":"b","children":["d"],"message":{"author":{"role":"assistant"},"recipient":"python","content":{"content_type":"code","text":"print(1)"},"metadata":{}}},
"d":{"id":"d","parent":"c","children":[],"message":{"author":{"role":"assistant"},"recipient":"all","create_time":1767000070,"content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer"},"It waits."]},"metadata":{}}}}},
{"no": "conversation"}, {"id":"g2","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["Hi"]}}}}}]`,
			`?g1 [2025-12-29 09:21] User: What is a lock?
 g1 [2025-12-29 09:21] : [python] print(1)
 g1 [2025-12-29 09:21] Assistant: It waits.
chatgpt g1 over: title "Locks", folder "", project "", parent ""
! conversations.json, conversation 2: it names no speakers
?g2 [changed] User: Hi
chatgpt g2 over: title "", folder "", project "", parent ""
`},
		"a list that breaks off": {"broken.json", `[{"id":"g2","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["Hi"]}}}}}, {"id":`,
			`?g2 [changed] User: Hi
chatgpt g2 over: title "", folder "", project "", parent ""
! broken.json: cannot read conversation 2 and those after it: the file is truncated
`},
		"JSON lines": {"chat.jsonl", `{"session":"s1","at":"2026-05-01T10:00:00Z","speaker":"Caroline","text":"I painted a lake","project":"art"}
{"session":"s1","at":"2026-05-01T10:01:00Z","speaker":"Melanie","text":"Lovely"}
{"session":"s2","role":"user","content":"Hi","timestamp":1767000060}
{"role":"assistant","content":[{"type":"text","text":"Hello"}],"session":"s2"}
{"what":"else"}
`, `?s1 [2026-05-01 10:00] Caroline: I painted a lake
 s1 [2026-05-01 10:01] Melanie: Lovely
?s2 [2025-12-29 09:21] User: Hi
 s2 [2025-12-29 09:21] Assistant: Hello
! chat.jsonl:5: it names no speakers
json s1 over: title "", folder "", project "art", parent ""
json s2 over: title "", folder "", project "", parent ""
`},
		"Goose's export": {"goose.json", `{"id":"20260501_1","name":"A lock","working_dir":"/home/ada/shop","conversation":[
{"id":"m1","role":"user","created":1777629600,"content":[{"type":"text","text":"Why?"}]},
{"id":"m2","role":"assistant","created":1777629605,"content":[{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"I look."},{"type":"toolRequest","id":"c1","toolCall":{"status":"success","value":{"name":"developer__shell","arguments":{"command":"make test"}}}}]},
{"id":"m3","role":"user","created":1777629609,"content":[{"type":"toolResponse","id":"c1","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"ok"}],"isError":false}}}]}]}`,
			`?20260501_1 [2026-05-01 10:00] User: Why?
 20260501_1 [2026-05-01 10:00] Assistant: I look.
 20260501_1 [2026-05-01 10:00] : [developer__shell] make test
 20260501_1 [2026-05-01 10:00] : -> ok
goose 20260501_1 over: title "A lock", folder "/home/ada/shop", project "", parent ""
`},
		"Goose's lines": {"20250601_2.jsonl", `{"working_dir":"/home/ada/shop","description":"A lock","message_count":1,"total_tokens":5}
{"role":"user","created":1777629600,"content":[{"type":"text","text":"Why?"}]}
{"role":"assistant","created":1777629605,"content":[{"type":"text","text":"A lock."}]}
`, `?20250601_2 [2026-05-01 10:00] User: Why?
 20250601_2 [2026-05-01 10:00] Assistant: A lock.
goose 20250601_2 over: title "A lock", folder "/home/ada/shop", project "", parent ""
`},
		"OpenCode's export": {"opencode.json", `{"info":{"id":"ses_1","version":"1.18.33","directory":"/home/ada/shop","title":"A lock","parentID":"ses_0","time":{"created":1777629600000}},"messages":[
{"info":{"id":"msg_1","role":"user","time":{"created":1777629600000}},"parts":[{"type":"text","text":"Why?"},{"type":"text","text":"added by a tool","synthetic":true}]},
{"info":{"id":"msg_2","role":"assistant","time":{"created":1777629605000}},"parts":[{"type":"step-start"},{"type":"reasoning","text":"hm"},{"type":"tool","callID":"c1","tool":"bash","state":{"status":"completed","input":{"command":"make test"},"output":"ok","time":{"start":1777629606000,"end":1777629607000}}},{"type":"text","text":"Done."}]}]}`,
			`?ses_1 [2026-05-01 10:00] User: Why?
 ses_1 [2026-05-01 10:00] : [bash] make test
 ses_1 [2026-05-01 10:00] : -> ok
 ses_1 [2026-05-01 10:00] Assistant: Done.
opencode ses_1 over: title "A lock", folder "/home/ada/shop", project "", parent "ses_0"
`},
		"zeros": {"crash.jsonl", `{"session":"s1","at":"2026-05-01T10:00:00Z","speaker":"Ada","text":"One"}` +
			"\n\x00\x00\x00\n" + `{"session":"s1","at":"2026-05-01T10:01:00Z","speaker":"Ada","text":"Two"}` + "\n",
			`?s1 [2026-05-01 10:00] Ada: One
! crash.jsonl:2: byte 1 is zero, so it is not text
?s1 [2026-05-01 10:01] Ada: Two
json s1 over: title "", folder "", project "", parent ""
`},
		"Markdown": {"talk.md", "# A talk\n\n**User:** Why?\n\nReally.\n\n### Assistant\n\nBecause.\n\n1. one\n",
			`?ID [changed] User: Why?||Really.
 ID [changed] Assistant: Because.||1. one
markdown ID over: title "A talk", folder "", project "", parent ""
`},
		"notes": {"notes.md", "# Notes\n\nintro\n\n## Locks\n\nThey wait.\n\n## More\n\nText: with a colon\n",
			`?ID [changed] : intro
?ID [changed] : ## Locks||They wait.
?ID [changed] : ## More||Text: with a colon
markdown ID over: title "Notes", folder "", project "", parent ""
`},
		"no text":  {"a.json", "\x00\x01", "! a.json: not a text file\n"},
		"no talk":  {"a.json", `"x"`, "! a.json: not JSON, JSON lines or Markdown\n"},
		"an empty": {"a.json", ` `, "! a.json: it contains no message\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, tt.path)
			write(t, path, tt.text)
			got := read(t, path)
			lines := strings.Split(got, "\n")
			for i, line := range lines { // ids by content
				if fields := strings.Fields(strings.TrimLeft(line, "?= ")); strings.Contains(tt.want, "ID") &&
					len(fields) > 1 {
					id := fields[0]
					if id == "markdown" || id == "cursor" {
						id = fields[1]
					}
					lines[i] = strings.Replace(line, id, "ID", 1)
				}
			}
			got = strings.Join(lines, "\n")
			golden.Equal(t, "the text", sorted(got), sorted(tt.want))
		})
	}
}

// sorted sorts the ends of conversations, whose order is not defined.
func sorted(text string) string {
	lines := strings.Split(text, "\n")
	var content, over []string
	for _, line := range lines {
		if strings.Contains(line, " over: ") {
			over = append(over, line)
			continue
		}
		content = append(content, line)
	}
	for i := range over {
		for j := i + 1; j < len(over); j++ {
			if over[j] < over[i] {
				over[i], over[j] = over[j], over[i]
			}
		}
	}
	return strings.Join(append(content, over...), "\n")
}

func TestTranscripts_Folder_IncludesSubagentsAndExports(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "p", "s1.jsonl"),
		`{"sessionId":"s1","type":"user","message":{"role":"user","content":"one"},"uuid":"u1","timestamp":"2026-05-01T10:00:00Z"}`+"\n")
	write(t, filepath.Join(dir, "p", "s1", "subagents", "agent-x.jsonl"),
		`{"sessionId":"s1","isSidechain":true,"agentId":"x","type":"user","message":{"role":"user","content":"two"},"uuid":"u2","timestamp":"2026-05-01T10:00:00Z"}`+"\n")
	write(t, filepath.Join(dir, "p", "s1", "subagents", "agent-x.meta.json"), `{}`)
	write(t, filepath.Join(dir, "p", "s1", "tool-results", "r.json"), `{}`)
	write(t, filepath.Join(dir, "README.md"), "# not a conversation")
	export := graphtest.Must(os.Create(filepath.Join(dir, "export.zip")))(t)
	archive := zip.NewWriter(export)
	entry, _ := archive.Create("conversations.json")
	_, _ = entry.Write([]byte(`[{"id":"g2","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["three"]}}}}}]`))
	_, _ = archive.Create("chat.html")
	if archive.Close() != nil || export.Close() != nil {
		t.Fatal("the archive was not written")
	}
	got := read(t, dir)
	for _, want := range []string{"?s1 [2026-05-01 10:00] User: one", "?s1/x [2026-05-01 10:00] User: two",
		"?g2 [changed] User: three"} {
		golden.Equal(t, "times of "+want, strings.Count(got, want), 1)
	}
	golden.Equal(t, fmt.Sprint(got), strings.Count(got, "\n"), 6)
}

func TestTranscripts_LongLine_IsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	write(t, path, `{"role":"user","content":"`+strings.Repeat("all is well ", 5<<20/12)+`"}`+"\n"+
		`{"role":"assistant","content":"`+strings.Repeat("x", 33<<20)+`"}`+"\n"+`{"role":"assistant","content":"fine"}`+
		"\n")
	got := read(t, path)
	if len(got) < 5<<20-1000 || len(got) > 6<<20 ||
		!strings.Contains(got, "a.jsonl:2: the line is longer than 32 MB") ||
		!strings.Contains(got, "Assistant: fine") {
		t.Error(len(got), got[max(0, len(got)-500):])
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"a.jsonl", "a.json", "a.md"} {
		for _, text := range []string{`{"sessionId":"s","type":"user","message":{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"x"}]}]}}`,
			`[{"id":"g","current_node":"a","mapping":{"a":{"parent":"a","message":{"author":{"role":"user"},"content":{"parts":["Hi"]}}}}}]`, `{"messages":[{"role":"user","content":"x"}]}`,
			"# T\n**User:** x\n```\n**Cursor**\n", `{"tabs":[{"bubbles":[{"type":1,"text":"x"}]}]}`} {
			f.Add(name, text)
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, name, text string) {
		if name != "a.jsonl" && name != "a.json" {
			name = "a.md"
		}
		path := filepath.Join(dir, name)
		write(t, path, text)
		files := graphtest.Must(transcripts.Files(path))(t)
		over := map[string]bool{}
		for content, err := range files[0].Read() {
			var problem *transcripts.Problem
			switch {
			case errors.As(err, &problem):
			case err != nil:
				t.Fatal(err)
			case content.ExternalID == "" || content.Source == "":
				t.Errorf("%+v has no name", content)
			case content.Over:
				over[content.ExternalID] = true
			case !strings.Contains(content.Text, "\x00") && content.At.Year() >= 1970:
			default:
				t.Errorf("%+v", content)
			}
		}
	})
}

// TestTranscripts_ExportedSessions_SayWhichCallsRan: calls of Goose and OpenCode that ran, failed, were denied, have
// no end yet, or were copied from another session by a fork.
func TestTranscripts_ExportedSessions_SayWhichCallsRan(t *testing.T) {
	request := func(id string) string {
		return `{"type":"toolRequest","id":"` + id +
			`","toolCall":{"status":"success","value":{"name":"developer__shell","arguments":{"command":"ls"}}}}`
	}
	response := func(id, result string) string {
		return `{"type":"toolResponse","id":"` + id + `","toolResult":` + result + `}`
	}
	text := func(text string) string {
		return `{"status":"success","value":{"content":[{"type":"text","text":"` + text + `"}],"isError":false}}`
	}
	part := func(id, state string) string {
		return `{"type":"tool","callID":"` + id + `","tool":"bash","state":{"input":{"command":"ls"},"time":{"start":1777629605000,"end":1777629606000},` + state + `}}`
	}
	for _, client := range []struct{ source, text, want string }{
		{transcripts.Goose, `{"id":"s1","working_dir":"/w","conversation":[{"role":"assistant","created":1777629605,"content":[` + strings.Join([]string{request("ran"), request("old"), request("failed"), request("broken"), request("declined"), request("hook"), request("coded"), request("open")}, ",") +
			`]},{"role":"user","created":1777629606,"content":[` +
			strings.Join([]string{response("ran", text("ok")),
				response("old", `{"status":"success","value":[{"type":"text","text":"ok"}]}`),
				response("failed", `{"status":"success","value":{"content":[],"isError":true}}`),
				response("broken", `{"status":"error","error":"-32603: no such file"}`),
				response("declined", text("The user has declined to run this tool. DO NOT attempt to call this tool again.")),
				response("hook", text("Tool call denied by policy hook 'nomograph': Policy x denies this")),
				response("coded", `{"status":"error","error":"-32600: Tool call denied by policy hook 'nomograph': no"}`)}, ",") + `]}]}`,
			"ran old failed! broken! declined- hook- coded!- open?"},
		{transcripts.OpenCode, `{"info":{"id":"s1","directory":"/w","version":"1","time":{"created":1777629600000}},"messages":[{"info":{"role":"assistant","time":{"created":1777629605000}},"parts":[` +
			strings.Join([]string{part("ran", `"status":"completed","output":"ok"`),
				part("failed", `"status":"completed","output":"no","metadata":{"exit":2}`),
				part("broken", `"status":"error","error":"no such file"`),
				part("declined", `"status":"error","error":"The user rejected permission to use this specific tool call."`),
				part("unchecked", `"status":"error","error":"Error: Nomograph did not answer, so this action is not allowed"`), `{"type":"tool","callID":"copied","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"ok","time":{"start":1777629504000,"end":1777629505000}}}`, part("open", `"status":"running"`)}, ",") + `]}]}`,
			"ran failed! broken! declined!- unchecked!-"},
	} {
		path := filepath.Join(t.TempDir(), "export.json")
		write(t, path, client.text)
		files := graphtest.Must(transcripts.Files(path))(t)
		var order []string
		ends := map[string]string{}
		files[0].Called = func(c *transcripts.Conversation, call transcripts.Call) {
			if c.Source != client.source || call.Session != "s1" || c.Folder != "/w" || call.At.IsZero() {
				t.Errorf("%s: got call %+v of %+v, want one of the session", client.source, call, c)
			}
			if call.Tool != "" {
				if order = append(order, call.ID); call.Input["command"] != "ls" {
					t.Errorf("%s: got input %v, want the command", client.source, call.Input)
				}
				ends[call.ID] = "?"
				return
			}
			ends[call.ID] = map[bool]string{true: "!"}[call.Failed] + map[bool]string{true: "-"}[call.Denied]
		}
		for _, err := range files[0].Read() {
			if err != nil {
				t.Error(err)
			}
		}
		for i, id := range order {
			order[i] = id + ends[id]
		}
		golden.Equal(t, client.source, strings.Join(order, " "), client.want)
	}
}

// TestTranscripts_RecordedSessions_HaveTextsAndCalls: each client ran a harmless command, and was denied a harmful one
// by its hook.
func TestTranscripts_RecordedSessions_HaveTextsAndCalls(t *testing.T) {
	for _, client := range []struct{ source, version, tool string }{
		{transcripts.Codex, "0.171.0", "exec_command"}, {transcripts.Gemini, "", "run_shell_command"},
		{transcripts.Copilot, "1.0.102", "bash"},
	} {
		for name, command := range map[string]string{"ran": "echo made > /home/ada/shop/made",
			"denied": "rm -rf ~/precious ~"} {
			path := filepath.Join("testdata", client.source+"-"+name+".jsonl")
			files := graphtest.Must(transcripts.Files(path))(t)
			var calls []transcripts.Call
			files[0].Called = func(c *transcripts.Conversation, call transcripts.Call) {
				if c.Source != client.source || c.Folder != "/home/ada/shop" || call.Session != c.ExternalID ||
					len(call.Session) != 36 || call.At.IsZero() {
					t.Errorf("%s: got call %+v of %+v, want one of the session", path, call, c)
				}
				calls = append(calls, call)
			}
			var asked, answered, acts string
			for text, err := range files[0].Read() {
				switch {
				case err != nil:
					t.Errorf("%s: %v", path, err)
				case text.Over:
				case text.Asks:
					asked += text.Text + "|"
				case text.Act:
					acts += text.Text + "|"
				default:
					answered += text.Text + "|"
				}
			}
			if asked != "Run: "+command+"|" || answered != "done|" ||
				!strings.HasPrefix(acts, "["+client.tool+"] "+command+"|") {
				t.Errorf("%s: got %q, %q and %q, want the prompt, the answer and the command", path, asked, answered,
					acts)
			}
			if len(calls) != 2 || calls[0].Tool != client.tool || calls[0].Version != client.version ||
				calls[1].ID != calls[0].ID || calls[1].Tool != "" {
				t.Fatalf("%s: got calls %+v, want a call and its result", path, calls)
			}
			if !calls[0].At.Before(calls[1].At) || calls[1].Denied != (client.source == transcripts.Copilot &&
				name == "denied") {
				t.Errorf("%s: got calls %+v, want the start before the end, and a denial of Copilot marked", path,
					calls)
			}
			given := fmt.Sprint(calls[0].Input["command"], calls[0].Input["cmd"])
			if result := calls[1]; !strings.Contains(given, command) ||
				(name == "denied") != (result.Failed || result.Unclear) ||
				(name == "denied") != strings.Contains(result.Result, "nomograph verdict explain") {
				t.Errorf("%s: got input %q and result %+v", path, given, result)
			}
		}
	}
}
