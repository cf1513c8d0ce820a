package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
)

func TestReadOnly_RefusedQuery_IsNotSent(t *testing.T) {
	nobody := graph.Open(graph.Options{URI: "bolt://127.0.0.1:1"})
	t.Cleanup(func() { _ = nobody.Close(t.Context()) })
	for _, e := range corpus(t, "attacks") {
		_, err := nobody.RunReadOnly(t.Context(), graph.ReadQuery{Query: e.query, Params: e.params})
		if f := apperr.From(err); f == nil || f.Code != apperr.QueryRefused || f.Hint == "" ||
			f.Details["line"] == nil {
			t.Errorf("%s: got %v\n%s, want non-nil f, Code=%v, non-empty Hint, non-nil line", e.name, err, e.query,
				apperr.QueryRefused)
		}
	}
}

func TestReadOnly_Corpora_AgainstAGraph(t *testing.T) {
	g := graphtest.Unmigrated(t) // the sample uses the names of our indexes
	g.DB = graph.Open(graph.Options{URI: g.Endpoint.URI, Username: g.Endpoint.Username, Password: g.Endpoint.Password,
		Database: g.Endpoint.Database, Log: zerolog.Nop()})
	t.Cleanup(func() { _ = g.Close(context.Background()) })
	for _, text := range sample {
		g.Exec(t, text, nil)
	}
	before := nodeForNode(t, g)
	t.Run("honest reads are answered", func(t *testing.T) {
		for i, e := range corpus(t, "reads") {
			if e.offline || i%4 > 0 { // the guard's own test runs all of them on a server
				continue
			}
			if _, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: e.query, Params: e.params}); err != nil {
				t.Errorf("got %s: %v, want no error\n%s", e.name, err, e.query)
			}
		}
	})
	golden.Equal(t, "the graph", nodeForNode(t, g), before)
}

func TestReadOnly_TooManyRows_AreTruncated(t *testing.T) {
	g := graphtest.New(t)
	kilobyte := strings.Repeat("x", 1000)
	tests := map[string]struct {
		question  graph.ReadQuery
		rows      int
		truncated bool
		note      string
	}{
		"fewer than the limit": {graph.ReadQuery{Query: "UNWIND range(1, 9) AS i RETURN i", Limit: 10}, 9, false,
			""},
		"as many as the limit": {graph.ReadQuery{Query: "UNWIND range(1, 10) AS i RETURN i", Limit: 10}, 10, false,
			""},
		"one more than the limit": {graph.ReadQuery{Query: "UNWIND range(1, 11) AS i RETURN i", Limit: 10}, 10, true,
			"first 10 rows"},
		"500 unless told": {graph.ReadQuery{Query: "UNWIND range(1, 9999) AS i RETURN i"}, 500, true,
			"first 500 rows"},
		"a limit of its own": {graph.ReadQuery{Query: "UNWIND range(1, 9999) AS i RETURN i LIMIT 3"}, 3, false,
			""},
		"too many bytes": {graph.ReadQuery{Query: "UNWIND range(1, 1000) AS i RETURN $s AS s", Limit: 1000,
			Params: graph.Parameters{"s": kilobyte}},
			256 << 10 / (len(kilobyte) + 4), true, "256 kB"},
		"one huge value": {graph.ReadQuery{Query: "RETURN 1 AS i, $s AS s",
			Params: graph.Parameters{"s": strings.Repeat(kilobyte, 300)}}, 0, true, "256 kB"},
		"nothing": {graph.ReadQuery{Query: "MATCH (n:Nothing) RETURN n, n.x AS x"}, 0, false, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := ask(t, g, tt.question)
			if len(a.Rows) != tt.rows || a.RowCount != tt.rows || a.Truncated != tt.truncated ||
				!strings.Contains(a.Note, tt.note) || (a.Note == "") != (tt.note == "") {
				t.Errorf("%d rows, row_count %d, truncated %v, note %q", len(a.Rows), a.RowCount, a.Truncated, a.Note)
			}
			for _, row := range a.Rows {
				if len(row) != len(a.Columns) {
					t.Fatalf("a row of %d values under %d columns", len(row), len(a.Columns))
				}
			}
		})
	}
	t.Run("an empty result has its columns", func(t *testing.T) {
		text := asJSON(t, ask(t, g, graph.ReadQuery{Query: "MATCH (n:Nothing) RETURN n.z AS z, n.a AS a, n"}))
		if !strings.HasPrefix(text, `{"columns":["z","a","n"],"rows":[],"row_count":0,"truncated":false,"took_ms":`) {
			t.Error(text)
		}
	})
	t.Run("values are in the order of the columns", func(t *testing.T) {
		a := ask(t, g, graph.ReadQuery{Query: "RETURN 'zed' AS z, 'one' AS a, 'em' AS m"})
		if fmt.Sprint(a.Columns, a.Rows) != "[z a m] [[zed one em]]" || a.TookMS <= 0 {
			t.Errorf(`got %+v, want Columns="[z a m] [[zed one em]]", TookMS more than 0`, a)
		}
	})
}

