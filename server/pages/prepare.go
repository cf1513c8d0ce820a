package pages

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync"

	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/tools"
)

// operator runs operations; see tools.Runner.
type operator interface {
	Run(ctx context.Context, o tools.Operation, arguments json.RawMessage) (any, error)
}

// Prepare opens the home page, the pages of the navigation, a search and the newest decision once, and discards them:
// a new database plans each of their statements for up to a second. It runs one operation at a time, in the
// background, and calls wait before each. Pages share the answers of equal operations. It ends early if ctx ends, and
// returns the number of pages that failed.
func (d *Server) Prepare(ctx context.Context, wait func(context.Context)) (failed int) {
	quiet := *d
	quiet.runner = &oneByOne{operator: d.runner, wait: wait}
	ctx = graph.InBackground(caller.With(ctx, caller.Local(visitor)))
	shared := new(reads)
	open := func(name, path string, query url.Values) *Visit {
		page := pageNamed(name)
		r := (&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path, RawQuery: query.Encode()},
			Header: http.Header{}}).WithContext(ctx)
		r.SetPathValue("id", query.Get("id"))
		v := quiet.visit(r, page)
		v.reads = shared
		defer func() {
			if broken := recover(); broken != nil { // the page fails for its first visitor, too, but must not end the server
				failed++
				d.options.Log.Error().Str("path", path).Interface("panic", broken).Bytes("stack", debug.Stack()).
					Msg("page not prepared")
			}
		}()
		if ctx.Err() == nil {
			w := server.NewRecorded()
			if quiet.render(w, v, nil); w.Status >= http.StatusBadRequest {
				failed++
			}
		}
		return v
	}
	first := open("today", "/", nil)
	newest, err := Call[precedents.List](first, "list_decisions",
		precedents.ListQuery{Limit: newestShown}) // the home page lists the same decisions
	if err == nil && len(newest.Decisions) > 0 {
		id := newest.Decisions[0].ID
		open("decision", "/decisions/"+id, url.Values{"id": {id}})
		open("graph", "/graph", url.Values{"node": {id}})
	}
	open("decisions", "/decisions", url.Values{"category": {"architecture"}, "outcome": {"failure"}})
	open("search", "/search", url.Values{"q": {"part"}})
	for _, page := range table {
		if page.Nav && page.Name != "today" || page.Name == "thresholds" || page.Name == "calibration" {
			open(page.Name, page.Path, nil)
		}
	}
	return failed
}

// oneByOne runs one operation at a time.
type oneByOne struct {
	operator
	wait func(context.Context)
	turn sync.Mutex
}

func (q *oneByOne) Run(ctx context.Context, o tools.Operation, arguments json.RawMessage) (any, error) {
	q.turn.Lock()
	defer q.turn.Unlock()
	q.wait(ctx)
	if err := ctx.Err(); err != nil {
		return nil, graph.AsError(err)
	}
	return q.operator.Run(ctx, o, arguments)
}
