package transcripts_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nomograph/internal/document/documenttest"
	"nomograph/memory/transcripts"
)

// Records of clients, for the rows below.
const (
	geminiHead  = `{"sessionId":"f4dacdac-d544","projectHash":"73ab","startTime":"2026-05-01T10:00:00Z","kind":"main"}` + "\n"
	codexHead   = `{"type":"session_meta","timestamp":"2026-05-01T10:00:00Z","payload":{"id":"0199aaaa-bbbb-cccc-dddd-eeeeffff0000","cwd":"/shop"}}` + "\n"
	copilotHead = `{"type":"session.start","timestamp":"2026-05-01T10:00:00Z","data":{"sessionId":"c0"}}` + "\n"
)

func geminiLine(id, kind, text string) string {
	return fmt.Sprintf(`{"id":"%s","timestamp":"2026-05-01T10:00:00Z","type":"%s","content":"%s"}`, id, kind, text)
}

func claudeLine(uuid, kind, text string) string {
	return fmt.Sprintf(`{"sessionId":"s","type":"%s","uuid":"%s","timestamp":"2026-05-01T10:00:00Z","message":{"role":"%s","content":"%s"}}`, kind, uuid, kind, text)
}

func claudeAnswer(uuid, parent, kind, text string) string {
	return strings.Replace(claudeLine(uuid, kind, text), `"uuid"`, `"parentUuid":"`+parent+`","uuid"`, 1)
}

func codexLine(role, text string) string {
	return fmt.Sprintf(`{"type":"response_item","timestamp":"2026-05-01T10:00:00Z","payload":{"type":"message","role":"%s","content":[{"type":"input_text","text":"%s"}]}}`, role, text)
}

func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }

