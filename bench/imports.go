package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/internal/uid"
	"nomograph/search"
)

const (
	maxImported   = 10_000 // records; fewer for small numbers of calls
	importedBatch = 500    // batch size of the import

	readImported = `MATCH (d:Decision) WHERE d.source = $source AND d.external_id > $after
	                WITH d ORDER BY d.source, d.external_id LIMIT $limit
	                MATCH (d)<-[:OF]-(e:Embedding)
	                RETURN properties(d) AS decision, properties(e) AS embedding,
	                       COLLECT { MATCH (a:Agent)-[:MADE]->(d) RETURN properties(a) } AS agents, COLLECT { MATCH (d)-[:IN_PROJECT]->(p) RETURN properties(p) } AS projects,
	                       COLLECT { MATCH (d)-[:TAGGED]->(t) RETURN properties(t) } AS tags, COLLECT { MATCH (d)-[:FOLLOWS]->(p) RETURN properties(p) } AS patterns,
	                       COLLECT { MATCH (d)-[b:BECAUSE]->(r) RETURN {position: b.position, properties: properties(r)} } AS reasons,
	                       COLLECT { MATCH (d)-[:HAS_REVIEW]->(r) RETURN properties(r) } AS reviews,
	                       COLLECT { MATCH (d)-[l:RELATES_TO|SUPERSEDES|DEPENDS_ON|CONTRADICTS|BLOCKS]->(o) RETURN {from: d.uid, to: o.uid, type: type(l), properties: properties(l)} } AS links`
	writeImported = `UNWIND $rows AS row
	                 CREATE (d:Decision)<-[:OF]-(e:Embedding)
	                 SET d = row.decision, e = row.embedding
	                 FOREACH (node IN row.agents | MERGE (n:Agent {key: node.key}) ON CREATE SET n = node CREATE (n)-[:MADE]->(d))
	                 FOREACH (node IN row.projects | MERGE (n:Project {key: node.key}) ON CREATE SET n = node CREATE (d)-[:IN_PROJECT]->(n))
	                 FOREACH (node IN row.tags | MERGE (n:Tag {key: node.key}) ON CREATE SET n = node CREATE (d)-[:TAGGED]->(n))
	                 FOREACH (node IN row.patterns | MERGE (n:Pattern {key: node.key}) ON CREATE SET n = node CREATE (d)-[:FOLLOWS]->(n))
	                 FOREACH (reason IN row.reasons | CREATE (d)-[:BECAUSE {position: reason.position}]->(r:Reason) SET r = reason.properties)
	                 FOREACH (review IN row.reviews | CREATE (d)-[:HAS_REVIEW]->(r:Review) SET r = review)
	                 WITH e, row
	                 UNWIND keys(row.vectors) AS side
	                 CALL db.create.setNodeVectorProperty(e, side, row.vectors[side])`
	writeImportedLinks = `UNWIND $links AS link
	                      MATCH (a:Decision {uid: link.from}) MATCH (b:Decision {uid: link.to})
	                      CREATE (a)-[l:$(link.type)]->(b) SET l = link.properties`
)

