package graph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/migrations"
)

// TestMigrate_ConcurrentPrograms_RunOnce migrates a graph with nodes of other programs, which may also call theirs
// versions.
func TestMigrate_ConcurrentPrograms_RunOnce(t *testing.T) {
	g := graphtest.Unmigrated(t)
	g.Exec(t, `CREATE (:SYS_Policy {name: 'Old'}), (:SYS_Policy {name: 'Old'}),
		(:Document {name: 'd'})-[:HAS_VERSION]->(:DocVersion {of: 'mine', hash: 'x'}), (:SYS_Policy {name: 'p'})-[:HAS_VERSION]->(:Release {of: 'theirs'}),
		(q:SYS_Policy {name: 'q'})-[:CHANGED]->(:SYS_Change {uid: '1', label: 'SYS_Policy', name: 'q', at: datetime(), to: 'h'}),
		(q)-[:HAS_VERSION]->(:SYS_PolicyVersion {hash: 'h', name: 'q'})`, nil)
	var ran atomic.Int64
	count := []graph.StatementObserver{func(ctx context.Context, statement string) (context.Context, func(error)) {
		if statement == cypher.MigrationRecord.Name {
			ran.Add(1)
		}
		return ctx, func(error) {}
	}}
	wantEachOnce := func() {
		t.Helper()
		if got := ran.Load(); got != int64(len(migrations.All())) {
			t.Errorf("%d migrations ran, want each of %d once", got, len(migrations.All()))
		}
	}
	const programs = 4
	var all sync.WaitGroup
	var servers [programs]graph.Server
	var errs [programs]error
	for i := range programs {
		db := open(t, g, migrating)
		db.Watches = count
		all.Go(func() { servers[i], errs[i] = db.Connect(t.Context()) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatalf("%v: %v", err, errors.Unwrap(err))
		}
	}
	wantEachOnce()
	for _, server := range servers {
		if server.Migration != graph.NewestMigration() || server.Managed || server.URI != g.Endpoint.URI ||
			server.Version != g.Endpoint.Version {
			t.Errorf("got %+v, want the unmanaged server %s %s with migration %d", server, g.Endpoint.URI,
				g.Endpoint.Version, graph.NewestMigration())
		}
	}
	ledger := g.Rows(t, "MATCH (m:SYS_Migration) RETURN m.version AS version, m.name AS name, size(m.checksum) AS checksum, m.applied_at IS NOT NULL AS at, m.applied_by AS by, size(m.uid) AS uid ORDER BY version", nil)
	if len(ledger) != len(migrations.All()) {
		t.Fatalf("ledger: %v", ledger)
	}
	for i, m := range migrations.All() {
		if l := ledger[i]; l["version"] != int64(m.Version) || l["name"] != m.Name || l["checksum"] != int64(64) ||
			l["at"] != true || l["uid"] != int64(36) || l["by"] == "" {
			t.Errorf("%s: got %v, want version=%v, name=%v, checksum=64, at=true, uid=36, non-empty by", m.Name, l,
				int64(m.Version), m.Name)
		}
	}
	schema := schemaOf(t, g)
	golden.Contains(t, "the schema", schema, "sys_pack_name", "sys_policy_name", "sys_threshold_name")
	if old := g.Rows(t, "MATCH (p:SYS_Policy {name: 'Old'}) RETURN properties(p) AS p", nil); len(old) != 2 ||
		fmt.Sprint(old[0]["p"]) != "map[name:Old]" {
		t.Errorf("got %v, want the previous content", old)
	}
	foreign := g.Rows(t, "MATCH (v) WHERE v:DocVersion OR v:Release RETURN labels(v) AS labels, v.of AS of ORDER BY of",
		nil)
	golden.Equal(t, "nodes of others", fmt.Sprint(foreign),
		"[map[labels:[DocVersion] of:mine] map[labels:[Release] of:theirs]]")
	ours := g.Rows(t, "MATCH (:SYS_Policy {name: 'q'})-[:CURRENT_VERSION]->(v:SYS_Version) RETURN v.of AS of, v.hash AS hash", nil)
	golden.Equal(t, "nodes of an earlier version", fmt.Sprint(ours), "[map[hash:h of:SYS_Policy]]")

	before := everything(t, g)
	again := open(t, g, migrating)
	again.Watches = count
	golden.Equal(t, "migration", graphtest.Must(again.Connect(t.Context()))(t).Migration, graph.NewestMigration())
	wantEachOnce()
	golden.Equal(t, "the graph after migrating again", everything(t, g), before)
}

func TestMigrate_LedgerMismatch_IsConflict(t *testing.T) {
	tests := map[string]struct {
		arrange, message, hint string
		migrate                bool
	}{
		"of a newer program":               {"CREATE (:SYS_Migration {version: 99, name: '0099_from_the_future', checksum: 'x'})", "A newer Nomograph migrated the graph to 0099; this one knows %04d", "Install the newer nomograph", true},
		"of a newer program, only reading": {"CREATE (:SYS_Migration {version: 99, name: '0099_from_the_future', checksum: 'x'})", "A newer Nomograph migrated the graph to 0099; this one knows %04d", "Install the newer nomograph", false},
		"with another text":                {"MATCH (m:SYS_Migration {version: 1}) SET m.checksum = 'edited', m.name = '0001_other'", `Migration 0001 of the graph is "0001_other" and differs from this Nomograph's "0001_create_policy_indexes"`, "Another build", true},
	}
	g := graphtest.Alterable(t)
	ledger := g.Rows(t, "MATCH (m:SYS_Migration) RETURN properties(m) AS m", nil)
	restore := func() {
		g.Exec(t, "MATCH (m:SYS_Migration) DELETE m", nil)
		g.Exec(t, "UNWIND $ledger AS row CREATE (m:SYS_Migration) SET m = row.m", map[string]any{"ledger": ledger})
	}
	t.Cleanup(restore)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			restore()
			graphtest.Must(open(t, g, migrating).Connect(t.Context()))(t)
			g.Exec(t, tt.arrange, nil)
			before := everything(t, g)
			_, err := open(t, g, func(o *graph.Options) { o.Migrate = tt.migrate }).Connect(t.Context())
			got := wantError(t, err, apperr.Conflict)
			want := tt.message
			if strings.Contains(want, "%") {
				want = fmt.Sprintf(want, graph.NewestMigration())
			}
			if got.Message != want || !strings.Contains(got.Hint, tt.hint) {
				t.Errorf("got %s, want Message=%v, Hint with %v", got.Error(), want, tt.hint)
			}
			golden.Equal(t, "the graph", everything(t, g), before)
		})
	}
}

