package transcripts_test

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	for _, c := range golden.Cases(t, "testdata/forms.txt") {
		t.Run(c.Name, func(t *testing.T) {
			text, want, _ := strings.Cut(strings.ReplaceAll(c.Text, `\0`, "\x00"), "\n>>>\n")
			path := filepath.Join(t.TempDir(), c.Want)
			write(t, path, text)
			lines := strings.Split(read(t, path), "\n")
			for i, line := range lines { // ids by content
				if fields := strings.Fields(strings.TrimLeft(line, "?= ")); strings.Contains(want, "ID") &&
					len(fields) > 1 {
					id := fields[0]
					if id == "markdown" || id == "cursor" {
						id = fields[1]
					}
					lines[i] = strings.Replace(line, id, "ID", 1)
				}
			}
			if got := strings.Join(lines, "\n"); sorted(got) != sorted(want+"\n") {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// sorted sorts the ends of conversations, whose order is not defined.
func sorted(text string) string {
	var content, over []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, " over: ") {
			over = append(over, line)
			continue
		}
		content = append(content, line)
	}
	slices.Sort(over)
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
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is not once in\n%s", want, got)
		}
	}
	if strings.Count(got, "\n") != 6 {
		t.Error(got)
	}
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
			graphtest.OK(t, err)
		}
		for i, id := range order {
			order[i] = id + ends[id]
		}
		if got := strings.Join(order, " "); got != client.want {
			t.Errorf("%s: got %s, want %s", client.source, got, client.want)
		}
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
