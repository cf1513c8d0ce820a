package search

import (
	"os"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// linesOf returns the lines of a file without comments.
func linesOf(t *testing.T, file string) []string {
	t.Helper()
	text := graphtest.Must(os.ReadFile(file))(t)
	return slices.DeleteFunc(strings.Split(strings.Trim(string(text), "\n"), "\n"),
		func(line string) bool { return strings.HasPrefix(line, "#") })
}

// indexOf returns an index of decisions with contexts.
func indexOf(t *testing.T, g *graphtest.Graph, texts [][2]string) *Index {
	t.Helper()
	var rows []any
	for _, text := range texts {
		rows = append(rows, map[string]any{"uid": text[0], "id": text[0], "decision": text[0], "context": text[1],
			"terms": "", "facets": Facet("source", "all")})
	}
	g.Exec(t, "UNWIND $rows AS row CREATE (d:Decision:Unindexed) SET d = row, d.created_at = datetime('2020-01-01T00:00Z')", map[string]any{"rows": rows})
	return opened(t, g)
}

// TestSearch_Paraphrases_FindTheirRecord asks for decisions in other words, in several languages and scripts.
func TestSearch_Paraphrases_FindTheirRecord(t *testing.T) {
	var texts, questions [][2]string
	for _, line := range linesOf(t, "testdata/paraphrases.txt") {
		fields := strings.SplitN(line, " | ", 4)
		if len(fields) != 4 {
			t.Fatalf("%q: got %d fields, want language, question, decision and context", line, len(fields))
		}
		questions = append(questions, [2]string{fields[1], fields[2]})
		if text := [2]string{fields[2], fields[3]}; !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	x := indexOf(t, graphtest.New(t), texts)
	for mode, least := range map[string]int{Hybrid: 19,
		Semantic: 18} { // without words, the embedder knows only English
		found := 0
		for _, q := range questions {
			got := uids(ask(t, x, Question{Text: q[0], Mode: mode, Limit: 5}))
			if slices.Contains(got, q[1]) {
				found++
			} else {
				t.Logf("%s: %q does not find %q but %q", mode, q[0], q[1], got)
			}
		}
		t.Logf("%s: %d of %d paraphrases find their record", mode, found, len(questions))
		if 20*found < least*len(questions) {
			t.Errorf("%s: got %d of %d, want %d in 20", mode, found, len(questions), least)
		}
	}
	answered := 0
	nonsense := linesOf(t, "testdata/nonsense.txt")
	for _, text := range nonsense {
		if got := uids(ask(t, x, Question{Text: text, Limit: 5})); len(got) > 0 {
			t.Logf("%q finds %q", text, got)
			answered++
		}
	}
	if t.Logf("%d of %d nonsense questions find something", answered, len(nonsense)); answered > len(nonsense)/10 {
		t.Errorf("got %d answers to nonsense, want at most 1 in 10", answered)
	}
}
