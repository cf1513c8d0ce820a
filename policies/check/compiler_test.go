package check

import "testing"

// TestCompileRules_PanicOfARule_ReachesTheCaller: rules compile in goroutines, but only the caller recovers from
// panics.
func TestCompileRules_PanicOfARule_ReachesTheCaller(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic, want that of a compiler without a cache")
		}
	}()
	(&Compiler{}).compileRules(&RuleSet{}, []RuleNode{{}})
}
