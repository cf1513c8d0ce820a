package briefing_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/decisions/briefing"
	"nomograph/graph/graphtest"
	"nomograph/memory/conversations"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// remember imports conversations of two projects.
func remember(t *testing.T, g *graphtest.Graph, env *tools.App) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "talks.jsonl")
	var lines strings.Builder
	for i, talk := range []string{"Which queue do we take for the orders?|The table outbox is the queue of orders, since the broker lost some of them.", "Who orders the lunch on Fridays?|Whoever came last orders it.",
		"Does the queue of orders keep up with the sale?|It kept up with nine thousand orders an hour, the outbox was emptied every second.", "How warm is the office?|Nineteen degrees, and the window stays shut.",
		"May the queue of orders drop one?|Never: an order in the outbox is deleted only after the shop has answered.",
		"What failed in the queue of orders in May?|Two consumers took the same order, since nobody locked its row."} {
		question, answer, _ := strings.Cut(talk, "|")
		fmt.Fprintf(&lines, `{"session":"talk-%d","project":"acme/shop","role":"user","content":%q,"at":"2026-05-0%dT10:00:00Z"}`+"\n"+`{"session":"talk-%d","role":"assistant","content":%q}`+"\n", i, question, i+1, i, answer+strings.Repeat(" It was talked about for long.", 8))
	}
	fmt.Fprint(&lines, `{"session":"elsewhere","project":"beta/shop","role":"user","content":"Which queue does beta take for the orders?","at":"2026-05-01T10:00:00Z"}`)
	graphtest.OK(t, os.WriteFile(path, []byte(lines.String()), 0o600))
	graphtest.Must(env.Conversations.Import(t.Context(), path, conversations.Options{}))(t)
	toolstest.WaitForWorkers(t, g)
}

// TestContext_Memories_AreRelevantAndFit: only memories relevant to the task, of its project, within the token budget.
func TestContext_Memories_AreRelevantAndFit(t *testing.T) {
	g, env := toolstest.Open(t)
	remember(t, g, env)
	asks := briefing.Query{TaskDescription: "Have the queue of orders keep up with the next sale", Project: "acme/shop",
		MaxTokens: 3000, Format: "json"}
	out := contextOf(t, env, asks)
	if len(out.Memories) == 0 || len(out.Memories) > 3 {
		t.Fatalf("got %+v, want nonzero len(Memories), len(Memories) at most 3", out.Memories)
	}
	for _, m := range out.Memories {
		if !strings.Contains(m.Text, "order") || strings.Contains(m.Text, "beta") ||
			strings.Contains(m.Text, "lunch") || len(m.Text) > 310 {
			t.Errorf("got %+v, want Text with order, Text without beta, Text without lunch, len(Text) at most 310", m)
		}
	}
	if asks.TaskDescription = ""; len(contextOf(t, env, asks).Memories) > 0 {
		t.Error("got memories without a task, want none")
	}
	asks = briefing.Query{TaskDescription: "Have the queue of orders keep up with the next sale", Project: "acme/shop",
		MaxTokens: 3000}
	full := contextOf(t, env, asks)
	if !strings.Contains(full.Markdown, "outbox") {
		t.Error(full.Markdown)
	}
	for _, limit := range []int{200, 300, 500} {
		asks.MaxTokens = limit
		if got := contextOf(t, env, asks); got.Tokens > limit || tokensOf(t, got.Markdown) > limit {
			t.Errorf("%d tokens of %d: %s", tokensOf(t, got.Markdown), limit, got.Markdown)
		}
	}
}
