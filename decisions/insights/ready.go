package insights

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/render"
	"nomograph/policies/live"
)

// ReadyQuery selects action items. Absent filters select all.
type ReadyQuery struct {
	MinPriority string   `json:"min_priority,omitempty" jsonschema:"lowest priority" rule:"enum=low|medium|high,default=\"low\""`
	ActionTypes []string `json:"action_types,omitempty" jsonschema:"review_outcome, stale_pending, calibration_drift, decide_proposal, decide_appeal" rule:"maxItems=5"`
	Limit       int      `json:"limit,omitempty" jsonschema:"maximum results" rule:"minimum=1,maximum=50,default=20"`
	Selection
	AgentID string `json:"agent_id,omitempty" jsonschema:"deciding agent" rule:"maxLength=200"`

	maxOverdue, maxStale int // numbers up to which overdue reviews and stale decisions are counted; 0 is maxCounted
}

// DueAction is an action item. One of type calibration_drift concerns a category; decide_proposal and decide_appeal
// concern a proposal and a verdict, whose ids they have.
type DueAction struct {
	Type       string    `json:"type" jsonschema:"review_outcome, stale_pending, calibration_drift, decide_proposal or decide_appeal"`
	Priority   string    `json:"priority" jsonschema:"low, medium or high"`
	Reason     string    `json:"reason"`
	Suggestion string    `json:"suggestion" jsonschema:"suggested action"`
	ID         string    `json:"id,omitempty" jsonschema:"id of the decision, proposal or appealed verdict"`
	Title      string    `json:"title,omitempty"`
	Category   string    `json:"category,omitempty"`
	Stakes     string    `json:"stakes,omitempty"`
	Date       time.Time `json:"date,omitzero" jsonschema:"due date of the review, or time of recording"`
	Detail     string    `json:"detail,omitempty"`
}

// ReadyList holds action items, most urgent first.
type ReadyList struct {
	Actions  []DueAction `json:"actions"`
	Total    int         `json:"total" jsonschema:"number of action items of the requested types"`
	Filtered int         `json:"filtered" jsonschema:"number left out by min_priority"`
	AtLeast  bool        `json:"at_least,omitempty" jsonschema:"true if there may be more than total"`
	Warnings []string    `json:"warnings,omitempty"`
}

// Types of action items, in their order within one priority.
const (
	ReviewOverdue = "review_outcome"
	drifted       = "calibration_drift"
	stalePending  = "stale_pending"
	openAppeal    = "decide_appeal"
	openProposal  = "decide_proposal"
)

var (
	dueTypes   = []string{ReviewOverdue, openAppeal, openProposal, drifted, stalePending}
	priorities = []string{"", "low", "medium", "high"} // by rank
)

const (
	defaultReady = 20
	maxReady     = 50
	// maxCounted is the largest count: exact counts would cost more in a larger graph.
	maxCounted = 1000
)

// Ready returns the review queue: overdue reviews, stale decisions (older than the threshold stale_decision_days, 30
// days by default; high priority beyond twice that), and calibration drift. The cost does not depend on the number of
// decisions: at most 10,000 entries of an index are read, and a warning says if there were more. It returns a
// validation_error for an invalid type or priority.
func (s *Store) Ready(ctx context.Context, q ReadyQuery) (ReadyList, error) {
	if err := decisions.OneOf("action_types", q.ActionTypes, dueTypes); err != nil {
		return ReadyList{}, err
	}
	q.MinPriority = cmp.Or(q.MinPriority, "low")
	if err := decisions.OneOf("min_priority", []string{q.MinPriority}, priorities[1:]); err != nil {
		return ReadyList{}, err
	}
	q.Limit = min(cmp.Or(q.Limit, defaultReady), maxReady)
	if q.ActionTypes = decisions.UniqueTexts(q.ActionTypes); len(q.ActionTypes) == 0 {
		q.ActionTypes = dueTypes
	}
	var err error
	if q.AgentID, q.Project, err = s.decisions.CanonicalNames(ctx, q.AgentID, q.Project); err != nil {
		return ReadyList{}, err
	}
	parts, err := s.dueParts(ctx, q)
	if err != nil {
		return ReadyList{}, err
	}
	list := ReadyList{}
	minimum := slices.Index(priorities, q.MinPriority)
	for _, part := range parts {
		list.Actions = append(list.Actions, part.actions...)
		for rank, n := range part.counts {
			list.Total += n
			if rank < minimum {
				list.Filtered += n
			}
		}
		list.AtLeast = list.AtLeast || part.atLeast
		list.Warnings = append(list.Warnings, part.warnings...)
	}
	slices.SortStableFunc(list.Actions, byUrgency)
	list.Actions = list.Actions[:min(q.Limit, len(list.Actions))]
	return list, nil
}

