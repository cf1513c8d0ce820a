package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/migrations"
	"nomograph/search"
)

const (
	loadDecisions = `UNWIND $rows AS row
	                 MERGE (a:Agent {key: row.agent}) ON CREATE SET a.name = row.agent, a.uid = randomUUID(), a.schema_version = 1
	                 MERGE (p:Project {key: row.project}) ON CREATE SET p.name = row.project, p.uid = randomUUID(), p.schema_version = 1
	                 CREATE (a)-[:MADE]->(d:Decision)-[:IN_PROJECT]->(p), (v:Verdict)-[:JUDGED]->(d)
	                 SET d = row.decision, v = row.verdict
	                 FOREACH (tag IN row.tags | MERGE (t:Tag {key: tag}) ON CREATE SET t.name = tag, t.uid = randomUUID(), t.schema_version = 1 CREATE (d)-[:TAGGED]->(t))
	                 FOREACH (reason IN row.reasons | CREATE (d)-[:BECAUSE {position: reason.position}]->(r:Reason) SET r = reason.properties)
	                 FOREACH (review IN row.reviews | CREATE (d)-[:HAS_REVIEW]->(r:Review) SET r = review)
	                 CREATE (d)<-[:OF]-(e:Embedding {uid: 'vectors-' + row.decision.uid, schema_version: 1, model: $model, dimensions: $dimensions, packed: row.packed, created_at: datetime()})
	                 WITH e, row
	                 UNWIND keys(row.vectors) AS side
	                 CALL db.create.setNodeVectorProperty(e, side, row.vectors[side])`
	loadLinks = `UNWIND $links AS link
	             MATCH (a:Decision {uid: link.from}) MATCH (b:Decision {uid: link.to})
	             CREATE (a)-[:DEPENDS_ON {weight: 1.0, created_at: datetime(), created_by: 'bench', auto: false}]->(b)`
	loadModel = `MERGE (i:SYS_SearchIndex {name: 'decisions'}) SET i.model = $model, i.dimensions = $dimensions, i.passages = true, i.packed = true, i.created_at = datetime()`
	loaded    = `MATCH (d:Decision) WHERE d.uid STARTS WITH $prefix RETURN count(d) AS n`
	building  = `SHOW INDEXES YIELD name, state, populationPercent WHERE state <> 'ONLINE' RETURN name, state, populationPercent AS percent`
	caughtUp  = `CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()`

	loadBatch = 500
	allSides  = 100_000 // above this number, new decisions get no bridge vectors, which would triple the time
)

// load fills the graph up to size decisions with a bare driver. It drops the vector index first, because building it
// once at the end takes a fraction of the time.
func (b *bench) load(ctx context.Context, driver neo4j.DriverWithContext, c corpus, size int) error {
	rows, err := rowsOnDriver(ctx, driver, loaded, map[string]any{"prefix": uidPrefix})
	if err != nil {
		return err
	}
	first := int(rows[0].AsMap()["n"].(int64))
	if first >= size {
		return nil
	}
	for name := range vectorIndexes() {
		if err := runOnDriver(ctx, driver, "DROP INDEX "+name+" IF EXISTS", nil); err != nil {
			return err
		}
	}
	dimensions, err := search.Builtin().Embed(ctx, []string{"dimensions"})
	if err != nil {
		return err
	}
	params := map[string]any{"model": search.Builtin().Model(), "dimensions": len(dimensions[0])}
	if err := runOnDriver(ctx, driver, loadModel, params); err != nil {
		return err
	}
	type batch struct {
		rows []any
		err  error
	}
	prepare := func(from int) <-chan batch { // while the previous batch is written
		ready := make(chan batch, 1)
		go func() {
			rows, err := c.rows(ctx, from, min(from+loadBatch, size), size <= allSides)
			ready <- batch{rows, err}
		}()
		return ready
	}
	started, next := time.Now(), prepare(first)
	for had := first; had < size; {
		coming := <-next
		if coming.err != nil {
			return coming.err
		}
		next = prepare(had + len(coming.rows))
		params["rows"] = coming.rows
		if err := runOnDriver(ctx, driver, loadDecisions, params); err != nil {
			return err
		}
		if had += len(coming.rows); had%(20*loadBatch) == 0 || had == size {
			fmt.Fprintf(os.Stderr, "Loaded %d of %d decisions, %.0f a second\n", had, size, float64(had-first)/time.Since(started).Seconds())
		}
	}
	var links []any
	for i := max(0, first-len(c.sources)); i < size; i++ {
		if links = append(links, c.links(i, first, size)...); len(links) >= loadBatch || i == size-1 {
			if err := runOnDriver(ctx, driver, loadLinks, map[string]any{"links": links}); err != nil {
				return err
			}
			links = nil
		}
	}
	for _, statement := range vectorIndexes() {
		if err := runOnDriver(ctx, driver, statement, nil); err != nil {
			return err
		}
	}
	return b.online(ctx, driver)
}

// rows returns the decisions from..to with their vectors.
func (c corpus) rows(ctx context.Context, from, to int, allSides bool) ([]any, error) {
	rows := []any{}
	for i := from; i < to; i++ {
		row := c.row(i)
		d := row["decision"].(map[string]any)
		sides, texts := []string{"text"}, []string{fmt.Sprint(d["decision"], "\n", d["context"], "\n", d["terms"])}
		if allSides {
			sides, texts = append(sides, "structure", "function"), append(texts, d["structure"].(string), d["function"].(string))
		}
		made, err := search.Builtin().Embed(ctx, texts)
		if err != nil {
			return nil, err
		}
		row["packed"] = search.PackVector(made[0])
		vectors := map[string]any{}
		for n, side := range sides {
			if made[n] != nil {
				vectors[side] = doubles(made[n])
			}
		}
		row["vectors"] = vectors
		rows = append(rows, row)
	}
	return rows, nil
}

func doubles(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
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
func (b *bench) online(ctx context.Context, driver neo4j.DriverWithContext) error {
	for {
		rows, err := rowsOnDriver(ctx, driver, building, nil)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return runOnDriver(ctx, driver, caughtUp, nil)
		}
		for _, row := range rows {
			fmt.Fprintf(os.Stderr, "Index %v is %v: %.1f%%\n", row.Values[0], row.Values[1], row.Values[2])
		}
		time.Sleep(5 * time.Second)
	}
}

// rowsOnDriver is runOnDriver for a read, and returns the rows.
func rowsOnDriver(ctx context.Context, driver neo4j.DriverWithContext, query string, params map[string]any) ([]*neo4j.Record, error) {
	session := driver.NewSession(ctx, neo4j.SessionConfig{DatabaseName: "neo4j", AccessMode: neo4j.AccessModeRead})
	defer func() { _ = session.Close(ctx) }()
	result, err := session.Run(ctx, query, params)
	if err != nil {
		return nil, err
	}
	return result.Collect(ctx)
}
