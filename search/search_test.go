package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/internal/progress"
)

// fickle is the built-in embedder under another model name, which can be made unavailable.
type fickle struct {
	model string
	away  atomic.Bool
	asked atomic.Int64
	then  atomic.Pointer[func()] // called before vectors are returned
}

func (f *fickle) Model() string { return f.model }

func (f *fickle) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	f.asked.Add(1)
	if f.away.Load() {
		return nil, apperr.New(apperr.Unavailable, "The embedder does not answer").Because(errors.New("test"))
	}
	if then := f.then.Load(); then != nil {
		(*then)()
	}
	return Builtin().Embed(ctx, texts)
}

// decide writes a decision as package decisions does.
func decide(t testing.TB, g *graphtest.Graph, uid string, properties map[string]any, facets ...string) {
	t.Helper()
	p := map[string]any{"uid": uid, "id": uid, "facets": strings.Join(facets, " ")}
	for name, value := range properties {
		if at, ok := value.(time.Time); ok {
			value = graph.UTC(at)
		}
		p[name] = value
	}
	g.Exec(t, "CREATE (d:Decision:Unindexed) SET d = $p, d.updated_at = datetime(), d.created_at = coalesce($p.created_at, datetime())", map[string]any{"p": p})
}

func refresh(t testing.TB, g *graphtest.Graph) {
	t.Helper()
	g.Exec(t, "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()", nil)
}

// opened returns the index of a graph's decisions after it has made all vectors.
func opened(t testing.TB, g *graphtest.Graph) *Index {
	t.Helper()
	x := Open(g.DB, Builtin(), zerolog.Nop())
	t.Cleanup(func() { x.Close(context.Background()) })
	graphtest.OK(t, x.Drain(t.Context()))
	refresh(t, g)
	return x
}

func ask(t testing.TB, x *Index, q Question) Results {
	t.Helper()
	found, err := x.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("%.100q in mode %s: %v (%v)", q.Text, q.Mode, err, apperr.From(err).Unwrap())
	}
	return found
}

func uids(found Results) (out []string) {
	for _, hit := range found.Hits {
		out = append(out, hit.UID)
	}
	return out
}

