package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"nomograph/cypher/readonly"
)

const (
	tenMillionRows = `UNWIND range(1, 10000) AS a UNWIND range(1, 1000) AS b RETURN a, b`
	typicalQuery   = `MATCH (p:SYS_Policy)-[:GOVERNED_BY]->(t:SYS_DecisionTable)
WHERE p.active = true AND t.table_id STARTS WITH $table
OPTIONAL MATCH (t)-[:USES_THRESHOLD]->(x)
RETURN p.name AS policy, t.table_id AS table, collect(x.name) AS thresholds ORDER BY policy LIMIT 50`
)

// queries compares run_cypher_readonly with a bare read, and shows that a large result costs no more than its first
// rows.
func (b *bench) queries(ctx context.Context) error {
	driver, server, err := b.driverAndServer()
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx) }()
	ask := func(query, params string) error {
		return server.call("run_cypher_readonly", fmt.Sprintf(`{"query":%q,"params":%s}`, query, params))
	}
	var bareRead1, seen, unplanned, fresh sample
	const warmUp = 300
	for i := range *calls + warmUp {
		if i == warmUp {
			bareRead1, seen, unplanned, fresh = nil, nil, nil, nil
		}
		name := fmt.Sprintf("bench_policy_%d", rand.IntN(*large))
		for _, one := range []struct {
			into *sample
			work func() error
		}{
			{&bareRead1, func() error { return runOnDriver(ctx, driver, bareRead, map[string]any{"name": name}) }},
			{&seen, func() error { return ask(bareRead, fmt.Sprintf(`{"name":%q}`, name)) }},
		} {
			if err := one.into.timed(one.work); err != nil {
				return err
			}
		}
		// The server must plan a new text; the comment alone makes it new. The guard's check is our overhead.
		if i%10 == 0 {
			text := fmt.Sprintf("MATCH (n:SYS_Policy {name: $name}) RETURN n // %d", i)
			if err := unplanned.timed(func() error { return runOnDriver(ctx, driver, text, map[string]any{"name": name}) }); err != nil {
				return err
			}
			if err := fresh.timed(func() error { return ask(text, fmt.Sprintf(`{"name":%q}`, name)) }); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(&b.report, "\n## run_cypher_readonly over stdio (%d calls, an indexed read)\n\n| | p50 | p95 | over R | / R |\n|---|---|---|---|---|\n", *calls)
	fmt.Fprintf(&b.report, "| R, the bare read | %.2f | %.2f | | |\n", bareRead1.p50(), bareRead1.at(0.95))
	fmt.Fprintf(&b.report, "| a text seen before | %.2f | %.2f | +%.2f | %.2f |\n", seen.p50(), seen.at(0.95), seen.p50()-bareRead1.p50(), seen.p50()/bareRead1.p50())
	fmt.Fprintf(&b.report, "| the bare read of a text that the server plans first (%d calls) | %.2f | %.2f | +%.2f | %.2f |\n", len(unplanned), unplanned.p50(), unplanned.at(0.95), unplanned.p50()-bareRead1.p50(), unplanned.p50()/bareRead1.p50())
	fmt.Fprintf(&b.report, "| a text that we see the first time and the server has planned (%d calls) | %.2f | %.2f | +%.2f | %.2f |\n", len(fresh), fresh.p50(), fresh.at(0.95), fresh.p50()-bareRead1.p50(), fresh.p50()/bareRead1.p50())

	before, _ := memory(server.cmd.Process.Pid)
	var large sample
	for range 20 {
		if err := large.timed(func() error { return ask(tenMillionRows, "{}") }); err != nil {
			return err
		}
	}
	_, peak := memory(server.cmd.Process.Pid)
	fmt.Fprintf(&b.report, "\nA result of 10,000,000 rows, cut at 500: p50 %.1f ms, slowest %.1f ms (the first one is planned); the server grew by %.1f MB at its peak.\n",
		large.p50(), large.at(1), peak-before)

	guard := time.Now()
	const turns = 20000
	for range turns {
		if err := readonly.Check(typicalQuery, map[string]any{"table": "D8"}); err != nil {
			return err
		}
	}
	perQuery := time.Since(guard) / turns
	long := "RETURN " + strings.Repeat("'a text', ", 9_900) + "1"
	guard = time.Now()
	if err := readonly.Check(long, nil); err != nil {
		return err
	}
	fmt.Fprintf(&b.report, "\nThe guard alone: %.1f µs for a query of %d bytes, %.1f ms for one of %d kB.\n", float64(perQuery.Nanoseconds())/1000, len(typicalQuery),
		float64(time.Since(guard).Microseconds())/1000, len(long)/1000)
	return server.close()
}
