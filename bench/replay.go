package main

import (
	"context"
	"fmt"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/graph"
	"nomograph/policies/check"
	"nomograph/tools"
)

const (
	replayedActs    = 100_000
	checkedActs     = 200
	fillReplayRules = `UNWIND range(0, 29) AS i
	                   CREATE (:SYS_Policy {name: 'bench_rule_' + i, active: true, description: 'a rule made for measuring', severity: 'block',
	                           applies_when: 'action.stakes >= high || action.category == "kind' + i + '"',
	                           requires: 'has(action.confidence) && action.confidence >= threshold("bench_bar_' + i + '")',
	                           message: 'Confidence must reach {threshold("bench_bar_' + i + '")}'})
	                   CREATE (:SYS_Threshold {name: 'bench_bar_' + i, value: 0.5, unit: 'ratio', rationale: 'made for measuring'})`
	// A seventh of the acts were recorded as decisions and reviewed.
	copyActs = `MATCH (v:Verdict) WHERE v.agent STARTS WITH 'replay'
	            WITH collect(v) AS originals, datetime() AS now
	            UNWIND range($from, $to - 1) AS i
	            WITH i, now, originals[i % size(originals)] AS v
	            CREATE (c:Verdict) SET c = v {.*, uid: 'replayed-' + i, at: now - duration({seconds: i})}
	            FOREACH (x IN CASE WHEN i % 7 = 0 THEN [1] ELSE [] END |
	              CREATE (c)-[:JUDGED]->(:Decision {uid: 'replayed-' + i, id: 'replayed-' + i, outcome: CASE i % 3 WHEN 0 THEN 'failure' ELSE 'success' END}))`
)

// replay measures how long commands take that replay many recorded acts with a changed threshold, and that tune it, and their memory.
func (b *bench) replay(ctx context.Context) error {
	return b.onOwnEngine(ctx, "replay", func(own *bench, driver neo4j.DriverWithContext, app *tools.App) error {
		if err := runOnDriver(ctx, driver, fillReplayRules, nil); err != nil {
			return err
		}
		for i := range checkedActs {
			confidence := 0.4 + 0.5*float64(i)/checkedActs
			if _, err := app.Checks.Check(ctx, check.ActionCheck{Description: fmt.Sprintf("Deploy service %d", i), Name: "deploy", AgentID: fmt.Sprintf("replay%d", i%10), Stakes: []string{"medium", "high"}[i%2],
				Confidence: &confidence, Category: fmt.Sprintf("kind%d", i%30), Context: graph.Parameters{"affectsProduction": i%3 == 0, "service": i}}); err != nil {
				return err
			}
		}
		fmt.Fprintf(&own.report, "\n## Replay and tuning of recorded acts with 30 rules\n\n| command | acts | s | acts per second | MB at most |\n|---|---|---|---|---|\n")
		copied := 0
		for _, acts := range []int{replayedActs / 4, replayedActs} { // two sizes show whether the time is linear
			for ; copied < acts; copied += 10_000 {
				if err := runOnDriver(ctx, driver, copyActs, map[string]any{"from": copied, "to": min(copied+10_000, acts)}); err != nil {
					return err
				}
			}
			copied = acts
			if err := runOnDriver(ctx, driver, "CALL db.awaitIndexes(300)", nil); err != nil {
				return err
			}
			for range 2 { // the engine compiles the statements of the first run
				for _, command := range [][]string{{"policy", "replay", "--set", "bench_bar_0=0.8,bench_bar_7=0.6", "--since", "4w"}, {"threshold", "tune", "bench_bar_0", "--since", "4w"}} {
					begun := time.Now()
					peak, err := own.watched(ctx, command...)
					if err != nil {
						return err
					}
					took := time.Since(begun).Seconds()
					fmt.Fprintf(&own.report, "| %s | %d | %.1f | %.0f | %.0f |\n", command[1], acts, took, float64(acts)/took, peak)
				}
			}
		}
		return nil
	})
}
