package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/internal/uid"
	"nomograph/migrations"
)

const (
	recorded = `MATCH (a:Agent)-[:MADE]->(d:Decision {id: $id})-[:IN_PROJECT]->(p:Project), (v:Verdict)-[:JUDGED]->(d)
	            RETURN properties(a) AS agent, properties(p) AS project, properties(d) AS decision, properties(v) AS verdict,
	                   COLLECT { MATCH (d)-[:TAGGED]->(t:Tag) RETURN properties(t) } AS tags, COLLECT { MATCH (d)-[b:BECAUSE]->(r:Reason) RETURN {position: b.position, properties: properties(r)} } AS reasons`
	unindexed = `MATCH (d:Unindexed) RETURN count(d) AS n`
	// The same nodes, relationships and indexes, except for the full-text index, which belongs to the label Decision.
	bareRecording = `MERGE (a:Agent {key: $agent.key}) ON CREATE SET a += $agent
	                 MERGE (p:Project {key: $project.key}) ON CREATE SET p += $project
	                 CREATE (a)-[:MADE]->(d:BenchDecision)-[:IN_PROJECT]->(p), (v:Verdict)-[:JUDGED]->(d)
	                 SET d = $decision, v = $verdict
	                 FOREACH (tag IN $tags | MERGE (t:Tag {key: tag.key}) ON CREATE SET t += tag CREATE (d)-[:TAGGED]->(t))
	                 FOREACH (reason IN $reasons | CREATE (d)-[:BECAUSE {position: reason.position}]->(r:Reason) SET r = reason.properties)`
)

const maxRecorded = 100_000 // decisions recorded in a graph before findability is measured

// decision returns a decision to record. Each contains a different word, by which a search finds it.
func (g *loadedGraph) decision(word string, i int) map[string]any {
	title, description, abstract := g.texts(g.size + i)
	return map[string]any{"decision": title + " " + word, "confidence": 0.85, "category": "architecture", "stakes": "medium", "context": abstract,
		"project": "bench/recording", "agent_id": "bench-recorder", "tags": []string{"recording", "measured", "bench"}, "reasons": []any{
			map[string]any{"type": "empirical", "text": "Others decided so before: " + description}, map[string]any{"type": "analysis", "text": "It costs less than the alternative"}}}
}

func (g *loadedGraph) record(decision map[string]any) (string, error) {
	answer, err := g.server.callForResult("log_decision", decision)
	if err != nil {
		return "", err
	}
	var out struct {
		Success bool
		ID      string
	}
	if err := json.Unmarshal(answer, &out); err != nil || !out.Success {
		return "", fmt.Errorf("log_decision gave %s, %w", answer, err)
	}
	return out.ID, nil
}

// bareWriting returns W: a bare write of the nodes and relationships that log_decision writes.
func (g *loadedGraph) bareWriting(ctx context.Context) (*turn, error) {
	if err := g.benchLabel(ctx); err != nil {
		return nil, err
	}
	id, err := g.record(g.decision("first", 0))
	if err != nil {
		return nil, err
	}
	rows, err := rowsOnDriver(ctx, g.driver, recorded, map[string]any{"id": id})
	if err != nil || len(rows) != 1 {
		return nil, fmt.Errorf("%d decisions %s, %w", len(rows), id, err)
	}
	written := rows[0].AsMap()
	fresh := func() map[string]any { // a copy of a recorded decision
		params := maps.Clone(written)
		for _, name := range []string{"decision", "verdict"} {
			params[name] = renamed(written[name].(map[string]any))
		}
		params["decision"].(map[string]any)["id"] = uid.Random()[:8]
		reasons := []any{}
		for _, reason := range written["reasons"].([]any) {
			r := maps.Clone(reason.(map[string]any))
			r["properties"] = renamed(r["properties"].(map[string]any))
			reasons = append(reasons, r)
		}
		params["reasons"] = reasons
		return params
	}
	return &turn{name: "W, a bare write of the same nodes and relationships", work: func(int) error { return runOnDriver(ctx, g.driver, bareRecording, fresh()) }}, nil
}

