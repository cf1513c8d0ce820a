package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/internal/uid"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/history"
	"nomograph/policies/live"
	"nomograph/tools"
)

const (
	bareRules = `MATCH (p:SYS_Policy) WHERE p.requires IS NOT NULL AND p.active = true
	             WITH collect(properties(p)) AS rules
	             UNWIND $names AS name MATCH (t:SYS_Threshold {name: name})
	             RETURN rules, collect(properties(t)) AS thresholds`
	bareWrite = `CREATE (:Bench_Write {uid: $uid, at: datetime(), allowed: true, agent: 'bench', inputs: $text})`
	fillRules = `UNWIND range(0, 99) AS i
	             CREATE (:SYS_Policy {name: 'bench_rule_' + i, active: true, description: 'a rule made for measuring', severity: 'block',
	                     applies_when: 'action.stakes >= high || action.category == "kind' + i + '"',
	                     requires: 'has(action.confidence) && action.confidence >= threshold("bench_bar_' + i + '")',
	                     message: 'Confidence must reach {threshold("bench_bar_' + i + '")}'})
	             CREATE (:SYS_Threshold {name: 'bench_bar_' + i, value: 0.5, unit: 'ratio', rationale: 'made for measuring'})`
	fillPatterns = `UNWIND range(0, 2) AS i
	                CREATE (:SYS_Policy {name: 'bench_pattern_' + i, active: true,
	                        forbids_pattern: 'MATCH (t:SYS_Threshold {name: "bench_bar_' + i + '"}) WHERE t.value > 0.9 AND $action.stakes = "high" RETURN t.name AS name'})`
	dropPatterns = `MATCH (p:SYS_Policy) WHERE p.name STARTS WITH 'bench_pattern_' DETACH DELETE p`
	fillVerdicts = `UNWIND range($from, $to - 1) AS i
	                CREATE (:Verdict {uid: 'bench-' + i, at: datetime() - duration({seconds: i}), allowed: i % 50 <> 0, revision: 'bench', agent: 'agent' + (i % 100),
	                        agent_asserted: true, stakes: 'high', evaluated: 100, enforced: false, description: 'made for measuring', inputs: '{}', inputs_kept: 'full', inputs_hash: '',
	                        results: '{"violations":[],"warnings":[],"shadow":[]}'})`
	actionCheck = `{"description":"Deploy the service","stakes":"high","confidence":0.9,"category":"process","context":{"affectsProduction":true,"codeReviewCompleted":true}}`
)

