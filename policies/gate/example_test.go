package gate_test

import (
	"context"
	"fmt"

	"nomograph/graph"
	"nomograph/policies/gate"
	"nomograph/tools"
)

// A Go program judges in its own process: the same rules, the same verdicts as every other door.
func Example() {
	ctx := context.Background()
	db := graph.Open(graph.Options{URI: "bolt://127.0.0.1:7687", Username: "neo4j", Password: "secret"}) // an empty URI: the managed engine
	defer func() { _ = db.Close(ctx) }()
	env := tools.NewEnv(db, tools.Options{})

	sure := 0.4
	verdict, err := env.Gate.Check(ctx, gate.ActionCheck{
		Description: "Move the customer database",
		Stakes:      "high",
		Confidence:  &sure,
		AgentID:     "release-bot",
	})
	if err != nil { // the database is away, or the verdict could not be kept: not allowed
		fmt.Println(err)
		return
	}
	for _, v := range verdict.Violations {
		fmt.Println(v.GuardrailID, v.Message, v.WouldPass)
	}
}