func TestSearch_ModesAndFilters_FindWhatTheyName(t *testing.T) {
	g := graphtest.New(t)
	day := func(s string) time.Time {
		return graphtest.Must(time.Parse(time.DateOnly, s))(t)
	}
	architecture, tooling := Facet("category", "architecture"), Facet("category", "tooling")
	// The engine's index still counts words of decisions that earlier tests deleted. "pg" has the word in more fields
	// than "cache" and in a shorter context, so it ranks first whatever those words were.
	decide(t, g, "pg", map[string]any{"decision": "Use Postgres for storage", "context": "Postgres must persist data",
		"confidence": 0.85, "terms": "node.js snake_case_name",
		"structure": "a relational database", "function": "keeps what we know", "created_at": day("2026-03-10")},
		architecture, ConfidenceFacet(0.85), MonthFacet(day("2026-03-10")))
	decide(t, g, "door", map[string]any{"decision": "Paint the door green", "confidence": 0.89,
		"function": "pleases visitors", "created_at": day("2026-03-20")},
		tooling, ConfidenceFacet(0.89), MonthFacet(day("2026-03-20")), Facet("tag", "Größe & Form"))
	decide(t, g, "cache", map[string]any{"decision": "Cache sessions in Redis",
		"context": "queries to Postgres were slow", "created_at": day("2025-12-31")}, architecture,
		MonthFacet(day("2025-12-31")))
	decide(t, g, "empty", map[string]any{"decision": ""})
	x := opened(t, g)
	x.corpus.textOf = nil // rank all hits, also distant ones

	t.Run("status", func(t *testing.T) {
		s, err := x.Status(t.Context())
		if err != nil || s != (Status{Embedder: "builtin", Model: builtinModel, RecordedModel: builtinModel,
			Dimensions: 256, Matches: true, Decisions: 4, Indexed: 3}) {
			t.Errorf("got %+v, %v, want s=%v", s, err, (Status{Embedder: "builtin", Model: builtinModel,
				RecordedModel: builtinModel, Dimensions: 256, Matches: true, Decisions: 4, Indexed: 3}))
		}
		for _, row := range g.Rows(t, "MATCH (e:Embedding)-[:OF]->(d) RETURN d.uid AS uid, size(e.text) AS n, e.function IS NULL AS none, e.uid IS NOT NULL AND e.schema_version = 1 AS ours", nil) {
			if row["n"] != int64(256) || row["none"] != (row["uid"] == "cache") || row["ours"] != true {
				t.Error(row)
			}
		}
	})
	t.Run("modes", func(t *testing.T) {
		keyword := ask(t, x, Question{Text: "databases Postgres", Mode: Keyword})
		if got := uids(keyword); !slices.Equal(got, []string{"pg", "cache"}) || keyword.Mode != Keyword ||
			keyword.Hits[0].Keyword == nil || keyword.Hits[0].Semantic != nil {
			t.Errorf("got %v %+v, want got=[pg cache], Mode=%v, non-nil Keyword, Semantic=nil", got, keyword, Keyword)
		}
		semantic := ask(t, x, Question{Text: "persist information in a database", Mode: Semantic})
		if h := semantic.Hits[0]; h.UID != "pg" || len(semantic.Hits) != 3 || h.Keyword != nil ||
			math.Abs(*h.Distance-(1-*h.Semantic)) > 1e-9 || h.Score != *h.Semantic || *h.Semantic < 0.3 {
			t.Errorf("got %+v, want UID=pg, len(Hits)=3, Keyword=nil, math.Abs(*h.Distance - (1 - *h.Semantic)) at most 1e-9, Score=%v, Semantic at least 0.3", semantic.Hits, *h.Semantic)
		}
		hybrid := ask(t, x, Question{Text: "databases Postgres"})
		if h := hybrid.Hits[0]; hybrid.Mode != Hybrid || h.UID != "pg" || h.Keyword == nil || h.Semantic == nil ||
			h.Distance == nil || math.Abs(*h.Distance-(1-*h.Semantic)) > 1e-9 || math.Abs(h.Score-1.2/11) > 1e-9 {
			t.Errorf("got %+v, want Mode=%v, UID=pg, non-nil Keyword, non-nil Semantic, non-nil Distance, math.Abs(*h.Distance - (1 - *h.Semantic)) at most 1e-9, math.Abs(h.Score - 1.2/11) at most 1e-9", hybrid.Hits, Hybrid)
		}
		golden.Equal(t, "hits", len(ask(t, x, Question{Text: "Postgres", Limit: 1}).Hits), 1)
	})
	t.Run("sides", func(t *testing.T) {
		if found := ask(t, x, Question{Text: "pleases visitors", Mode: Semantic,
			Side: "function"}); len(found.Hits) != 2 || found.Hits[0].UID != "door" || *found.Hits[0].Distance > 0.01 {
			t.Errorf("got %+v, want len(Hits)=2, UID=door, Distance at most 0.01", found)
		}
		// A decision without a stated structure is compared by its text.
		if found := ask(t, x, Question{Text: "Cache sessions in Redis", Mode: Semantic,
			Side: "structure"}); found.Hits[0].UID != "cache" || *found.Hits[0].Distance > 0.01 {
			t.Errorf("got %+v, want UID=cache, Distance at most 0.01", found)
		}
		if found := ask(t, x, Question{Text: "visitors door", Mode: Keyword, Side: "function"}); len(found.Hits) != 1 ||
			len(found.Notes) != 1 {
			t.Errorf("got %+v, want len(Hits)=1, len(Notes)=1", found)
		}
	})
	t.Run("filters", func(t *testing.T) {
		f := func(v float64) *float64 { return &v }
		d := func(s string) *time.Time { at := day(s); return &at }
		for name, c := range map[string]struct {
			filter Filter
			want   []string // in order of name
		}{
			"category":        {Filter{All: []string{architecture}}, []string{"cache", "pg"}},
			"either":          {Filter{Any: [][]string{{architecture, tooling}}}, []string{"cache", "door", "pg"}},
			"both":            {Filter{All: []string{architecture, tooling}}, nil},
			"any case":        {Filter{All: []string{Facet("Tag", " GRÖSSE & form "), tooling}}, nil},
			"tag":             {Filter{All: []string{Facet("tag", "größe & form")}}, []string{"door"}},
			"nothing of none": {Filter{Any: [][]string{{}}}, nil},
			"within a decile": {Filter{MinConfidence: f(0.86)}, []string{"door"}},
			"border":          {Filter{MinConfidence: f(0.85), MaxConfidence: f(0.85)}, []string{"pg"}},
			"within a month":  {Filter{After: d("2026-03-11")}, []string{"door"}},
			"before":          {Filter{Before: d("2026-03-11")}, []string{"cache", "pg"}},
			"over the year":   {Filter{After: d("2025-12-31"), Before: d("2026-03-10")}, []string{"cache", "pg"}},
			"all of them": {Filter{All: []string{architecture}, MinConfidence: f(0), Before: d("2027-01-01")},
				[]string{"pg"}},
		} {
			for _, mode := range []string{Keyword, Semantic, Hybrid} {
				got := uids(ask(t, x, Question{Text: "door postgres database", Mode: mode, Filter: c.filter}))
				if slices.Sort(got); !slices.Equal(got, c.want) {
					t.Errorf("%s, %s: %v, want %v", name, mode, got, c.want)
				}
			}
		}
		if _, err := x.Search(t.Context(), Question{Text: "x",
			Filter: Filter{All: []string{"a) OR (b"}}}); !apperr.Is(err, apperr.Validation) {
			t.Error(err)
		}
	})
	t.Run("nasty texts", func(t *testing.T) {
		for _, text := range append(nasty(), strings.Repeat("postgres and a lot more ", 1<<16)) {
			for _, mode := range []string{Keyword, Semantic, Hybrid} {
				found, err := x.Search(t.Context(), Question{Text: text, Mode: mode})
				if strings.TrimSpace(text) == "" {
					if !apperr.Is(err, apperr.Validation) {
						t.Errorf("%q: got %v, want %s", text, err, apperr.Validation)
					}
				} else if err != nil {
					t.Errorf("got %.60q, %s: %v (%v), want no error", text, mode, err, apperr.From(err).Unwrap())
				} else if len(found.Hits) == 0 && mode == Keyword && len(terms(text)) == 0 && len(found.Notes) == 0 {
					t.Errorf("%.60q: nothing, and no note", text)
				}
			}
		}
		for text, want := range map[string]string{"node.js": "pg", "snake_case_name": "pg", "(postgres": "pg",
			"NOT door AND": "door", "décision:PAINT~": "door"} {
			if got := uids(ask(t, x, Question{Text: text, Mode: Keyword})); len(got) == 0 || got[0] != want {
				t.Errorf("%q finds %v", text, got)
			}
		}
		for _, q := range []Question{{Text: "x", Mode: "magic"}, {Text: "x", Side: "left"}, {Text: "x", Limit: -1},
			{Text: "x", Limit: 501}} {
			if _, err := x.Search(t.Context(), q); !apperr.Is(err, apperr.Validation) {
				t.Errorf("%+v: got %v, want %s", q, err, apperr.Validation)
			}
		}
	})
	t.Run("without an embedder", func(t *testing.T) {
		none := Open(g.DB, nil, zerolog.Nop())
		defer none.Close(t.Context())
		none.Wake()
		for _, mode := range []string{Semantic, Hybrid} {
			if found := ask(t, none, Question{Text: "postgres", Mode: mode}); found.Mode != Keyword ||
				len(found.Hits) != 2 || len(found.Notes) != 1 {
				t.Errorf("got %+v, want Mode=%v, len(Hits)=2, len(Notes)=1", found, Keyword)
			}
		}
	})
	t.Run("a filter that leaves many", func(t *testing.T) {
		g.Exec(t, `UNWIND range(1, 2400) AS i CREATE (d:Decision:Unindexed {uid: 'many' + i, id: 'many' + i, decision: 'Choice number ' + i + ' about storage', updated_at: datetime(),
			facets: CASE WHEN i % 2 = 0 THEN $even ELSE $odd END})`, map[string]any{"even": Facet("tag", "even"), "odd": Facet("tag", "odd")})
		refresh(t, g)
		graphtest.OK(t, x.Drain(t.Context()))
		for _, mode := range []string{Keyword, Semantic, Hybrid} {
			found := ask(t, x, Question{Text: "storage choice 17", Mode: mode, Limit: 200,
				Filter: Filter{All: []string{Facet("tag", "even")}}})
			if len(found.Hits) != 200 {
				t.Errorf("%s: %d hits, %v", mode, len(found.Hits), found.Notes)
			}
			for _, hit := range found.Hits {
				var n int
				if _, err := fmt.Sscanf(hit.UID, "many%d", &n); err != nil || n%2 != 0 {
					t.Errorf("%s: %s passed", mode, hit.UID)
				}
			}
		}
	})
}