// imports measures `import jsonl` against a bare driver that writes the same prepared nodes, links and vectors in
// batches of the same size. Each runs twice, because the second run finds a larger graph.
func (b *bench) imports(ctx context.Context) error {
	driver, server, app, err := b.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx); _ = app.Close(ctx) }()
	if err := server.close(); err != nil {
		return err
	}
	c, err := readCorpus(*data)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "nomograph-records-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	var ours, bare time.Duration
	var links int
	number := min(maxImported, 20**calls)
	for round := -1; round < 2; round++ {
		records := number
		if round < 0 { // the server plans its statements
			records = importedBatch
		}
		name := "bench/" + uid.Random()
		file := filepath.Join(folder, "records.jsonl")
		if err := c.writeJSONL(file, name, records); err != nil {
			return err
		}
		began := time.Now()
		if err := b.command(ctx, "import", "jsonl", file); err != nil {
			return err
		}
		took := time.Since(began)
		if err := runOnDriver(ctx, driver, caughtUp, nil); err != nil {
			return err
		}
		batches, between, err := importedAgain(ctx, driver, name)
		if err != nil {
			return err
		}
		began = time.Now()
		for _, batch := range batches {
			if err := runOnDriver(ctx, driver, writeImported, map[string]any{"rows": batch}); err != nil {
				return err
			}
		}
		for batch := range slices.Chunk(between, importedBatch) {
			if err := runOnDriver(ctx, driver, writeImportedLinks, map[string]any{"links": batch}); err != nil {
				return err
			}
		}
		if round >= 0 {
			ours, bare, links = ours+took, bare+time.Since(began), links+len(between)
		}
		fmt.Fprintf(os.Stderr, "Imported %d records in %.1f s, bare in %.1f s\n", records, took.Seconds(), time.Since(began).Seconds())
		if err := runOnDriver(ctx, driver, caughtUp, nil); err != nil {
			return err
		}
	}
	vectors, err := c.embedded(ctx, number)
	if err != nil {
		return err
	}
	rate := func(took time.Duration) float64 { return float64(2*number) / took.Seconds() }
	fmt.Fprintf(&b.report, "\n## Importing %d records, twice (%d links; %s)\n\n| | records a second | / bare |\n|---|---|---|\n", number, links, b.engineMemory())
	fmt.Fprintf(&b.report, "| a bare driver that has the vectors already | %.0f | 1.00 |\n| `import jsonl`, the whole process | %.0f | %.2f |\n", rate(bare), rate(ours), rate(ours)/rate(bare))
	fmt.Fprintf(&b.report, "\nMaking the vectors alone takes %.1f s for %d records, on one core.\n", vectors.Seconds(), number)
	return nil
}

// writeJSONL writes records in the exchange format with new ids.
func (c corpus) writeJSONL(path, name string, records int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	out := bufio.NewWriter(file)
	for i := range records {
		s, generation := c.sources[i%len(c.sources)], i/len(c.sources)
		line := maps.Clone(s.whole)
		line["source"], line["id"] = name, fmt.Sprintf("%s-%d", s.ID, generation)
		line["title"], line["description"], line["abstract"] = c.texts(i)
		links := []any{}
		for _, other := range s.requires {
			links = append(links, map[string]any{"type": "requires", "target": fmt.Sprintf("%s-%d", c.sources[other].ID, generation)})
		}
		line["links"] = links
		if err := json.NewEncoder(out).Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// importedAgain reads imported records and returns them as different records.
func importedAgain(ctx context.Context, driver neo4j.DriverWithContext, name string) (batches [][]any, links []any, err error) {
	after := ""
	for {
		found, err := rowsOnDriver(ctx, driver, readImported, map[string]any{"source": name, "after": after, "limit": importedBatch})
		if err != nil {
			return nil, nil, err
		}
		if len(found) == 0 {
			break
		}
		rows := make([]any, len(found))
		for i, record := range found {
			row := record.AsMap()
			d, e := row["decision"].(map[string]any), row["embedding"].(map[string]any)
			after = d["external_id"].(string)
			d["source"], d["id"], d["uid"], e["uid"] = name+"-again", "x"+d["id"].(string), renamedUID(d["uid"]), renamedUID(e["uid"])
			vectors := map[string]any{}
			for _, side := range []string{"text", "structure", "function"} {
				if vector, ok := e[side]; ok {
					vectors[side] = vector
					delete(e, side)
				}
			}
			row["vectors"] = vectors
			for _, reason := range row["reasons"].([]any) {
				p := reason.(map[string]any)["properties"].(map[string]any)
				p["uid"] = renamedUID(p["uid"])
			}
			for _, review := range row["reviews"].([]any) {
				p := review.(map[string]any)
				p["uid"] = renamedUID(p["uid"])
			}
			for _, item := range row["links"].([]any) {
				link := item.(map[string]any)
				link["from"], link["to"] = renamedUID(link["from"]), renamedUID(link["to"])
				links = append(links, link)
			}
			delete(row, "links")
			rows[i] = row
		}
		batches = append(batches, rows)
	}
	return batches, links, nil
}

// renamedUID returns an unused uid of the same length.
func renamedUID(uid any) string {
	text := uid.(string)
	return "a" + text[1:]
}

// embedded measures the time to compute the vectors of the records.
func (c corpus) embedded(ctx context.Context, records int) (time.Duration, error) {
	began := time.Now()
	for i := range records {
		title, description, abstract := c.texts(i)
		if _, err := search.Builtin().Embed(ctx, []string{title + "\n" + description + "\n" + abstract, title, description}); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}
