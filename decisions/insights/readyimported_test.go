package insights_test

import (
	"slices"
	"strings"
	"testing"

	"nomograph/decisions/briefing"
	"nomograph/decisions/imports"
	"nomograph/decisions/insights"
	"nomograph/decisions/precedents"
	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

// TestReady_ImportedAcceptedRecords_AreNotDue: imported decisions that were concluded at their source years ago need no
// review. Open imported decisions, local decisions, and decisions with a review date are due as usual.
func TestReady_ImportedAcceptedRecords_AreNotDue(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Import(t, env, toolstest.JSONL(`{"id": "accepted", "title": "Use Go", "status": "Accepted", "date": "2016-02-12", "stakes": "high"}
{"id": "superseded", "title": "Use C", "status": "Superseded by accepted", "date": "2015-02-12"}
{"id": "silent", "title": "Use make", "date": "2015-02-12"}
{"id": "open", "title": "Use Rust", "status": " Proposed", "date": "2017-02-12"}
{"id": "given a day", "title": "Use YAML", "status": "Accepted", "date": "2017-02-12"}
`), imports.Options{Project: "o/r"})
	aged(t, g, "aaaaaaaa", "created_at: datetime() - duration({days: 70})")
	g.Exec(t, "MATCH (d:Decision {external_id: 'given a day'}) SET d.review_by = datetime() - duration({days: 1})", nil)
	list := graphtest.Must(env.Insights.Ready(t.Context(), insights.ReadyQuery{}))(t)
	var due []string
	for _, a := range list.Actions {
		due = append(due, a.Title)
	}
	slices.Sort(due)
	if got := strings.Join(due, ", "); got != "Decision aaaaaaaa, Use Rust, Use YAML" || list.Total != 3 {
		t.Errorf("%d due: %s", list.Total, got)
	}
	context, err := env.Briefing.SessionContext(t.Context(), briefing.Query{Project: "o/r"})
	if text := context.Markdown; err != nil || !strings.Contains(text, "accepted)") ||
		strings.Count(text, "days ago") > 2 {
		t.Errorf("the context says (%v)\n%s", err, text)
	}
	if all, err := env.Precedents.List(t.Context(), precedents.ListQuery{}); err != nil ||
		!strings.Contains(toolstest.Text(all), " accepted ") {
		t.Errorf("got %v\n%s, want text with \" accepted \"", err, toolstest.Text(all))
	}
}