func TestReadOnly_Values_AreReturned(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:Thing {v: [i IN range(1, 384) | i / 7.0], big: 9007199254740993})-[:NEAR {since: date('2026-01-02')}]->(:Thing {i: 1})", nil)
	params := graph.Parameters{"bytes": []byte{0, 255}, "many": make([]byte, 256), "nan": math.NaN()}
	for _, c := range golden.Cases(t, "testdata/cells.txt") {
		t.Run(c.Name, func(t *testing.T) {
			used := graph.Parameters{}
			for p := range params {
				if strings.Contains(c.Text, "$"+p) {
					used[p] = params[p]
				}
			}
			a := ask(t, g, graph.ReadQuery{Query: "RETURN " + c.Text + " AS v", Params: used})
			golden.Equal(t, c.Text+" is shown as", asJSON(t, a.Rows[0][0]), c.Want)
		})
	}
	t.Run("nodes, relationships, paths", func(t *testing.T) {
		a := ask(t, g, graph.ReadQuery{Query: "MATCH p = (n:Thing)-[r:NEAR]->(m) RETURN n, r, p, elementId(n) AS a, elementId(r) AS b, elementId(m) AS c"})
		row := a.Rows[0]
		from := fmt.Sprintf(`{"element_id":"%s","labels":["Thing"],"properties":{"big":{"integer":"9007199254740993"},"v":{"omitted":"a vector of 384 numbers"}}}`, row[3])
		to := fmt.Sprintf(`{"element_id":"%s","labels":["Thing"],"properties":{"i":1}}`, row[5])
		near := fmt.Sprintf(`{"element_id":"%s","end":"%s","properties":{"since":"2026-01-02"},"start":"%s","type":"NEAR"}`, row[4], row[5], row[3])
		path := `{"nodes":[` + from + `,` + to + `],"relationships":[` + near + `]}`
		for i, want := range []string{from, near, path} {
			golden.Equal(t, fmt.Sprint(a.Columns[i]), asJSON(t, row[i]), want)
		}
	})
}

