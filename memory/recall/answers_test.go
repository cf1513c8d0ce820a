package recall_test

import (
	"strings"
	"testing"
	"time"

	"nomograph/internal/golden"
	"nomograph/memory/recall"
	"nomograph/tools/toolstest"
)

// TestRecall_Words_FindTheChunk asks, within a project, in the words of chunks: identifiers, compounds and other
// scripts.
func TestRecall_Words_FindTheChunk(t *testing.T) {
	g, env := toolstest.Open(t)
	addConversation(t, g, env, "acme/words", "s-fill", time.Date(2024, 5, 10, 9, 0, 0, 0, time.UTC), filler...)
	type row struct{ question, text string }
	var rows []row
	for _, columns := range golden.Rows(t, "testdata/words.txt") {
		rows = append(rows, row{columns[0], "User: " + columns[1] + "\n\nAssistant: " + columns[2]})
	}
	seen := map[string]bool{}
	for i, row := range rows {
		if !seen[row.text] {
			seen[row.text] = true
			addConversation(t, g, env, "acme/words", "s-"+string(rune('a'+i)),
				time.Date(2024, 6, 1+i, 9, 0, 0, 0, time.UTC), row.text)
		}
	}
	for _, row := range rows {
		for _, limits := range []recall.Limits{{}, {Project: "acme/words"},
			{Project: "acme/words", MaxTokens: recall.MinTokens}} {
			r, err := env.Recall.Recall(t.Context(), recall.RecallQuery{Query: row.question, Range: "long",
				Limits: limits})
			e, err2 := env.Recall.Explain(t.Context(), recall.ExplainQuery{Topic: row.question, Limits: limits})
			p, err3 := env.Recall.Predict(t.Context(), recall.PredictQuery{Context: row.question, Limits: limits})
			if err != nil || err2 != nil || err3 != nil {
				t.Fatal(err, err2, err3)
			}
			if limits.MaxTokens > 0 {
				for _, got := range []string{r.String(), e.String(), p.String()} {
					if got == recall.NothingFound || got == recall.NothingPredicted {
						t.Errorf("%s within %d tokens: got %s, want a chunk", row.question, limits.MaxTokens, got)
					}
				}
				continue
			}
			answer := row.text[strings.Index(row.text, "Assistant: "):]
			if r.Count == 0 || !strings.Contains(r.Chunks[0].Text, answer) {
				t.Errorf("recall %s in %q: got %s, want %s first", row.question, limits.Project, r, answer)
			}
			found := func(a recall.Answer) bool {
				for _, c := range a.Chunks {
					if strings.Contains(c.Text, answer) {
						return true
					}
				}
				return false
			}
			if !found(e.Answer) || !found(p.Answer) {
				t.Errorf("explain and predict %s in %q: got %s and %s, want %s", row.question, limits.Project, e, p,
					answer)
			}
		}
	}
}
