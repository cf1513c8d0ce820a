package condition_test

import (
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/policies/condition"
)

// TestCondition_AllFieldsOfAnAction_AreReadable uses each field in a comparison that is valid only for its type.
func TestCondition_AllFieldsOfAnAction_AreReadable(t *testing.T) {
	for _, text := range []string{
		`action.description.startsWith("deploy")`, `action.category == "process"`, `action.name == "deploy"`,
		`action.pattern == "blue-green"`,
		`action.phase == "check"`, `action.stakes == high`, `action.confidence == 0.3`, `action.quality_score > 0.5`,
		`action.params.replicas == 3`, `action.params["with-dots"] == "x"`, `action.context.affectsProduction`,
		`action.context.deep.er == 1`,
		`action.context.list.exists(x, x == "b")`, `action.context.lines > 400 && action.context.lines > 400.0`,
		`action.tags == ["billing", "release"]`, `action.paths.size() == 0`, `"rm x" in action.commands || true`,
		`"billing" in action.tags`, `action.tags.exists(t, t.startsWith("re"))`, `action.tags[1] == "release"`,
		`action.reasons.exists(r, r.type == "analysis")`, `action.reasons.all(r, r.type in ["analysis", "pattern"])`,
		`action.reasons[0].strength >= 0.7`,
		`action.reasons.filter(r, has(r.strength)).size() == 1`, `action.reason_count == 2`,
		`action.deliberation_count == 2`,
		`agent == "ana" && project == "acme/shop" && session == "s1"`, `now == timestamp("2026-03-01T12:00:00Z")`,
		`now.getHours() < 18`,
	} {
		wantVerdict(t, text, facts(), "true")
	}
}

func TestCompile_WrongFieldType_Fails(t *testing.T) {
	for _, text := range []string{
		`action.description == 1`, `action.category == 1`, `action.name == 1`, `action.pattern == 1`,
		`action.phase == 1`, `action.stakes == 1.5`,
		`action.confidence == true`, `action.quality_score == "x"`, `action.params == 1`, `action.context == "x"`,
		`action.tags == 1`, `action.paths == 1`, `action.commands == "x"`, `action.tags[0] == 1`,
		`action.reasons == [1]`, `action.reason_count == "x"`, `action.deliberation_count == "x"`, `agent == 1`,
		`project == 1`, `session == 1`, `now == 1`,
	} {
		if _, err := condition.Rule(text); err == nil {
			t.Errorf("%s compiles", text)
		}
	}
}

func TestCondition_Stakes_CompareByOrder(t *testing.T) {
	names := []string{"low", "medium", "high", "critical"}
	for i, name := range names {
		stakes, ok := condition.ParseStakes(name)
		if !ok || stakes.String() != name {
			t.Fatalf("%s is %v, %v", name, stakes, ok)
		}
		f := facts()
		f.Action.Stakes = stakes
		for j, other := range names {
			for operator, want := range map[string]bool{"<": i < j, "<=": i <= j, "==": i == j, "!=": i != j,
				">=": i >= j, ">": i > j} {
				text := "action.stakes " + operator + " " + other
				graphtest.Equal(t, graphtest.Must(rule(t, text).Eval(t.Context(), f))(t), want, text, "at", name)
			}
		}
	}
	for _, name := range []string{"", "High", "none"} {
		stakes, ok := condition.ParseStakes(name)
		graphtest.Values(t, name, ok, false, stakes.String(), "")
	}
}

func TestCondition_AbsentField_IsAbsent(t *testing.T) {
	empty := condition.Facts{Action: &condition.Action{Stakes: condition.Medium}}
	tests := map[string]string{
		"has(action.confidence)": "false", "has(action.quality_score)": "false",
		"action.confidence < 0.5":                            "the action has no confidence",
		"action.confidence >= 0.0":                           "the action has no confidence",
		"action.quality_score > 0.1":                         "the action has no quality_score",
		"has(action.confidence) && action.confidence >= 0.5": "false",
		`action.description == ""`:                           "true", "has(action.description)": "false",
		`action.category == "" && action.name == "" && action.pattern == "" && action.phase == ""`:                            "true",
		"has(action.category) || has(action.name) || has(action.pattern) || has(action.phase)":                                "false",
		"action.tags.size() == 0 && action.reasons.size() == 0 && action.reason_count == 0 && action.deliberation_count == 0": "true",
		"action.params.size() == 0 && action.context.size() == 0":                                                             "true",
		"action.context.gone == true":                        "there is no gone; ask has() first",
		`action.params["gone"] == 1`:                         "there is no gone; ask has() first",
		"has(action.context.gone)":                           "false",
		"action.context.?gone.orValue(false)":                "false",
		"action.context.?gone.orValue(3) == 3":               "true",
		`action.params[?"gone"].orValue("x") == "x"`:         "true",
		`action.tags[0] == "x"`:                              "index out of bounds",
		`action.reasons.exists(r, r.strength > 0.5)`:         "false",
		"action.context.gone || true":                        "true",
		"has(action.context.gone) && action.context.gone":    "false",
		"!(has(action.context.gone) && action.context.gone)": "true",
	}
	for text, want := range tests {
		wantVerdict(t, text, empty, want)
	}
}

func TestCondition_PresentField_IsPresent(t *testing.T) {
	f := facts()
	zero := 0.0
	f.Action.Confidence = &zero
	f.Action.Context["nothing"] = nil
	for _, text := range []string{"has(action.confidence) && action.confidence < 0.5",
		"has(action.context.affectsProduction)", "has(action.description)",
		"action.context.?affectsProduction.orValue(false)",
		"has(action.context.nothing) && action.context.nothing == null",
		"has(action.context.deep.er) && !has(action.context.deep.est)"} {
		wantVerdict(t, text, f, "true")
	}
	for text, want := range map[string]string{
		"action.context.lines.startsWith('x')":   "has the wrong type for the condition",
		"action.context.affectsProduction > 1":   "has the wrong type for the condition",
		"action.context.affectsProduction == 1":  "false",
		"action.context.deep.er.further == true": "there is no further",
	} {
		wantVerdict(t, text, f, want)
	}
}

// TestCondition_ContextKeys_AreOnlyInContext: context keys never override other fields of an action.
func TestCondition_ContextKeys_AreOnlyInContext(t *testing.T) {
	f := facts()
	f.Action.Context = map[string]any{"stakes": "low", "confidence": 1.0, "category": "x", "tags": []any{"x"},
		"action": map[string]any{"stakes": int64(1)}, "agent": "bo"}
	f.Action.Params = map[string]any{"stakes": int64(1), "confidence": 1.0}
	for _, text := range []string{"action.stakes == high", "action.confidence == 0.3", `action.category == "process"`,
		`action.tags.size() == 2`, `agent == "ana"`, `action.context.stakes == "low"`} {
		wantVerdict(t, text, f, "true")
	}
	f.Action.Confidence = nil
	wantVerdict(t, "has(action.confidence)", f, "false")
	wantVerdict(t, "action.confidence >= 0.5", f, "the action has no confidence")
	seen := rule(t, "action.stakes == low || action.confidence > 0.5").Seen(f)
	graphtest.Values(t, "seen", seen["action.stakes"], "high", seen["action.confidence"] == nil, true)
}