func TestReadOnly_Parameters_KeepTheirType(t *testing.T) {
	g := graphtest.New(t)
	t.Run("each value has its type", func(t *testing.T) {
		for given, want := range map[string]string{`3`: "INTEGER NOT NULL", `3.0`: "FLOAT NOT NULL",
			`3e2`: "FLOAT NOT NULL", `-0`: "INTEGER NOT NULL",
			`9007199254740993`: "INTEGER NOT NULL", `"3"`: "STRING NOT NULL", `true`: "BOOLEAN NOT NULL",
			`null`: "NULL", `[1, 2]`: "LIST<INTEGER NOT NULL> NOT NULL",
			`[1.0]`: "LIST<FLOAT NOT NULL> NOT NULL", `[[1]]`: "LIST<LIST<INTEGER NOT NULL> NOT NULL> NOT NULL",
			`{"a": [1]}`: "MAP NOT NULL"} {
			a := ask(t, g, graph.ReadQuery{Query: "RETURN valueType($v) AS kind",
				Params: parameters(t, `{"v": `+given+`}`)})
			golden.Equal[any](t, given+" becomes", a.Rows[0][0], want)
		}
	})
	t.Run("values in a map have their type", func(t *testing.T) {
		a := ask(t, g, graph.ReadQuery{Query: "RETURN valueType($v.a[0].b) AS whole, valueType($v.c) AS float",
			Params: parameters(t, `{"v": {"a": [{"b": 1}], "c": 1.0}}`)})
		golden.Equal(t, "rows", fmt.Sprint(a.Rows), "[[INTEGER NOT NULL FLOAT NOT NULL]]")
	})
	t.Run("LIMIT takes a whole number", func(t *testing.T) {
		query := "UNWIND range(1, 9) AS i RETURN i LIMIT $n"
		golden.Equal(t, "rows", ask(t, g, graph.ReadQuery{Query: query, Params: parameters(t, `{"n": 3}`)}).RowCount, 3)
		_, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: query, Params: parameters(t, `{"n": 3.0}`)})
		wantError(t, err, apperr.QueryFailed)
	})
	t.Run("invalid values are refused", func(t *testing.T) {
		for _, given := range []string{`{"v": 9223372036854775808}`, `{"v": [[-9223372036854775809]]}`,
			`{"v": {"a": 123456789012345678901}}`, `{"v": 1e999}`, `[1]`, `{"v": }`} {
			var p graph.Parameters
			if err := json.Unmarshal([]byte(given), &p); err == nil {
				t.Errorf("%s is taken as %v", given, p)
			}
		}
	})
	t.Run("missing and superfluous parameters are named", func(t *testing.T) {
		for _, tt := range []struct{ query, params, key, want string }{
			{"RETURN $b, $a", `{}`, "missing", "[b a]"},
			{"RETURN $a, $b", `{"a": 1}`, "missing", "[b]"},
			{"RETURN $`two words`", `{}`, "missing", "[two words]"},
			{"RETURN $a // $b", `{"b": 1}`, "missing", "[a]"},
			{"RETURN 1", `{"z": 1, "y": 2}`, "superfluous", "[y z]"},
			{"RETURN '$a' AS s // $a", `{"a": 1}`, "superfluous", "[a]"},
		} {
			_, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: tt.query, Params: parameters(t, tt.params)})
			f := wantError(t, err, apperr.Validation)
			if fmt.Sprint(f.Details[tt.key]) != tt.want || f.Hint == "" {
				t.Errorf("%s: got %v, %v, want fmt.Sprint(f.Details[tt.key])=%v, non-empty Hint", tt.query, f,
					f.Details, tt.want)
			}
		}
	})
	t.Run("parameters override an empty map", func(t *testing.T) {
		var none graph.Parameters
		golden.Equal(t, "the parameter", none.With(graph.Parameters{"a": 1})["a"], 1)
	})
}

// sample is the graph for the reads of the corpus.
var sample = []string{
	`CREATE FULLTEXT INDEX decision_text IF NOT EXISTS FOR (n:Decision) ON EACH [n.summary]`,
	`CREATE FULLTEXT INDEX relation_text IF NOT EXISTS FOR ()-[r:RELATES_TO]-() ON EACH [r.context]`,
	"CREATE VECTOR INDEX decision_vector IF NOT EXISTS FOR (n:Decision) ON n.vector OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}",
	`UNWIND range(1, 20) AS i
	 CREATE (d:Decision {id: 'd' + i, summary: 'Use the cache, number ' + i, confidence: i / 20.0, year: 2015 + i % 8,
	   stakes: ['low', 'medium', 'high', 'critical'][i % 4], category: ['architecture', 'process'][i % 2], score: i, scores: [i, i + 1],
	   tags: ['a' + i, 'b'], vector: [i / 20.0, 0.5, 0.1], created_at: datetime() - duration({days: i})})
	 FOREACH (_ IN CASE WHEN i % 3 = 0 THEN [1] ELSE [] END | SET d:Reviewed, d.outcome = 'success')`,
	`MATCH (a:Decision), (b:Decision) WHERE a.score + 1 = b.score CREATE (a)-[:RELATES_TO {weight: 0.5, context: 'why', active: true}]->(b)`,
	`UNWIND ['ada', 'bob'] AS name CREATE (a:Agent {name: name, email: name + '@example.org'})
	 WITH a MATCH (d:Decision) WHERE d.score % 2 = size(a.name) % 2 CREATE (a)-[:MADE]->(d)`,
	`UNWIND ['ops', 'x'] AS name CREATE (t:Tag {name: name}) WITH t MATCH (d:Decision) WHERE d.score % 3 = 0 CREATE (d)-[:TAGGED]->(t)`,
	`CREATE (:SYS_Policy:Policy {name: 'p', active: true})-[:USES_THRESHOLD]->(:SYS_Threshold:Threshold {name: 't', value: 0.7})`,
	`CREATE (p:Person {name: 'Ada'})-[:ACTED_IN {roles: ['x']}]->(:Movie {title: 'M', released: 1999})<-[:DIRECTED]-(p)`,
	`CALL db.awaitIndexes(60)`,
}