func TestRead_NeverMigrated_Succeeds(t *testing.T) {
	g := graphtest.Unmigrated(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'Old'})", nil)
	db := open(t, g, func(o *graph.Options) { o.Migrate = false })
	server, err := db.Connect(t.Context())
	if err != nil || server.Migration != 0 {
		t.Fatalf("got %+v %v, want Migration=0", server, err)
	}
	row, err := graph.One[struct{ Name string }](t.Context(), db,
		statement("MATCH (p:SYS_Policy) RETURN p.name AS name"), nil)
	if err != nil || row.Name != "Old" {
		t.Errorf("got %+v %v, want Name=Old", row, err)
	}
	golden.Equal(t, "the schema after reading", schemaOf(t, g), "")
	if rows := g.Rows(t, "MATCH (n) WHERE NOT n:SYS_Policy RETURN n", nil); len(rows) != 0 {
		t.Errorf("reading created %v", rows)
	}
}

func TestOpen_EmptyManagedGraph_RunsFirstStart(t *testing.T) {
	g := graphtest.Unmigrated(t)
	calls := 0
	managed := func(first func(ctx context.Context, db *graph.DB) error) error {
		db := graph.Open(graph.Options{Engine: g.Engine, Migrate: true, Log: zerolog.Nop(), FirstStart: first})
		defer func() { _ = db.Close(context.Background()) }()
		server, err := db.Connect(t.Context())
		if err == nil && (!server.Managed || !db.Managed() || server.Migration != graph.NewestMigration()) {
			t.Errorf("got %+v, want not err == nil && (!server.Managed || !db.Managed() || server.Migration != graph.NewestMigration())", server)
		}
		return err
	}
	fill := func(ctx context.Context, db *graph.DB) error {
		calls++
		return db.Write(ctx, func(tx *graph.Tx) error {
			return tx.Run(ctx, writing("CREATE (:SYS_Pack {name: 'first'})"), nil)
		})
	}
	failed := errors.New("interrupted")
	if err := managed(func(context.Context, *graph.DB) error { return failed }); !errors.Is(err, failed) {
		t.Fatalf("got %v, want errors.Is(err, failed)=true", err)
	}
	for range 2 {
		graphtest.OK(t, managed(fill))
	}
	golden.Equal(t, "starts by two calls after one that failed", calls, 1)
	g.Exec(t, "MATCH (n:SYS_Migration) DELETE n;\nMERGE (:SYS_Policy {name: 'Mine'})", nil)
	graphtest.OK(t, managed(fill))
	if calls > 1 {
		t.Error("a graph with content counted as a first start")
	}
}

