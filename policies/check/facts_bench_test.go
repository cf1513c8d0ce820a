package check

import (
	"encoding/json"
	"fmt"
	"testing"

	"nomograph/graph"
)

// BenchmarkFacts computes the facts that a verdict of 30 rules stores. Compare it with a check (`go run ./bench -only
// policies`).
func BenchmarkFacts(b *testing.B) {
	raw, err := json.Marshal(ActionCheck{Description: "Deploy the service", Name: "deploy", AgentID: "bench",
		Model: "model-1", Stakes: "high", Category: "process",
		Context: graph.Parameters{"affectsProduction": true, "service": 7}})
	if err != nil {
		b.Fatal(err)
	}
	var action graph.Parameters
	if err := json.Unmarshal(raw, &action); err != nil {
		b.Fatal(err)
	}
	e := Evaluation{by: &evaluator{set: &RuleSet{}}, check: ActionCheck{Model: "model-1"}}
	for i := range 30 {
		e.Applied = append(e.Applied, AppliedRule{fmt.Sprintf("rule_%d", i), Passed})
	}
	for b.Loop() {
		key, err := actionKey(action)
		if err != nil {
			b.Fatal(err)
		}
		if err := e.storeFacts(map[string]any{}, storedInputs{key: key,
			masked: maskedPaths(action, action)}); err != nil {
			b.Fatal(err)
		}
	}
}
