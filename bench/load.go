package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"nomograph/internal/lists"
	"nomograph/migrations"
	"nomograph/search"
)

const (
	loadDecisions = `UNWIND $rows AS row
	                 MERGE (a:Agent {key: row.agent}) ON CREATE SET a.name = row.agent, a.uid = randomUUID(), a.schema_version = 1
	                 MERGE (p:Project {key: row.project}) ON CREATE SET p.name = row.project, p.uid = randomUUID(), p.schema_version = 1
	                 CREATE (a)-[:MADE]->(d:Decision)-[:IN_PROJECT]->(p), (v:Verdict)-[:JUDGED]->(d)
	                 SET d = row.decision
	                 SET v = {uid: 'bench-of-' + d.uid, at: d.created_at, allowed: true, revision: 'bench', agent: row.agent, agent_asserted: true,
	                     stakes: d.stakes, evaluated: 5, enforced: false, description: d.structure, inputs: '{}', inputs_kept: 'full', inputs_hash: '',
	                     results: '{"violations":[],"warnings":[],"shadow":[]}'}
	                 FOREACH (tag IN row.tags | MERGE (t:Tag {key: tag}) ON CREATE SET t.name = tag, t.uid = randomUUID(), t.schema_version = 1 CREATE (d)-[:TAGGED]->(t))
	                 FOREACH (n IN range(0, size(row.reasons) - 1) | CREATE (d)-[:BECAUSE {position: n + 1}]->(:Reason {uid: 'bench-reason-' + n + '-' + d.uid,
	                     schema_version: 1, type: ['empirical', 'analysis'][n], text: row.reasons[n], strength: 0.8}))
	                 FOREACH (_ IN CASE WHEN row.review = '' THEN [] ELSE [1] END | CREATE (d)-[:HAS_REVIEW]->(:Review {uid: 'bench-review-' + d.uid,
	                     outcome: d.outcome, actual_result: row.review, at: d.created_at, by: row.agent, number: 1, in_force: true}))
	                 CREATE (d)<-[:OF]-(e:Embedding {uid: 'vectors-' + row.decision.uid, schema_version: 1, model: $model, dimensions: $dimensions, packed: row.packed, created_at: datetime()})
	                 WITH e, row
	                 UNWIND keys(row.vectors) AS side
	                 CALL db.create.setNodeVectorProperty(e, side, row.vectors[side])`
	loadLinks = `UNWIND $links AS link
	             MATCH (a:Decision {uid: link.from}) MATCH (b:Decision {uid: link.to})
	             CREATE (a)-[:DEPENDS_ON {weight: 1.0, created_at: datetime(), created_by: 'bench', auto: false}]->(b)`
	loadModel = `MERGE (i:SYS_SearchIndex {name: 'decisions'}) SET i.model = $model, i.dimensions = $dimensions, i.passages = true, i.packed = true, i.created_at = datetime()`
	building  = `SHOW INDEXES YIELD state WHERE state <> 'ONLINE' RETURN count(*) AS n`

	loadBatch = 500
	allSides  = 100_000 // above this number, new decisions get no bridge vectors, which would triple the time
)

// load fills the empty graph with decisions. It drops the vector indexes first, because building them once at the end
// takes a fraction of the time.
func (b *bench) load(ctx context.Context, c corpus, size int) error {
	for name := range vectorIndexes() {
		if err := b.run(ctx, "DROP INDEX "+name+" IF EXISTS", nil); err != nil {
			return err
		}
	}
	params, err := c.batch(ctx, 0, 1, false) // the model and its dimensions
	if err != nil {
		return err
	}
	if err := b.run(ctx, loadModel, params); err != nil {
		return err
	}
	for had := 0; had < size; had += loadBatch {
		if params, err = c.batch(ctx, had, min(had+loadBatch, size), size <= allSides); err != nil {
			return err
		}
		if err := b.run(ctx, loadDecisions, params); err != nil {
			return err
		}
		if had%(20*loadBatch) == 0 {
			fmt.Fprintf(os.Stderr, "Loaded %d of %d decisions\n", had, size)
		}
	}
	for links := range slices.Chunk(c.links(size), loadBatch) {
		if err := b.run(ctx, loadLinks, map[string]any{"links": links}); err != nil {
			return err
		}
	}
	for _, statement := range vectorIndexes() {
		if err := b.run(ctx, statement, nil); err != nil {
			return err
		}
	}
	return b.online(ctx)
}

// batch returns the parameters that load the decisions from..to with their vectors.
func (c corpus) batch(ctx context.Context, from, to int, allSides bool) (map[string]any, error) {
	rows, dimensions := []any{}, 0
	for i := from; i < to; i++ {
		row := c.row(i)
		d := row["decision"].(map[string]any)
		sides, texts := []string{"text"}, []string{fmt.Sprint(d["decision"], "\n", d["context"], "\n", d["terms"])}
		if allSides {
			sides, texts = append(sides, "structure", "function"),
				append(texts, d["structure"].(string), d["function"].(string))
		}
		made, err := search.Builtin().Embed(ctx, texts)
		if err != nil {
			return nil, err
		}
		row["packed"], dimensions = search.PackVector(made[0]), len(made[0])
		vectors := map[string]any{}
		for n, side := range sides {
			if made[n] != nil {
				vectors[side] = doubles(made[n])
			}
		}
		row["vectors"] = vectors
		rows = append(rows, row)
	}
	return map[string]any{"rows": rows, "model": search.Builtin().Model(), "dimensions": dimensions}, nil
}

func doubles(v []float32) []float64 {
	return lists.Map(v, func(x float32) float64 { return float64(x) })
}

// bareDecision returns an operation that measures only the write of a new decision, whose vectors were computed before.
func (b *bench) bareDecision(ctx context.Context, c corpus, written int) operation {
	return func(i int) (float64, error) {
		params, err := c.batch(ctx, written, written+1, false)
		if err != nil {
			return 0, err
		}
		written++
		return b.writes(ctx, loadDecisions, same(params))(i)
	}
}

// vectorIndexes returns the migration statements that create vector indexes, by index name.
func vectorIndexes() map[string]string {
	found := map[string]string{}
	for _, m := range migrations.All() {
		for _, statement := range m.Statements() {
			if strings.HasPrefix(statement, "CREATE VECTOR INDEX ") {
				found[strings.Fields(statement)[3]] = statement
			}
		}
	}
	return found
}

// online waits until all indexes are built. A statement that waits in the server would exceed the transaction timeout.
func (b *bench) online(ctx context.Context) error {
	for {
		rows, err := b.rows(ctx, building, nil)
		if err != nil {
			return err
		}
		if rows[0].Values[0] == int64(0) {
			return b.run(ctx, upToDate, nil)
		}
		time.Sleep(time.Second)
	}
}