func TestWorker_MarkedNodes_GetVectors(t *testing.T) {
	g := graphtest.New(t)
	first := &fickle{model: "first"}
	first.away.Store(true)
	decide(t, g, "a", map[string]any{"decision": "Use Postgres"})
	x := Open(g.DB, first, zerolog.Nop())
	x.Wake()
	t.Cleanup(func() { x.Close(context.Background()) })
	pending := func(t *testing.T, x *Index) int64 {
		t.Helper()
		s := graphtest.Must(x.Status(t.Context()))(t)
		return s.Pending
	}
	t.Run("an embedder that was away", func(t *testing.T) {
		graphtest.Until(t, "the worker asks its embedder", func() bool { return first.asked.Load() > 0 })
		refresh(t, g)
		if found := ask(t, x, Question{Text: "postgres"}); found.Mode != Keyword || len(found.Hits) != 1 ||
			len(found.Notes) != 1 {
			t.Errorf("got %+v, want Mode=%v, len(Hits)=1, len(Notes)=1", found, Keyword)
		}
		if err := x.Drain(t.Context()); !apperr.Is(err, apperr.Unavailable) || pending(t, x) != 1 {
			t.Errorf("got %v, want error %s, pending(t, x)=1", err, apperr.Unavailable)
		}
		first.away.Store(false)
		graphtest.Until(t, "the mark is taken away", func() bool { return pending(t, x) == 0 })
	})
	t.Run("waking", func(t *testing.T) {
		decide(t, g, "b", map[string]any{"decision": "Use Redis"})
		x.Wake()
		graphtest.Until(t, "the worker wakes", func() bool { return pending(t, x) == 0 })
	})
	t.Run("a decision that changes meanwhile", func(t *testing.T) {
		decide(t, g, "c", map[string]any{"decision": "old"})
		changed := false
		then := func() {
			if !changed {
				changed = true
				g.Exec(t, "MATCH (d:Decision {uid: 'c'}) SET d.decision = 'new words', d.updated_at = datetime() + duration('PT1S')", nil)
			}
		}
		first.then.Store(&then)
		graphtest.OK(t, x.Drain(t.Context()))
		first.then.Store(nil)
		graphtest.Until(t, "the new words are found", func() bool { // the worker may also have processed this decision
			found := ask(t, x, Question{Text: "new words", Mode: Semantic})
			return len(found.Hits) > 0 && found.Hits[0].UID == "c" && *found.Hits[0].Distance <= 0.01
		})
	})
	t.Run("a decision is not locked while its vectors wait", func(t *testing.T) {
		done := make(chan error, 1)
		err := g.Write(t.Context(), func(tx *graph.Tx) error {
			if err := tx.Run(t.Context(), cypher.New("test/hold",
				"MATCH (:Decision {uid: 'c'})<-[:OF]-(e) SET e.held = true", true), nil); err != nil {
				return err
			}
			g.Exec(t, "MATCH (d:Decision {uid: 'c'}) SET d.decision = 'words between', d:Unindexed",
				nil) // the background worker may process it first, and then waits, too
			go func() { done <- x.Drain(t.Context()) }()
			graphtest.Until(t, "the vectors wait", func() bool {
				return len(g.Rows(t, "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN status",
					nil)) > 0
			})
			g.Exec(t, "MATCH (d:Decision {uid: 'c'}) SET d.decision = 'the last words', d.updated_at = datetime() + duration('PT2S')", nil)
			return nil
		})
		graphtest.OK(t, errors.Join(err, graphtest.Receive(t, "the vectors are made", done)))
		graphtest.Until(t, "the last words are found", func() bool {
			found := ask(t, x, Question{Text: "the last words", Mode: Semantic})
			return pending(t, x) == 0 && len(found.Hits) > 0 && found.Hits[0].UID == "c" &&
				*found.Hits[0].Distance <= 0.01
		})
	})
	t.Run("two servers make one embedding", func(t *testing.T) {
		g.Exec(t, "UNWIND range(1, 300) AS i CREATE (:Decision:Unindexed {uid: 'n' + i, id: 'n' + i, decision: 'Number ' + i})", nil)
		y := Open(g.DB, first, zerolog.Nop())
		y.Wake()
		defer y.Close(t.Context())
		errs := make(chan error, 2)
		go func() { errs <- x.Drain(t.Context()) }()
		go func() { errs <- y.Drain(t.Context()) }()
		graphtest.OK(t, errors.Join(graphtest.Receive(t, "a server has made its vectors", errs),
			graphtest.Receive(t, "the other server has made its vectors", errs)))
		if row := g.Rows(t, "MATCH (d:Decision) RETURN max(COUNT {(d)<-[:OF]-()}) AS most, min(COUNT {(d)<-[:OF]-()}) AS least", nil)[0]; row["most"] != int64(1) || row["least"] != int64(1) {
			t.Error(row)
		}
	})
	t.Run("a text that became empty", func(t *testing.T) {
		g.Exec(t, "MATCH (d:Decision {uid: 'b'}) SET d.decision = '', d:Unindexed", nil)
		if err := x.Drain(t.Context()); err != nil || pending(t, x) != 0 {
			t.Fatal(err)
		}
		golden.Equal(t, "embeddings of nothing", len(g.Rows(t, "MATCH (:Decision {uid: 'b'})<-[:OF]-(e) RETURN e",
			nil)), 0)
	})
	t.Run("another model", func(t *testing.T) {
		second := &fickle{model: "second"}
		y := Open(g.DB, second, zerolog.Nop())
		y.Wake()
		defer y.Close(t.Context())
		decide(t, g, "d", map[string]any{"decision": "Use Kafka"})
		if err := y.Drain(t.Context()); !apperr.Is(err, apperr.Conflict) || pending(t, y) != 1 {
			t.Fatalf("got %v, want error %s, pending(t, y)=1", err, apperr.Conflict)
		}
		refresh(t, g)
		if found := ask(t, y, Question{Text: "kafka"}); found.Mode != Keyword || len(found.Hits) != 1 ||
			len(found.Notes) != 1 || !strings.Contains(found.Notes[0], "Rebuild the search index") {
			t.Errorf(`got %+v, want Mode=%v, len(Hits)=1, len(Notes)=1, Notes[0] with "Rebuild the search index"`,
				found, Keyword)
		}
		if s, err := y.Status(t.Context()); err != nil || s.Matches || s.RecordedModel != "first" || s.Note == "" {
			t.Errorf("got %+v, want Matches=false, RecordedModel=first, a Note", s)
		}
		// The rebuild is stopped at its first batch; the next rebuild resumes it.
		ctx, stop := context.WithCancel(t.Context())
		then := func() {
			if second.asked.Load() > 1 {
				stop()
			}
		}
		second.then.Store(&then)
		if _, err := y.Rebuild(ctx, RebuildRequest{}); err == nil {
			t.Fatal("got no error, want a stopped rebuild")
		}
		second.then.Store(nil)
		var last progress.Step
		done, err := y.Rebuild(progress.Listen(t.Context(), func(s progress.Step) { last = s }), RebuildRequest{})
		if err != nil || done.Decisions != 304 || done.Dimensions != 256 || last.Done != last.Total ||
			last.Done != 304 {
			t.Fatalf("got %+v, %+v, %v, want Decisions=304, Dimensions=256, Done=%v, Done=304", done, last, err,
				last.Total)
		}
		if n := len(g.Rows(t, "MATCH (e:Embedding) WHERE e.model <> 'second' RETURN e", nil)); n != 0 ||
			pending(t, y) != 0 {
			t.Errorf("%d vectors of the first model are left", n)
		}
		if again, err := y.Rebuild(t.Context(), RebuildRequest{}); err != nil ||
			again.Rebuilt != 1 { // the decision without text
			t.Errorf("got %+v, %v, want Rebuilt=1", again, err)
		}
		golden.Equal(t, "rebuilt", graphtest.Must(y.Rebuild(t.Context(), RebuildRequest{All: true}))(t).Rebuilt, 304)
		if found := ask(t, y, Question{Text: "kafka", Mode: Semantic}); found.Mode != Semantic ||
			found.Hits[0].UID != "d" {
			t.Errorf("got %+v, want Mode=%v, UID=d", found, Semantic)
		}
	})
	t.Run("closing finishes pending work", func(t *testing.T) {
		y := Open(g.DB, &fickle{model: "second"}, zerolog.Nop())
		decide(t, g, "e", map[string]any{"decision": "Last words"})
		y.Wake()
		y.Close(t.Context())
		golden.Equal(t, "pending", pending(t, y), 0)
	})
}