// byUrgency sorts by descending priority, then by type, then by date.
func byUrgency(a, b DueAction) int {
	return cmp.Or(slices.Index(priorities, b.Priority)-slices.Index(priorities, a.Priority),
		slices.Index(dueTypes, a.Type)-slices.Index(dueTypes, b.Type), a.Date.Compare(b.Date))
}

// maxUrgent is how many of the oldest overdue reviews are read for the most urgent ones, which have the highest stakes.
const maxUrgent = 100

// MostUrgent returns the most urgent action items about the decisions of a project, or of all projects if it is empty.
// The most urgent stale decisions are the oldest ones.
func (s *Store) MostUrgent(ctx context.Context, project string, limit int) (ReadyList, error) {
	return s.Ready(ctx, ReadyQuery{Limit: limit, Selection: Selection{Project: project},
		ActionTypes: []string{ReviewOverdue, drifted, stalePending},
		maxOverdue:  maxUrgent, maxStale: limit})
}

// duePart holds the action items of one type: the most urgent ones, and their number by priority.
type duePart struct {
	actions  []DueAction
	counts   [4]int
	atLeast  bool
	warnings []string
}

// add counts an action item, and holds it if its priority is high enough.
func (p *duePart) add(a DueAction, q ReadyQuery) {
	p.counts[rankOf(a.Priority)]++
	if rankOf(a.Priority) >= rankOf(q.MinPriority) {
		p.actions = append(p.actions, a)
	}
}

// dueParts reads the action items of all types in parallel.
func (s *Store) dueParts(ctx context.Context, q ReadyQuery) ([]duePart, error) {
	read := map[string]func(context.Context, ReadyQuery) (duePart,
		error){ReviewOverdue: s.overdue, drifted: s.readDriftActions, stalePending: s.readStale,
		openAppeal: s.appealActions, openProposal: s.proposalActions}
	parts, errs := make([]duePart, len(q.ActionTypes)), make([]error, len(q.ActionTypes))
	var all sync.WaitGroup
	for i, kind := range q.ActionTypes {
		all.Go(func() { parts[i], errs[i] = read[kind](ctx, q) })
	}
	all.Wait()
	return parts, cmp.Or(errs...)
}

func (s *Store) overdue(ctx context.Context, q ReadyQuery) (duePart, error) {
	part, now, err := s.due(ctx, cypher.Overdue, q, cmp.Or(q.maxOverdue, maxCounted), graph.Params{})
	for i, a := range part.actions {
		a.Type = ReviewOverdue
		a.Reason = "The review was due " + ago(a.Date, now)
		if a.Stakes != "" {
			a.Reason += ", and the stakes are " + a.Stakes
		}
		a.Suggestion = "Review the outcome, or set a later review date"
		a.Detail = "review_by " + a.Date.Format(time.DateOnly)
		part.actions[i] = a
	}
	return part, err
}

const (
	staleThreshold   = "stale_decision_days"
	defaultStaleDays = 30
	maxStaleDays     = 36500
)

func (s *Store) readStale(ctx context.Context, q ReadyQuery) (duePart, error) {
	days, warning, err := s.staleDays(ctx)
	if err != nil {
		return duePart{}, err
	}
	part, now, err := s.due(ctx, cypher.Stale, q, cmp.Or(q.maxStale, maxCounted),
		graph.Params{"days": days})
	for i, a := range part.actions {
		a.Type = stalePending
		a.Reason = "Recorded " + ago(a.Date, now) + ", without an outcome and without a review date"
		a.Suggestion = "Review it, set a review date, or review it as abandoned"
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
		return defaultStaleDays, apperr.From(err).Message + fmt.Sprintf("; the default of %d days is used",
			defaultStaleDays), nil
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
		return defaultStaleDays, fmt.Sprintf("The threshold %s is %v, not a number of days; the default %d is used",
			staleThreshold, threshold, defaultStaleDays)
	}
	return days, ""
}

