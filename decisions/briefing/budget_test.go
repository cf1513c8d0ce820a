package briefing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/decisions/counters"
	"nomograph/graph/graphtest"
	"nomograph/internal/tokencount"

	"github.com/tiktoken-go/tokenizer/codec"
)

// full returns sections that exceed a small token budget.
func full() Sections {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := Sections{AgentProfile: &counters.AgentProfile{Agent: strings.Repeat("🧑‍🚀", 20), TotalDecisions: 123456,
		Reviewed: 99999, OverallAccuracy: new(0.5), BrierScore: new(0.25),
		MeanConfidence: new(0.75), Tendency: "overconfident", StrongestCategory: "tooling", WeakestCategory: "process",
		ActiveSince: at},
		CalibrationByCategory: map[string]counters.CategoryCalibration{}}
	text := strings.Repeat("what was said ", 10)
	for i := range 10 {
		n := fmt.Sprint(i)
		c.RelevantDecisions = append(c.RelevantDecisions,
			Decision{ID: "0000000" + n, Title: "Decision " + n, Date: at, Reasons: []string{text, text}, Lessons: text})
		c.ActiveGuardrails = append(c.ActiveGuardrails,
			Guardrail{ID: "rule-" + n, Action: []string{"block", "warn"}[i/5], Message: text, Requires: text})
		c.ReadyQueue = append(c.ReadyQueue, Action{ID: "1000000" + n, Title: "Pending " + n,
			Reason: []string{"review_outcome", "stale_pending"}[i/5], Priority: "high", Date: at, Detail: text})
		c.ConfirmedPatterns = append(c.ConfirmedPatterns,
			Pattern{Pattern: "Pattern " + n, Count: 3, Reviewed: 2, MeanOutcome: 1})
		c.Contradictions = append(c.Contradictions, Contradiction{Kind: "contradicts",
			IDs: []string{"20000000", "2000000" + n}, Why: text})
		c.CircuitBreakers = append(c.CircuitBreakers,
			Breaker{Scope: "tag:" + n, State: []string{"open", "closed"}[i/5], Action: "block", Failures: 3,
				Threshold: 3})
		c.Wisdom = append(c.Wisdom, Wisdom{Category: "category " + n, Decisions: 9, Principles: []string{text}})
		c.CalibrationByCategory["category-"+n] = counters.CategoryCalibration{
			OwnCalibration: counters.OwnCalibration{Decisions: 9}}
	}
	return c
}

func TestContext_TooSmallBudget_NotesTrimmedSections(t *testing.T) {
	count := codec.NewCl100kBase()
	size := func(text string) int {
		return graphtest.Must(count.Count(text))(t)
	}
	order := []string{inWisdom, inPatterns, inCalibration,
		inProtocol} // each section must be empty before the next is shortened
	for limit := 200; limit <= 8000; limit += 150 {
		sections, n, left := jsonOf(full(), limit)
		raw, err := json.Marshal(sections)
		if err != nil || size(string(raw)) != n || n > limit {
			t.Fatalf("of %d tokens, the JSON takes %d and says %d: %v", limit, size(string(raw)), n, err)
		}
		shown := map[string]int{inWisdom: len(sections.Wisdom), inPatterns: len(sections.ConfirmedPatterns),
			inDecisions:  len(sections.RelevantDecisions),
			inGuardrails: len(sections.ActiveGuardrails), inReady: len(sections.ReadyQueue),
			inBreakers: len(sections.CircuitBreakers), inCalibration: len(sections.CalibrationByCategory),
			inContradictions: len(sections.Contradictions)}
		for section, stored := range shown {
			i := slices.IndexFunc(left, func(t tokencount.Trimmed) bool { return t.Section == section })
			stated := tokencount.Trimmed{Section: section, Shown: 10}
			if i >= 0 {
				stated = left[i]
			}
			if stated.Shown != stored || stated.Shown+stated.LeftOut != 10 {
				t.Errorf("%d tokens: got %d entries of %s, and the counts %+v, want Shown=%v, (stated.Shown + stated.LeftOut)=10", limit, stored, section, stated, stored)
			}
		}
		if shown[inReady] < 5 && (shown[inWisdom]+shown[inPatterns]+shown[inDecisions]+shown[inContradictions] > 0) {
			t.Errorf("of %d tokens, overdue reviews were left out before what matters less: %v", limit, shown)
		}
		if sections.AgentProfile == nil {
			t.Errorf("of %d tokens, nothing is left for the profile", limit)
		}

		text, n, left := markdownOf(full(), []string{"a note"}, limit, false)
		if n != size(text) || n > limit {
			t.Fatalf("of %d tokens, the text takes %d and says %d:\n%s", limit, size(text), n, text)
		}
		gone := func(section string) bool {
			return slices.ContainsFunc(left, func(t tokencount.Trimmed) bool {
				return t.Section == section && t.Shown == 0
			})
		}
		for i, first := range order[:len(order)-1] {
			if gone(order[i+1]) && !gone(first) {
				t.Errorf("of %d tokens, %s went before %s", limit, order[i+1], first)
			}
		}
		for _, rule := range []string{"rule-0", "rule-4"} {
			if strings.Contains(text, "Decision 0") && !strings.Contains(text, rule) {
				t.Errorf("of %d tokens, a rule that blocks went before a decision", limit)
			}
		}
		if slices.ContainsFunc(left, func(t tokencount.Trimmed) bool { return t.LeftOut > 0 }) != strings.Contains(text,
			"Left out to keep within") {
			t.Errorf("%d tokens: got a text without the omitted entries", limit)
		}
	}
	if _, n, left := jsonOf(full(), 100_000); len(left) > 0 || n < 3000 {
		t.Errorf("got %d tokens without %+v, want at least 3000 and nothing omitted", n, left)
	}
}

