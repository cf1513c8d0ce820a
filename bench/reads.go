package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

const (
	bareRead = `MATCH (n:SYS_Policy {name: $name}) RETURN n`
	fill     = `UNWIND range($from, $to - 1) AS i
	            CREATE (:SYS_Policy {name: 'bench_policy_' + i, description: 'a policy made for measuring', decision_table: 'D8', active: true, priority: i, system: true})
	            CREATE (:SYS_Threshold {name: 'bench_threshold_' + i, value: 0.5, unit: 'score', decision_table: 'D10', rationale: 'made for measuring'})`
)

// reads compares get_policy and get_threshold over stdio with a bare read, in a small and in a large graph.
func (b *bench) reads(ctx context.Context) error {
	driver, server, err := b.driverAndServer()
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx) }()
	if err := server.call("list_policies", `{"limit":1}`); err != nil { // the first call migrates the graph
		return err
	}
	fmt.Fprintf(&b.report, "## Reading over stdio (%d calls of each kind)\n\n| in the graph | R p50 | get_policy p50 | p95 | over R | get_threshold p50 | p95 | over R | p50 / R |\n|---|---|---|---|---|---|---|---|---|\n", *calls)
	had := 0
	for _, size := range []int{*small, *large} {
		for ; had < size; had = min(had+10_000, size) {
			if err := runOnDriver(ctx, driver, fill, map[string]any{"from": had, "to": min(had+10_000, size)}); err != nil {
				return err
			}
		}
		if err := runOnDriver(ctx, driver, "CALL db.awaitIndexes(300)", nil); err != nil {
			return err
		}
		var bare, policy, threshold sample
		const warmUp = 300
		for i := range *calls + warmUp {
			if i == warmUp {
				bare, policy, threshold = nil, nil, nil
			}
			n := rand.IntN(size)
			kinds := []struct {
				into *sample
				work func() error
			}{
				{&bare, func() error {
					return runOnDriver(ctx, driver, bareRead, map[string]any{"name": fmt.Sprintf("bench_policy_%d", n)})
				}},
				{&policy, func() error { return server.call("get_policy", fmt.Sprintf(`{"name":"bench_policy_%d"}`, n)) }},
				{&threshold, func() error { return server.call("get_threshold", fmt.Sprintf(`{"name":"bench_threshold_%d"}`, n)) }},
			}
			for k := range kinds { // in a new order each time, because a bare read wakes up the server for its successor
				one := kinds[(k+i)%len(kinds)]
				if err := one.into.timed(one.work); err != nil {
					return err
				}
			}
		}
		fmt.Fprintf(&b.report, "| %d policies, %d thresholds | %.2f | %.2f | %.2f | +%.2f | %.2f | %.2f | +%.2f | %.2f, %.2f |\n", size, size, bare.p50(),
			policy.p50(), policy.at(0.95), policy.p50()-bare.p50(), threshold.p50(), threshold.at(0.95), threshold.p50()-bare.p50(),
			policy.p50()/bare.p50(), threshold.p50()/bare.p50())
	}
	resident, peak := memory(server.cmd.Process.Pid)
	fmt.Fprintf(&b.report, "\nThe server after these calls: %.1f MB resident, %.1f MB at its peak.\n\n", resident, peak)
	return server.close()
}

// runOnDriver runs a statement with only the driver, as the floor: a session, an auto-commit transaction, all rows.
func runOnDriver(ctx context.Context, driver neo4j.DriverWithContext, query string, params map[string]any) error {
	mode := neo4j.AccessModeWrite
	if query == bareRead {
		mode = neo4j.AccessModeRead
	}
	session := driver.NewSession(ctx, neo4j.SessionConfig{DatabaseName: "neo4j", AccessMode: mode})
	defer func() { _ = session.Close(ctx) }()
	result, err := session.Run(ctx, query, params)
	if err != nil {
		return err
	}
	_, err = result.Collect(ctx)
	return err
}