// due reads action items and their number, at most the given one, and the current time. If a filter matches few of the
// first rows, it reads more.
func (s *Store) due(ctx context.Context, statement cypher.Statement, q ReadyQuery, counted int,
	params graph.Params) (duePart, time.Time, error) {
	params["category"], params["project"], params["agent"] = graph.NullIfEmpty(q.Category),
		graph.NullIfEmpty(q.Project), graph.NullIfEmpty(q.AgentID)
	params["earliest"], params["limit"], params["least"], params["most"] = graph.UTC(precedents.Earliest), q.Limit,
		rankOf(q.MinPriority), counted+1
	for budget := counted + 1; ; budget = min(10*budget, precedents.MaxScanned) {
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
		if !read.Whole && len(read.Found) < q.Limit && budget < precedents.MaxScanned {
			continue
		}
		part, total := duePart{atLeast: !read.Whole}, 0
		for i, n := range read.Counts { // high, medium, low
			part.counts[len(part.counts)-1-i] = int(n)
			total += int(n)
		}
		if total > counted {
			part.atLeast = true
			for rank := 1; rank < len(part.counts); rank++ { // without the count beyond the limit
				if part.counts[rank] > 0 {
					part.counts[rank]--
					break
				}
			}
		}
		if !read.Whole && counted == maxCounted { // a caller that wants fewer does not ask for the number
			part.warnings = []string{fmt.Sprintf("Only the %d oldest pending decisions were examined; more exist",
				budget)}
		}
		for _, found := range read.Found {
			d := decisions.SummaryOf(found.Decision)
			part.actions = append(part.actions, DueAction{Priority: priorities[found.Priority], ID: d.ID,
				Title: d.Title, Category: d.Category, Stakes: d.Stakes,
				Date: found.At.UTC()})
		}
		return part, read.Now, nil
	}
}

// rankOf returns the rank of a priority; an absent one is low.
func rankOf(priority string) int { return max(slices.Index(priorities, priority), 1) }

// ago says how long a time lies before another one, such as "2 days ago".
func ago(at, now time.Time) string { return humanize.RelTime(at, now, "ago", "from now") }

// severeDrift is the relative change, in percent, from which drift has high priority.
const severeDrift = 40

// readDriftActions returns an action item for each category with drift. Drift is computed for whole categories, so it
// is omitted for a single agent or project, and for callers who may not see everything.
func (s *Store) readDriftActions(ctx context.Context, q ReadyQuery) (duePart, error) {
	if q.AgentID != "" || q.Project != "" || caller.From(ctx).Limited() {
		return duePart{}, nil
	}
	alerts, err := s.counters.DriftAlerts(ctx)
	return driftActions(q, alerts), err
}

func driftActions(q ReadyQuery, alerts []calibration.DriftAlert) duePart {
	var found []DueAction
	for _, alert := range alerts { // those of a category follow one another
		if q.Category != "" && alert.Category != q.Category {
			continue
		}
		last := len(found) - 1
		if last < 0 || found[last].Category != alert.Category {
			last++
			found = append(found, DueAction{Type: drifted, Priority: "medium", Category: alert.Category,
				Reason:     strings.TrimSuffix(alert.Message, "."),
				Suggestion: "Check the statistics of the category, and state lower confidences in it until outcomes recover"})
		} else {
			found[last].Reason += "; " + strings.TrimSuffix(alert.Message, ".")
		}
		a := &found[last]
		a.Detail = strings.TrimPrefix(fmt.Sprintf("%s; %s %.3f, before %.3f", a.Detail, alert.Type, alert.RecentValue,
			alert.HistoricalValue), "; ")
		if alert.ChangePct == nil || math.Abs(*alert.ChangePct) >= severeDrift { // from zero, there is no percentage
			a.Priority = "high"
		}
	}
	var part duePart
	for _, a := range found {
		part.add(a, q)
	}
	return part
}
