package attention

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/policies/live"
)

// duePart holds the action items of one type: the most urgent ones, and their number by priority.
type duePart struct {
	actions  []DueAction
	counts   [4]int
	atLeast  bool
	warnings []string
}

// dueParts reads the action items of all types in parallel.
func (s *Store) dueParts(ctx context.Context, q ReadyQuery) ([]duePart, error) {
	read := map[string]func(context.Context, ReadyQuery) (duePart, error){ReviewOverdue: s.overdue, drifted: s.drifting, stalePending: s.stale}
	parts, errs := make([]duePart, len(q.ActionTypes)), make([]error, len(q.ActionTypes))
	var all sync.WaitGroup
	for i, kind := range q.ActionTypes {
		all.Go(func() { parts[i], errs[i] = read[kind](ctx, q) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func (s *Store) overdue(ctx context.Context, q ReadyQuery) (duePart, error) {
	part, now, err := s.due(ctx, cypher.Overdue, q, graph.Params{})
	for i, a := range part.actions {
		a.Type = ReviewOverdue
		a.Reason = "The review was due " + ago(now.Sub(a.Date))
		if a.Stakes != "" {
			a.Reason += ", and the stakes are " + a.Stakes
		}
		a.Suggestion = "Review how it turned out, or give it another day for its review"
		a.Detail = "review_by " + a.Date.Format(time.DateOnly)
		part.actions[i] = a
	}
	return part, err
}

// openAtSource are statuses of imported records that are still open at their source. Records with another status, or
// none, are history, and nobody here promised to review them, unless they have a review date.
var openAtSource = []string{"pending", "open", "draft", "proposed", "proposal", "rfc", "in review", "under review", "review", "in progress", "wip"}

const (
	staleThreshold   = "stale_decision_days"
	defaultStaleDays = 30
	maxStaleDays     = 36500
)

func (s *Store) stale(ctx context.Context, q ReadyQuery) (duePart, error) {
	days, warning, err := s.staleDays(ctx)
	if err != nil {
		return duePart{}, err
	}
	part, now, err := s.due(ctx, cypher.Stale, q, graph.Params{"days": days, "open": openAtSource})
	for i, a := range part.actions {
		a.Type = stalePending
		a.Reason = "Recorded " + ago(now.Sub(a.Date)) + ", without an outcome and without a day for a review"
		a.Suggestion = "Review it, give it a day for its review, or call it abandoned"
		a.Detail = "stale after " + render.Plural(days, "day")
		part.actions[i] = a
	}
	if warning != "" {
		part.warnings = append(part.warnings, warning)
	}
	return part, err
}

// staleDays reads the threshold. An invalid value causes a warning and the default, since action items are not a policy
// check.
func (s *Store) staleDays(ctx context.Context) (int64, string, error) {
	node, err := s.live.Threshold(ctx, live.ThresholdQuery{Name: staleThreshold})
	switch {
	case apperr.Is(err, apperr.NotFound):
		return defaultStaleDays, "", nil
	case apperr.Is(err, apperr.Conflict):
		return defaultStaleDays, apperr.From(err).Message + fmt.Sprintf("; %d days were taken", defaultStaleDays), nil
	case err != nil:
		return 0, "", err
	}
	days, warning := daysIn(node.Properties["value"])
	return days, warning, nil
}

func daysIn(threshold any) (int64, string) {
	days := int64(-1)
	switch value := threshold.(type) {
	case int64:
		days = value
	case float64:
		days = int64(value)
	}
	if days < 0 || days > maxStaleDays {
		return defaultStaleDays, fmt.Sprintf("The threshold %s is %v, which is no number of days; %d were taken", staleThreshold, threshold, defaultStaleDays)
	}
	return days, ""
}

// due reads action items and their number, and the current time. If a filter matches few of the first rows, it reads
// more.
func (s *Store) due(ctx context.Context, statement cypher.Statement, q ReadyQuery, params graph.Params) (duePart, time.Time, error) {
	params["category"], params["project"], params["agent"] = graph.NullIfEmpty(q.Category), graph.NullIfEmpty(q.Project), graph.NullIfEmpty(q.AgentID)
	params["earliest"], params["limit"], params["least"], params["most"] = graph.UTC(precedents.Earliest), q.Limit, rankOf(q.MinPriority), maxCounted+1
	for budget := maxCounted + 1; ; budget = precedents.MaxLookedAt {
		params["budget"] = budget
		read, err := graph.One[struct {
			Counts []int64
			Found  []struct {
				Priority int64
				At       time.Time
				Decision map[string]any
			}
			Whole bool
			Now   time.Time
		}](ctx, s.graph, statement, params)
		if err != nil {
			return duePart{}, time.Time{}, err
		}
		if !read.Whole && len(read.Found) < q.Limit && budget < precedents.MaxLookedAt {
			continue
		}
		part, total := duePart{atLeast: !read.Whole}, 0
		for i, n := range read.Counts { // high, medium, low
			part.counts[len(part.counts)-1-i] = int(n)
			total += int(n)
		}
		if total > maxCounted {
			part.atLeast = true
			for rank := 1; rank < len(part.counts); rank++ { // without the one beyond the limit
				if part.counts[rank] > 0 {
					part.counts[rank]--
					break
				}
			}
		}
		if !read.Whole {
			part.warnings = []string{fmt.Sprintf("Of the pending decisions, %d were looked at, the oldest first; there are more", budget)}
		}
		for _, found := range read.Found {
			d := decisions.SummaryOf(found.Decision)
			part.actions = append(part.actions, DueAction{Priority: priorities[found.Priority], ID: d.ID, Title: d.Title, Category: d.Category, Stakes: d.Stakes,
				Date: found.At.UTC()})
		}
		return part, read.Now, nil
	}
}

func rankOf(priority string) int {
	for rank, name := range priorities {
		if name == priority {
			return rank
		}
	}
	return 1
}

// ago formats a duration in its largest fitting unit.
func ago(d time.Duration) string {
	days := int(d.Hours() / 24)
	switch {
	case days >= 2:
		return fmt.Sprintf("%d days ago", days)
	case days == 1:
		return "a day ago"
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours ago", int(d.Hours()))
	}
	return "just now"
}

// severeDrift is the relative change, in percent, from which drift has high priority.
const severeDrift = 40

// drifting returns an action item for each category with drift. Drift is computed for whole categories, so it is omitted
// for a single agent or project, and for callers who may not see everything.
func (s *Store) drifting(ctx context.Context, q ReadyQuery) (duePart, error) {
	if q.AgentID != "" || !CountsDrift(ctx, q.Project) {
		return duePart{}, nil
	}
	alerts, err := s.counters.DriftAlerts(ctx)
	return driftingIn(q, alerts), err
}

func driftingIn(q ReadyQuery, alerts []calibration.DriftAlert) duePart {
	part, place := duePart{}, map[string]int{}
	for _, alert := range alerts {
		if q.Category != "" && alert.Category != q.Category {
			continue
		}
		i, again := place[alert.Category]
		if !again {
			i = len(part.actions)
			place[alert.Category] = i
			part.actions = append(part.actions, DueAction{Type: drifted, Priority: "medium", Category: alert.Category, Reason: strings.TrimSuffix(alert.Message, "."),
				Suggestion: "See the statistics of the category, and lower your confidence in it until it holds again"})
		} else {
			part.actions[i].Reason += "; " + strings.TrimSuffix(alert.Message, ".")
		}
		a := &part.actions[i]
		a.Detail = strings.TrimPrefix(fmt.Sprintf("%s; %s %.3f, before %.3f", a.Detail, alert.Type, alert.RecentValue, alert.HistoricalValue), "; ")
		if alert.ChangePct == nil || math.Abs(*alert.ChangePct) >= severeDrift { // from zero it has no percentage
			a.Priority = "high"
		}
	}
	least := rankOf(q.MinPriority)
	all := part.actions
	part.actions = nil
	for _, a := range all {
		part.counts[rankOf(a.Priority)]++
		if rankOf(a.Priority) >= least {
			part.actions = append(part.actions, a)
		}
	}
	return part
}
