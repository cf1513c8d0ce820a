package pages_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/server/pages"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// TestPrepare_NewServer_SendsTheStatementsOfTheFirstPages: a statement that Prepare does not send is planned while a
// person waits.
func TestPrepare_NewServer_SendsTheStatementsOfTheFirstPages(t *testing.T) {
	g, _ := toolstest.Open(t)
	g.Exec(t, `CREATE (:Decision {uid: 'd1', id: '00000001', decision: 'Cache part of it', category: 'architecture', stakes: 'high', status: 'pending', visibility: 'shared', confidence: 0.5,
		project: 'shop', agent: 'ada', created_at: datetime(), outcome: 'failure'})`, nil)
	db := toolstest.Reopen(t, g)
	var mutex sync.Mutex
	var late []string
	prepared, visited := map[string]bool{}, false
	db.Watches = append(db.Watches, func(ctx context.Context, statement string) (context.Context, func(error)) {
		mutex.Lock()
		defer mutex.Unlock()
		switch {
		case !visited:
			prepared[statement] = true
		case !prepared[statement] && !graph.IsBackground(ctx): // background workers send theirs at any time
			late = append(late, statement)
		}
		return ctx, func(error) {}
	})
	env := toolstest.App(t, db)
	var running, most, ran, appeals atomic.Int32
	env.Watches = append(env.Watches, func(ctx context.Context, o tools.Operation) (context.Context, func(any, error)) {
		ran.Add(1)
		if o.Name == "list_appeals" {
			appeals.Add(1)
		}
		most.Store(max(most.Load(), running.Add(1)))
		return ctx, func(any, error) { running.Add(-1) }
	})
	site := pages.New(env.Runner(), pages.Options{Operations: tools.Catalog, Key: pages.NewKey(), Unauthenticated: true,
		Log: zerolog.Nop()})

	ctx, stop := context.WithCancel(t.Context())
	var waits atomic.Int32
	site.Prepare(ctx, func(context.Context) {
		if waits.Add(1) == 3 {
			stop()
		}
	})
	graphtest.Equal(t, ran.Load(), 2, "operations that ran")

	ran.Store(0)
	waits.Store(0)
	appeals.Store(0)
	graphtest.Equal(t, site.Prepare(t.Context(), func(context.Context) { waits.Add(1) }), 0, "failed pages")
	if appeals.Load() != 1 { // the navigation of each page counts appeals, from one shared read
		t.Errorf("listed appeals %d times, want 1", appeals.Load())
	}
	if most.Load() != 1 || waits.Load() != ran.Load() {
		t.Errorf("got up to %d operations at a time and %d waits for %d operations", most.Load(), waits.Load(),
			ran.Load())
	}
	away := pages.New(toolstest.App(t, toolstest.Unavailable(t)).Runner(),
		pages.Options{Operations: tools.Catalog, Key: pages.NewKey(), Unauthenticated: true, Log: zerolog.Nop()})
	if failed := away.Prepare(t.Context(), func(context.Context) {}); failed < 5 {
		t.Errorf("without a database, %d pages failed, want at least 5", failed)
	}
	mutex.Lock()
	visited = true
	mutex.Unlock()
	s := serve(t, g, env, nil)
	for _, path := range []string{"/", "/decisions/00000001", "/graph?node=00000001", "/decisions",
		"/decisions?category=architecture&outcome=failure", "/verdicts", "/policies", "/thresholds", "/calibration",
		"/sessions", "/search?q=part"} {
		s.shows(t, path)
		mutex.Lock()
		if len(late) > 0 {
			t.Errorf("%s sends %v, which are not prepared", path, late)
		}
		late = nil
		mutex.Unlock()
	}
}
