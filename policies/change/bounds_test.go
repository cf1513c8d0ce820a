package change_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/live"
	"nomograph/policies/pack"
	"nomograph/policies/table"
	"nomograph/tools/toolstest"
)

func TestSetThreshold_ShippedThreshold_KeepsItsBounds(t *testing.T) {
	_, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: []pack.Source{{Name: "core"}, {Name: "releases"}}})
	for _, tt := range []struct {
		name string
		to   any
		want string
	}{
		{"rollout_percent_first", int64(-5), "value -5 is below min 0"},
		{"rollout_percent_first", int64(101), "value 101 is above max 100"},
		{"test_coverage_min", int64(80), "value 80 is above max 1"},
		{"circuit_high_failures", int64(0), "value 0 is below min 1"},
	} {
		_, err := env.Change.SetThreshold(t.Context(),
			change.ThresholdChange{Name: tt.name, Value: policies.ValueOf(tt.to), Reason: "r", Confirm: true})
		golden.Contains(t, fmt.Sprint(tt.name, " to ", tt.to),
			toolstest.ErrorWithCode(t, err, apperr.Validation).Message, tt.want)
	}
}

func TestSetThreshold_UnusualChange_AsksForConfirmation(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'limit', value: 10})", nil)
	before := toolstest.Fingerprint(t, g)
	_, err := env.Change.SetThreshold(t.Context(),
		change.ThresholdChange{Name: "limit", Value: policies.ValueOf(int64(101)), Reason: "r"})
	got := toolstest.ErrorWithCode(t, err, apperr.Validation)
	if got.Message != "SYS_Threshold node 'limit' would go from 10 to 101, which is more than ten times as much" ||
		!strings.Contains(got.Hint, "`confirm`") || got.Details[change.UnusualChange] == nil {
		t.Errorf("got %s; %v, want Message=%v, Hint with %q, non-nil got.Details[change.UnusualChange]", got.Error(),
			got.Details, "SYS_Threshold node 'limit' would go from 10 to 101, which is more than ten times as much",
			"`confirm`")
	}
	golden.Equal(t, "the graph after a refused change", toolstest.Fingerprint(t, g), before)
	changed, err := env.Change.SetThreshold(t.Context(),
		change.ThresholdChange{Name: "limit", Value: policies.ValueOf(int64(101)), Reason: "r", Confirm: true})
	if err != nil || changed.To.Any() != int64(101) {
		t.Errorf("confirmed: %+v (%v)", changed, err)
	}
}

func TestThresholdOutOfBounds_ByHand_IsAnsweredAndFailsRules(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: []pack.Source{{Name: "releases"}}})
	g.Exec(t, "MATCH (t:SYS_Threshold {name: 'rollout_percent_first'}) SET t.value = 500;\nMATCH (t:SYS_Threshold {name: 'error_budget_left_min'}) SET t.value = -1.0", nil)
	node, err := env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "rollout_percent_first"})
	if err != nil || node.Properties["value"] != int64(500) ||
		!strings.HasPrefix(node.Reading.Note, "out of bounds: value 500 is above max 100") {
		t.Errorf("read: %+v (%v)", node, err)
	}
	verdict, err := env.Checks.Check(t.Context(),
		check.ActionCheck{Description: "Roll out", Context: map[string]any{"rolloutPercent": 100}})
	if err != nil || verdict.Allowed || len(verdict.Violations) != 1 ||
		!strings.Contains(verdict.Violations[0].Error,
			"'rollout_percent_first' is out of bounds: value 500 is above max 100") {
		t.Errorf("checked: %+v (%v)", verdict, err)
	}
	if _, err := env.Table.Evaluate(t.Context(),
		table.Query{Table: "R1", Inputs: map[string]any{"tests_green": true, "flaky_test_rate": 0.0,
			"error_budget_left": 0.0}}); err == nil || !strings.Contains(err.Error(), "out of bounds") {
		t.Errorf("a table: %v", err)
	}
}

func TestRevert_ValueOutsideTheUnit_IsRefused(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'share', value: 80})", nil)
	toolstest.Set(t, env, "share", 8)
	toolstest.Set(t, env, "share", 1)
	first := toolstest.History(t, env, "threshold", "share")
	g.Exec(t, "MATCH (t:SYS_Threshold) SET t.unit = 'ratio'", nil)
	_, err := env.Change.Revert(t.Context(), change.RevertRequest{Subject: policies.Subject{Kind: "threshold",
		Name: "share"}, To: first[len(first)-1].To, Reason: "back"})
	golden.Contains(t, "the message", toolstest.ErrorWithCode(t, err, apperr.Validation).Message,
		"value 80 is above 1, the max of the unit ratio")
}

func TestApply_ValueOutsideTheUnit_IsRefused(t *testing.T) {
	_, env := toolstest.Open(t)
	text := "pack: mine\nversion: 1.0.0\nthresholds:\n- {name: share, value: 80, unit: ratio}\n"
	_, err := env.Change.Apply(t.Context(), change.ApplyRequest{Packs: toolstest.Packs(text)})
	golden.Contains(t, "the message", toolstest.ErrorWithCode(t, err, apperr.Validation).Message,
		"value 80 is above 1, the max of the unit ratio")
}