// TestWorker_CallsWaiting_BackgroundWaits: few new decisions are indexed immediately, so that their author finds them.
func TestWorker_CallsWaiting_BackgroundWaits(t *testing.T) {
	g := graphtest.New(t)
	original := timeout
	timeout = time.Hour
	defer func() { timeout = original }()
	x := Open(g.DB, Builtin(), zerolog.Nop())
	defer x.Close(t.Context())
	asking, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var answers atomic.Int64
	for range 4 {
		all.Go(func() {
			for asking.Err() == nil {
				_, _ = x.Search(asking, Question{Text: "orders", Mode: Keyword})
				answers.Add(1)
			}
		})
	}
	made := func(n int) bool {
		return g.Rows(t, "MATCH (d:Decision) WHERE NOT d:Unindexed RETURN count(d) AS n", nil)[0]["n"] == int64(n)
	}
	decide(t, g, "one", map[string]any{"decision": "Keep orders in Postgres"})
	x.Wake()
	graphtest.Until(t, "the vector of one decision is made", func() bool { return made(1) })
	g.Exec(t, "UNWIND range(0, $few) AS i CREATE (d:Decision:Unindexed {uid: 'many' + i, id: 'many' + i, decision: 'Keep logs on disk ' + i, updated_at: datetime(), created_at: datetime()})", map[string]any{"few": immediateTexts})
	x.Wake()
	graphtest.Until(t, "the worker waits until nobody asks",
		func() bool { return graphtest.Running("search.(*Index).step", "graph.(*DB).WaitUntilIdle") > 0 })
	before := answers.Load()
	graphtest.Until(t, "a hundred more questions are answered", func() bool { return answers.Load() >= before+100 })
	if !made(1) {
		t.Error("vectors of many were made while others waited for answers")
	}
	stop()
	all.Wait()
	graphtest.Until(t, "the vectors of many are made", func() bool { return made(immediateTexts + 2) })
}
