package decisions

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/prose"
)

// mostDueLooked is how many decisions of what has waited longest are looked at for what presses most. Ready looks at more, to
// say how many there are.
const mostDueLooked = 100

// readReady reads what waits to be done, all kinds at the same time.
func (r *contextRead) readReady(ctx context.Context, c *ContextSections) error {
	spelled := ListQuery{Project: r.asks.Project}
	if err := r.spell(ctx, &spelled); err != nil {
		return err
	}
	q := ReadyQuery{Limit: r.asks.ReadyLimit, Project: spelled.Project}
	var overdue, stale []ContextAction
	var drifts duePart
	var errs [3]error
	var all sync.WaitGroup
	all.Go(func() {
		overdue, errs[0] = r.pressing(ctx, cypher.Overdue, q, ContextAction{Reason: reviewOverdue, Detail: "the review was due"}, graph.Params{})
	})
	all.Go(func() {
		days, warning, err := r.staleDays(ctx)
		if errs[1] = err; err != nil {
			return
		}
		if warning != "" {
			r.missing(warning)
		}
		stale, errs[1] = r.pressing(ctx, cypher.Stale, q, ContextAction{Reason: stalePending, Detail: "without an outcome, recorded"}, graph.Params{"days": days, "open": openAtSource})
	})
	all.Go(func() { drifts, errs[2] = r.drifting(ctx, q) })
	all.Wait()
	if err := cmp.Or(errs[:]...); err != nil {
		return err
	}
	c.ReadyQueue = append([]ContextAction{}, overdue...)
	for _, a := range drifts.actions {
		c.ReadyQueue = append(c.ReadyQueue, ContextAction{Reason: a.Type, Priority: a.Priority, Category: flat(a.Category, prose.LongestTitle), Detail: flat(a.Reason, longestSaid)})
	}
	c.ReadyQueue = append(c.ReadyQueue, stale...)
	slices.SortStableFunc(c.ReadyQueue, func(a, b ContextAction) int { // within a priority they stand as they should
		return slices.Index(priorities, b.Priority) - slices.Index(priorities, a.Priority)
	})
	c.ReadyQueue = c.ReadyQueue[:min(len(c.ReadyQueue), r.asks.ReadyLimit)]
	return nil
}

// pressing reads what presses most of one kind. The detail says what the time is that it is followed by.
func (r *contextRead) pressing(ctx context.Context, statement cypher.Statement, q ReadyQuery, kind ContextAction, params graph.Params) ([]ContextAction, error) {
	params["category"], params["agent"], params["project"], params["earliest"] = nil, nil, graph.OrNull(q.Project), graph.UTC(earliest)
	params["limit"], params["least"], params["most"], params["budget"] = q.Limit, 1, mostDueLooked, mostDueLooked
	if q.Project != "" { // there is no index of what is due in a project
		params["budget"] = mostChosen
	}
	read, err := graph.One[struct {
		Found []struct {
			Priority int64
			At       time.Time
			Decision map[string]any
		}
		Now time.Time
	}](ctx, r.graph, statement, params)
	actions := make([]ContextAction, len(read.Found))
	for i, found := range read.Found {
		d := summaryOf(found.Decision)
		actions[i] = ContextAction{ID: d.ID, Title: flat(d.Title, prose.LongestTitle), Reason: kind.Reason, Priority: priorities[found.Priority], Category: flat(d.Category, prose.LongestTitle),
			Date: found.At.UTC().Truncate(time.Second), Detail: kind.Detail + " " + ago(read.Now.Sub(found.At))}
	}
	return actions, err
}
