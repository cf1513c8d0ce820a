package condition_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/internal/golden"
	"nomograph/policies/condition"
)

func TestCondition_Paths_AreNamed(t *testing.T) {
	tests := map[string]string{
		"true": "",
		"action.stakes >= high && action.confidence > 0.5 || action.stakes == low":  "action.confidence action.stakes",
		`action.context.a.b == action.context["c"] && has(action.context.d)`:        "action.context.a.b action.context.c action.context.d",
		`action.params["with-dots"] == "x" && action.params[action.name] == 1`:      "action.name action.params action.params.with-dots",
		`action.context.?x.orValue(0) + action.context[?"y"].orValue(0) > 0`:        "action.context.x action.context.y",
		`action.tags.exists(t, t == "x") && action.reasons.all(r, r.type == agent)`: "action.reasons action.tags agent",
		`action.reasons[0].type == "x" && size(action.tags) > 1`:                    "action.reasons action.tags",
		`[1, 2].exists(n, [n].exists(m, m > 1))`:                                    "",
		`action.tags.exists(project, project == "x")`:                               "action.tags",
		`now > timestamp("2026-01-01T00:00:00Z") && session != project`:             "now project session",
		`action.confidence >= threshold("half", project)`:                           "action.confidence project",
	}
	for text, want := range tests {
		p := rule(t, text)
		golden.Equal(t, text, strings.Join(p.Paths, " "), want)
	}
}

func TestSeen_Facts_KeepTheirValues(t *testing.T) {
	f := facts()
	f.Action.Confidence = nil
	p := rule(t, `action.stakes >= high && action.confidence > 0.5 && action.context.deep.er == 1 && action.context.gone.x && action.params["with-dots"] == "x" &&
		action.context["main.go"] == 1 && agent == "a" && project == "b" && session == "c" && now > now && action.tags.size() > 0`)
	f.Action.Context["main.go"] = int64(7)
	want := map[string]any{"action.stakes": "high", "action.confidence": nil, "action.context.deep.er": int64(1),
		"action.context.gone.x":   nil,
		"action.params.with-dots": "x", "action.context.main.go": int64(7), "agent": "ana", "project": "acme/shop",
		"session": "s1", "now": noon, "action.tags": []string{"billing", "release"}}
	seen := p.Seen(f)
	if len(seen) != len(want) {
		t.Errorf("seen: %v", seen)
	}
	for path, value := range want {
		if got, ok := seen[path]; !ok || fmt.Sprint(got) != fmt.Sprint(value) {
			t.Errorf("%s was seen as %v (%v), want %v", path, got, ok, value)
		}
	}
}

func TestFailingConditions_FalseParts_AreListed(t *testing.T) {
	f := facts()
	f.Threshold = thresholds(map[string]any{"half": 0.5, "many": int64(1), "word": `say "x"`, "on": true,
		"half/acme/shop": 0.2})
	for _, row := range golden.Rows(t, "testdata/failing.txt") {
		p := rule(t, row[0])
		var needs []string
		for _, part := range p.Failing(t.Context(), f) {
			needs = append(needs, part.Needs(f))
		}
		golden.Equal(t, row[0]+" fails", strings.Join(needs, " ;; "), row[1])
		if holds, err := p.Eval(t.Context(), f); (holds && err == nil) != (len(needs) == 0) {
			t.Errorf("%s is %v (%v), and yet %q fails", row[0], holds, err, needs)
		}
	}
}

func TestNeeds_NoThresholds_ReturnsTheExpression(t *testing.T) {
	f := facts()
	f.Threshold = nil
	p := rule(t, `action.confidence >= threshold("half")`)
	golden.Equal(t, "the condition", p.Needs(f), p.Text)
}

func texts(programs []*condition.Program) []string {
	all := make([]string, len(programs))
	for i, p := range programs {
		all[i] = p.Text
	}
	return all
}
