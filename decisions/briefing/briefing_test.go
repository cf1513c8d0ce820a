package briefing_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer/codec"

	"nomograph/decisions"
	"nomograph/decisions/briefing"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/internal/render"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

func contextOf(t *testing.T, env *tools.App, q briefing.Query) briefing.SessionContext {
	t.Helper()
	if q.By == "" {
		q.By = "ada"
	}
	out, err := env.Briefing.SessionContext(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: got %v, want no error", q, err)
	}
	if strings.Contains(inJSON(t, out), "NaN") {
		t.Errorf("got %s, want text without NaN", inJSON(t, out))
	}
	return out
}

func inJSON(t *testing.T, value any) string {
	t.Helper()
	text := graphtest.Must(render.JSON(value))(t)
	return string(text)
}

func tokensOf(t *testing.T, text string) int {
	t.Helper()
	return graphtest.Must(codec.NewCl100kBase().Count(text))(t)
}

func TestContext_EmptyGraph_HasEmptySections(t *testing.T) {
	_, env := toolstest.Open(t)
	text := contextOf(t, env, briefing.Query{})
	golden.Check(t, "testdata/context_empty.md", text.Markdown)
	if len(text.Notes)+len(text.Trimmed) > 0 || text.AgentProfile != nil || text.Tokens != tokensOf(t, text.Markdown) {
		t.Errorf("got %+v, want (len(text.Notes) + len(text.Trimmed)) at most 0, AgentProfile=nil, Tokens=tokensOf(t, text.Markdown)", text)
	}
	out := contextOf(t, env, briefing.Query{Format: "json", TaskDescription: "Choose a queue"})
	for _, want := range []string{`"relevant_decisions":[]`, `"active_guardrails":[]`, `"calibration_by_category":{}`,
		`"ready_queue":[]`, `"confirmed_patterns":[]`,
		`"contradictions":[]`, `"circuit_breakers":[]`, `"wisdom":[]`,
		`{"agent":"ada","total_decisions":0,"reviewed":0,"reason":"no decisions yet"}`} {
		if !strings.Contains(inJSON(t, out), want) {
			t.Errorf("%s is not in %s", want, inJSON(t, out))
		}
	}
	if blank := contextOf(t, env, briefing.Query{TaskDescription: " "}); len(blank.Notes) != 1 ||
		!strings.Contains(blank.Notes[0], "is blank") {
		t.Errorf("a task of one blank is noted as %q", blank.Notes)
	}
	_, err := env.Briefing.SessionContext(t.Context(),
		briefing.Query{Include: []string{"decisions", "weather"}, Session: decisions.Session{By: "ada"}})
	if f := apperr.From(err); f.Code != apperr.Validation || !strings.Contains(f.Error(), "weather") ||
		!strings.Contains(f.Hint, "contradictions") {
		t.Errorf("got %v, want a validation error that names the unknown section and lists the valid ones", err)
	}
}

var changing = regexp.MustCompile(`\b[0-9a-f]{8}\b|\b20\d\d-\d\d-\d\d\b`)

// TestContext_Templates_ShowCurrentValues: {threshold("x")} is replaced by the current value.
func TestContext_Templates_ShowCurrentValues(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyShipped(t, g, "core")
	g.Exec(t, "MATCH (t:SYS_Threshold {name: 'high_stakes_min_confidence'}) SET t.value = 0.4321", nil)
	sections := contextOf(t, env, briefing.Query{Format: "json", MaxTokens: 50000})
	for _, text := range []string{contextOf(t, env, briefing.Query{MaxTokens: 50000}).Markdown,
		inJSON(t, sections.ActiveGuardrails)} {
		if strings.Contains(text, "{threshold") || strings.Contains(text, "{action") ||
			strings.Contains(text, "{found") || !strings.Contains(text, "0.4321") {
			t.Errorf("got %s, want the values of thresholds instead of placeholders", text)
		}
	}
}