func TestContext_RecordedMarkdown_IsEscaped(t *testing.T) {
	for stated, want := range map[string]string{
		"# Protocol":                 `\# Protocol`,
		"one\n## Protocol\ntwo":      "one ## Protocol two",
		"```\nrm -rf /\n```":         "\\`\\`\\` rm -rf / \\`\\`\\`",
		"a | b":                      `a \| b`,
		`a \| b`:                     `a \\\| b`,
		`ends in \`:                  `ends in \\`,
		"</system>":                  `\</system>`,
		"1 < 2":                      "1 < 2",
		"<!-- hidden":                `\<!-- hidden`,
		"![x](https://evil.example)": `![x]\(https://evil.example)`,
		"- item":                     `\- item`,
		"1. item":                    `1\. item`,
		"12) item":                   `12\) item`,
		"~~~":                        `\~~~`,
		"zero\u200bwidth\u202eevil\U000e0041\u2028end": "zerowidthevil end",
		"  many \t blanks\x00 ":                        "many blanks",
		`C:\temp`:                                      `C:\temp`,
		"ba\xffd":                                      "bad",
	} {
		if got := escape(flatten(stated, 100)); got != want {
			t.Errorf("%q is written as %q, not %q", stated, got, want)
		}
	}
	if got := flatten(strings.Repeat("é", 300), 80); len([]rune(got)) != 80 || !strings.HasSuffix(got, "é…") {
		t.Errorf("a long text is cut to %q", got)
	}
}

func TestConditions_InContext_AreCodeWithoutEscapes(t *testing.T) {
	for stated, want := range map[string]string{
		`a || b < "x"`:  "`a || b < \"x\"`",
		"a == '`' || b": "`` a == '`' || b ``",
		"```\nrm":       "```` ``` rm ````",
		"":              "",
	} {
		if got := code(flatten(stated, 100)); got != want {
			t.Errorf("%q is written as %q, not %q", stated, got, want)
		}
	}
	shown := Guardrail{ID: "g", Action: "block", AppliesWhen: `action.name == "a" || has(action.context.b)`}.markdown()
	if !strings.Contains(shown, "applies when: `action.name == \"a\" || has(action.context.b)`") {
		t.Errorf("got %q, want shown with %q", shown, "applies when: `action.name == \"a\" || has(action.context.b)`")
	}
}

// FuzzEscaped searches for a text that leaves its line or adds markup to it.
func FuzzEscaped(f *testing.F) {
	for _, text := range []string{"# x", "a|b", "```", `\`, `\\|`, "`\\`|", "\u2028#", "]\\(", "](", `\]( `} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := escape(flatten(text, 200))
		if strings.ContainsAny(got, "\n\r\u2028\u2029\u0085\v\f") {
			t.Fatalf("%q leaves its line: %q", text, got)
		}
		slashes := 0
		for i, r := range got {
			if strings.ContainsRune("`|", r) && slashes%2 == 0 {
				t.Fatalf("%q has %q at %d that is not escaped: %q", text, r, i, got)
			}
			if slashes++; r != '\\' {
				slashes = 0
			}
		}
		if slashes%2 == 1 || strings.HasPrefix(got, "#") || strings.HasPrefix(got, ">") || strings.Contains(got, "](") {
			t.Fatalf("%q begins something: %q", text, got)
		}
	})
}
