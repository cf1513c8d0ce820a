package transcripts_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/document/documenttest"
	"nomograph/internal/golden"
	"nomograph/memory/transcripts"
)

func claudeLine(uuid, kind, text string) string {
	return fmt.Sprintf(`{"sessionId":"s","type":"%s","uuid":"%s","timestamp":"2026-05-01T10:00:00Z","message":{"role":"%s","content":"%s"}}`, kind, uuid, kind, text)
}

func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }

// TestTranscripts_Inputs_NothingIsLost reads each form that a reader of transcripts got wrong.
func TestTranscripts_Inputs_NothingIsLost(t *testing.T) {
	cases := []golden.Case{
		{Name: "Claude Code, damaged", Want: "claude-code s|! 1: byte 1 is zero, so it is not text|10:00 User: Why?",
			Text: "s.jsonl\n\x00\x00\n" + lines(claudeLine("a", "user", "Why?"))},
		{Name: "Latin-1 in a line", Want: "claude-code s|! 1: byte 117 (0xE9) is not UTF-8|10:00 Assistant: Because.",
			Text: "s.jsonl\n" + lines(claudeLine("a", "user", "caf\xe9"), claudeLine("b", "assistant", "Because."))},
		{Name: "Latin-1 in Markdown", Want: "markdown ID|! 1: byte 14 (0xE9) is not UTF-8|User: Why?",
			Text: "chat.md\n**User:** caf\xe9\n\n**User:** Why?\n"},
		{Name: "Latin-1 in JSON", Want: "json b|! chat.json, conversation 1: byte 52 (0xE9) is not UTF-8|User: Why?",
			Text: "chat.json\n" + `[{"id":"a","messages":[{"role":"user","content":"caf` + "\xe9" +
				`"}]},{"id":"b","messages":[{"role":"user","content":"Why?"}]}]`},
	}
	for _, tt := range append(golden.Cases(t, "testdata/inputs.txt"), cases...) {
		t.Run(tt.Name, func(t *testing.T) {
			path, text, _ := strings.Cut(tt.Text, "\n")
			golden.Equal(t, "heard", heard(t, path, text), tt.Want)
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
			golden.Equal(t, path+", "+name, heard(t, path, string(encode(text))), want)
		}
	}
}

// heard reads a file and returns what it says, in one line.
func heard(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.FromSlash(name))
	write(t, path, text)
	files := graphtest.Must(transcripts.Files(path))(t)
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
