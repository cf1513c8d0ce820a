package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"nomograph/internal/uid"
	"nomograph/search"
)

const (
	bareDecision = `MATCH (d:Decision {id: $id}) RETURN d`
	bareWalk     = `MATCH (:Decision {id: $id})-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-{0,3}(d:Decision) WITH DISTINCT d LIMIT 200 RETURN d`
	bareText     = `CALL db.index.fulltext.queryNodes($index, $text, {limit: $k}) YIELD node, score RETURN node, score`
	bareVector   = `CALL db.index.vector.queryNodes($index, $k, $vector) YIELD node, score MATCH (node)-[:OF]->(found) RETURN found, score`
	bareReview   = `MATCH (d:Decision {uid: $uid})
	                SET d.status = 'reviewed', d.outcome = 'success', d.reviewed_at = datetime(), d.updated_at = datetime()
	                CREATE (d)-[:HAS_REVIEW]->(r:Review) SET r = $review, r.at = datetime()`
	// Loaded decisions were reviewed years ago. This spreads the reviews over recent days, so that recent windows are
	// not empty.
	spreadReviews = `MATCH (d:Decision)-[:HAS_REVIEW]->(r:Review {in_force: true})
	                 CALL (d, r) { SET r.at = datetime() - duration({minutes: toInteger(rand() * 90 * 24 * 60)}), d.reviewed_at = r.at } IN TRANSACTIONS OF 10000 ROWS`
	markUncounted = `MATCH (d:Decision) WHERE d.counted_as IS NULL AND NOT d:Uncounted CALL (d) { SET d:Uncounted } IN TRANSACTIONS OF 10000 ROWS`
	toReview      = `MATCH (d:Decision) WHERE d.status = 'pending' AND d.confidence IS NOT NULL RETURN d.id AS id, d.uid AS uid LIMIT 20000`

	asked   = 10      // requested decisions
	renewed = 100_000 // numbers from here on belong to decisions whose recording is followed by a search
)

// graphOf is a loaded graph of decisions.
type graphOf struct {
	*bench
	corpus
	questions []string
	vectors   [][]float64 // of the questions
}

// loaded fills the graph with decisions and applies the rules that `make run` applies, too.
func (b *bench) loaded(ctx context.Context) (*graphOf, error) {
	c, err := readCorpus(*data)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(b.command(ctx, "policy", "apply", "core"), b.load(ctx, c, *size)); err != nil {
		return nil, err
	}
	questions := make([]string, len(c))
	for i := range questions {
		questions[i] = c.question(i)
	}
	vectors, err := embedded(ctx, questions)
	return &graphOf{b, c, questions, vectors}, err
}

// hybrid is H: a vector query and a full-text query, each for ten nodes, with the vector of the text computed before.
func (b *bench) hybrid(ctx context.Context, vectorIndex, textIndex string, texts []string, vectors [][]float64) floor {
	return floor{"H", inOrder(
		b.reads(ctx, bareVector, func(i int) map[string]any {
			return map[string]any{"index": vectorIndex, "k": asked, "vector": vectors[i%len(vectors)]}
		}),
		b.reads(ctx, bareText, func(i int) map[string]any {
			return map[string]any{"index": textIndex, "k": asked, "text": plainWords(texts[i%len(texts)])}
		}))}
}

// embedded returns vectors in the type of the driver.
func embedded(ctx context.Context, texts []string) ([][]float64, error) {
	made, err := search.Builtin().Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	vectors := make([][]float64, len(made))
	for i := range made {
		vectors[i] = doubles(made[i])
	}
	return vectors, nil
}

// plainWords keeps the words of a text, which contain no operators of Lucene.
func plainWords(text string) string {
	return strings.Join(wholeWord.FindAllString(strings.ToLower(text), -1), " ")
}

// decisions measures recording, finding, reading, preparing and reviewing.
func (b *bench) decisions(ctx context.Context) ([]row, error) {
	g, err := b.loaded(ctx)
	if err != nil {
		return nil, err
	}
	write := floor{"W", b.bareDecision(ctx, g.corpus, *size)}
	read := floor{"R", b.reads(ctx, bareDecision, g.ofID("id"))}
	both := b.hybrid(ctx, "embedding_text", "decision_text", g.questions, g.vectors)
	settled := func() error { return b.none(ctx, "Unindexed") }
	query := func(filters map[string]any) operation {
		return b.tool("query_decisions", func(i int) map[string]any {
			return map[string]any{"query": g.questions[i%len(g.questions)], "limit": asked, "filters": filters}
		})
	}
	task := func(i int) map[string]any {
		return map[string]any{"task_description": g.questions[i%len(g.questions)], "agent_id": "agent-1"}
	}
	rows := []row{
		{name: "log_decision", work: b.tool("log_decision", g.decision), floor: write, settle: settled},
		{name: "log_decision, until a search finds it", times: 20, work: g.findable(), floor: write},
		{name: "query_decisions", work: query(nil), floor: both},
		{name: "query_decisions, filter of 1 %", work: query(map[string]any{"category": rareCategory}), floor: both},
		{name: "query_decisions, filter of 20 %", work: query(map[string]any{"stakes": []string{commonStakes}}),
			floor: both},
		{name: "get_decision", work: b.tool("get_decision", g.ofID("id")), floor: read},
		{name: "get_graph, depth 3", floor: floor{"walk of 3 steps", b.reads(ctx, bareWalk, g.ofID("id"))},
			work: b.tool("get_graph", func(i int) map[string]any {
				return map[string]any{"node_id": g.id(i), "depth": 3}
			})},
		{name: "list_decisions", work: b.tool("list_decisions", same(map[string]any{})), floor: read},
		{name: "list_decisions of a project by confidence", floor: read,
			work: b.tool("list_decisions", same(map[string]any{"project": "bench/project-1", "sort": "confidence"}))},
		{name: "pre_action with recording", work: b.tool("pre_action", g.action),
			floor: floor{"H + W", inOrder(both.work, write.work)}, settle: settled},
		{name: "get_session_context", work: b.tool("get_session_context", task), floor: both},
	}
	return append(rows, g.counted(ctx, read)...), nil
}

