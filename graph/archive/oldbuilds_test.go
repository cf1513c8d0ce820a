package archive_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/dbtype"
	"github.com/rs/zerolog"

	"nomograph/cypher"
	"nomograph/decisions/audit"
	"nomograph/graph"
	"nomograph/graph/archive"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/migrations"
	"nomograph/tools"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// oldBuilds are builds that filled a graph through their own commands, by commit. testdata has the archive that each
// exported, and its whole graph.
var oldBuilds = []struct {
	commit    string
	migration int // newest migration of the graph
}{
	{"813fc47b", 16},
	{"f3c1651d", 21},
}

func unpacked(t *testing.T, path string) string {
	t.Helper()
	file := graphtest.Must(os.Open(path))(t)
	defer file.Close()
	packed := graphtest.Must(gzip.NewReader(file))(t)
	text := graphtest.Must(io.ReadAll(packed))(t)
	return string(text)
}

// restore creates a graph as a build left it: its schema, its record of migrations and its data. Each line of text is
// a node or a relationship, as in an archive, but of any label.
func restore(t *testing.T, g *graphtest.Graph, migration int, text string) {
	t.Helper()
	for _, m := range migrations.All()[:migration] {
		for _, statement := range m.Statements() {
			g.Exec(t, statement, nil)
		}
	}
	var nodes, relationships []any
	at := map[string]int{}
	for text := range strings.Lines(text) {
		var l archive.Line
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		err := decoder.Decode(&l)
		switch {
		case err != nil:
		case l.Node != nil:
			at[l.Node.Key] = len(nodes)
			nodes = append(nodes, map[string]any{"at": len(nodes), "labels": l.Node.Labels,
				"properties": l.Node.Properties})
			err = archive.DecodeProperties(l.Node.Properties)
		default:
			r := l.Relationship
			relationships = append(relationships, map[string]any{"type": r.Type, "from": at[r.From], "to": at[r.To],
				"properties": r.Properties})
			err = archive.DecodeProperties(r.Properties)
		}
		graphtest.OK(t, err)
	}
	ids := make([]any, len(nodes))
	for _, row := range g.Rows(t, cypher.ArchiveNodesCreate.Text(), map[string]any{"nodes": nodes}) {
		ids[row["at"].(int64)] = row["id"]
	}
	for _, r := range relationships {
		r := r.(map[string]any)
		r["from"], r["to"] = ids[r["from"].(int)], ids[r["to"].(int)]
	}
	g.Rows(t, cypher.ArchiveRelationshipsCreate.Text(), map[string]any{"relationships": relationships})
}

// wholeGraph returns all nodes and relationships, except locks and the record of migrations, in the form that restore
// reads.
func wholeGraph(t *testing.T, g *graphtest.Graph) string {
	t.Helper()
	var out bytes.Buffer
	write := json.NewEncoder(&out)
	write.SetEscapeHTML(false)
	encoded := func(properties map[string]any) map[string]any {
		for name, value := range properties {
			if list, ok := value.([]any); ok && strings.Contains("text structure function", name) {
				properties[name] = archive.ToFloat32(list)
			}
		}
		properties = graphtest.Must(archive.EncodeProperties(properties))(t)
		return properties
	}
	for _, row := range g.Rows(t, "MATCH (n) WHERE NOT n:SYS_Lock AND NOT n:SYS_MigrationLock AND NOT n:SYS_Migration RETURN n", nil) {
		n := row["n"].(dbtype.Node)
		slices.Sort(n.Labels)
		_ = write.Encode(archive.Line{Node: &archive.Node{Key: "element:" + n.ElementId, Labels: n.Labels,
			Properties: encoded(n.Props)}})
	}
	for _, row := range g.Rows(t, "MATCH (a)-[r]->(b) WHERE NOT b:SYS_Lock RETURN r", nil) {
		r := row["r"].(dbtype.Relationship)
		_ = write.Encode(archive.Line{Relationship: &archive.Relationship{Type: r.Type, From: "element:" +
			r.StartElementId, To: "element:" + r.EndElementId, Properties: encoded(r.Props)}})
	}
	return out.String()
}

func TestOldBuilds_Graph_OpensWithoutLoss(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	for _, build := range oldBuilds {
		t.Run(build.commit, func(t *testing.T) {
			g := graphtest.Unmigrated(t)
			restore(t, g, build.migration, unpacked(t, "testdata/"+build.commit+"/graph.jsonl.gz"))
			before := canonical(t, wholeGraph(t, g))
			db := graph.Open(graph.Options{URI: g.Endpoint.URI, Username: g.Endpoint.Username,
				Password: g.Endpoint.Password,
				Database: g.Endpoint.Database, Migrate: true, Log: zerolog.Nop()})
			t.Cleanup(func() { _ = db.Close(context.Background()) })
			server, err := db.Connect(t.Context())
			if err != nil || server.Migration != graph.NewestMigration() {
				t.Fatalf("got migration %d and %v, want %d", server.Migration, err, graph.NewestMigration())
			}
			if build.migration < 17 { // which sets a connection in sessions of the last day
				g.Exec(t, "MATCH (s:Session {connection: ''}) REMOVE s.connection", nil)
			}
			if diff := cmp.Diff(before, canonical(t, wholeGraph(t, g))); diff != "" {
				t.Errorf("the graph changed (-before +after):\n%s", diff)
			}
			answers(t, g, toolstest.App(t, db))
		})
	}
}

func TestOldBuilds_Archive_IsImportedWithoutLoss(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	for _, build := range oldBuilds {
		t.Run(build.commit, func(t *testing.T) {
			g := graphtest.New(t)
			text := unpacked(t, "testdata/"+build.commit+"/archive.jsonl.gz")
			if got := imported(t, g, text, archive.ImportOptions{}); got.Dangling+got.BrokenCount+got.Nodes.Conflicts+got.Relationships.Conflicts > 0 || got.Problem != "" {
				t.Errorf("got %s, want every line created", toolstest.Text(got))
			}
			again, _ := export(t, g, archive.ExportOptions{})
			if diff := cmp.Diff(canonical(t, text), canonical(t, again)); diff != "" {
				t.Errorf("an export differs (-old +now):\n%s", diff)
			}
			answers(t, g, toolstest.App(t, g.DB))
		})
	}
}

// answers asks all questions and fails the test for an error.
func answers(t *testing.T, g *graphtest.Graph, app *tools.App) {
	t.Helper()
	for _, question := range golden.Rows(t, "testdata/questions.txt") {
		o, ok := tools.Find(tools.Catalog, question[0])
		if !ok {
			t.Fatalf("no operation %s", question[0])
		}
		calls := question[1:]
		if strings.HasPrefix(question[1], "MATCH") {
			calls = nil
			for _, row := range g.Rows(t, question[1], nil) {
				arguments, _ := json.Marshal(row)
				calls = append(calls, string(arguments))
			}
			if len(calls) == 0 {
				t.Errorf("no nodes for %s", o.Name)
			}
		}
		for _, arguments := range calls {
			answer, err := o.Run(tools.WithCaller(t.Context(), "ada"), app, []byte(arguments))
			if err != nil {
				t.Errorf("%s %s: got %v, want an answer", o.Name, arguments, err)
			}
			if v, ok := answer.(trace.Verification); ok && !v.Intact {
				t.Errorf("got %+v, want an intact trace", v)
			}
			if b, ok := answer.(audit.Exported); ok && (!b.Intact || b.Counts["event"] == 0 ||
				b.Counts["version"] == 0) {
				t.Errorf("got %+v, want an intact bundle", b.Verification)
			}
		}
	}
}
