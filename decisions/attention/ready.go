package attention

import (
	"cmp"
	"context"
	"nomograph/decisions"
	"slices"
	"time"
)

// ReadyQuery selects action items. Absent filters select all.
type ReadyQuery struct {
	MinPriority string   `json:"min_priority,omitempty" rule:"enum=low|medium|high,default=\"low\""`
	ActionTypes []string `json:"action_types,omitempty" jsonschema:"types: review_outcome, stale_pending, calibration_drift" rule:"maxItems=3"`
	Limit       int      `json:"limit,omitempty" jsonschema:"maximum number of results" rule:"minimum=1,maximum=50,default=20"`
	Selection
	AgentID string `json:"agent_id,omitempty" jsonschema:"filter by deciding agent" rule:"maxLength=200"`
}

// DueAction is an action item. One of type calibration_drift concerns a category, not a decision.
type DueAction struct {
	Type       string    `json:"type" jsonschema:"review_outcome, stale_pending or calibration_drift"`
	Priority   string    `json:"priority" jsonschema:"low, medium or high"`
	Reason     string    `json:"reason"`
	Suggestion string    `json:"suggestion" jsonschema:"suggested action"`
	ID         string    `json:"id,omitempty"`
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
)

var (
	dueTypes   = []string{ReviewOverdue, drifted, stalePending}
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
	if q.MinPriority == "" {
		q.MinPriority = "low"
	}
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
	list := ReadyList{Actions: []DueAction{}}
	least := slices.Index(priorities, q.MinPriority)
	for _, part := range parts {
		list.Actions = append(list.Actions, part.actions...)
		for rank, n := range part.counts {
			list.Total += n
			if rank < least {
				list.Filtered += n
			}
		}
		list.AtLeast = list.AtLeast || part.atLeast
		list.Warnings = append(list.Warnings, part.warnings...)
	}
	slices.SortStableFunc(list.Actions, byPressure)
	list.Actions = list.Actions[:min(q.Limit, len(list.Actions))]
	return list, nil
}

// byPressure sorts by descending priority, then by type, then by date.
func byPressure(a, b DueAction) int {
	if rank := slices.Index(priorities, b.Priority) - slices.Index(priorities, a.Priority); rank != 0 {
		return rank
	}
	if kind := slices.Index(dueTypes, a.Type) - slices.Index(dueTypes, b.Type); kind != 0 {
		return kind
	}
	return a.Date.Compare(b.Date)
}
