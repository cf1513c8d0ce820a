package readonly_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher/readonly"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// liveDriver returns a driver for a server that the test may write to. The server has no Nomograph schema, because the
// sample creates indexes with the same names.
func liveDriver(t *testing.T) neo4j.DriverWithContext {
	t.Helper()
	return graphtest.Unmigrated(t).Driver
}

// sample is the graph for reads. All its nodes have the label :GuardSample and are deleted with it.
var sample = []string{
	`MATCH (n:GuardSample) DETACH DELETE n`,
	`CREATE FULLTEXT INDEX decision_text FOR (n:Decision) ON EACH [n.summary]`,
	`CREATE FULLTEXT INDEX relation_text IF NOT EXISTS FOR ()-[r:RELATES_TO]-() ON EACH [r.context]`,
	"CREATE VECTOR INDEX decision_vector IF NOT EXISTS FOR (n:Decision) ON n.vector OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}",
	`UNWIND range(1, 20) AS i
	 CREATE (d:GuardSample:Decision {id: 'd' + i, summary: 'Use the cache, number ' + i, confidence: i / 20.0, year: 2015 + i % 8,
	   stakes: ['low', 'medium', 'high', 'critical'][i % 4], category: ['architecture', 'process'][i % 2], score: i, scores: [i, i + 1],
	   tags: ['a' + i, 'b'], vector: [i / 20.0, 0.5, 0.1], created_at: datetime() - duration({days: i})})
	 FOREACH (_ IN CASE WHEN i % 3 = 0 THEN [1] ELSE [] END | SET d:Reviewed, d.outcome = 'success')`,
	`MATCH (a:Decision), (b:Decision) WHERE a.score + 1 = b.score CREATE (a)-[:RELATES_TO {weight: 0.5, context: 'why', active: true}]->(b)`,
	`UNWIND ['ada', 'bob'] AS name CREATE (a:GuardSample:Agent {name: name, email: name + '@example.org'})
	 WITH a MATCH (d:Decision) WHERE d.score % 2 = size(a.name) % 2 CREATE (a)-[:MADE]->(d)`,
	`UNWIND ['ops', 'x'] AS name CREATE (t:GuardSample:Tag {name: name}) WITH t MATCH (d:Decision) WHERE d.score % 3 = 0 CREATE (d)-[:TAGGED]->(t)`,
	`CREATE (:GuardSample:SYS_Policy:Policy {name: 'p', active: true})-[:USES_THRESHOLD]->(:GuardSample:SYS_Threshold:Threshold {name: 't', value: 0.7})`,
	`CREATE (p:GuardSample:Person {name: 'Ada'})-[:ACTED_IN {roles: ['x']}]->(:GuardSample:Movie {title: 'M', released: 1999})<-[:DIRECTED]-(p)`,
	`CALL db.awaitIndexes(60)`,
}

func run(t *testing.T, driver neo4j.DriverWithContext, mode neo4j.AccessMode, query string,
	params map[string]any) ([]*neo4j.Record, neo4j.ResultSummary, error) {
	t.Helper()
	ctx := context.Background()
	session := driver.NewSession(ctx, neo4j.SessionConfig{AccessMode: mode})
	defer session.Close(ctx)
	result, err := session.Run(ctx, query, params, neo4j.WithTxTimeout(10*time.Second))
	if err != nil {
		return nil, nil, err
	}
	records, err := result.Collect(ctx)
	if err != nil {
		return nil, nil, err
	}
	summary, err := result.Consume(ctx)
	return records, summary, err
}

// fingerprint returns a hash of all nodes, relationships, indexes and constraints.
func fingerprint(t *testing.T, driver neo4j.DriverWithContext) string {
	t.Helper()
	hash := sha256.New()
	for _, query := range []string{
		`MATCH (n) RETURN elementId(n), labels(n), properties(n) ORDER BY elementId(n)`,
		`MATCH (a)-[r]->(b) RETURN elementId(r), type(r), elementId(a), elementId(b), properties(r) ORDER BY elementId(r)`,
		`SHOW INDEXES YIELD name, type, labelsOrTypes, properties RETURN * ORDER BY name`,
		`SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties RETURN * ORDER BY name`,
		`CALL db.labels() YIELD label RETURN label ORDER BY label`,
		`CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType ORDER BY relationshipType`,
		`CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey ORDER BY propertyKey`,
	} {
		records, _, err := run(t, driver, neo4j.AccessModeRead, query, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			line, err := json.Marshal(r.Values)
			if err != nil {
				t.Fatal(err)
			}
			hash.Write(line)
		}
		fmt.Fprintln(hash, len(records))
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

// TestGuard_AcceptedQueries_ChangeNothing runs every read of the corpus, and every attack that the guard accepts, of
// which there should be none. It compares the graph before and after, and asks the server which attacks are valid
// Cypher.
func TestGuard_AcceptedQueries_ChangeNothing(t *testing.T) {
	driver := liveDriver(t)
	for _, query := range sample {
		if _, _, err := run(t, driver, neo4j.AccessModeWrite, query, nil); err != nil {
			t.Fatalf("got %v, want no error\n%s", err, query)
		}
	}
	t.Cleanup(func() {
		for _, query := range []string{sample[0], `DROP INDEX decision_text`, `DROP INDEX relation_text`,
			`DROP INDEX decision_vector`} {
			if _, _, err := run(t, driver, neo4j.AccessModeWrite, query, nil); err != nil {
				t.Error(err)
			}
		}
	})
	before := fingerprint(t, driver)

	each(corpus(t, "reads"), func(e entry) {
		q, err := readonly.Parse(e.query, e.params)
		if err != nil || e.offline {
			return // TestCheck_Reads_AreAllowed reports it
		}
		_, summary, err := run(t, driver, neo4j.AccessModeRead, q.Body, e.params)
		if err != nil {
			t.Errorf("%s: the server refuses a read: %v\n%s", e.name, err, e.query)
			return
		}
		golden.Equal(t, e.name+": the server calls it "+e.query, summary.StatementType(), neo4j.StatementTypeReadOnly)
	})

	var understood, all atomic.Int64
	each(corpus(t, "attacks"), func(e entry) {
		all.Add(1)
		if readonly.Check(e.query, e.params) == nil {
			t.Errorf("%s passes", e.name)
			return
		}
		if e.offline || strings.ContainsRune(e.query, 0xfffd) {
			return
		}
		_, _, err := run(t, driver, neo4j.AccessModeRead, "EXPLAIN "+e.query, e.params)
		var failure *neo4j.Neo4jError
		if err == nil || errors.As(err, &failure) && !strings.Contains(failure.Code, "SyntaxError") {
			understood.Add(1)
		}
	})
	t.Logf("the server understands %d of %d attacks", understood.Load(), all.Load())

	golden.Equal(t, "the graph", fingerprint(t, driver), before)
}

// each runs work for all entries, a few in parallel, because the server's planning dominates.
func each(entries []entry, work func(entry)) {
	const atOnce = 4
	turns := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for _, e := range entries {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			work(e)
		})
	}
	all.Wait()
}
