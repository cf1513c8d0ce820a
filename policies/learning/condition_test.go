package learning

import (
	"testing"

	"nomograph/internal/golden"
)

func TestCEL_EveryOperator_GuardsAbsentFacts(t *testing.T) {
	for want, c := range map[string]Condition{
		`action.category == "deploy"`:                                 {"action.category", Equals, "deploy"},
		`action.stakes == high`:                                       {"action.stakes", Equals, "high"},
		`"auth" in action.tags`:                                       {"action.tags", Contains, "auth"},
		`has(action.params.branch)`:                                   {"action.params.branch", Has, nil},
		`has(action.params.force) && action.params.force == true`:     {"action.params.force", Equals, true},
		`has(action.confidence) && action.confidence <= 0.75`:         {"action.confidence", AtMost, 0.75},
		`has(action.params.replicas) && action.params.replicas > 3.0`: {"action.params.replicas", Above, 3.0},
		`has(action.params.title) && action.params.title == "a \"b\" \n"`: {"action.params.title", Equals,
			"a \"b\" \n"},
	} {
		golden.Equal(t, "CEL", c.CEL(), want)
	}
}