// checks measures policy checks against R100, a bare read of the same rules and thresholds as one row, and W, a bare
// small write. Then it measures reading verdicts, history and earlier versions.
func (b *bench) checks(ctx context.Context) error {
	driver, server, err := b.driverAndServer()
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx) }()
	app := tools.Open(b.config(), zerolog.Nop(), tools.Options{})
	defer func() { _ = app.Close(ctx) }()
	if err := server.call("list_policies", `{"limit":1}`); err != nil { // the first call migrates the graph
		return err
	}
	if err := runOnDriver(ctx, driver, fillRules, nil); err != nil {
		return err
	}
	var request check.ActionCheck
	if err := json.Unmarshal([]byte(actionCheck), &request); err != nil {
		return err
	}
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("bench_bar_%d", i)
	}
	inProcess := func() error {
		verdict, err := app.Checks.Check(ctx, request)
		if err == nil && (!verdict.Allowed || verdict.Evaluated < 100) {
			err = fmt.Errorf("the check gave %+v", verdict)
		}
		return err
	}
	measured := func(number int) (rules, write, process, stdio sample, err error) {
		const warmUp = 100
		for i := range number + warmUp {
			if i == warmUp {
				rules, write, process, stdio = nil, nil, nil, nil
			}
			kinds := []struct {
				into *sample
				work func() error
			}{
				{&rules, func() error { return runOnDriver(ctx, driver, bareRules, map[string]any{"names": names}) }},
				{&write, func() error {
					return runOnDriver(ctx, driver, bareWrite, map[string]any{"uid": uid.Random(), "text": actionCheck})
				}},
				{&process, inProcess},
				{&stdio, func() error { return server.call("check_action", actionCheck) }},
			}
			for k := range kinds {
				one := kinds[(k+i)%len(kinds)]
				if err := one.into.timed(one.work); err != nil {
					return nil, nil, nil, nil, err
				}
			}
		}
		return rules, write, process, stdio, nil
	}
	for try := 0; inProcess() != nil && try < 5; try++ { // the first answer of a new engine may exceed the timeout of a check
	}
	number := max(*calls/2, 100)
	rules, write, process, stdio, err := measured(number)
	if err != nil {
		return err
	}
	floor := rules.p50() + write.p50()
	fmt.Fprintf(&b.report, "\n## check_action with 100 CEL rules (%d calls of each kind)\n\n| | p50 | p95 | / (R100 + W) |\n|---|---|---|---|\n", number)
	fmt.Fprintf(&b.report, "| R100, a bare read of the rules and thresholds | %.2f | %.2f | |\n| W, a bare small write | %.2f | %.2f | |\n", rules.p50(), rules.at(0.95), write.p50(), write.at(0.95))
	fmt.Fprintf(&b.report, "| in process, the verdict kept | %.2f | %.2f | %.2f |\n", process.p50(), process.at(0.95), process.p50()/floor)
	fmt.Fprintf(&b.report, "| over stdio | %.2f (+%.2f) | %.2f | %.2f |\n", stdio.p50(), stdio.p50()-process.p50(), stdio.at(0.95), stdio.p50()/floor)

	if err := runOnDriver(ctx, driver, fillPatterns, nil); err != nil {
		return err
	}
	_, _, withPatterns, _, err := measured(number / 2)
	if err != nil {
		return err
	}
	if err := runOnDriver(ctx, driver, dropPatterns, nil); err != nil {
		return err
	}
	fmt.Fprintf(&b.report, "| in process, with 3 Cypher rules among them | %.2f (+%.2f) | %.2f | |\n", withPatterns.p50(), withPatterns.p50()-process.p50(), withPatterns.at(0.95))
	if err := b.manyCallers(ctx, driver, app, request, inProcess); err != nil {
		return err
	}
	if err := b.live(ctx, driver, app); err != nil {
		return err
	}
	if err := b.storedReads(ctx, driver, app); err != nil {
		return err
	}
	return server.close()
}

const storedProperties = `MATCH (v:Verdict {uid: $uid}) RETURN properties(v) AS verdict`

// manyCallers measures the checks per second of 64 parallel callers, and the rate of bare writes of the same verdicts,
// each in its own transaction.
func (b *bench) manyCallers(ctx context.Context, driver neo4j.DriverWithContext, app *tools.App, request check.ActionCheck, work func() error) error {
	verdict, err := app.Checks.Check(ctx, request)
	if err != nil {
		return err
	}
	rows, err := rowsOnDriver(ctx, driver, storedProperties, map[string]any{"uid": verdict.VerdictID})
	if err != nil || len(rows) != 1 {
		return fmt.Errorf("%d verdicts %s, %w", len(rows), verdict.VerdictID, err)
	}
	kept := rows[0].AsMap()["verdict"].(map[string]any)
	bare := func() error {
		properties := renamed(kept)
		properties["at"] = graph.UTC(time.Now())
		return runOnDriver(ctx, driver, `CREATE (v:Verdict) SET v = $verdict`, map[string]any{"verdict": properties})
	}
	var checks, writes float64
	const turns, span = 3, 3 * time.Second
	for round := range turns + 1 {
		checked, err := parallelRate(span, work)
		if err != nil {
			return err
		}
		written, err := parallelRate(span, bare)
		if err != nil {
			return err
		}
		if round > 0 { // the first round warms up the server for parallel requests
			checks, writes = checks+checked/turns, writes+written/turns
		}
	}
	fmt.Fprintf(&b.report, "\n%d concurrent callers in one process: %.0f checks a second, each stored; a bare driver writes %.0f verdicts that say the same: %.2f.\n", callersAtOnce, checks, writes, checks/writes)
	return nil
}

const callersAtOnce = 64

// parallelRate returns how often per second 64 parallel callers complete work.
func parallelRate(span time.Duration, work func() error) (float64, error) {
	var done atomic.Int64
	var failed atomic.Pointer[error]
	from := time.Now()
	var wait sync.WaitGroup
	for range callersAtOnce {
		wait.Go(func() {
			for time.Since(from) < span && failed.Load() == nil {
				if err := work(); err != nil {
					failed.Store(&err)
					return
				}
				done.Add(1)
			}
		})
	}
	wait.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(done.Load()) / time.Since(from).Seconds(), nil
}