// TestTranscripts_Inputs_NothingIsLost has a row for each form that a reader of transcripts got wrong. want is the
// source and id of the conversation, each message with its time (omitted if it is that of the file), each problem, and
// the number of skipped records of each kind.
func TestTranscripts_Inputs_NothingIsLost(t *testing.T) {
	for name, tt := range map[string]struct{ path, text, want string }{
		// github.com/google-gemini/gemini-cli/issues/15292: a session file holds each streamed version of a message
		"a streamed answer": {"s.jsonl", geminiHead + lines(geminiLine("u1", "user", "Which color?"),
			geminiLine("g1", "gemini", "The lamp is gr"), geminiLine("g1", "gemini", "The lamp is green."),
			geminiLine("u2", "user", "Thanks")),
			"gemini f4dacdac-d544|10:00 User: Which color?|10:00 Assistant: The lamp is green.|10:00 User: Thanks"},
		"a version after others": {"s.jsonl", geminiHead + lines(geminiLine("g1", "gemini", "The lamp is gr"),
			geminiLine("u2", "user", "Go on"), geminiLine("g1", "gemini", "The lamp is green.")),
			"gemini f4dacdac-d544|10:00 Assistant: The lamp is green.|10:00 User: Go on"},
		"a version in an update": {"s.jsonl", geminiHead + lines(geminiLine("u1", "user", "Which color?"),
			geminiLine("g1", "gemini", "The lamp is gr"), `{"$set":{"messages":[`+
				geminiLine("u1", "user", "Which color?")+","+geminiLine("g1", "gemini", "The lamp is green.")+`]}}`),
			"gemini f4dacdac-d544|10:00 User: Which color?|10:00 Assistant: The lamp is green."},
		"a newer version of Claude Code": {"s.jsonl",
			lines(claudeLine("a", "user", "Why?"), claudeLine("b", "assistant", "Bec"),
				claudeLine("b", "assistant", "Because.")), "claude-code s|10:00 User: Why?|10:00 Assistant: Because."},
		"a resumed session": {"s.jsonl",
			lines(claudeLine("a", "user", "Why?"), claudeLine("b", "assistant", "Because."),
				claudeLine("a", "user", "Why?"), claudeLine("b", "assistant", "Because."),
				claudeLine("c", "user", "And?")), "claude-code s|10:00 User: Why?|10:00 Assistant: Because.|10:00 User: And?"},
		"the id of a conversation": {"s.jsonl",
			lines(`{"id":"k","role":"user","content":"One"}`, `{"id":"k","role":"assistant","content":"Two"}`,
				`{"id":"k","role":"user","content":"Three"}`), "json ID|User: One|Assistant: Two|User: Three"},
		"messages in an update": {"s.jsonl",
			geminiHead + lines(`{"$set":{"messages":[`+geminiLine("u1", "user", "Which color?")+`],"lastUpdated":"x"}}`,
				`{"$push":{"messages":`+geminiLine("g1", "gemini", "Green.")+`}}`, `{"$set":{"lastUpdated":"x"}}`),
			"gemini f4dacdac-d544|10:00 User: Which color?|10:00 Assistant: Green.|1 $set"},
		"wrapped messages": {"s.jsonl",
			lines(`{"type":"message","id":"a","timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":[{"type":"text","text":"Why?"}]}}`, `{"type":"message","id":"b","timestamp":"2026-05-01T10:00:00Z","message":{"role":"assistant","content":"Because."}}`), "json ID|10:00 User: Why?|10:00 Assistant: Because."},
		"a conversation in a line": {"s.jsonl",
			lines(`{"id":"k","messages":[{"role":"user","content":"Why?"},{"role":"assistant","content":"Because."}]}`),
			"json k|User: Why?|Assistant: Because."},
		// A crash, a full disk or a sync client damages the first line
		"Codex, damaged": {"rollout-2026-05-01T10-00-00-0199aaaa-bbbb-cccc-dddd-eeeeffff0000.jsonl",
			codexHead[5:] + lines(codexLine("user", "Why?"), codexLine("assistant", "Because.")),
			"codex 0199aaaa-bbbb-cccc-dddd-eeeeffff0000|! 1: the line is not a JSON object|10:00 User: Why?|10:00 Assistant: Because."},
		"Copilot, damaged": {"c0/events.jsonl", copilotHead[:9] + "\n" +
			lines(`{"type":"user.message","id":"1","timestamp":"2026-05-01T10:00:00Z","data":{"content":"Why?"}}`),
			"copilot c0|! 1: the line is not a JSON object|10:00 User: Why?"},
		"Gemini, damaged": {"session-1.jsonl", geminiHead[:20] + "\n" +
			lines(`{"$set":{"lastUpdated":"x"}}`, geminiLine("u1", "user", "Why?"),
				geminiLine("g1", "gemini", "Because.")), "gemini session-1|! 1: the line is not a JSON object|10:00 User: Why?|10:00 Assistant: Because.|1 $set"},
		"Goose, damaged": {"20250601_2.jsonl", "{\n" +
			lines(`{"role":"user","created":1777629600,"content":[{"type":"text","text":"Why?"}]}`),
			"goose 20250601_2|! 1: the line is not a JSON object|10:00 User: Why?"},
		"Claude Code, damaged": {"s.jsonl", "\x00\x00\n" + lines(claudeLine("a", "user", "Why?")),
			"claude-code s|! 1: byte 1 is zero, so it is not text|10:00 User: Why?"},
		"Latin-1 in a line": {"s.jsonl", lines(claudeLine("a", "user", "caf\xe9"),
			claudeLine("b", "assistant", "Because.")), "claude-code s|! 1: byte 117 (0xE9) is not UTF-8|10:00 Assistant: Because."},
		"JSON, damaged": {"chat.json", `{"role":"user","content":"O` + "\n" +
			lines(`{"role":"user","content":"Two"}`, `{"role":"assistant","content":"Three"}`),
			"json ID|! 1: the line is not a JSON object|User: Two|Assistant: Three"},
		"Latin-1 in Markdown": {"chat.md", "**User:** caf\xe9\n\n**User:** Why?\n",
			"markdown ID|! 1: byte 14 (0xE9) is not UTF-8|User: Why?"},
		"Latin-1 in JSON": {"chat.json", `[{"id":"a","messages":[{"role":"user","content":"caf` + "\xe9" +
			`"}]},{"id":"b","messages":[{"role":"user","content":"Why?"}]}]`,
			"json b|! chat.json, conversation 1: byte 52 (0xE9) is not UTF-8|User: Why?"},
		"Codex, head second": {"s.jsonl", lines(codexLine("user", "Why?"),
			`{"type":"event_msg","payload":{}}`) + codexHead + lines(codexLine("assistant", "Because.")),
			"codex 0199aaaa-bbbb-cccc-dddd-eeeeffff0000|10:00 User: Why?|10:00 Assistant: Because.|1 event_msg"},
		"Copilot, head second": {"c1/events.jsonl", lines(`{"type":"session.resume","id":"0","data":{}}`) + copilotHead + lines(`{"type":"user.message","id":"1","timestamp":"2026-05-01T10:00:00Z","data":{"content":"Why?"}}`), "copilot c0|10:00 User: Why?|1 session.resume"},
		"Gemini, head second": {"session-1.jsonl", lines(geminiLine("u1", "user",
			"Why?")) + geminiHead + lines(geminiLine("g1", "gemini", "Because.")),
			"gemini f4dacdac-d544|10:00 User: Why?|10:00 Assistant: Because."},
		"Codex, garbage first": {"s.jsonl", "\x00\x00\n" + codexHead + lines(codexLine("user", "Why?")),
			"codex 0199aaaa-bbbb-cccc-dddd-eeeeffff0000|! 1: byte 1 is zero, so it is not text|10:00 User: Why?"},
		// Nothing is skipped silently
		"no message": {"s.jsonl", lines(`{"type":"summary","summary":"x","leafUuid":"y"}`,
			`{"type":"file-history-snapshot","messageId":"m"}`),
			"! it contains no message|1 file-history-snapshot|1 summary"},
		"an empty": {"s.jsonl", "", "! it contains no message"},
		"other kinds": {"s.jsonl", codexHead + lines(codexLine("user", "Why?"),
			codexLine("developer", "Rules"), `{"type":"event_msg","payload":{"type":"token_count"}}`,
			`{"type":"event_msg","payload":{}}`, `{"type":"response_item","payload":{"type":"reasoning"}}`),
			"codex 0199aaaa-bbbb-cccc-dddd-eeeeffff0000|10:00 User: Why?|1 developer message|1 reasoning|2 event_msg"},
		"instructions": {"s.jsonl", lines(`{"role":"system","content":"Rules"}`,
			`{"role":"developer","content":"More"}`, `{"role":"user","content":"Why?"}`,
			`{"role":"assistant","content":"Because."}`),
			"json ID|User: Why?|Assistant: Because.|1 developer message|1 system message"},
		"instructions in a list": {"s.json", `{"messages":[{"role":"system","content":"Rules"},{"role":"user","content":"Why?"}]}`, "json ID|User: Why?|1 system message"},
		"instructions for Cursor": {"agent-transcripts/k/k.jsonl",
			lines(`{"role":"system","message":{"content":"Rules"}}`, `{"role":"user","message":{"content":"Why?"}}`),
			"cursor k|User: Why?|1 system message"},
		"instructions for ChatGPT": {"c.json", `[{"id":"k","mapping":{"a":{"message":{"author":{"role":"developer"},"content":{"parts":["Rules"]}}},"b":{"parent":"a","message":{"author":{"role":"user"},"content":{"parts":["Why?"]}}}}}]`, "chatgpt k|User: Why?|1 hidden developer message"},
		"instructions in Markdown": {"chat.md", "**System:** Rules\n\n**User:** Why?\n",
			"markdown ID|User: Why?|1 system message"},
		"an unknown type": {"s.jsonl", lines(`{"type":"progress"}`, `{"type":"progress","data":{"n":1}}`,
			`{"role":"user","content":"Why?"}`), "json ID|User: Why?|2 progress"},
		"no content": {"s.jsonl", lines(`{"role":"user","content":"Why?"}`,
			`{"role":"assistant","content":null}`, `{"speaker":"Ada","text":""}`),
			"json ID|User: Why?|2 message without text"},
		"no content in Claude Code": {"s.jsonl", lines(claudeLine("a", "user", "Why?"),
			`{"sessionId":"s","type":"assistant","uuid":"b","message":{"role":"assistant","content":null}}`,
			`{"sessionId":"s","type":"assistant","uuid":"c","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"}]}}`), "claude-code s|10:00 User: Why?|2 message without text"},
		"no content in Gemini": {"s.jsonl", geminiHead + lines(geminiLine("u1", "user", "Why?"),
			`{"id":"g1","type":"gemini","content":null}`,
			geminiLine("u0", "user", "<session_context>x</session_context>")),
			"gemini f4dacdac-d544|10:00 User: Why?|1 message that Gemini added|1 message without text"},
		"no content in Goose":    {"g.json", `{"id":"k","working_dir":"/w","conversation":[{"role":"user","created":1777629600,"content":[{"type":"text","text":"Why?"}]},{"role":"assistant","content":null},{"role":"assistant","content":[{"type":"toolRequest","id":"c","toolCall":{"value":{"name":"ls"}}}]}]}`, "goose k|10:00 User: Why?|10:00 : [ls] |1 message without text"},
		"no content in OpenCode": {"o.json", `{"info":{"id":"k"},"messages":[{"info":{"role":"user","time":{"created":1777629600000}},"parts":[{"type":"text","text":"Why?"}]},{"info":{"role":"assistant"},"parts":[]}]}`, "opencode k|10:00 User: Why?|1 message without text"},
		"no content in ChatGPT":  {"c.json", `[{"id":"k","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["Why?"]}}},"b":{"parent":"a","message":{"author":{"role":"assistant"},"content":null}}},"current_node":"b"}]`, "chatgpt k|User: Why?|1 message without text"},
		"a time in words": {"s.jsonl", lines(claudeLine("a", "user", "Why?"),
			`{"sessionId":"s","type":"assistant","uuid":"b","timestamp":"yesterday","message":{"role":"assistant","content":"Because."}}`, claudeLine("c", "user", "And?")), "claude-code s|10:00 User: Why?|10:00 Assistant: Because.|10:00 User: And?|1 without a readable time"},
		"a time in words, in a list": {"s.json", `{"id":"k","created_at":"2026-05-01T09:00:00Z","messages":[{"role":"user","content":"Why?","time":"2026-05-01T10:00:00Z"},{"role":"assistant","content":"Because.","time":"later"},{"role":"user","content":"And?"}]}`, "json k|10:00 User: Why?|10:00 Assistant: Because.|10:00 User: And?|1 without a readable time"},
		// A message follows the one that it answers, and else the one before it in time
		"an answer before the question": {"s.jsonl",
			lines(claudeAnswer("c", "b", "user", "And?"), claudeAnswer("d", "c", "assistant", "That."),
				claudeAnswer("a", "", "user", "Why?"), claudeAnswer("x", "a", "system", "hook"),
				claudeAnswer("b", "x", "assistant", "Because.")),
			"claude-code s|10:00 User: Why?|10:00 Assistant: Because.|10:00 User: And?|10:00 Assistant: That.|1 system"},
		"answers in a circle": {"s.jsonl", lines(claudeAnswer("a", "b", "user", "One"),
			claudeAnswer("b", "a", "user", "Two"), claudeAnswer("c", "c", "user", "Three"),
			claudeAnswer("d", "gone", "user", "Four")), "claude-code s|10:00 User: Three|10:00 User: Four|10:00 User: One|10:00 User: Two"},
		"links before times": {"s.jsonl", lines(strings.Replace(claudeAnswer("a", "", "user", "Why?"),
			"10:00", "11:00", 1), claudeAnswer("b", "a", "assistant", "Because.")),
			"claude-code s|11:00 User: Why?|10:00 Assistant: Because."},
		"times out of order":           {"s.jsonl", lines(`{"role":"assistant","content":[{"type":"text","text":"Because."},{"type":"tool_use","name":"ls"}],"timestamp":"2026-05-01T10:01:00Z"}`, `{"role":"user","content":"Why?","timestamp":"2026-05-01T10:00:00Z"}`, `{"role":"user","content":"And?","timestamp":"2026-05-01T10:01:00Z"}`), "json ID|10:00 User: Why?|10:01 Assistant: Because.|10:01 : [ls] |10:01 User: And?"},
		"times out of order, one none": {"s.jsonl", lines(`{"role":"assistant","content":"Because.","timestamp":"2026-05-01T10:01:00Z"}`, `{"role":"user","content":"Why?","timestamp":"2026-05-01T10:00:00Z"}`, `{"role":"user","content":"And?"}`), "json ID|10:01 Assistant: Because.|10:00 User: Why?|10:00 User: And?"},
		"times of a list":              {"s.json", `{"id":"k","messages":[{"role":"assistant","content":"Because.","time":"2026-05-01T10:01:00Z"},{"role":"user","content":"Why?","time":"2026-05-01T10:00:00Z"}]}`, "json k|10:00 User: Why?|10:01 Assistant: Because."},
		"times of an export":           {"g.json", `{"id":"k","working_dir":"/w","conversation":[{"role":"assistant","created":1777629660,"content":[{"type":"text","text":"Because."}]},{"role":"user","created":1777629600,"content":[{"type":"text","text":"Why?"}]}]}`, "goose k|10:00 User: Why?|10:01 Assistant: Because."},
		// The time in a text counts before that of the file, which a copy or a checkout changes
		"Cursor's time": {"agent-transcripts/k/k.jsonl",
			lines(`{"role":"user","message":{"content":[{"type":"text","text":"<timestamp>Friday, May 1, 2026, 12:00 PM (UTC+2)</timestamp>\n<user_query>\nWhy?\n</user_query>"}]}}`, `{"role":"assistant","message":{"content":[{"type":"text","text":"Because."}]}}`), "cursor k|10:00 User: Why?|10:00 Assistant: Because."},
		"time in a heading": {"chat.md", "# A talk\n\n## User (2026-05-01 10:00)\n\nWhy?\n\n## Assistant — 2026-05-01T10:02:00Z\n\nBecause.\n", "markdown ID|10:00 User: Why?|10:02 Assistant: Because."},
		"time before a name": {"chat.md", "[2026-05-01 10:00] User: Why?\n[2026-05-01 10:02] Assistant: Because.\n",
			"markdown ID|10:00 User: Why?|10:02 Assistant: Because."},
		"time after a name": {"chat.md", "**User** (2026-05-01 10:00)\n\nWhy?\n\n**Assistant**\n\nBecause.\n",
			"markdown ID|10:00 User: Why?|10:00 Assistant: Because."},
		"date of a document": {"chat.md", "# A talk\n\nDate: 2026-05-01\n\n**User:** Why?\n",
			"markdown ID|00:00 : Date: 2026-05-01|00:00 User: Why?"},
		"date in a title": {"chat.md", "# Talk of 2026-05-01 10:00\n\n**User:** Why?\n",
			"markdown ID|10:00 User: Why?"},
		"date of front matter": {"chat.md", "---\ndate: 2026-05-01 10:00\n---\n\n**User:** Why?\n",
			"markdown ID|10:00 : ---/date: 2026-05-01 10:00|10:00 User: Why?"},
		"time of an export": {"chat.json", `{"id":"k","created_at":"2026-05-01T10:00:00Z","messages":[{"role":"user","content":"Why?"}]}`, "json k|10:00 User: Why?"},
		"date in a sentence": {"chat.md", "**User:** What happened on 2020-01-02?\n",
			"markdown ID|User: What happened on 2020-01-02?"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := heard(t, tt.path, tt.text); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestTranscripts_Encodings_AreReadAlike(t *testing.T) {
	for path, text := range map[string]string{"s.jsonl": lines(claudeLine("a", "user", "Où est 漢字 😀?"),
		claudeLine("b", "assistant", "Là.")), "s.json": `[{"id":"s","messages":[{"role":"user","content":"Où est 漢字 😀?"},{"role":"assistant","content":"Là."}]}]`,
		"s.md": "**User:** Où est 漢字 😀?\n\n**Assistant:** Là.\n"} {
		want := heard(t, path, text)
		if !strings.Contains(want, "Où est 漢字 😀?") || !strings.Contains(want, "Là.") || strings.Contains(want, "!") {
			t.Fatalf("%s: got %s", path, want)
		}
		for name, encode := range documenttest.Accepted {
			if got := heard(t, path, string(encode(text))); got != want {
				t.Errorf("%s, %s: got %s, want %s", path, name, got, want)
			}
		}
	}
}

// heard reads a file and returns what it says, in one line.
func heard(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.FromSlash(name))
	write(t, path, text)
	files, err := transcripts.Files(path)
	if err != nil {
		t.Fatal(err)
	}
	var conversation string
	var out, kinds []string
	files[0].Skipped = func(kind string, records int) { kinds = append(kinds, fmt.Sprintf("%d %s", records, kind)) }
	files[0].Untimed = func(records int) { kinds = append(kinds, fmt.Sprintf("%d without a readable time", records)) }
	for u, err := range files[0].Read() {
		switch at := ""; {
		case err != nil:
			place, why, _ := strings.Cut(strings.TrimPrefix(err.Error(), path), ": ")
			place = strings.TrimPrefix(place, ":")
			if strings.HasPrefix(place, ",") {
				place = name + place
			}
			out = append(out, "! "+strings.TrimPrefix(place+": "+why, ": "))
		case u.Over:
			conversation = u.Source + " " + u.ExternalID
			if u.Source == transcripts.Markdown || u.Source == transcripts.JSON && len(u.ExternalID) == 16 {
				conversation = u.Source + " ID"
			}
		default:
			if !u.At.Equal(files[0].Changed) {
				at = u.At.UTC().Format("15:04 ")
			}
			out = append(out, at+u.Speaker+": "+strings.ReplaceAll(u.Text, "\n", "/"))
		}
	}
	if conversation != "" {
		out = append([]string{conversation}, out...)
	}
	slices.Sort(kinds)
	return strings.Join(append(out, kinds...), "|")
}
