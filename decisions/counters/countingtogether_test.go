package counters_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

func TestCounters_ConcurrentWorkers_CountOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, env := toolstest.Open(t)
	other := toolstest.App(t, g.DB)
	t.Cleanup(func() { other.Counters.Close(context.Background()) })
	stores := []*tools.App{env, other}
	const made, reviewers, each = 40, 32, 8
	g.Exec(t, `UNWIND range(1, $n) AS i CREATE (d:Decision:Uncounted {uid: 'u' + i, id: toString(10000000 + i), schema_version: 1, decision: 'Choice ' + i, confidence: 0.01 * (i % 100),
		category: ['architecture', 'process', 'tooling'][i % 3], stakes: ['low', 'high'][i % 2], agent: 'a' + (i % 4), project: 'p' + (i % 5), pattern: 'q' + (i % 6),
		status: 'pending', created_at: datetime() - duration({days: i % 4}), updated_at: datetime()})`, map[string]any{"n": made})
	var all sync.WaitGroup
	ended := make(chan struct{})
	for _, one := range stores { // both stores count continuously
		all.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
					if err := counters.Count(t.Context(), one.Counters); err != nil {
						t.Error(err, errors.Unwrap(err))
						return
					}
				}
			}
		})
	}
	_, errs := toolstest.Concurrently(reviewers, func(i int) error {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		for n := range each {
			outcome := []string{"success", "partial", "failure", "abandoned"}[rng.IntN(4)]
			_, err := stores[i%2].Decisions.Review(t.Context(),
				decisions.Outcome{ID: fmt.Sprint(10000001 + rng.IntN(made)), Outcome: outcome,
					Session: decisions.Session{By: fmt.Sprintf("r%d.%d", i, n)}})
			if err != nil {
				return err
			}
		}
		return nil
	})
	close(ended)
	all.Wait()
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	out := wantExact(t, other)
	if out.Decisions != made || out.Cells < 50 {
		t.Errorf("compared was %+v", out)
	}
	var want [4]int64
	for i, outcome := range []string{"success", "partial", "failure", "abandoned"} {
		rows := g.Rows(t, "MATCH (:Decision)-[:HAS_REVIEW]->(r:Review {in_force: true, outcome: $o}) RETURN count(r) AS n", map[string]any{"o": outcome})
		want[i] = rows[0]["n"].(int64)
	}
	if cell := cells(t, env, counters.Scope{}, "90d"); cell.Outcomes != want || cell.Recorded != made {
		t.Errorf("got %d decisions with outcomes %v, want %d with %v", cell.Recorded, cell.Outcomes, made, want)
	}
	for _, sc := range []counters.Scope{{}, {"category": "process"}, {"stakes": "high", "project": "p2"},
		{"category": "tooling", "stakes": "low", "project": "p1"}, {"agent": "a1"},
		{"category": "process", "agent": "A2"}} {
		for _, window := range []string{"all", "30d"} {
			stored := cells(t, env, sc, window)
			computed := graphtest.Must(counters.AddedUp(t.Context(), env.Counters, sc, window))(t)
			if sc["agent"] == "" && sc["project"] == "" && stored != computed {
				t.Errorf("%v in %s: got counters %s, want %s", sc, window, sum(stored), sum(computed))
			}
		}
	}
}

func TestRebuild_ChangedCounters_AreRestored(t *testing.T) {
	g, env := toolstest.Open(t)
	for i := range 6 {
		reviewed(t, env, decisions.Record{Decision: fmt.Sprintf("Choice %d", i), Confidence: 0.7, Stakes: "high",
			ExtraFields: decisions.ExtraFields{Project: fmt.Sprintf("p%d", i%3), Pattern: "Same"}}, "success")
	}
	clean := wantExact(t, env)
	if clean.Decisions != 6 || clean.Cells == 0 {
		t.Fatalf("it compared %+v", clean)
	}
	before := cells(t, env, counters.Scope{}, "")
	rebuild := func(t *testing.T, dry bool) counters.RebuiltStats {
		t.Helper()
		return graphtest.Must(env.Counters.RebuildStats(t.Context(), counters.RebuildRequest{DryRun: dry}))(t)
	}
	for _, row := range golden.Rows(t, "testdata/tampered.txt") {
		wrong := fmt.Sprint(row[2], " ", row[3]) // cells and decisions
		t.Run(row[0], func(t *testing.T) {
			HoldFew(t)
			g.Exec(t, row[1], nil)
			dry := rebuild(t, true)
			found := fmt.Sprint(dry.WrongCells, " ", dry.WrongDecisions)
			if row[2] == "any" && dry.WrongCells > 0 {
				found = fmt.Sprint("any ", dry.WrongDecisions)
			}
			if found != wrong || dry.Mended != 0 || !dry.Failed() {
				t.Errorf("it finds %+v, not %s", dry, wrong)
			}
			if again := rebuild(t, true); again.WrongCells != dry.WrongCells {
				t.Errorf("got %+v from a second dry run, want WrongCells=%v", again, dry.WrongCells)
			}
			if mended := rebuild(t, false); mended.WrongCells != dry.WrongCells ||
				mended.WrongDecisions != dry.WrongDecisions || mended.Mended != dry.WrongCells+dry.WrongDecisions {
				t.Errorf("it mends %+v of %+v", mended, dry)
			}
			wantExact(t, env)
		})
	}
	if after := cells(t, env, counters.Scope{}, ""); after.Recorded != before.Recorded-1 || after.Outcomes[0] != 5 {
		t.Errorf("got counters %s, want one decision less and 5 outcomes", sum(after))
	}
}

// HoldFew makes a rebuild process the cells in several parts.
func HoldFew(t *testing.T) { counters.HoldCells(t, 12) }