// nodeForNode returns all nodes, relationships, indexes and constraints as text.
func nodeForNode(t *testing.T, g *graphtest.Graph) string {
	t.Helper()
	var all []any
	for _, query := range []string{
		"MATCH (n) RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties ORDER BY id",
		"MATCH (a)-[r]->(b) RETURN elementId(r) AS id, type(r) AS type, elementId(a) AS a, elementId(b) AS b, properties(r) AS properties ORDER BY id",
		"SHOW INDEXES YIELD name, type, labelsOrTypes, properties RETURN * ORDER BY name",
		"SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties RETURN * ORDER BY name",
		"SHOW USERS YIELD user RETURN user ORDER BY user",
	} {
		all = append(all, g.Rows(t, query, nil))
	}
	return asJSON(t, all)
}

// entry is a query of the guard's corpora; cypher/readonly/testdata/README.md describes the format.
type entry struct {
	name, query string
	params      graph.Parameters
	offline     bool
}

var hidden = regexp.MustCompile(`<<(U\+|x)([0-9A-Fa-f]+)>>`)

func corpus(t *testing.T, folder string) []entry {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "cypher", "readonly", "testdata", folder, "*.cypher"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus in %s: %v", folder, err)
	}
	var entries []entry
	for _, file := range files {
		raw := graphtest.Must(os.ReadFile(file))(t)
		for i, text := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n// ---\n") {
			entries = append(entries, parseEntry(t, fmt.Sprintf("%s/%d", filepath.Base(file), i+1), text,
				folder == "attacks"))
		}
	}
	return entries
}

func parseEntry(t *testing.T, name, text string, hide bool) entry {
	t.Helper()
	e := entry{name: name, query: text}
	for {
		line, rest, _ := strings.Cut(e.query, "\n")
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "// "), ": ")
		if !ok || !strings.HasPrefix(line, "// ") || !slices.Contains([]string{"name", "word", "live", "params"}, key) {
			break
		}
		switch key {
		case "name":
			e.name += " " + value
		case "live":
			e.offline = value == "no"
		case "params":
			e.params = parameters(t, value)
		}
		e.query = rest
	}
	if hide {
		e.query = hidden.ReplaceAllStringFunc(e.query, func(s string) string {
			m := hidden.FindStringSubmatch(s)
			n, _ := strconv.ParseUint(m[2], 16, 32) // digits
			if m[1] == "x" {
				return string([]byte{byte(n)})
			}
			return string(rune(n))
		})
	}
	return e
}

func parameters(t *testing.T, text string) graph.Parameters {
	t.Helper()
	var p graph.Parameters
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%s: got %v, want no error", text, err)
	}
	return p
}

func ask(t *testing.T, g *graphtest.Graph, q graph.ReadQuery) graph.QueryResult {
	t.Helper()
	answer, err := g.RunReadOnly(t.Context(), q)
	if err != nil {
		t.Fatalf("%s: got %v (%v), want no error", q.Query, err, errors.Unwrap(err))
	}
	return answer
}

func TestQuery_CallerWithoutTheWholeGraph_IsRefused(t *testing.T) {
	g := graphtest.New(t)
	for name, c := range map[string]struct {
		who     caller.Caller
		inForce bool
		refused bool
	}{
		"nobody": {caller.Caller{}, false, true},
		"read":   {caller.Caller{Permissions: []caller.Permission{caller.Read}}, false, true},
		"all but query": {caller.Caller{Permissions: []caller.Permission{caller.Read, caller.Decide,
			caller.Announce, caller.Federate, caller.Review, caller.Govern}}, false, true},
		"query of one project": {caller.Caller{Permissions: []caller.Permission{caller.Query},
			Projects: []string{"a/b"}}, false, true},
		"admin of no project": {caller.Caller{Permissions: []caller.Permission{caller.Admin}, Projects: []string{}},
			false, true},
		"query":                 {caller.Caller{Permissions: []caller.Permission{caller.Query}}, false, false},
		"admin":                 {caller.Caller{Permissions: []caller.Permission{caller.Admin}}, false, false},
		"local":                 {caller.Local("ann"), false, false},
		"read, a rule in force": {caller.Caller{Permissions: []caller.Permission{caller.Read}}, true, false},
		"a rule for one project": {caller.Caller{Permissions: []caller.Permission{caller.Read},
			Projects: []string{"a/b"}}, true, false},
	} {
		_, err := g.RunReadOnly(caller.With(t.Context(), c.who),
			graph.ReadQuery{Query: "RETURN 1 AS x", InForce: c.inForce})
		if apperr.Is(err, apperr.PermissionDenied) != c.refused || !c.refused && err != nil {
			t.Errorf("%s: got %v, want refused=%v", name, err, c.refused)
		}
	}
}
