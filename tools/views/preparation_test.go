package views

import (
	"strings"
	"testing"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/decisions/precedents"
	"nomograph/decisions/preparation"
	"nomograph/internal/terminal"
	"nomograph/policies/check"
)

func TestText_PreActionResult_NamesVerdictAndPrecedents(t *testing.T) {
	id, accuracy, confidence, brier := "b71abea8", 0.4, 0.85, 0.3
	match := precedents.Match{Summary: decisions.Summary{ID: "aaaa0001", Title: "Move the orders at once",
		Outcome: "failure", Date: time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)}, Lessons: "Have a way back"}
	around := preparation.PreActionResult{RelevantDecisions: []precedents.Match{match},
		Patterns: []counters.ConfirmedPattern{{Pattern: "Small steps", Confirmed: true, Reviewed: 3,
			MeanOutcome: &accuracy}, {Pattern: "Unproven"}},
		Calibration: &preparation.CalibrationContext{Category: "process", BrierScore: &brier, Accuracy: &accuracy,
			MeanConfidence: &confidence, Interpretation: "slightly_overconfident"}}
	yes, no, forced := around, around, around
	yes.Allowed, yes.Recorded, yes.DecisionID, yes.GraphEdgesCreated = true, true, &id, 1
	yes.Quality = &decisions.Quality{Score: 0.9, Suggestions: []string{"Add tags"}}
	no.Guardrails = []check.Violation{{GuardrailID: "never", Severity: "block", Message: "Not at night",
		WouldPass: []string{"the day"}}, {GuardrailID: "hm", Severity: "warn", Message: "Think"}}
	no.NotRecorded, no.Notes = "A rule blocks it",
		[]string{"Nothing was recorded. Do what would make it pass, or force it with a reason", "Another note"}
	forced.Guardrails, forced.Recorded, forced.DecisionID, forced.Forced = no.Guardrails, true, &id, "It burns"
	const rest = "decided before\n  aaaa0001  2026-11-02  failure  Move the orders at once\n    lessons: Have a way back\n  confirmed pattern: Small steps (3 reviewed, mean outcome 0.40)\n" +
		"process so far: slightly overconfident; mean outcome 0.40, mean confidence 0.85, Brier score 0.30\n"
	const objections = "  never blocks: Not at night\n    to pass  the day\n  hm warns: Think\n"
	for _, c := range []struct {
		prepared preparation.PreActionResult
		denied   bool
		want     string
	}{
		{yes, false, "allowed\nrecorded as b71abea8; quality 0.90; linked to 1\n  better: Add tags\n" + rest},
		{no, true, "denied\n" + objections + "not recorded: A rule blocks it\n" + rest + "note: Another note\n"},
		{forced, false, "denied, and recorded anyway\n" + objections + "recorded as b71abea8\nforced: It burns\n" +
			rest},
		{preparation.PreActionResult{Allowed: true, NotRecorded: "Recording needs action.confidence",
			Calibration: &preparation.CalibrationContext{Note: "no decisions yet"}}, false,
			"allowed\nnot recorded: Recording needs action.confidence\n"},
	} {
		got := preparationPreActionResult(c.prepared, terminal.Page{})
		if got != c.want || c.prepared.Denied() != c.denied {
			t.Errorf("denied %v, and it reads\n%s\nnot\n%s", c.prepared.Denied(), got, c.want)
		}
		if strings.Contains(got, "%!") {
			t.Error(got)
		}
	}
}
