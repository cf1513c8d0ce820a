package pages_test

import (
	"fmt"
	"testing"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
)

// TestJob_Threshold_IsChangedWithItsRecord compares the values of a threshold, opens the preview of one value, and
// replays it.
func TestJob_Threshold_IsChangedWithItsRecord(t *testing.T) {
	s := open(t)
	toolstest.ApplyShipped(t, s.graph, "core")
	for i := range 24 {
		confidence, outcome := 0.95, "success"
		if i%3 == 0 {
			confidence, outcome = 0.55, "failure"
		}
		made := toolstest.Record(t, s.env, decisions.Record{Decision: fmt.Sprintf("Move shard %d", i),
			Confidence: confidence, Stakes: "high", Category: "architecture",
			ExtraFields: decisions.ExtraFields{AgentID: "ada", Project: "acme/shop"}})
		toolstest.Review(t, s.env, made.ID, outcome)
	}
	graphtest.Must(s.env.Checks.CheckInSession(t.Context(),
		check.ActionCheck{Description: "Move the last shard", Stakes: "high", Confidence: new(0.2), AgentID: "ada",
			By: "ada"}))(t)
	toolstest.WaitForWorkers(t, s.graph)
	const threshold = "high_stakes_min_confidence"
	b := s.browse(t)
	onEachScreen(t, b, func(t *testing.T) {
		b.to("/threshold?name=" + threshold)
		b.pressed(`a[href*="view=tuning"]`)
		b.holds(t, "main", "8 failures, 16 successes, 1 denied act", "in force")
		is(b, `[8, 16].map((of) => document.querySelectorAll("tbody meter[max='" + of + "']").length > 2).join()`,
			"true,true")
		b.accessible()
		b.pressed(`td a[href*="value=0.95"]`)
		b.holds(t, "#change ~ [role=status]", "0.95", "between 0 and 1",
			"8 would be newly denied (8 failed, 0 succeeded", "0 newly allowed")
		b.accessible()
		b.pressed(`a[href*="view=replay"]`)
		b.holds(t, "main", "Newly denied: 8", "Move shard", "Newly allowed: 0")
	})
	onEachScreen(t, b, func(t *testing.T) {
		b.to("/policies")
		b.pressed(`a[href="/policies?view=report"]`)
		row := eval[string](b, `Array.from(document.querySelectorAll("tr")).find((row) => row.innerText.includes("no-high-stakes-low-confidence")).innerText`)
		graphtest.Contains(t, row, "enforce", "33\u00a0% (3 to 91\u00a0%)")
		b.accessible()
		b.pressed(`a[href="/policy?name=no-high-stakes-low-confidence"]`)
		b.pressed(`a[href*="view=replay"]`)
		b.holds(t, "main", "Newly allowed: 1")
	})
	b.to("/replay?run=1&threshold=nothing&value=3")
	b.holds(t, "main", "not found")
}
