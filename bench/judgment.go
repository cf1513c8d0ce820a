package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/search"
)

const (
	markUncounted = `MATCH (d:Decision) WHERE d.counted_as IS NULL AND NOT d:Uncounted CALL (d) { SET d:Uncounted } IN TRANSACTIONS OF 10000 ROWS`
	// Loaded decisions were reviewed years ago, so recent windows would be empty. This spreads the reviews over recent
	// days.
	spreadReviews = `MATCH (d:Decision)-[:HAS_REVIEW]->(r:Review {in_force: true}) WHERE d.uid STARTS WITH $prefix AND d.counted_as IS NULL
	                 CALL (d, r) { SET r.at = datetime() - duration({minutes: toInteger(rand() * 90 * 24 * 60)}), d.reviewed_at = r.at } IN TRANSACTIONS OF 10000 ROWS`
	markSome  = `MATCH (d:Decision) WHERE NOT d:Uncounted WITH d LIMIT $number SET d:Uncounted RETURN count(d) AS n`
	uncounted = `MATCH (d:Uncounted) RETURN count(d) AS n`
	dropRules = `MATCH (n) WHERE (n:SYS_Policy OR n:SYS_Threshold) AND (n.name STARTS WITH 'bench_rule_' OR n.name STARTS WITH 'bench_bar_') DETACH DELETE n`
)

// counting builds the counters of decisions that were loaded directly into the graph.
func (g *loadedGraph) counting(ctx context.Context) error {
	if err := runOnDriver(ctx, g.driver, spreadReviews, map[string]any{"prefix": uidPrefix}); err != nil {
		return err
	}
	if err := runOnDriver(ctx, g.driver, markUncounted, nil); err != nil {
		return err
	}
	rows, err := rowsOnDriver(ctx, g.driver, uncounted, nil)
	if err != nil {
		return err
	}
	number := rows[0].Values[0].(int64)
	from := time.Now()
	g.app.Counters.Wake() // as after an import
	for left := number; left > 0; {
		time.Sleep(100 * time.Millisecond)
		if left, err = g.stillUncounted(ctx); err != nil {
			return err
		}
	}
	took := time.Since(from)
	if number > 0 { // 0 if an earlier run has counted them
		fmt.Fprintf(&g.report, "\n%d decisions that were brought in were counted in %.1f s: %.0f a second.\n", number, took.Seconds(), float64(number)/took.Seconds())
	}
	alone, err := g.countingAlone(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(&g.report, "The two statements that read what counts of a decision and note that it is counted, alone, without a counter being written: %.0f a second.\n\n", alone)
	from = time.Now()
	answer, err := inProcess(ctx, g.app, "rebuild_stats", map[string]any{})
	if err != nil {
		return err
	}
	var rebuilt struct {
		Decisions, Cells int64
		WrongCells       int64 `json:"wrong_cells"`
		WrongDecisions   int64 `json:"wrong_decisions"`
	}
	if err := json.Unmarshal(answer, &rebuilt); err != nil {
		return err
	}
	fmt.Fprintf(&g.report, "`stats rebuild` compared %d decisions and %d counters in %.1f s, and found %d wrong.\n", rebuilt.Decisions, rebuilt.Cells, time.Since(from).Seconds(),
		rebuilt.WrongCells+rebuilt.WrongDecisions)
	return nil
}

// countingAlone returns how many decisions per second can be read and marked as counted, in transactions of the same
// size as those of the counters.
func (g *loadedGraph) countingAlone(ctx context.Context) (float64, error) {
	const number, atOnce = 20_000, 4000
	if err := runOnDriver(ctx, g.driver, markSome, map[string]any{"number": number}); err != nil {
		return 0, err
	}
	done, from := 0, time.Now()
	for {
		started, err := neo4j.ExecuteQuery(ctx, g.driver, cypher.CountBegin.Text(), map[string]any{"limit": atOnce}, neo4j.EagerResultTransformer)
		if err != nil {
			return 0, err
		}
		rows := started.Records
		if len(rows) == 0 {
			return float64(done) / time.Since(from).Seconds(), nil
		}
		notes := make([]any, len(rows))
		for i, row := range rows {
			of := row.AsMap()
			notes[i] = map[string]any{"node": of["node"], "as": of["counted_as"]}
		}
		if err := runOnDriver(ctx, g.driver, cypher.CountEnd.Text(), map[string]any{"empty": []any{}, "counted": notes, "oldest": "", "most": 0}); err != nil {
			return 0, err
		}
		done += len(rows)
	}
}

// preparing measures pre_action and get_session_context with 100 rules in addition to core: against R100, a bare read of
// these and their thresholds, H, a bare vector query and a bare full-text query, R and W as in recording.
func (g *loadedGraph) preparing(ctx context.Context) error {
	if err := runOnDriver(ctx, g.driver, fillRules, nil); err != nil {
		return err
	}
	defer func() { _ = runOnDriver(ctx, g.driver, dropRules, nil) }()
	write, err := g.bareWriting(ctx)
	if err != nil {
		return err
	}
	vectors, err := g.questions(ctx)
	if err != nil {
		return err
	}
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("bench_bar_%d", i)
	}
	rules := &turn{name: "R100, a bare read of 100 rules and their thresholds", work: func(int) error {
		return runOnDriver(ctx, g.driver, bareRules, map[string]any{"names": names})
	}}
	hybrid := &turn{name: "H, a bare vector query and a bare full text query", work: g.bareSearches(ctx, vectors, asked)}
	action := func(i int) map[string]any {
		d := g.decision(fmt.Sprintf("prepared%d", i), i)
		return map[string]any{"action": map[string]any{"description": d["decision"], "category": d["category"], "stakes": "medium",
			"confidence": 0.85}, "context": d["context"], "reasons": d["reasons"], "tags": d["tags"], "project": d["project"], "agent_id": d["agent_id"]}
	}
	prepare := &turn{name: "pre_action with recording, over stdio", settle: g.settled(ctx), work: func(i int) error {
		answer, err := g.server.callForResult("pre_action", action(i))
		var out struct{ Allowed, Recorded bool }
		if err == nil && (json.Unmarshal(answer, &out) != nil || !out.Allowed || !out.Recorded) {
			err = fmt.Errorf("pre_action gave %.600s", answer)
		}
		return err
	}}
	ask := func(arguments func(i int) map[string]any) func(i int) error {
		return func(i int) error { _, err := g.server.callForResult("get_session_context", arguments(i)); return err }
	}
	task := func(i int) map[string]any {
		return map[string]any{"task_description": g.question(i % len(vectors)), "agent_id": "agent-1"}
	}
	about := &turn{name: "get_session_context about a task, over stdio", work: ask(task)}
	plain := &turn{name: "get_session_context without a task, over stdio", work: ask(func(int) map[string]any { return map[string]any{"agent_id": "agent-1"} })}
	read := g.reader(ctx)
	number := max(*calls/4, 50)
	if err := inTurn(number, 20, []*turn{rules, hybrid, read, write, prepare, about, plain}); err != nil {
		return err
	}
	g.table("Before an action", number, read.taken.p50(), "R", []*turn{rules, hybrid, read, write, prepare, about, plain})
	r, h, w := read.taken.p50(), hybrid.taken.p50(), write.taken.p50()
	fmt.Fprintf(&g.report, "\nR100 + H + 3 (R + W) is %.2f ms, H + 15 R is %.2f ms.\n", rules.taken.p50()+h+3*(r+w), h+15*r)
	return errors.Join(g.asked(ctx, "pre_action", g.settled(ctx), action), g.asked(ctx, "get_session_context", func() error { return nil }, task),
		g.profile(ctx, "R100", bareRules, map[string]any{"names": names}))
}

