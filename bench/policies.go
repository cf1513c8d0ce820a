package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"nomograph/cypher"
	"nomograph/internal/uid"
)

const (
	bareRead  = `MATCH (n:SYS_Policy {name: $name}) RETURN n`
	bareRules = `MATCH (p:SYS_Policy) WHERE p.requires IS NOT NULL AND p.active = true
	             WITH collect(properties(p)) AS rules
	             UNWIND $names AS name MATCH (t:SYS_Threshold {name: name})
	             RETURN rules, collect(properties(t)) AS thresholds`
	bareGuardrails = `MATCH (p:SYS_Policy) WHERE p.active = true WITH collect(properties(p)) AS rules
	                  MATCH (t:SYS_Threshold) RETURN rules, collect(properties(t)) AS thresholds`
	bareWrite = `CREATE (:Bench_Write {uid: $uid, at: datetime(), allowed: true, agent: 'bench', inputs: $text})`
	fill      = `UNWIND range($from, $to - 1) AS i
	             CREATE (:SYS_Policy {name: 'bench_policy_' + i, description: 'a policy made for measuring', decision_table: 'D8', active: true, priority: i, system: true})
	             CREATE (:SYS_Threshold {name: 'bench_threshold_' + i, value: 0.5, unit: 'score', decision_table: 'D10', rationale: 'made for measuring'})`
	fillRules = `UNWIND range(0, $number - 1) AS i
	             CREATE (:SYS_Policy {name: 'bench_rule_' + i, active: true, description: 'a rule made for measuring', severity: 'block',
	                     applies_when: 'action.stakes >= high || action.category == "kind' + i + '"',
	                     requires: 'has(action.confidence) && action.confidence >= threshold("bench_bar_' + i + '")',
	                     message: 'Confidence must reach {threshold("bench_bar_' + i + '")}'})
	             CREATE (:SYS_Threshold {name: 'bench_bar_' + i, value: 0.5, unit: 'ratio', rationale: 'made for measuring'})`
	// createLimit creates a limit that denies, and that therefore locks.
	createLimit  = `CREATE (:SYS_Policy {name: 'bench_limit', active: true, severity: 'block', actions: ['bench.held'], limit_of: 'calls', limit_most: 1000000, limit_seconds: 10, forbids_pattern: $pattern})`
	fillVerdicts = `UNWIND range($from, $to - 1) AS i
	                CREATE (:Verdict {uid: 'bench-' + i, at: datetime() - duration({seconds: i}), allowed: i % 50 <> 0, revision: 'bench', agent: 'agent' + (i % 100),
	                        agent_asserted: true, stakes: 'high', evaluated: 100, enforced: false, description: 'made for measuring', inputs: '{}', inputs_kept: 'full', inputs_hash: '',
	                        results: '{"violations":[],"warnings":[],"shadow":[]}'})`
	hookEvent    = `{"session_id":"bench","hook_event_name":"PreToolUse","cwd":"/tmp","tool_name":"Bash","tool_use_id":"%d","tool_input":{"command":"make test"}}`
	changesOfOne = 200 // changes of the threshold whose history is read
	ruleCount    = 100
	fillBatch    = 5000
	smallGraph   = 10 // policies and thresholds
)

var actionCheck = map[string]any{"description": "Deploy the service", "stakes": "high", "confidence": 0.9,
	"category": "process",
	"context":  map[string]any{"affectsProduction": true, "codeReviewCompleted": true}}

// inBatches runs a statement for all numbers below an end, and waits for the indexes.
func (b *bench) inBatches(ctx context.Context, query string, end int) error {
	for from := 0; from < end; from += fillBatch {
		if err := b.run(ctx, query, map[string]any{"from": from, "to": min(from+fillBatch, end)}); err != nil {
			return err
		}
	}
	return b.run(ctx, "CALL db.awaitIndexes(300)", nil)
}

// oneRead is R, an indexed read of a node.
func (b *bench) oneRead(ctx context.Context, name string) floor {
	return floor{"R", b.reads(ctx, bareRead, same(map[string]any{"name": name}))}
}

// oneWrite is W, a write of a small node.
func (b *bench) oneWrite(ctx context.Context) floor {
	return floor{"W", b.writes(ctx, bareWrite, func(int) map[string]any {
		return map[string]any{"uid": uid.Random(), "text": string(asJSON(actionCheck))}
	})}
}

// rulesAndWrite is R100 + W: a read of 100 rules and their thresholds, and a small write.
func (b *bench) rulesAndWrite(ctx context.Context) floor {
	names := make([]string, ruleCount)
	for i := range names {
		names[i] = fmt.Sprintf("bench_bar_%d", i)
	}
	return floor{"R100 + W", inOrder(b.reads(ctx, bareRules, same(map[string]any{"names": names})),
		b.oneWrite(ctx).work)}
}