// recording measures log_decision against W, a bare write of the same data.
func (g *loadedGraph) recording(ctx context.Context) error {
	write, err := g.bareWriting(ctx)
	if err != nil {
		return err
	}
	read := g.reader(ctx)
	log := &turn{name: "log_decision over stdio", work: func(i int) error { _, err := g.record(g.decision(fmt.Sprintf("turn%d", i), i)); return err }, settle: g.settled(ctx)}
	number := max(*calls/4, 100)
	turns := []*turn{read, write, log}
	if err := inTurn(number, 50, turns); err != nil {
		return err
	}
	g.table("Recording", number, write.taken.p50(), "W", turns)
	fmt.Fprintf(&g.report, "\n1.5 W + 0.3 ms is %.2f ms.\n", 1.5*write.taken.p50()+0.3)
	return g.asked(ctx, "log_decision", g.settled(ctx), func(i int) map[string]any { return g.decision(fmt.Sprintf("asked%d", i), number+i) })
}

// settled waits until recorded decisions have vectors.
func (g *loadedGraph) settled(ctx context.Context) func() error {
	return func() error {
		for {
			rows, err := rowsOnDriver(ctx, g.driver, unindexed, nil)
			if err != nil || rows[0].Values[0] == int64(0) {
				return err
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

func renamed(properties map[string]any) map[string]any {
	p := maps.Clone(properties)
	p["uid"] = uid.New()
	return p
}

// benchLabel creates the constraints and range indexes of Decision for BenchDecision.
func (g *loadedGraph) benchLabel(ctx context.Context) error {
	for _, m := range migrations.All() {
		for _, statement := range m.Statements() {
			if !strings.Contains(statement, "(d:Decision)") || !strings.HasPrefix(statement, "CREATE CONSTRAINT ") && !strings.HasPrefix(statement, "CREATE INDEX ") {
				continue
			}
			statement = strings.NewReplacer("(d:Decision)", "(d:BenchDecision)", " decision_", " bench_decision_").Replace(statement)
			if err := runOnDriver(ctx, g.driver, statement, nil); err != nil {
				return err
			}
		}
	}
	return g.online(ctx, g.driver)
}

// findable measures the time from the answer of log_decision until a search finds the decision.
func (g *loadedGraph) findable(context.Context) error {
	const runs, warmUp, limit = 20, 3, 30 * time.Second
	taken := map[string]*sample{"keyword": {}, "semantic": {}}
	for i := range runs + warmUp {
		if i == warmUp { // the server has planned the searches by then
			*taken["keyword"], *taken["semantic"] = nil, nil
		}
		i += maxRecorded
		word := "xq" + strings.ReplaceAll(uid.Random(), "-", "")
		d := g.decision(word, i)
		d["context"] = word // a large graph is built from few texts, so ten other decisions are equally close
		id, err := g.record(d)
		if err != nil {
			return err
		}
		from := time.Now()
		questions := map[string]string{"keyword": word, "semantic": fmt.Sprint(d["decision"], "\n", d["context"], "\n", d["reasons"])}
		for len(questions) > 0 {
			for mode, question := range questions {
				answer, err := g.server.callForResult("query_decisions", map[string]any{"query": question, "retrieval_mode": mode, "limit": 10, "no_links": true})
				switch {
				case err != nil:
					return err
				case strings.Contains(string(answer), `"`+id+`"`):
					*taken[mode] = append(*taken[mode], time.Since(from))
					delete(questions, mode)
				case time.Since(from) > limit:
					return fmt.Errorf("%s search does not find %s", mode, id)
				}
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	fmt.Fprintf(&g.report, "\nAfter log_decision has answered, a search by keyword finds it in %.0f ms (p50 of %d; slowest %.0f ms), by meaning in %.0f ms (slowest %.0f ms).\n",
		taken["keyword"].p50(), runs, taken["keyword"].at(1), taken["semantic"].p50(), taken["semantic"].at(1))
	return nil
}

func runBare(ctx context.Context, driver neo4j.DriverWithContext, query string, params map[string]any) error {
	rows, err := rowsOnDriver(ctx, driver, query, params)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("nothing found: %s %v", query, params)
	}
	return err
}
