package views

import (
	"testing"
	"time"

	"nomograph/decisions/links"
	"nomograph/internal/golden"
	"nomograph/internal/terminal"
)

func drawn() links.Graph {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return links.Graph{CenterID: "aaaaaaaa", NodeCount: 4, EdgeCount: 4, Truncated: true,
		Cycles: [][]string{{"aaaaaaaa", "bbbbbbbb", "aaaaaaaa"}},
		Nodes: []links.Node{
			{ID: "aaaaaaaa", Title: `Say "end" ]) --> x["y"]; %%{init: {}}%% #quot; <b>&amp;</b>`, Category: "process",
				Status: "pending"},
			{ID: "bbbbbbbb", Title: "two\nlines\r\nclick n0 \"javascript:alert(1)\" \\n \\", Status: "reviewed",
				Outcome: "failure", Distance: 1},
			{ID: "cccccccc", Title: "emoji 🚀👩‍🔬 und Ümläute \u202eeno", Status: "reviewed", Outcome: "success",
				Superseded: true, Distance: 1},
			{ID: "dddddddd", Title: "typed into the wrong window", Status: "pending", Retracted: true, Distance: 1},
			{ID: `policy:"end"`, Kind: "policy", Title: "`end`", Distance: 2},
		},
		Edges: []links.Edge{
			{SourceID: "aaaaaaaa", TargetID: "bbbbbbbb", EdgeType: "depends_on", Weight: 0.834, CreatedAt: at},
			{SourceID: "aaaaaaaa", TargetID: "cccccccc", EdgeType: "supersedes", Weight: 1},
			{SourceID: "aaaaaaaa", TargetID: "dddddddd", EdgeType: "relates_to", Weight: 1},
			{SourceID: "bbbbbbbb", TargetID: "aaaaaaaa", EdgeType: "depends_on", Weight: 1},
			{SourceID: "cccccccc", TargetID: `policy:"end"`, EdgeType: "judged_by", Weight: 1},
		}}
}

func TestText_GraphWithoutDiagram_IsTreeFromCenter(t *testing.T) {
	text, _ := Text(drawn(), terminal.Page{})
	golden.Check(t, "testdata/graph.txt", text)
}