// live measures the time until a manual edit reaches a subscriber.
func (b *bench) live(ctx context.Context, driver neo4j.DriverWithContext, app *tools.App) error {
	changes, cancel := live.NewWatcher(app.Live).Subscribe(live.Watched{Kind: policies.KindThreshold, Name: "bench_bar_1"})
	defer cancel()
	<-changes // the current state
	var reached sample
	for i := range 15 {
		if err := reached.timed(func() error {
			if err := runOnDriver(ctx, driver, "MATCH (t:SYS_Threshold {name: 'bench_bar_1'}) SET t.value = $v", map[string]any{"v": float64(i)}); err != nil {
				return err
			}
			<-changes
			return nil
		}); err != nil {
			return err
		}
	}
	fmt.Fprintf(&b.report, "\nA change with Cypher reaches a subscriber after %.0f ms (p50 of %d; slowest %.0f ms).\n", reached.p50(), len(reached), reached.at(1))
	return nil
}

// storedReads measures reads of stored verdicts and history in a large graph.
func (b *bench) storedReads(ctx context.Context, driver neo4j.DriverWithContext, app *tools.App) error {
	for from := 0; from < *verdicts; from += 10_000 {
		if err := runOnDriver(ctx, driver, fillVerdicts, map[string]any{"from": from, "to": min(from+10_000, *verdicts)}); err != nil {
			return err
		}
	}
	const changes = 1000
	for i := range changes {
		if _, err := app.Change.SetThreshold(ctx, change.ThresholdChange{Name: "bench_bar_0", Value: policies.ValueOf(0.5 + float64(i+1)/10_000), Reason: "bench", By: "bench"}); err != nil {
			return err
		}
	}
	if err := runOnDriver(ctx, driver, "CALL db.awaitIndexes(300)", nil); err != nil {
		return err
	}
	shown, err := app.History.Entries(ctx, history.Query{Subject: policies.Subject{Kind: "threshold", Name: "bench_bar_0"}, Page: policies.Page{Limit: changes}})
	if err != nil {
		return err
	}
	half := shown.Entries[len(shown.Entries)/2].At.Format(time.RFC3339Nano)
	var bare, explain, list, asOf, page sample
	const warmUp = 100
	number := max(*calls/2, 100)
	for i := range number + warmUp {
		if i == warmUp {
			bare, explain, list, asOf, page = nil, nil, nil, nil, nil
		}
		kinds := []struct {
			into *sample
			work func() error
		}{
			{&bare, func() error { return runOnDriver(ctx, driver, bareRead, map[string]any{"name": "bench_rule_7"}) }},
			{&explain, func() error {
				_, err := app.Checks.Explain(ctx, check.VerdictQuery{ID: fmt.Sprintf("bench-%d", i*7919%*verdicts)})
				return err
			}},
			{&list, func() error {
				_, err := app.Checks.Verdicts(ctx, check.VerdictFilter{AgentID: "agent7", Page: policies.Page{Limit: 20}})
				return err
			}},
			{&asOf, func() error {
				_, err := app.Live.Threshold(ctx, live.ThresholdQuery{Name: "bench_bar_0", AsOf: half})
				return err
			}},
			{&page, func() error {
				_, err := app.History.Entries(ctx, history.Query{Subject: policies.Subject{Kind: "threshold", Name: "bench_bar_0"}, Page: policies.Page{Limit: 20}})
				return err
			}},
		}
		for k := range kinds {
			one := kinds[(k+i)%len(kinds)]
			if err := one.into.timed(one.work); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(&b.report, "\n## Stored data, in process (%d calls of each kind; %d verdicts, a threshold with %d changes)\n\n| | p50 | p95 | / R |\n|---|---|---|---|\n", number, *verdicts, changes)
	for _, row := range []struct {
		name string
		s    sample
	}{{"R, the bare read", bare}, {"explain_verdict", explain}, {"list_verdicts of an agent, 20", list}, {"get_threshold as of a time", asOf}, {"get_history, 20 changes", page}} {
		fmt.Fprintf(&b.report, "| %s | %.2f | %.2f | %.2f |\n", row.name, row.s.p50(), row.s.at(0.95), row.s.p50()/bare.p50())
	}
	return nil
}
