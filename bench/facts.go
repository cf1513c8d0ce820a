package main

import (
	"context"
	"fmt"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies/check"
	"nomograph/tools"
)

// storedFacts are the properties of a verdict that only replay, reports and learning read.
var storedFacts = []string{"schema_version", "action_key", "masked", "applied", "applied_results", "overridden_by", "carries_out", "model", "consensus"}

// facts measures whole checks with 30 CEL rules in turn: with the facts that replay needs, and with the same verdict without
// them. Computing the facts is in both: BenchmarkFacts of policies/check measures it, and making the whole row bounds it.
func (b *bench) facts(ctx context.Context) error {
	return b.onOwnEngine(ctx, "facts", func(own *bench, driver neo4j.DriverWithContext, app *tools.App) error {
		if err := runOnDriver(ctx, driver, fillReplayRules, nil); err != nil {
			return err
		}
		confidence := 0.9
		action := check.ActionCheck{Description: "Deploy the service", Name: "deploy", AgentID: "bench", Model: "model-1", Stakes: "high", Confidence: &confidence, Category: "process",
			Context: graph.Parameters{"affectsProduction": true, "service": 7}}
		if _, err := app.Checks.Check(ctx, action); err != nil { // records the rules
			return err
		}
		var with, without, row sample
		arm := func(facts bool) func() error {
			return func() error {
				e, err := app.Checks.Evaluate(ctx, action)
				if err != nil {
					return err
				}
				var verdict map[string]any
				if err := row.timed(func() error { verdict, err = e.Row(); return err }); err != nil {
					return err
				}
				if stored, _ := verdict["properties"].(map[string]any); !facts {
					for _, fact := range storedFacts {
						delete(stored, fact)
					}
				}
				_, err = graph.Append[struct{}](ctx, app.Graph, cypher.VerdictsRecord, graph.Params{"verdicts": []map[string]any{verdict}})
				return err
			}
		}
		const warmUp = 200
		number := max(*calls, 100)
		for i := range number + warmUp {
			if i == warmUp {
				with, without, row = nil, nil, nil
			}
			for k := range 2 {
				into, facts := &with, true
				if (i+k)%2 == 1 {
					into, facts = &without, false
				}
				if err := into.timed(arm(facts)); err != nil {
					return err
				}
			}
		}
		fmt.Fprintf(&own.report, "\n## Facts of verdicts, in process with 30 CEL rules that all apply (%d checks of each kind, alternating)\n\n| | p50 | p95 |\n|---|---|---|\n", number)
		for _, line := range []struct {
			name string
			s    sample
		}{{"a check whose verdict stores facts", with}, {"a check whose verdict stores none", without}, {"making the row of a verdict, facts among it", row}} {
			fmt.Fprintf(&own.report, "| %s | %.3f | %.3f |\n", line.name, line.s.p50(), line.s.at(0.95))
		}
		more := make(sample, len(with)) // neighbors in time, since other load changes the time of a check
		for i := range with {
			more[i] = with[i] - without[i]
		}
		fmt.Fprintf(&own.report, "\nStoring facts takes %+.1f %% of a check (median difference of a pair %.3f ms).\n", 100*more.p50()/without.p50(), more.p50())
		return nil
	})
}