// questions returns the vectors of the questions.
func (g *loadedGraph) questions(ctx context.Context) ([][]float64, error) {
	vectors := make([][]float64, len(g.sources))
	for i := range vectors {
		made, err := search.Builtin().Embed(ctx, []string{g.question(i)})
		if err != nil {
			return nil, err
		}
		vectors[i] = doubles(made[0])
	}
	return vectors, nil
}

func (g *loadedGraph) reader(ctx context.Context) *turn {
	return &turn{name: "R, a bare read of a decision by id", work: func(i int) error {
		return runBare(ctx, g.driver, bareDecision, map[string]any{"id": idOf(i * 7919 % g.size)})
	}}
}

// calibrating measures the counters with each filter and window.
func (g *loadedGraph) calibrating(ctx context.Context) error {
	read := g.reader(ctx)
	turns := []*turn{read}
	for _, tool := range []string{"get_stats", "get_reason_stats"} {
		for _, arguments := range []map[string]any{{}, {"window": "90d"}, {"category": "architecture"}, {"category": "architecture", "window": "90d"},
			{"category": "process", "project": "bench/project-1"}} {
			values := arguments
			if tool == "get_reason_stats" && len(arguments) > 0 {
				values = map[string]any{"filters": map[string]any{"category": arguments["category"], "project": arguments["project"]}, "window": arguments["window"]}
			}
			values = withoutNil(values)
			turns = append(turns, &turn{name: fmt.Sprintf("%s %s", tool, asJSON(values)), work: func(int) error { _, err := g.server.callForResult(tool, values); return err }})
		}
	}
	number := max(*calls/8, 50)
	if err := inTurn(number, 20, turns); err != nil {
		return err
	}
	g.table("Calibration, over stdio", number, read.taken.p50(), "R", turns)
	return nil
}

func withoutNil(values map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range values {
		if inner, nested := value.(map[string]any); nested {
			value = withoutNil(inner)
		}
		if value != nil {
			out[name] = value
		}
	}
	return out
}

func (g *loadedGraph) stillUncounted(ctx context.Context) (int64, error) {
	rows, err := rowsOnDriver(ctx, g.driver, uncounted, nil)
	if err != nil {
		return 0, err
	}
	return rows[0].Values[0].(int64), nil
}

// counted waits until the counters include all reviews.
func (g *loadedGraph) counted(ctx context.Context) error {
	for from := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		left, err := g.stillUncounted(ctx)
		if err != nil || left == 0 {
			return err
		}
		if time.Since(from) > 2*time.Minute {
			return fmt.Errorf("%d decisions are still not counted", left)
		}
	}
}
