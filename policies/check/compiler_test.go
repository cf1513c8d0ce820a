package check

import (
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// TestCompileRules_PanicOfARule_ReachesTheCaller: the batch that reads the rules recovers from it, and a goroutine could not.
func TestCompileRules_PanicOfARule_ReachesTheCaller(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic, want that of a compiler without a cache")
		}
	}()
	(&Compiler{}).compileRules(&RuleSet{}, []any{neo4j.Node{}}, []any{nil})
}
