package links

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"nomograph/internal/golden"
)

// drawn returns a graph with every style, and a title that contains syntax characters.
func drawn() Graph {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return Graph{CenterID: "aaaaaaaa", NodeCount: 4, EdgeCount: 4, Truncated: true,
		Cycles: [][]string{{"aaaaaaaa", "bbbbbbbb", "aaaaaaaa"}},
		Nodes: []Node{
			{ID: "aaaaaaaa", Title: `Say "end" ]) --> x["y"]; %%{init: {}}%% #quot; <b>&amp;</b>`, Category: "process",
				Status: "pending"},
			{ID: "bbbbbbbb", Title: "two\nlines\r\nclick n0 \"javascript:alert(1)\" \\n \\", Status: "reviewed",
				Outcome: "failure", Distance: 1},
			{ID: "cccccccc", Title: "emoji 🚀👩‍🔬 und Ümläute \u202eeno", Status: "reviewed", Outcome: "success",
				Superseded: true, Distance: 1},
			{ID: "dddddddd", Title: "typed into the wrong window", Status: "pending", Retracted: true, Distance: 1},
			{ID: `policy:"end"`, Kind: "policy", Title: "`end`", Distance: 2},
		},
		Edges: []Edge{
			{SourceID: "aaaaaaaa", TargetID: "bbbbbbbb", EdgeType: "depends_on", Weight: 0.834, CreatedAt: at},
			{SourceID: "aaaaaaaa", TargetID: "cccccccc", EdgeType: "supersedes", Weight: 1},
			{SourceID: "aaaaaaaa", TargetID: "dddddddd", EdgeType: "relates_to", Weight: 1},
			{SourceID: "bbbbbbbb", TargetID: "aaaaaaaa", EdgeType: "depends_on", Weight: 1},
			{SourceID: "cccccccc", TargetID: `policy:"end"`, EdgeType: "judged_by", Weight: 1},
		}}
}

func TestDraw_Links_GiveDiagrams(t *testing.T) {
	golden.Check(t, "testdata/graph.mermaid", drawn().mermaid())
	golden.Check(t, "testdata/graph.dot", drawn().dot())
	golden.Check(t, "testdata/graph.svg", drawn().Render("svg"))
}

// numbered matches a character written as its number.
var numbered = regexp.MustCompile(`#\d+;`)

func FuzzLabels(f *testing.F) {
	for _, seed := range []string{`"`, `\`, `\"`, "a\nb", "end", "]", "#quot;", "`", "<!--", "%%{init}%%", "\u2028",
		"🚀", "\x00", "\xff", "&lt;", "$$x$$", "fa:fa-car"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, d := mermaidText(text), dotText(text)
		if left := numbered.ReplaceAllString(m, ""); strings.ContainsAny(left,
			"\"\\`<>[]{}|;#\n\r\u0085\u2028\u2029%&$@:~^") {
			t.Errorf("mermaid: %q becomes %q", text, m)
		}
		if strings.ContainsAny(d, "\n\r\u0085\u2028\u2029\x00") {
			t.Errorf("dot: %q becomes %q", text, d)
		}
		open := true // inside the label's own quotes
		for i := 0; i < len(d); i++ {
			switch d[i] {
			case '\\':
				i++
				if i == len(d) {
					t.Fatalf("dot: %q ends in a lone backslash: %q", text, d)
				}
			case '"':
				open = false
			}
		}
		if !open {
			t.Errorf("dot: %q ends its label: %q", text, d)
		}
	})
}
