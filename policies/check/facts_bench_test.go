package check

import (
	"encoding/json"
	"fmt"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
)

// BenchmarkFacts computes the facts that a verdict of 30 rules stores. Compare it with a check (`go run ./bench -only
// policies`).
func BenchmarkFacts(b *testing.B) {
	raw := graphtest.Must(json.Marshal(ActionCheck{Description: "Deploy the service", Name: "deploy", AgentID: "bench",
		Model: "model-1", Stakes: "high", Category: "process",
		Context: graph.Parameters{"affectsProduction": true, "service": 7}}))(b)
	var action graph.Parameters
	graphtest.OK(b, json.Unmarshal(raw, &action))
	e := Evaluation{by: &evaluator{set: &RuleSet{}}, check: ActionCheck{Model: "model-1"}}
	for i := range 30 {
		e.Applied = append(e.Applied, AppliedRule{fmt.Sprintf("rule_%d", i), Passed})
	}
	for b.Loop() {
		key := graphtest.Must(actionKey(action))(b)
		graphtest.OK(b, e.storeFacts(map[string]any{}, storedInputs{key: key,
			masked: maskedPaths(action, action)}))
	}
}
