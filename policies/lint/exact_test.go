package lint_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/policies/condition"
	"nomograph/policies/lint"
)

// TestLint_RandomRows_MatchExhaustiveGrid compares the findings for random rows with their results for all facts of a
// grid that is finer than their constants.
func TestLint_RandomRows_MatchExhaustiveGrid(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	grid := []any{nil, "x", "y", "z", true, false}
	for n := range 17 {
		grid = append(grid, float64(n-4)/4)
	}
	never, overlapping := 0, 0
	for range 400 {
		texts := []string{someCondition(random, 2), someCondition(random, 2)}
		var holds [2][]bool
		for _, a := range grid {
			for _, b := range grid {
				inputs := map[string]any{}
				if a != nil {
					inputs["a"] = a
				}
				if b != nil {
					inputs["b"] = b
				}
				for i, text := range texts {
					program := graphtest.Must(condition.Row(text))(t)
					ok, err := program.Eval(t.Context(), condition.Facts{Inputs: inputs})
					holds[i] = append(holds[i], ok && err == nil)
				}
			}
		}
		findings := lintPack(t, tableOf("UNIQUE", texts...))
		for i, row := range []string{"row r1", "row r2"} {
			stated := slices.ContainsFunc(findings, func(f lint.Finding) bool {
				return f.Check == "row-never-hits" && f.Subject == row
			})
			if somewhere := slices.Contains(holds[i], true); stated == somewhere {
				t.Errorf("%s holds somewhere: %v, and lint says never: %v", texts[i], somewhere, stated)
			}
			if stated {
				never++
			}
		}
		both := false
		for i := range holds[0] {
			both = both || holds[0][i] && holds[1][i]
		}
		stated := slices.ContainsFunc(findings, func(f lint.Finding) bool { return f.Check == "rows-overlap" })
		if both != stated {
			t.Errorf("%s hold together: %v, and lint says so: %v", strings.Join(texts, " and "), both, stated)
		}
		if stated {
			overlapping++
		}
	}
	if never < 20 || overlapping < 20 {
		t.Errorf("got %d rows that never match and %d that overlap, want at least 20 of each", never, overlapping)
	}
}

// someCondition returns a random condition on inputs.a and inputs.b with constants from a coarser grid.
func someCondition(random *rand.Rand, depth int) string {
	pick := func(choices ...string) string { return choices[random.IntN(len(choices))] }
	if depth > 0 && random.IntN(3) > 0 {
		left, right := someCondition(random, depth-1), someCondition(random, depth-1)
		return pick(fmt.Sprintf("(%s && %s)", left, right), fmt.Sprintf("(%s && %s)", left, right),
			fmt.Sprintf("(%s || %s)", left, right), fmt.Sprintf("!(%s)", left))
	}
	path := pick("inputs.a", "inputs.b")
	switch random.IntN(6) {
	case 0:
		return fmt.Sprintf("has(%s)", path)
	case 1:
		return fmt.Sprintf("%s %s %s", path, pick("==", "!="), pick(`"x"`, `"y"`, "true", "1", "2.0"))
	case 2:
		return path
	case 3:
		return fmt.Sprintf(`%s in ["x", 2]`, path)
	}
	return fmt.Sprintf("%s %s %s", path, pick("<", "<=", ">", ">="), pick("0", "1", "1.5", "2"))
}
