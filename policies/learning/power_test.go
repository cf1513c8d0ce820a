package learning

import (
	"math"
	"testing"
)

// TestAtLeast_BinomialTables_Match compares with tables of the binomial distribution.
func TestAtLeast_BinomialTables_Match(t *testing.T) {
	for _, test := range []struct {
		k, n    int
		p, want float64
	}{{0, 5, 0.3, 1}, {3, 5, 0.5, 0.5}, {8, 10, 0.5, 0.0547}, {2, 20, 0.05, 0.2642}, {10, 10, 0.8, 0.1074}, {3, 3, 1, 1}} {
		if got := atLeast(test.k, test.n, test.p); math.Abs(got-test.want) > 5e-5 {
			t.Errorf("%d or more of %d with %g: got %.4f, want %.4f", test.k, test.n, test.p, got, test.want)
		}
	}
}

func TestCEL_EveryOperator_GuardsAbsentFacts(t *testing.T) {
	for want, c := range map[string]Condition{
		`action.category == "deploy"`:                                     {"action.category", Equals, "deploy"},
		`action.stakes == high`:                                           {"action.stakes", Equals, "high"},
		`"auth" in action.tags`:                                           {"action.tags", Contains, "auth"},
		`has(action.params.branch)`:                                       {"action.params.branch", Has, nil},
		`has(action.params.force) && action.params.force == true`:         {"action.params.force", Equals, true},
		`has(action.confidence) && action.confidence <= 0.75`:             {"action.confidence", AtMost, 0.75},
		`has(action.params.replicas) && action.params.replicas > 3.0`:     {"action.params.replicas", Above, 3.0},
		`has(action.params.title) && action.params.title == "a \"b\" \n"`: {"action.params.title", Equals, "a \"b\" \n"},
	} {
		if got := c.CEL(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