func migrating(o *graph.Options) { o.Migrate = true }

// open opens the graph under test with changed options.
func open(t testing.TB, g *graphtest.Graph, change func(*graph.Options)) *graph.DB {
	t.Helper()
	o := graph.Options{URI: g.Endpoint.URI, Username: g.Endpoint.Username, Password: g.Endpoint.Password,
		Database: g.Endpoint.Database, Log: zerolog.Nop()}
	if change != nil {
		change(&o)
	}
	db := graph.Open(o)
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	return db
}

func statement(text string) cypher.Statement {
	return cypher.New("test/statement", text, false)
}

func writing(text string) cypher.Statement {
	return cypher.New("test/statement", text, true)
}

func schemaOf(t *testing.T, g *graphtest.Graph) string {
	t.Helper()
	var names []string
	for _, row := range g.Rows(t, "SHOW INDEXES YIELD name, type, state WHERE type <> 'LOOKUP' RETURN name + ' ' + type AS text ORDER BY text", nil) {
		names = append(names, row["text"].(string))
	}
	return strings.Join(names, "\n")
}

// everything returns the schema and all nodes of the graph as text.
func everything(t *testing.T, g *graphtest.Graph) string {
	t.Helper()
	return schemaOf(t, g) + fmt.Sprint(g.Rows(t,
		"MATCH (n) RETURN elementId(n) AS id, properties(n) AS properties ORDER BY id", nil))
}

// wantError returns err as an apperr.Error with the given code, or fails the test.
func wantError(t testing.TB, err error, code apperr.Code) *apperr.Error {
	t.Helper()
	var got *apperr.Error
	if !errors.As(err, &got) {
		t.Fatalf("got error %v, want the fault %s", err, code)
	}
	if got.Code != code {
		t.Fatalf("got %s: %s (%v), want %s", got.Code, got.Message, got.Unwrap(), code)
	}
	return got
}

// TestMigrate_DroppedIndex_IsCreatedAgain checks that a manually dropped index exists after the next start.
func TestMigrate_DroppedIndex_IsCreatedAgain(t *testing.T) {
	g := graphtest.Alterable(t)
	before := schemaOf(t, g)
	g.Exec(t, "DROP INDEX decision_text", nil)
	g.Exec(t, "DROP CONSTRAINT verdict_uid", nil)
	graphtest.Must(open(t, g, func(o *graph.Options) { o.Migrate, o.RestoreSchema = true, true }).
		Connect(t.Context()))(t)
	golden.Equal(t, "the graph", schemaOf(t, g), before)
}

// TestMigrate_EndedWithinAConstraint_GoesOn: a server that is cut off while it creates a constraint keeps its index. An
// index of others with the same name stays.
func TestMigrate_EndedWithinAConstraint_GoesOn(t *testing.T) {
	g := graphtest.Alterable(t)
	before := schemaOf(t, g)
	g.Exec(t, "DROP CONSTRAINT token_hash", nil)
	g.Exec(t, "MATCH (m:SYS_Migration) WHERE m.version >= 5 DETACH DELETE m", nil)
	connect := func() error {
		_, err := open(t, g, func(o *graph.Options) { o.Migrate = true }).Connect(t.Context())
		return err
	}
	g.Exec(t, "CREATE INDEX token_hash FOR (t:Token) ON (t.theirs)", nil)
	err := connect()
	if theirs := g.Rows(t, "SHOW INDEXES YIELD properties WHERE properties = ['theirs']", nil); err == nil ||
		len(theirs) != 1 {
		t.Errorf("got %v and %v, want an error, and the index of others", err, theirs)
	}
	g.Exec(t, "DROP INDEX token_hash", nil)
	g.Exec(t, "CREATE INDEX token_hash FOR (t:Token) ON (t.hash)", nil)
	graphtest.OK(t, connect())
	golden.Equal(t, "the graph", schemaOf(t, g), before)
}
