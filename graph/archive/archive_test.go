package archive_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nomograph/graph/archive"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/internal/progress"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

// byHand creates nodes of every kind in addition to core, as manual edits and other programs would write them.
const byHand = `
CREATE (:SYS_Policy {name: 'Twice', facet_key: 'A'}), (:SYS_Policy {name: 'Twice', facet_key: 'B'}),
  (:SYS_Threshold {name: 'twin', value: 1}), (:SYS_Threshold {name: 'twin', value: 1}), (:SYS_Threshold {name: 'twin', value: 1.0}),
  (:SYS_Policy {name: 7, active: 'yes'}), (:SubjectConcept {concept_id: 'nameless'}), (:SYS_DecisionTable {name: 'by name only'}),
  (:SYS_FederationSource {label: 'Wikidata'})-[:FEEDS_INTO]->(:SYS_DecisionRow {conditions: 'true'});
MATCH (a:SYS_Policy {facet_key: 'A'}), (b:SYS_Policy {facet_key: 'B'})
CREATE (a)-[:FEEDS_INTO {n: 1}]->(b), (a)-[:FEEDS_INTO {n: 2}]->(b), (a)-[:FEEDS_INTO {n: 2}]->(b), (a)-[:FEEDS_INTO]->(a),
  (a)-[:LIKES]->(:Person {name: 'not ours'})-[:RELATES_TO]->(a), (:Project {name: 'not ours'})-[:RELATES_TO]->(a);
CREATE (ada:Agent {key: 'ada', name: 'Ada', uid: 'u-ada'})-[:MADE]->(d:Decision {uid: 'd1', id: '00000001', schema_version: 1, decision: 'Use <Neo4j> ünd 💡',
    confidence: 1.0, pr: 1, whole_list: [1, 2], mixed: [1.0, 2.5], tags: ['a', 'b'], empty: [], none_yet: '', yes: true,
    infinite: 1.0/0.0, nan: 0.0/0.0, max: 9223372036854775807, bytes: $bytes,
    created_at: datetime('2026-03-01T10:00:00.123456789Z'), zoned: datetime('2026-10-25T02:30:00+01:00[Europe/Berlin]'), shifted: datetime('2026-01-01T00:00:00-03:30'),
    day: date('2024-02-29'), long_ago: date('-0044-03-15'), local: localdatetime('2026-01-01T01:02:03'), clock: time('12:00:00+02:00'), hands: localtime('12:30'),
    lasts: duration('P1Y2M-3DT4.5S'), here: point({latitude: 52.5, longitude: 13.4}), there: point({x: 1, y: 2, z: 3}), dates: [date('2026-01-01'), date('2026-01-02')],
    source: 'adr', external_id: '0001', agent: 'Ada', request_key: 'k1', terms: 'graph', facets: 'category'})
CREATE (d)-[:BECAUSE {position: 0}]->(:Reason {uid: 'r1', type: 'analysis', text: 'one', strength: 0.8}), (d)-[:BECAUSE {position: 1}]->(:Reason {uid: 'r2', type: 'analysis', text: 'one', strength: 0.8}),
  (d)-[:IN_PROJECT]->(:Project {key: 'o/r', name: 'o/r', uid: 'u-p'}), (d)-[:TAGGED]->(:Tag {key: 'a', name: 'a', uid: 'u-a'}), (d)-[:FOLLOWS]->(:Pattern {key: 'p', name: 'P', uid: 'u-pt'}),
  (d)-[:HAS_REVIEW]->(:Review {uid: 'rv1', outcome: 'success', number: 1, in_force: true}), (d)-[:HAS_REVISION]->(:Revision {uid: 'rn1', number: 1, changes: '{}'}),
  (d)-[:DELIBERATED_BY {position: 0}]->(e:TraceEvent {uid: 'e1', session: 's1', seq: 0, type: 'query', payload: '{}', hash: 'h'})<-[:RECORDED]-(:Session {uid: 's1', id: 'mine', agent: 'Ada', head: 'h', count: 1}),
  (d2:Decision:Unindexed {uid: 'd2', id: '00000002', decision: 'Another', agent: 'Ada'})-[:RELATES_TO {weight: 0.5, created_at: datetime()}]->(d), (d2)-[:SUPERSEDES]->(d), (ada)-[:MADE]->(d2),
  (:VerdictTally {day: date('2026-01-01'), allowed: 3, denied: 1});
MATCH (v:Verdict), (d:Decision {uid: 'd1'}) CREATE (v)-[:JUDGED]->(d);
CREATE (:SYS_SearchIndex {name: 'decisions', model: 'm1', dimensions: 2})
WITH 1 AS one MATCH (d:Decision) CREATE (v:Embedding {uid: 'v-' + d.uid, model: 'm1', dimensions: 2})-[:OF]->(d)
WITH v CALL db.create.setNodeVectorProperty(v, 'text', [0.1, -0.7])`

