package condition_test

import (
	"testing"

	"nomograph/policies/condition"
)

// TestCondition_NameInAnySpelling_IsFound evaluates names in the normalized form that rules see.
func TestCondition_NameInAnySpelling_IsFound(t *testing.T) {
	facts := condition.Facts{Agent: "claude code", Project: "acme/shop",
		Action: &condition.Action{Category: "rollout", Name: "git.push", Pattern: "boring storage",
			Tags: []string{"auth", "db"}, Context: map[string]any{"env": "Prod", "kind": "rollout"}}}
	for text, want := range map[string]bool{
		`action.category == "Rollout"`: true, `"ROLLOUT " == action.category`: true,
		`action.category != "Roll\u200bout"`:        false,
		`action.?category.orValue("") == "Rollout"`: true, `action.category in ["Deploy", "Rollout"]`: true,
		`!(action.category in ["Deploy", "RollOut"])`:                                                  false,
		`action.category in {"Rollout": 1}`:                                                            true,
		`["Deploy", "Rollout"].exists(c, c == action.category)`:                                        true,
		`["Prod"].exists(c, c == action.context.env) && ["Git."].exists(c, action.name.startsWith(c))`: true,
		`action.name.startsWith("Git.")`:                                                               true,
		`action.name.endsWith("PUSH")`:                                                                 true,
		`action.name.contains("T.P")`:                                                                  true,
		`action.name.matches("^GIT\\.(Push|Pull)$")`:                                                   true,
		`action.name.matches("(?i)^GIT")`:                                                              true,
		`"Auth" in action.tags`:                                                                        true,
		`action.tags.exists(t, t == "Auth")`:                                                           true,
		`action.tags.all(t, t in ["AUTH", "DB"])`:                                                      true,
		`action.tags.exists(t, t.startsWith("AU"))`:                                                    true,
		`action.tags == ["Auth", "DB"]`:                                                                true,
		`agent == "Claude Code"`:                                                                       true,
		`project == "https://github.com/Acme/shop.git"`:                                                true,
		`project.startsWith("Acme/")`:                                                                  true,
		`project in ["ACME/shop"]`:                                                                     true,
		`action.pattern == "Boring Storage"`:                                                           true,
		// Values that are not names are not normalized.
		`action.context.env == "prod"`: false, `action.context.env == "Prod"`: true,
		`action.context.env in ["prod"]`: false, `action.category == action.context.kind`: true,
		`action.context.kind == "Rollout"`: false,
	} {
		program, err := condition.Rule(text)
		if err != nil {
			t.Errorf("%s: got %v, want no error", text, err)
			continue
		}
		if got, err := program.Eval(t.Context(), facts); err != nil || got != want {
			t.Errorf("%s: got %v %v, want %v", text, got, err, want)
		}
	}
	program, err := condition.Rule(`action.name == "x" || action.category == "Deploy" && agent == "Claude"`)
	if err != nil {
		t.Fatal(err)
	}
	if got := program.Needs(facts); got != `action.name == "x" || action.category == "deploy" && agent == "claude"` {
		t.Errorf("got %s, want the condition with normalized names", got)
	}
}
