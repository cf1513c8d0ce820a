package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// statementTimer measures the time during which at least one statement runs: the share of the server and the connection in an
// operation.
type statementTimer struct {
	mutex      sync.Mutex
	under      int // number of running statements
	from       time.Time
	taken      time.Duration
	statements int
}

// watch observes every statement.
func (a *statementTimer) watch(ctx context.Context, _ string) (context.Context, func(error)) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.under++; a.under == 1 {
		a.from = time.Now()
	}
	a.statements++
	return ctx, func(error) {
		a.mutex.Lock()
		defer a.mutex.Unlock()
		if a.under--; a.under == 0 {
			a.taken += time.Since(a.from)
		}
	}
}

// of returns the time that statements took during work. It includes statements of background work during that time.
func (a *statementTimer) of(work func() error) (took time.Duration, statements int, err error) {
	a.mutex.Lock()
	a.taken, a.statements, a.from = 0, 0, time.Now()
	a.mutex.Unlock()
	err = work()
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.under > 0 {
		a.taken += time.Since(a.from)
		a.from = time.Now()
	}
	return a.taken, a.statements, err
}

// asked reports how much of an operation's time its statements take, in process. The rest is the program's own time.
func (g *loadedGraph) asked(ctx context.Context, name string, settle func() error, arguments func(i int) map[string]any) error {
	const warmUp, number = 10, 50
	var total, asking sample
	var limit int
	for i := range warmUp + number {
		from := time.Now()
		took, statements, err := g.asking.of(func() error { _, err := inProcess(ctx, g.app, name, arguments(i)); return err })
		if err != nil {
			return err
		}
		if i >= warmUp {
			total, asking, limit = append(total, time.Since(from)), append(asking, took), max(limit, statements)
		}
		if err := settle(); err != nil {
			return err
		}
	}
	fmt.Fprintf(&g.report, "Of the %.2f ms of %s in process (p50 of %d), at least one of its %d statements is under way for %.2f ms.\n", total.p50(), name, number, limit, asking.p50())
	return nil
}

// profile writes the database hits of a statement by operator, the most expensive first.
func (g *loadedGraph) profile(ctx context.Context, name, query string, params map[string]any) error {
	result, err := neo4j.ExecuteQuery(ctx, g.driver, "PROFILE "+query, params, neo4j.EagerResultTransformer, neo4j.ExecuteQueryWithReadersRouting())
	if err != nil {
		return err
	}
	hits, all := map[string]int64{}, int64(0)
	var add func(p neo4j.ProfiledPlan)
	add = func(p neo4j.ProfiledPlan) {
		hits[strings.TrimSuffix(p.Operator(), "@neo4j")] += p.DbHits()
		all += p.DbHits()
		for _, child := range p.Children() {
			add(child)
		}
	}
	add(result.Summary.Profile())
	fmt.Fprintf(&g.report, "\nPROFILE of %s: %d hits", name, all)
	for _, operator := range slices.SortedFunc(maps.Keys(hits), func(a, b string) int { return cmp.Compare(hits[b], hits[a]) })[:min(4, len(hits))] {
		fmt.Fprintf(&g.report, ", %s %d", operator, hits[operator])
	}
	fmt.Fprintln(&g.report, ".")
	return nil
}