func TestArchive_ExportAndImport_KeepTheGraph(t *testing.T) {
	g := graphtest.New(t)
	fill(t, g)
	before := facts(t, g)
	whole, exported := export(t, g, archive.ExportOptions{})
	if exported.Nodes < 50 || exported.Relationships < 50 || strings.Contains(whole, "not ours") ||
		strings.Contains(whole, "Unindexed") || strings.Contains(whole, "SYS_Lock") {
		t.Errorf("%+v of\n%s", exported, whole)
	}
	lines := strings.SplitAfter(whole, "\n")
	lines = lines[:len(lines)-1]

	t.Run("an empty graph gets all nodes", func(t *testing.T) {
		wipe(t, g)
		got := imported(t, g, whole, archive.ImportOptions{})
		golden.Equal(t, fmt.Sprint("nodes: ", got), got.Nodes, (archive.LineCounts{Created: exported.Nodes}))
		if want := (archive.LineCounts{Created: exported.Relationships}); got.Relationships != want ||
			got.Dangling != 0 {
			t.Errorf("relationships: %+v", got)
		}
		again, _ := export(t, g, archive.ExportOptions{})
		if diff := cmp.Diff(canonical(t, whole), canonical(t, again)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(before, facts(t, g)); diff != "" {
			t.Error(diff)
		}
		golden.Equal[any](t, "decisions to be indexed", g.Rows(t, "MATCH (d:Decision:Unindexed) RETURN count(d) AS n",
			nil)[0]["n"], int64(2))
	})
	t.Run("a second import changes nothing", func(t *testing.T) {
		got := imported(t, g, whole, archive.ImportOptions{})
		want := archive.Imported{Nodes: archive.LineCounts{Unchanged: exported.Nodes},
			Relationships: archive.LineCounts{Unchanged: exported.Relationships}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		got = imported(t, g, whole, archive.ImportOptions{Overwrite: true})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("with Overwrite: %s", diff)
		}
		again, _ := export(t, g, archive.ExportOptions{})
		if diff := cmp.Diff(canonical(t, whole), canonical(t, again)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("nodes that differ are conflicts", func(t *testing.T) {
		g.Exec(t, `MATCH (d:Decision {uid: 'd1'}) SET d.confidence = 1, d.status = 'reviewed';
MATCH (p:SYS_Policy {facet_key: 'A'}) SET p.facet_key = 'C';
MATCH (:Decision {uid: 'd2'})-[r:RELATES_TO]->() SET r.weight = 0.7;
MATCH (d:Decision {uid: 'd1'})-[r:IN_PROJECT]->() DELETE r CREATE (d)-[:IN_PROJECT]->(:Project {key: 'other', name: 'other', uid: 'u-o'})`, nil)
		previous := facts(t, g)
		got := imported(t, g, whole, archive.ImportOptions{})
		if got.Nodes.Conflicts != 2 || got.Relationships.Conflicts != 2 ||
			got.Nodes.Created+got.Relationships.Created > 0 {
			t.Errorf("got %+v, want Conflicts=2, (got.Nodes.Created + got.Relationships.Created) at most 0", got)
		}
		reported := toolstest.Text(got)
		golden.Contains(t, "reported", reported, "Decision 00000001 differs: confidence, status",
			"SYS_Policy Twice differs: facet_key", "RELATES_TO", "IN_PROJECT")
		if diff := cmp.Diff(previous, facts(t, g)); diff != "" {
			t.Errorf("the graph changed: %s", diff)
		}
		got = imported(t, g, whole, archive.ImportOptions{Overwrite: true})
		if got.Nodes.Replaced != 2 || got.Relationships.Replaced != 2 ||
			got.Nodes.Conflicts+got.Relationships.Conflicts > 0 {
			t.Errorf("with Overwrite: %+v", got)
		}
		g.Exec(t, "MATCH (p:Project {key: 'other'}) DELETE p", nil)
		again, _ := export(t, g, archive.ExportOptions{})
		if diff := cmp.Diff(canonical(t, whole), canonical(t, again)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("ids that other nodes use are conflicts", func(t *testing.T) {
		wipe(t, g)
		g.Exec(t, `CREATE (:Decision {uid: 'x', id: '00000001', source: 'adr', external_id: '0001', agent: 'Ada', request_key: 'k1'}), (:Session {uid: 'y', id: 'mine'}),
(:TraceEvent {uid: 'z', session: 's1', seq: 0}), (:Agent {key: 'ada', name: 'Ada', uid: 'another'})`, nil)
		got := imported(t, g, whole, archive.ImportOptions{})
		if got.Nodes.Conflicts != 3 || got.Nodes.Created != exported.Nodes-2 || got.Nodes.Unchanged != 1 ||
			got.Dangling != 2 {
			t.Errorf("got %+v\n%s, want Conflicts=3, Created=%v, Unchanged=1, Dangling=2", got, toolstest.Text(got),
				exported.Nodes-2)
		}
		rows := g.Rows(t, "MATCH (a:Agent)-[:MADE]->(d:Decision {uid: 'd1'})-[:BECAUSE]->(r) WITH a, d, count(r) AS reasons MATCH (s:Session {uid: 's1'}) RETURN a.uid AS agent, d.id AS id, d.external_id AS external, reasons, s.id AS session", nil)
		if len(rows) != 1 || rows[0]["agent"] != "another" || len(rows[0]["id"].(string)) != 8 ||
			rows[0]["id"] == "00000001" || rows[0]["external"] != nil || rows[0]["reasons"] != int64(2) ||
			rows[0]["session"] != "s1" {
			t.Errorf("got %v, want len(rows)=1, agent=another, len(id)=8, id other than 00000001, external=nil, reasons=2, session=s1", rows)
		}
		if got := imported(t, g, whole, archive.ImportOptions{}); got.Nodes.Created+got.Relationships.Created > 0 {
			t.Errorf("again: %+v", got)
		}
	})
	t.Run("a graph with the same pack", func(t *testing.T) {
		wipe(t, g)
		toolstest.Apply(t, toolstest.App(t, g.DB), change.ApplyRequest{Packs: []pack.Source{{Name: "core"}},
			By: "somebody else"})
		got := imported(t, g, whole, archive.ImportOptions{})
		if diff := cmp.Diff([]string{"CURRENT_VERSION", "SYS_Threshold test_coverage_min"},
			conflicts(got)); diff != "" {
			t.Errorf("got %s\n%s, want diff=\"\"", diff, toolstest.Text(got))
		}
		twice := g.Rows(t, `MATCH (n) WHERE n:SYS_Policy OR n:SYS_Threshold WITH n.name AS name, count(*) AS nodes, [] AS x WHERE nodes > 1 RETURN name ORDER BY toString(name)
UNION MATCH (n)-[:CURRENT_VERSION]->() WITH n, count(*) AS versions WHERE versions > 1 RETURN 'versions of ' + n.name AS name
UNION MATCH (n)<-[:OWNS]-() WITH n, count(*) AS owners WHERE owners > 1 RETURN 'owners of ' + n.name AS name`, nil)
		if len(twice) != 2 || twice[0]["name"] != "Twice" || twice[1]["name"] != "twin" {
			t.Errorf("got the duplicates %v", twice)
		}
	})
	t.Run("a broken line is reported", func(t *testing.T) {
		wipe(t, g)
		torn := slices.Clone(lines)
		at := slices.IndexFunc(torn, func(l string) bool {
			return strings.Contains(l, `"r1"`) && strings.HasPrefix(l, `{"node"`)
		})
		torn[at] = torn[at][:20] + "\n"
		text := strings.Join(torn, "")
		for name, r := range map[string]io.Reader{"file": strings.NewReader(text), "stream": stream(text)} {
			_, err := archive.Import(t.Context(), g.DB, r, archive.ImportOptions{})
			if !apperr.Is(err, apperr.Validation) || !strings.HasPrefix(err.Error(), fmt.Sprintf("Line %d: ", at+1)) ||
				count(t, g) != 0 {
				t.Errorf("%s: %d nodes, %v", name, count(t, g), err)
			}
		}
		got := imported(t, g, text, archive.ImportOptions{SkipBroken: true})
		if got.BrokenCount != 1 || got.Broken[0].Line != int64(at+1) || got.Dangling != 1 ||
			got.Nodes.Created != exported.Nodes-1 || !strings.Contains(got.Problem, "changed") {
			t.Errorf("got %+v, want BrokenCount=1, Line=%v, Dangling=1, Created=%v, Problem with changed", got, at+1,
				exported.Nodes-1)
		}
	})
	t.Run("a truncated or changed file is refused", func(t *testing.T) {
		wipe(t, g)
		for name, text := range map[string]string{
			"cut":      strings.Join(lines[:40], ""),
			"cut in":   whole[:len(whole)/2],
			"changed":  strings.Replace(whole, "Another", "Onother", 1),
			"longer":   whole + lines[1],
			"one less": strings.Join(slices.Delete(slices.Clone(lines), 20, 21), ""),
			"headless": strings.Join(lines[1:], ""),
			"newer":    strings.Replace(whole, `"format":1`, `"format":2`, 1),
			"other":    `{"id": 1}`,
			"empty":    "",
		} {
			if _, err := archive.Import(t.Context(), g.DB, strings.NewReader(text),
				archive.ImportOptions{}); !apperr.Is(err, apperr.Validation) || count(t, g) != 0 {
				t.Errorf("%s: %d nodes, %v", name, count(t, g), err)
			}
		}
		got, err := archive.Import(t.Context(), g.DB, stream(strings.Join(lines[:40], "")), archive.ImportOptions{})
		if !apperr.Is(err, apperr.Validation) || !strings.Contains(err.Error(), "ends after line 40") ||
			got.Nodes.Created != 0 {
			t.Errorf("from a stream: %+v, %v", got, err)
		}
	})
	t.Run("with vectors", func(t *testing.T) {
		wipe(t, g)
		fill(t, g)
		withVectors, exported := export(t, g, archive.ExportOptions{Vectors: true})
		if exported.Vectors != 1 { // the other decision waits for new vectors
			t.Errorf("got %+v, want Vectors=1", exported)
		}
		wipe(t, g)
		for n, want := range []archive.LineCounts{{Created: 1}, {Unchanged: 1}} {
			golden.Equal(t, fmt.Sprint("time ", n+1), imported(t, g, withVectors, archive.ImportOptions{}).Vectors,
				want)
		}
		rows := g.Rows(t, "CALL db.awaitIndexes() CALL db.index.vector.queryNodes('embedding_text', 2, [0.1, -0.7]) YIELD node MATCH (node)-[:OF]->(d) RETURN d.uid AS uid, d:Unindexed AS waits, node.uid AS own", nil)
		if len(rows) != 1 || rows[0]["uid"] != "d1" || rows[0]["waits"] != false || rows[0]["own"] != "v-d1" {
			t.Errorf("got %v, want len(rows)=1, uid=d1, waits=false, own=v-d1", rows)
		}
		wipe(t, g)
		g.Exec(t, "CREATE (:SYS_SearchIndex {name: 'decisions', model: 'another', dimensions: 3})", nil)
		golden.Equal(t, "beside another model", imported(t, g, withVectors, archive.ImportOptions{}).Vectors,
			(archive.LineCounts{Unchanged: 1}))
	})
	t.Run("with vectors of passages", func(t *testing.T) {
		wipe(t, g)
		fill(t, g)
		g.Exec(t, `MATCH (d:Decision {uid: 'd1'})<-[:OF]-(e:Embedding) SET e.passage = 0, e.created_at = datetime()
			CREATE (d)<-[:OF]-(:Embedding:LaterPassage {uid: 'later', model: 'm1', dimensions: 2, passage: 1, created_at: e.created_at, text: [0.5, 0.25]})`, nil)
		withVectors, exported := export(t, g, archive.ExportOptions{Vectors: true})
		wipe(t, g)
		if got := imported(t, g, withVectors, archive.ImportOptions{}); exported.Vectors != 2 ||
			got.Vectors != (archive.LineCounts{Created: 2}) {
			t.Errorf("got %+v, %+v, want Vectors=2, Vectors=%v", exported, got, (archive.LineCounts{Created: 2}))
		}
		for n := range 2 { // repeated, and with outdated vectors of the decision
			golden.Equal(t, fmt.Sprint("time ", n+2), imported(t, g, withVectors, archive.ImportOptions{}).Vectors,
				(archive.LineCounts{Unchanged: 2}))
			rows := g.Rows(t, "MATCH (e:Embedding)-[:OF]->(d) RETURN d.uid AS uid, e.passage AS passage, e:LaterPassage AS later ORDER BY passage", nil)
			if len(rows) != 2-n || rows[0]["uid"] != "d1" || rows[0]["later"] != false || n == 0 &&
				rows[1]["later"] != true {
				t.Errorf(`got %v, want len(rows)=%v, uid=d1, later=false, not n == 0 && rows[1]["later"] != true`, rows,
					2-n)
			}
			g.Exec(t, "MATCH (e:Embedding) SET e.created_at = datetime() + duration('P1D'), e.uid = 'new' FOREACH (l IN CASE WHEN e:LaterPassage THEN [e] ELSE [] END | DETACH DELETE l)", nil)
		}
	})
	t.Run("an interrupted import continues", func(t *testing.T) {
		defer archive.WithBatches(200, 500)()
		wipe(t, g)
		many(t, g, 200)
		whole, exported := export(t, g, archive.ExportOptions{})
		wipe(t, g)
		for _, after := range []int64{1, 5} { // after one of four batches of nodes; after all nodes and one of two batches of relationships
			ctx, cancel := context.WithCancel(t.Context())
			var batches int64
			_, err := archive.Import(progress.Listen(ctx, func(s progress.Step) {
				if s.Message == "Importing" {
					if batches++; batches > after {
						cancel()
					}
				}
			}), g.DB, strings.NewReader(whole), archive.ImportOptions{})
			cancel()
			if err == nil || int64(count(t, g)) >= exported.Nodes && after == 1 || count(t, g) == 0 {
				t.Fatalf("after %d batches: %d of %d nodes, %v", after, count(t, g), exported.Nodes, err)
			}
		}
		got := imported(t, g, whole, archive.ImportOptions{})
		if got.Nodes.Created > 0 || got.Relationships.Created == 0 || got.Relationships.Unchanged == 0 ||
			got.Nodes.Created+got.Nodes.Unchanged != exported.Nodes ||
			got.Relationships.Created+got.Relationships.Unchanged != exported.Relationships {
			t.Errorf("%+v of %+v", got, exported)
		}
		again, _ := export(t, g, archive.ExportOptions{})
		if !slices.Equal(canonical(t, whole), canonical(t, again)) {
			t.Error("the graph is not the same")
		}
	})
}

// BenchmarkArchive exports and imports about 20,000 nodes: go test -bench Archive -benchtime 1x.
func BenchmarkArchive(b *testing.B) {
	g := graphtest.New(b)
	many(b, g, 7000)
	var file bytes.Buffer
	for b.Loop() {
		file.Reset()
		started := time.Now()
		exported := graphtest.Must(archive.Export(b.Context(), g.DB, &file, archive.ExportOptions{}))(b)
		lines := float64(exported.Nodes + exported.Relationships)
		b.ReportMetric(lines/time.Since(started).Seconds(), "exported-lines/s")
		wipe(b, g)
		for _, name := range []string{"imported", "again"} {
			started = time.Now()
			got := graphtest.Must(archive.Import(b.Context(), g.DB, bytes.NewReader(file.Bytes()),
				archive.ImportOptions{}))(b)
			b.ReportMetric(lines/time.Since(started).Seconds(), name+"-lines/s")
			b.Logf("%s", toolstest.Text(got))
		}
	}
}

// fill creates a graph with all kinds of data: packs, history, verdicts, and byHand.
func fill(t testing.TB, g *graphtest.Graph) {
	t.Helper()
	env := toolstest.App(t, g.DB)
	toolstest.ApplyShipped(t, g, "core")
	graphtest.Must(env.Change.SetThreshold(t.Context(),
		change.ThresholdChange{Name: "test_coverage_min", Value: policies.ValueOf(0.85), Reason: "try",
			By: "test"}))(t)
	confidence := 0.1
	for _, stakes := range []string{"low", "critical"} {
		graphtest.Must(env.Checks.Check(t.Context(), check.ActionCheck{Description: "Delete it", Stakes: stakes,
			Confidence: &confidence}))(t)
	}
	g.Exec(t, byHand, map[string]any{"bytes": []byte{0, 1, 255}})
}

// many creates the given number of decisions, each with two reasons, an agent and tags.
func many(t testing.TB, g *graphtest.Graph, decisions int) {
	t.Helper()
	g.Exec(t, "UNWIND range(0, 9) AS i CREATE (:Agent {uid: 'a' + i, key: 'a' + i, name: 'A' + i}), (:Tag {uid: 't' + i, key: 't' + i, name: 'T' + i})", nil)
	for first := 0; first < decisions; first += 1000 {
		g.Exec(t, `UNWIND range($first, $last) AS i
MATCH (a:Agent {key: 'a' + i % 10}), (t:Tag {key: 't' + i % 7})
CREATE (d:Decision {uid: 'd' + i, id: 'id' + i, decision: 'Decision ' + i + ' on what to do about it, and why', context: 'There was a question, and several answers to it', confidence: 0.5 + i % 5 / 10.0, created_at: datetime(), agent: a.name, category: 'architecture', stakes: 'medium', status: 'pending'})
CREATE (a)-[:MADE]->(d), (d)-[:TAGGED]->(t), (d)-[:BECAUSE {position: 0}]->(:Reason {uid: 'r' + i, type: 'analysis', text: 'Because of this', strength: 0.8}), (d)-[:BECAUSE {position: 1}]->(:Reason {uid: 's' + i, type: 'pattern', text: 'And that', strength: 0.6})`,
			map[string]any{"first": first, "last": min(first+1000, decisions) - 1})
	}
}

func wipe(t testing.TB, g *graphtest.Graph) {
	t.Helper()
	g.Exec(t, "MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS", nil)
}

func count(t testing.TB, g *graphtest.Graph) int {
	t.Helper()
	return int(g.Rows(t, "MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock AND NOT n:SYS_Lock RETURN count(n) AS n", nil)[0]["n"].(int64))
}

// facts returns everything that the graph contains about decisions and policies.
func facts(t testing.TB, g *graphtest.Graph) []string {
	t.Helper()
	rows := g.Rows(t, `MATCH (n) WHERE n:Decision OR n:SYS_Policy OR n:SYS_Threshold OR n:SYS_Change
UNWIND keys(n) AS key
WITH n, key, valueType(n[key]) AS type, CASE WHEN valueType(n[key]) STARTS WITH 'LIST' THEN reduce(s = '', x IN n[key] | s + ',' + toStringOrNull(x)) ELSE coalesce(toStringOrNull(n[key]), '') END AS value
RETURN coalesce(toStringOrNull(n.name), n.uid) + ' ' + key + ' ' + type + ' ' + coalesce(value, '') AS fact`, nil)
	all := make([]string, len(rows))
	for i, row := range rows {
		all[i] = fmt.Sprint(row["fact"])
	}
	slices.Sort(all)
	return all
}

func export(t testing.TB, g *graphtest.Graph, o archive.ExportOptions) (string, archive.ExportResult) {
	t.Helper()
	var file bytes.Buffer
	exported := graphtest.Must(archive.Export(t.Context(), g.DB, &file, o))(t)
	return file.String(), exported
}

func imported(t testing.TB, g *graphtest.Graph, text string, o archive.ImportOptions) archive.Imported {
	t.Helper()
	got := graphtest.Must(archive.Import(t.Context(), g.DB, strings.NewReader(text), o))(t)
	return got
}

func conflicts(got archive.Imported) []string {
	var what []string
	for _, c := range got.Conflicts {
		what = append(what, c.What)
	}
	slices.Sort(what)
	return what
}

// stream hides that a text can be read twice.
func stream(text string) io.Reader { return struct{ io.Reader }{strings.NewReader(text)} }

// canonical returns a file's nodes and relationships in a canonical order. Keys that have a meaning only within the
// file are replaced by node content.
func canonical(t testing.TB, file string) []string {
	t.Helper()
	type entry = map[string]any
	says, all := map[string]string{}, []string{}
	for text := range strings.Lines(file) {
		var l struct{ Node, Vectors, Relationship entry }
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber() // distinguishes 1 from 1.0
		graphtest.OK(t, decoder.Decode(&l))
		switch {
		case l.Node != nil:
			key := l.Node["key"].(string)
			if strings.HasPrefix(key, "element:") {
				l.Node["key"] = ""
			}
			out, _ := json.Marshal(l.Node)
			says[key] = string(out)
			all = append(all, string(out))
		case l.Relationship != nil:
			l.Relationship["from"], l.Relationship["to"] = says[l.Relationship["from"].(string)],
				says[l.Relationship["to"].(string)]
			out, _ := json.Marshal(l.Relationship)
			all = append(all, string(out))
		}
	}
	slices.Sort(all)
	return all
}