// policies measures reads of policies and thresholds, checks, and reads of what checks stored.
func (b *bench) policies(ctx context.Context) ([]row, error) {
	if err := b.inBatches(ctx, fill, smallGraph); err != nil {
		return nil, err
	}
	web, err := b.http(ctx)
	if err != nil {
		return nil, err
	}
	had := smallGraph
	name := func(int) string { return fmt.Sprintf("bench_threshold_%d", rand.IntN(had)) }
	named := func(i int) map[string]any { return map[string]any{"name": name(i)} }
	read, checked := b.oneRead(ctx, "bench_policy_7"), b.rulesAndWrite(ctx)
	return []row{
		{name: fmt.Sprintf("get_threshold over stdio, %d nodes", 2*had), work: b.tool("get_threshold", named),
			floor: read},
		{name: "get_threshold over REST", workers: 16,
			work: web.get(ctx, func(i int) string { return "/api/v1/thresholds/" + name(i) }), floor: read},
		{name: "get_threshold over MCP over HTTP", workers: 16, work: web.mcp(ctx, "get_threshold", named),
			floor: read},
		{name: fmt.Sprintf("get_threshold over stdio, %d nodes", 2**large), work: b.tool("get_threshold", named),
			floor: read, prepare: func() error {
				had = *large
				return errors.Join(b.run(ctx, "MATCH (n) WHERE n.name STARTS WITH 'bench_' DETACH DELETE n", nil),
					b.inBatches(ctx, fill, had))
			}},
		{name: "run_cypher_readonly over stdio", floor: read, work: b.tool("run_cypher_readonly",
			same(map[string]any{"query": bareRead, "params": map[string]any{"name": "bench_policy_7"}}))},
		{name: "check_action with 100 rules, in process", floor: checked,
			prepare: func() error { return b.run(ctx, fillRules, map[string]any{"number": ruleCount}) },
			work:    timed(func(int) error { return b.checked(ctx, actionCheck) })},
		{name: "check_action with 100 rules, over stdio", work: b.tool("check_action", same(actionCheck)),
			floor: checked},
		{name: "check_action with 100 rules, over REST", workers: 64,
			work: web.post(ctx, "/api/v1/checks", `"allowed":true`, same(actionCheck)), floor: checked},
		{name: "check_action with a limit that denies", floor: checked,
			prepare: func() error {
				return b.run(ctx, createLimit, map[string]any{"pattern": cypher.LimitState.Text()})
			},
			work: timed(func(int) error {
				return b.checked(ctx, map[string]any{"description": "Hold", "name": "bench.held", "stakes": "high",
					"confidence": 0.9})
			})},
		{name: fmt.Sprintf("explain_verdict, %d verdicts", *verdicts), floor: read,
			prepare: func() error { return b.inBatches(ctx, fillVerdicts, *verdicts) },
			work: b.tool("explain_verdict", func(i int) map[string]any {
				return map[string]any{"verdict_id": fmt.Sprintf("bench-%d", i*7919%*verdicts)}
			})},
		{name: "list_verdicts of an agent, 20", work: b.tool("list_verdicts",
			same(map[string]any{"agent_id": "agent7", "limit": 20})), floor: read},
		{name: fmt.Sprintf("get_history of a threshold with %d changes, 20", changesOfOne), floor: read,
			work: b.tool("get_history", same(map[string]any{"kind": "threshold", "name": "bench_bar_0", "limit": 20})),
			prepare: func() error {
				for i := range changesOfOne {
					change := map[string]any{"name": "bench_bar_0", "value": 0.5 + float64(i+1)/10_000,
						"reason": "bench", "confirm": true}
					if _, err := b.server.call("set_threshold", change); err != nil {
						return err
					}
				}
				return nil
			}},
	}, nil
}

// checked checks an action in process, which must be allowed.
func (b *bench) checked(ctx context.Context, action map[string]any) error {
	answer, err := b.inProcess(ctx, "check_action", action)
	var verdict struct{ Allowed bool }
	if err == nil && (json.Unmarshal(answer, &verdict) != nil || !verdict.Allowed) {
		err = fmt.Errorf("check_action gave %.600s", answer)
	}
	return err
}

// hooks measures hooks of coding agents with a running server and four packs.
func (b *bench) hooks(ctx context.Context) ([]row, error) {
	if err := b.command(ctx, "policy", "apply", "shell", "git", "files", "mcp", "--mode", "enforce"); err != nil {
		return nil, err
	}
	web, err := b.http(ctx)
	if err != nil {
		return nil, err
	}
	program := filepath.Join(filepath.Dir(b.program), "nomograph-hook")
	bare := floor{"read of the rules + W", inOrder(b.reads(ctx, bareGuardrails, same(nil)), b.oneWrite(ctx).work)}
	return []row{
		{name: "`nomograph-hook`", workers: 4, floor: floor{"process of `true`",
			timed(func(int) error { _, err := b.process(ctx, "", "true"); return err })},
			work: timed(func(i int) error {
				out, err := b.process(ctx, fmt.Sprintf(hookEvent, i), program, "claude-code")
				if err == nil && out != "" {
					err = errors.New(out)
				}
				return err
			})},
		{name: "the event over HTTP", workers: 4, floor: bare,
			work: web.post(ctx, "/hooks/generic?contract=1", `"decision":"allow"`,
				func(i int) map[string]any {
					return map[string]any{"kind": "shell.run", "command": "make test", "session_id": "bench",
						"tool_use_id": fmt.Sprint("http-", i)}
				})},
	}, nil
}
