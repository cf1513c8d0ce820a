package pages_test

import (
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/policies/check"
)

func TestCoverage_ExecutedCalls_AreShownByDayWithGaps(t *testing.T) {
	s := open(t)
	s.shows(t, "/coverage", "No executed tool calls")
	if made, err := s.env.Checks.CheckInSession(t.Context(),
		check.ActionCheck{Description: "Run: ls", Name: "shell.run",
			Context: graph.Parameters{"client": "claude-code", "client_session": "s", "tool_use_id": "t1"},
			By:      "bot"}); err != nil || !made.Allowed {
		t.Fatalf("got %+v %v, want Allowed=true", made, err)
	}
	var executed []check.Execution
	for _, id := range []string{"t1", "t2"} {
		executed = append(executed, check.Execution{Client: "claude-code", Version: "2.1.300", Session: "s",
			ToolUseID: id, Event: "PostToolUse", Kind: "shell.run", Outcome: check.Succeeded})
	}
	executed = append(executed, check.Execution{Client: "cursor", ToolUseID: "t3", Event: "lost", Kind: "tool",
		Reason: check.NotRecorded})
	graphtest.Must(s.env.Checks.RecordExecutions(t.Context(), check.Executions{Executions: executed}))(t)
	b := s.browse(t)
	b.to("/audit")
	b.follow(`a[href="/audit?view=coverage"]`)
	if h := b.text("h1"); h != "Coverage" {
		t.Fatalf("the tab of the audit leads to %q", h)
	}
	shownText := strings.Join(strings.Fields(b.text("main")), " ")
	graphtest.Contains(t, shownText, "33.3 % of 3 executed calls have a verdict",
		"claude-code 2.1.300 PostToolUse shell.run post hook hook failed 1",
		"cursor lost tool post hook not recorded 1")

	s.shows(t, "/coverage?client=cursor", "of 1 executed calls")
	s.answers(t, "/coverage?since=never", 400, "never")
}
