package attention

import (
	"cmp"
	"context"
	"nomograph/decisions"
	"slices"
	"time"
)

// ReadyQuery asks what is due. What is left out lets everything through.
type ReadyQuery struct {
	MinPriority string   `json:"min_priority,omitempty" rule:"enum=low|medium|high,default=\"low\""`
	ActionTypes []string `json:"action_types,omitempty" jsonschema:"types: review_outcome, stale_pending, calibration_drift" rule:"maxItems=3"`
	Limit       int      `json:"limit,omitempty" jsonschema:"maximum number of results" rule:"minimum=1,maximum=50,default=20"`
	Selection
	AgentID string `json:"agent_id,omitempty" jsonschema:"filter by deciding agent" rule:"maxLength=200"`
}

// DueAction is something that waits to be done. Of calibration_drift there is no decision: it is about a category.
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

// ReadyList is what is due, most pressing first.
type ReadyList struct {
	Actions  []DueAction `json:"actions"`
	Total    int         `json:"total" jsonschema:"number of action items of the requested types"`
	Filtered int         `json:"filtered" jsonschema:"number left out by min_priority"`
	AtLeast  bool        `json:"at_least,omitempty" jsonschema:"true if there may be more than total"`
	Warnings []string    `json:"warnings,omitempty"`
}

// The types of what is due, in the order in which they stand where they press alike.
const (
	ReviewOverdue = "review_outcome"
	drifted       = "calibration_drift"
	stalePending  = "stale_pending"
)

var (
	dueTypes   = []string{ReviewOverdue, drifted, stalePending}
	priorities = []string{"", "low", "medium", "high"} // by their rank
)

const (
	defaultReady = 20
	maxReady     = 50
	// maxCounted is up to where what is due is counted: to know more would cost the more the larger the graph is.
	maxCounted = 1000
)

// Ready says what waits to be done: reviews that are overdue, decisions that nobody came back to (older than the threshold
// stale_decision_days, 30 days where there is none; high beyond twice that), and calibration that drifts. It costs the same
// however many decisions there are: of an index at most 10,000 are looked at, and a warning says where that was not all.
// It returns a validation_error for a type or priority that is none.
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

// byPressure orders by priority, falling, then by type, then by date.
func byPressure(a, b DueAction) int {
	if rank := slices.Index(priorities, b.Priority) - slices.Index(priorities, a.Priority); rank != 0 {
		return rank
	}
	if kind := slices.Index(dueTypes, a.Type) - slices.Index(dueTypes, b.Type); kind != 0 {
		return kind
	}
	return a.Date.Compare(b.Date)
}
