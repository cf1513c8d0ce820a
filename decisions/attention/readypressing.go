package attention

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/graph"
)

// maxDueLooked is how many decisions of what has waited longest are looked at for what presses most. Ready looks at more, to
// say how many there are.
const maxDueLooked = 100

// MostUrgent says what of a project presses most, at most so much, and warnings. It costs less than Ready, since it does not say
// how much there is: the reason is all that it tells of an action.
func (s *Store) MostUrgent(ctx context.Context, project string, limit int) ([]DueAction, []string, error) {
	_, project, err := s.decisions.CanonicalNames(ctx, "", project)
	if err != nil {
		return nil, nil, err
	}
	q := ReadyQuery{Limit: limit, Selection: Selection{Project: project}}
	var overdue, stale []DueAction
	var drifts duePart
	var warnings []string
	var errs [3]error
	var all sync.WaitGroup
	all.Go(func() {
		overdue, errs[0] = s.pressing(ctx, cypher.Overdue, q, DueAction{Type: ReviewOverdue, Reason: "the review was due"}, graph.Params{})
	})
	all.Go(func() {
		days, warning, err := s.staleDays(ctx)
		if errs[1] = err; err != nil {
			return
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
		stale, errs[1] = s.pressing(ctx, cypher.Stale, q, DueAction{Type: stalePending, Reason: "without an outcome, recorded"}, graph.Params{"days": days, "open": openAtSource})
	})
	all.Go(func() { drifts, errs[2] = s.drifting(ctx, q) })
	all.Wait()
	actions := slices.Concat(overdue, drifts.actions, stale)
	slices.SortStableFunc(actions, func(a, b DueAction) int { // within a priority they stand as they should
		return slices.Index(priorities, b.Priority) - slices.Index(priorities, a.Priority)
	})
	return actions[:min(len(actions), limit)], warnings, cmp.Or(errs[:]...)
}

// pressing reads what presses most of one kind. The kind's reason says what the time is that it is followed by.
func (s *Store) pressing(ctx context.Context, statement cypher.Statement, q ReadyQuery, kind DueAction, params graph.Params) ([]DueAction, error) {
	params["category"], params["agent"], params["project"], params["earliest"] = nil, nil, graph.NullIfEmpty(q.Project), graph.UTC(precedents.Earliest)
	params["limit"], params["least"], params["most"], params["budget"] = q.Limit, 1, maxDueLooked, maxDueLooked
	if q.Project != "" { // there is no index of what is due in a project
		params["budget"] = precedents.MaxChosen
	}
	read, err := graph.One[struct {
		Found []struct {
			Priority int64
			At       time.Time
			Decision map[string]any
		}
		Now time.Time
	}](ctx, s.graph, statement, params)
	actions := make([]DueAction, len(read.Found))
	for i, found := range read.Found {
		d := decisions.SummaryOf(found.Decision)
		actions[i] = DueAction{Type: kind.Type, Priority: priorities[found.Priority], Reason: kind.Reason + " " + ago(read.Now.Sub(found.At)), ID: d.ID, Title: d.Title,
			Category: d.Category, Stakes: d.Stakes, Date: found.At.UTC()}
	}
	return actions, err
}