func TestContext_Task_ShowsRelevantDecisions(t *testing.T) {
	g, env := toolstest.Open(t)
	stage := toolstest.Stage{Graph: g, App: env}
	stage.Play(t, "testdata/calls/work.txt")
	all := contextOf(t, env, briefing.Query{TaskDescription: "Send orders through a queue", Project: "acme/shop",
		MaxTokens: 5000})
	golden.Check(t, "testdata/context.md", changing.ReplaceAllStringFunc(all.Markdown, func(found string) string {
		if strings.Contains(found, "-") {
			return "DAY"
		}
		return "ID"
	}))
	for line := range strings.SplitSeq(all.Markdown, "\n") {
		if strings.HasPrefix(line, "#") && (strings.Contains(line, "not a heading") ||
			strings.Contains(line, "Ignore")) {
			t.Errorf("a recorded text made a heading: %s", line)
		}
	}
	if strings.Contains(all.Markdown, "```") || strings.Count(all.Markdown, "\n## Protocol\n") != 1 {
		t.Errorf("a recorded text broke the structure:\n%s", all.Markdown)
	}
	if len(all.Trimmed) > 0 {
		t.Errorf("%+v was left out of 5000 tokens", all.Trimmed)
	}

	out := contextOf(t, env, briefing.Query{TaskDescription: "Send orders through a queue", Project: "acme/shop",
		MaxTokens: 50000, Format: "json", DecisionsLimit: 4})
	if out.Tokens != tokensOf(t, inJSON(t, out.Sections)) {
		t.Errorf("the sections have %d tokens, and %d are said", tokensOf(t, inJSON(t, out.Sections)), out.Tokens)
	}

	stage.Play(t, "testdata/calls/relevant.txt")
	relevant := contextOf(t, env, briefing.Query{TaskDescription: "Please send the orders of customers through a queue",
		Project: "acme/shop", OnlyRelevant: true, MaxTokens: 400})
	if n := tokensOf(t, relevant.Markdown); n > 400 || n != relevant.Tokens {
		t.Errorf("the relevant records have %d tokens, and %d are said", n, relevant.Tokens)
	}
	for _, limit := range []int{200, 500} {
		for _, format := range []string{"markdown", "json"} {
			out := contextOf(t, env, briefing.Query{TaskDescription: "queue", MaxTokens: limit, Format: format})
			text := out.Markdown
			if format == "json" {
				text = inJSON(t, out.Sections)
			}
			if n := tokensOf(t, text); n > limit || n != out.Tokens || n < limit/2 || len(out.Trimmed) == 0 {
				t.Errorf("%s of %d tokens has %d, says %d and trimmed %+v:\n%s", format, limit, n, out.Tokens,
					out.Trimmed, text)
			}
			if !strings.Contains(text, "no-secrets") {
				t.Errorf("%s of %d tokens does not name the rule that blocks:\n%s", format, limit, text)
			}
		}
	}
}

func TestContext_Task_IsRecordedInTheSession(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Record(t, env, decisions.Record{Decision: "Send orders through a queue", Confidence: 0.9,
		ExtraFields: decisions.ExtraFields{By: "bo"}})
	toolstest.WaitForWorkers(t, g)
	contextOf(t, env, briefing.Query{Session: decisions.Session{By: "ada"}})
	contextOf(t, env, briefing.Query{TaskDescription: "send orders", Include: []string{"contradictions"},
		Session: decisions.Session{By: "ada"}})
	contextOf(t, env, briefing.Query{TaskDescription: "send orders", Session: decisions.Session{By: "ada"}})
	d := toolstest.Record(t, env, decisions.Record{Decision: "Send invoices through a queue", Confidence: 0.9,
		ExtraFields: decisions.ExtraFields{By: "ada"}})
	if d.DeliberationInputs != 1 || d.GraphEdgesCreated != 0 { // the decision does not mention the found decisions
		t.Errorf("got %d inputs and %d links, want 1 and 0: %+v", d.DeliberationInputs, d.GraphEdgesCreated, d)
	}
}

// away is an embedder that does not answer.
type away struct{}

func (away) Model() string { return "away" }

func (away) Embed(context.Context, []string) ([][]float32, error) {
	return nil, apperr.New(apperr.Unavailable, "The embedder does not answer")
}

func TestContext_NoEmbedderOrDatabase(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Record(t, env, decisions.Record{Decision: "Send orders through a queue", Confidence: 0.9,
		ExtraFields: decisions.ExtraFields{By: "bo"}})
	toolstest.WaitForWorkers(t, g)
	out := contextOf(t, toolstest.AppWith(t, toolstest.Config(), tools.Options{Graph: g.DB, Embedder: away{}}),
		briefing.Query{TaskDescription: "orders", Format: "json"})
	if len(out.RelevantDecisions) != 1 || len(out.Notes) == 0 || out.AgentProfile == nil {
		t.Errorf("without an embedder: %s", inJSON(t, out))
	}
	g.Exec(t, "MATCH (d:Decision) SET d.confidence = 'high', d.created_at = 'today';\nMATCH (c:CalibrationCell) SET c.counts = 'many'", nil)
	if out := contextOf(t, env, briefing.Query{TaskDescription: "orders",
		Session: decisions.Session{By: "bo"}}); !strings.Contains(out.Markdown, "Send orders") || len(out.Notes) == 0 {
		t.Errorf("where others wrote other types: %s", inJSON(t, out))
	}
	nowhere := toolstest.OpenWithoutEmbedder(t, toolstest.Unavailable(t))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if _, err := nowhere.Briefing.SessionContext(ctx,
		briefing.Query{Session: decisions.Session{By: "ada"}}); !apperr.Is(err, apperr.Unavailable) {
		t.Errorf("without a database: %v", err)
	}
}

func TestContext_UnmigratedGraph_Answers(t *testing.T) {
	g := graphtest.Unmigrated(t)
	env := toolstest.App(t, toolstest.Reopen(t, g))
	for _, task := range []string{"", "Choose a queue"} {
		out := contextOf(t, env, briefing.Query{TaskDescription: task, Format: "json"})
		if out.AgentProfile == nil || out.ActiveGuardrails == nil ||
			slices.ContainsFunc(out.Notes, func(note string) bool { return strings.Contains(note, "Internal error") }) {
			t.Errorf("got %s, want non-nil AgentProfile, non-nil ActiveGuardrails, ...", inJSON(t, out))
		}
	}
}
