package turns_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/tokencount"
	"nomograph/memory/turns"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func allTurns(t *testing.T, messages ...turns.Message) (all []turns.Turn) {
	t.Helper()
	var b turns.Builder
	for i, m := range messages {
		m.At = noon.Add(time.Duration(i) * time.Minute)
		if turn, ends := b.Add(m); ends {
			all = append(all, turn)
		}
	}
	if turn, under := b.End(); under {
		all = append(all, turn)
	}
	return all
}

func TestTurns_QuestionAndAnswer_AreOneTurn(t *testing.T) {
	got := allTurns(t, turns.Message{Speaker: "User", Asks: true, Text: "Why SQLite?"},
		turns.Message{Speaker: "Assistant", Text: " It needs no server. "},
		turns.Message{Act: true, Text: "[Read] go.mod"}, turns.Message{Speaker: "User", Asks: true, Text: ""},
		turns.Message{Speaker: "Summary", Summary: true, Text: "SQLite was chosen"},
		turns.Message{Speaker: "Assistant", Text: "On we go"})
	if len(got) != 3 || got[0].Text != "User: Why SQLite?\n\nAssistant: It needs no server.\n[Read] go.mod" ||
		!got[1].Summary || got[2].Text != "Assistant: On we go" {
		t.Fatalf(`got %+v, want len(got)=3, Text=%v, Summary=true, Text="Assistant: On we go"`, got,
			"User: Why SQLite?\n\nAssistant: It needs no server.\n[Read] go.mod")
	}
	if got[2].Number != 2 || !got[0].At.Equal(noon) || !got[0].EndsAt.Equal(noon.Add(2*time.Minute)) {
		t.Errorf("got %+v, want Number=2, got[0].At.Equal(noon)=true, got[0].EndsAt.Equal(noon.Add(2 * time.Minute))=true", got)
	}
}

func cutter() *turns.Cutter { return &turns.Cutter{Tokens: tokencount.NewCounter().Tokens} }

func pieces(c *turns.Cutter, all []turns.Turn) (out []turns.Piece) {
	for _, turn := range all {
		out = append(out, c.Add(turn)...)
	}
	return append(out, c.End()...)
}

func TestPieces_LongConversation_IsCutAtTurns(t *testing.T) {
	var all []turns.Turn
	for i, words := range []int{10, 10, 100, 3000, 12000, 5, 5000} {
		all = append(all, turns.Turn{Number: int64(i), Before: fmt.Sprint(i),
			Text: strings.TrimSpace(strings.Repeat("word ", words))})
	}
	got := pieces(cutter(), all)
	var form []string
	for _, p := range got {
		form = append(form, fmt.Sprintf("%d-%d.%d", p.First, p.Last, p.Part))
		if p.Tokens > turns.MaxTokens || p.Tokens != tokencount.Tokens(p.Text) {
			t.Errorf("%d to %d: %d tokens, %d by its text", p.First, p.Last, p.Tokens, tokencount.Tokens(p.Text))
		}
	}
	graphtest.Equal(t, strings.Join(form, " "), "0-2.0 3-3.0 4-4.0 4-4.1 4-4.2 4-4.3 5-5.0 6-6.0 6-6.1", "the form")
	// Cutting again from the first turn of a piece gives the same pieces.
	for at, p := range got {
		if p.Part > 0 {
			continue
		}
		again := pieces(cutter(), all[p.First:])
		if len(again) != len(got)-at || again[0].Text != p.Text || again[0].Before != fmt.Sprint(p.First) {
			t.Errorf("from turn %d on: %d pieces", p.First, len(again))
		}
	}
}

func TestPieces_TurnOfFiveMegabytes_IsKept(t *testing.T) {
	for name, text := range map[string]string{"words": strings.Repeat("all is well ", 5<<20/12),
		"no blank": strings.Repeat("xyz", 1<<16), "signs": strings.Repeat("💡", 1<<14)} {
		got := pieces(cutter(), []turns.Turn{{Text: text}})
		var piece strings.Builder
		for _, p := range got {
			piece.WriteString(p.Text)
			if p.Tokens > turns.MaxTokens {
				t.Fatalf("%s: %d tokens", name, p.Tokens)
			}
		}
		if strings.ReplaceAll(piece.String(), " ", "") != strings.ReplaceAll(text, " ", "") {
			t.Errorf("%s: something is lost between %d pieces", name, len(got))
		}
	}
}

func TestPieces_CodeAndOutput_AreShortened(t *testing.T) {
	long := strings.Repeat("line\n", 100)
	short := turns.ShortenCode("Look:\n```go\n" + long + "```\nand on")
	if !strings.Contains(short, "[60 lines left out]") || strings.Count(short, "line\n") != 40 ||
		!strings.HasSuffix(short, "```\nand on") {
		t.Error(short)
	}
	if text := "no code\n" + long; turns.ShortenCode(text) != text ||
		turns.ShortenCode("```\na\n```") != "```\na\n```" {
		t.Error("got changed text, want prose and short code unchanged")
	}
	if out := turns.ShortenOutput(long); strings.Count(out, "line") != 17 ||
		!strings.Contains(out, "[84 lines left out]") {
		t.Error(out)
	}
	if out := turns.ShortenOutput(strings.Repeat("é", 5<<20)); len(out) > 2000 || !strings.Contains(out, "left out") {
		t.Error(len(out))
	}
	graphtest.Equal(t, turns.ToolInput("ls -l"), "ls -l", "tool input")
}

func FuzzPieces(f *testing.F) {
	f.Add("User: hi\n\n```\ncode\n```", uint16(3))
	f.Fuzz(func(t *testing.T, text string, times uint16) {
		text = strings.ToValidUTF8(text, "")
		turns.ShortenOutput(text)
		turns.ToolInput(text)
		for _, p := range pieces(cutter(), []turns.Turn{{Text: turns.ShortenCode(strings.Repeat(text, int(times%500)))},
			{Number: 1, Text: text}}) {
			if p.Tokens > turns.MaxTokens {
				t.Errorf("%d tokens", p.Tokens)
			}
		}
	})
}