func (g *graphOf) id(i int) string { return idOf(i * 7919 % *size) }

// ofID returns arguments with the id of a decision, which is another one in each call.
func (g *graphOf) ofID(argument string) func(i int) map[string]any {
	return func(i int) map[string]any { return map[string]any{argument: g.id(i)} }
}

// decision returns a decision to record. Each has another title.
func (g *graphOf) decision(i int) map[string]any {
	title, description, abstract := g.texts(*size + i)
	return map[string]any{"decision": fmt.Sprintf("%s turn%d", title, i), "confidence": 0.85,
		"category": "architecture", "stakes": "medium", "context": abstract,
		"project": "bench/recording", "agent_id": "bench-recorder", "tags": []string{"recording", "measured", "bench"},
		"reasons": []any{
			map[string]any{"type": "empirical", "text": "Others decided so before: " + description},
			map[string]any{"type": "analysis", "text": "It costs less than the alternative"}}}
}

func (g *graphOf) action(i int) map[string]any {
	d := g.decision(i)
	return map[string]any{"action": map[string]any{"description": d["decision"], "category": d["category"],
		"stakes": "medium", "confidence": 0.85},
		"context": d["context"], "reasons": d["reasons"], "tags": d["tags"], "project": d["project"],
		"agent_id": d["agent_id"]}
}

func (g *graphOf) record(decision map[string]any) (string, error) {
	answer, err := g.server.call("log_decision", decision)
	if err != nil {
		return "", err
	}
	var out struct{ ID string }
	return out.ID, json.Unmarshal(answer, &out)
}

// none waits until no node has a label, which marks work that is left.
func (b *bench) none(ctx context.Context, label string) error {
	for from := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		rows, err := b.rows(ctx, "MATCH (n:"+label+") RETURN count(n) AS n", nil)
		if err != nil || rows[0].Values[0] == int64(0) {
			return err
		}
		if time.Since(from) > 10*time.Minute {
			return fmt.Errorf("%v nodes still have the label %s", rows[0].Values[0], label)
		}
	}
}

// findable measures from the call of log_decision until a search by keyword finds the decision.
func (g *graphOf) findable() operation {
	return timed(func(i int) error {
		word := "xq" + strings.ReplaceAll(uid.Random(), "-", "")
		d := g.decision(renewed + i)
		d["context"] = word
		id, err := g.record(d)
		for from := time.Now(); err == nil; time.Sleep(5 * time.Millisecond) {
			var answer json.RawMessage
			answer, err = g.server.call("query_decisions",
				map[string]any{"query": word, "retrieval_mode": "keyword", "limit": asked, "no_links": true})
			if strings.Contains(string(answer), `"`+id+`"`) {
				return nil
			}
			if time.Since(from) > time.Minute {
				return fmt.Errorf("no search finds %s", id)
			}
		}
		return err
	})
}

// counted measures the counters of calibration and reviews, which change them.
func (g *graphOf) counted(ctx context.Context, read floor) []row {
	var ids, uids []string
	review := func(i int) map[string]any {
		return map[string]any{"id": ids[i], "outcome": []string{"success", "partial", "failure", "abandoned"}[i%4],
			"lessons": "what was learned", "agent_id": "bench-reviewer"}
	}
	bare := floor{"W", g.writes(ctx, bareReview, func(i int) map[string]any {
		return map[string]any{"uid": uids[i], "review": map[string]any{"uid": uid.New(), "schema_version": 1,
			"number": 1, "in_force": true, "outcome": "success", "by": "bench"}}
	})}
	candidates := func() error {
		found, err := g.rows(ctx, toReview, nil)
		ids, uids = nil, nil
		for _, one := range found {
			ids, uids = append(ids, one.Values[0].(string)), append(uids, one.Values[1].(string))
		}
		return err
	}
	counters := func() error { return g.none(ctx, "Uncounted") }
	return []row{
		{name: "counters of all decisions", times: 1,
			prepare: func() error {
				return errors.Join(g.run(ctx, spreadReviews, nil), g.run(ctx, markUncounted, nil))
			},
			work: timed(func(int) error { g.app.Counters.Wake(); return counters() })},
		{name: "get_stats of 90 days", work: g.tool("get_stats", same(map[string]any{"window": "90d"})), floor: read},
		{name: "review_outcome", prepare: candidates, work: g.tool("review_outcome", review), floor: bare,
			settle: counters},
	}
}
