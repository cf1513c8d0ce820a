package conversations_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/memory/conversations"
	"nomograph/tools/toolstest"
)

// TestImport_Inputs_StoreEachConversationOnce has a row for each form in which an import stored too much or too
// little. The files of a row are written and imported one after the other. want are texts that are stored once, and
// not are texts that are not stored.
func TestImport_Inputs_StoreEachConversationOnce(t *testing.T) {
	const gemini = `{"sessionId":"g","projectHash":"h"}` + "\n" +
		`{"id":"u1","timestamp":"2026-05-01T10:00:00Z","type":"user","content":"Which color has it?"}` + "\n"
	answer := func(text string) string {
		return `{"id":"g1","timestamp":"2026-05-01T10:00:01Z","type":"gemini","content":"` + text + `"}` + "\n"
	}
	session := func(id, at string) string {
		return strings.ReplaceAll(strings.ReplaceAll(`{"sessionId":"ID","type":"user","uuid":"a","timestamp":"ATZ","message":{"role":"user","content":"Why does the lathe stop?"}}
{"sessionId":"ID","type":"assistant","uuid":"b","timestamp":"ATZ","message":{"role":"assistant","content":"The fuse is blown."}}
`, "ID", id), "AT", at)
	}
	const noon = "2026-05-01T12:00:00"
	next := func(session, uuid string) string {
		return strings.NewReplacer("ID", session, "UU", uuid).
			Replace(`{"sessionId":"ID","type":"user","uuid":"UU","timestamp":"2026-05-01T12:05:00Z","message":{"role":"user","content":"Which UU?"}}` + "\n")
	}
	type input struct {
		files [][2]string // name and content
		want  []string
		not   string
		notes []string // texts in the notes and the reasons of what was skipped, of the last import
	}
	inputs := map[string]input{
		"a streamed answer": {files: [][2]string{{"g.jsonl", gemini + answer("The lamp is gr")},
			{"g.jsonl", gemini + answer("The lamp is gr") + answer("The lamp is green.")}},
			want: []string{"The lamp is green."}},
		"an answer of equal length": {files: [][2]string{{"g.jsonl", gemini + answer("The lamp is red.")},
			{"g.jsonl", gemini + answer("The lamp is red.") + answer("The lamp is tan.")}},
			want: []string{"The lamp is tan."}, not: "The lamp is red."},
		"a grown file": {files: [][2]string{{"s.jsonl", session("s", "2026-05-01T10:00:00")},
			{"s.jsonl", session("s", "2026-05-01T10:00:00") +
				`{"sessionId":"s","type":"user","uuid":"c","timestamp":"2026-05-01T10:05:00Z","message":{"role":"user","content":"Which fuse?"}}` + "\n"}}, want: []string{"The fuse is blown.", "Which fuse?"}},
		"a copy": {files: [][2]string{{"s.jsonl", session("s", "2026-05-01T10:00:00")},
			{"t.jsonl", session("t", "2026-05-01T10:00:00")}}, want: []string{"The fuse is blown."},
			notes: []string{"the conversation t is a copy of s"}},
		"the same words later": {files: [][2]string{{"s.jsonl", session("s", "2026-05-01T10:00:00")},
			{"t.jsonl", session("t", "2026-06-01T10:00:00")}}, want: []string{"2 The fuse is blown."}},
		"a time in words": {files: [][2]string{{"s.jsonl",
			strings.Replace(session("s", "2026-05-01T10:00:00"), "2026-05-01T10:00:00Z", "yesterday", 1)}},
			want: []string{"The fuse is blown."}, notes: []string{"Records whose time cannot be read: 1"}},
		"other records": {files: [][2]string{{"s.jsonl", session("s", "2026-05-01T10:00:00") +
			`{"sessionId":"s","type":"system","uuid":"c"}` + "\n"}, {"empty.jsonl", ""}},
			want: []string{"The fuse is blown."}, notes: []string{"1 system", "it contains no message"}},
		"the same words, other records": {files: [][2]string{{"s.jsonl", session("s", noon)},
			{"t.jsonl", strings.ReplaceAll(session("t", noon), `"uuid":"`, `"uuid":"t`) + next("t", "z3")}},
			want: []string{"2 The fuse is blown.", "Which z3?"}},
	}
	for _, row := range golden.Rows(t, "testdata/forks.txt") {
		fork := input{want: append(strings.Split(row[2], "; "), "The fuse is blown."), not: row[3], notes: row[4:]}
		for file := range strings.SplitSeq(row[1], ", ") {
			id, questions, _ := strings.Cut(file, " ")
			content := session(id, noon)
			for question := range strings.FieldsSeq(questions) {
				content += next(id, question)
			}
			fork.files = append(fork.files, [2]string{id + ".jsonl", content})
		}
		inputs[row[0]] = fork
	}
	for name, tt := range inputs {
		t.Run(name, func(t *testing.T) {
			g, env := toolstest.Open(t)
			dir := t.TempDir()
			var out conversations.Imported
			for _, file := range tt.files {
				graphtest.OK(t, os.WriteFile(filepath.Join(dir, file[0]), []byte(file[1]), 0o600))
				out = imported(t, env, dir, conversations.Options{})
			}
			stored := text(t, g)
			for _, want := range tt.want {
				times := 1
				if rest, twice := strings.CutPrefix(want, "2 "); twice {
					want, times = rest, 2
				}
				graphtest.Equal(t, strings.Count(stored, want), times, fmt.Sprint("times of ", want, " in ", stored))
			}
			if tt.not != "" && strings.Contains(stored, tt.not) {
				t.Errorf("got %q in %s, want it gone", tt.not, stored)
			}
			said := strings.Join(out.Notes, "\n")
			for _, p := range out.Skipped {
				said += "\n" + p.Error()
			}
			for _, want := range tt.notes {
				graphtest.Contains(t, said, want)
			}
		})
	}
}
