package main

import (
	"context"
	"fmt"
)

const (
	replayRules = 30
	checkedActs = 200
	// A seventh of the acts were recorded as decisions and reviewed.
	copyActs = `MATCH (v:Verdict) WHERE v.agent STARTS WITH 'replay'
	            WITH collect(v) AS originals, datetime() AS now
	            UNWIND range($from, $to - 1) AS i
	            WITH i, now, originals[i % size(originals)] AS v
	            CREATE (c:Verdict) SET c = v {.*, uid: 'replayed-' + i, at: now - duration({seconds: i}), agent: 'copy'}
	            FOREACH (x IN CASE WHEN i % 7 = 0 THEN [1] ELSE [] END |
	              CREATE (c)-[:JUDGED]->(:Decision {uid: 'replayed-' + i, id: 'replayed-' + i, outcome: CASE i % 3 WHEN 0 THEN 'failure' ELSE 'success' END}))`
)

// replay measures commands that evaluate many recorded acts with other rules. The floor reads the acts.
func (b *bench) replay(ctx context.Context) ([]row, error) {
	if err := b.run(ctx, fillRules, map[string]any{"number": replayRules}); err != nil {
		return nil, err
	}
	for i := range checkedActs {
		act := map[string]any{"description": fmt.Sprintf("Deploy service %d", i), "name": "deploy",
			"agent_id": fmt.Sprintf("replay%d", i%10),
			"stakes":   []string{"medium", "high"}[i%2], "confidence": 0.4 + 0.5*float64(i)/checkedActs,
			"category": fmt.Sprintf("kind%d", i%replayRules),
			"context":  map[string]any{"affectsProduction": i%3 == 0, "service": i}}
		if _, err := b.server.call("check_action", act); err != nil {
			return nil, err
		}
	}
	if err := b.inBatches(ctx, copyActs, *verdicts); err != nil {
		return nil, err
	}
	replay := []string{"policy", "replay", "--set", "bench_bar_0=0.8,bench_bar_7=0.6", "--since", "4w"}
	tune := []string{"threshold", "tune", "bench_bar_0", "--since", "4w"}
	read := floor{"read of the acts", b.reads(ctx, "MATCH (v:Verdict) RETURN properties(v) ORDER BY v.at", same(nil))}
	return []row{
		{name: fmt.Sprintf("`policy replay` of %d acts with %d rules", *verdicts, replayRules), times: 2, floor: read,
			work: timed(func(int) error { return b.command(ctx, replay...) })},
		once("`policy replay`, peak memory", "MB", b.peak(ctx, replay...)),
		{name: "`threshold tune`", times: 2, floor: read,
			work: timed(func(int) error { return b.command(ctx, tune...) })},
		once("`threshold tune`, peak memory", "MB", b.peak(ctx, tune...)),
	}, nil
}
