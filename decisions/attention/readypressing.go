package attention

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/policies"
)

// maxDueLooked is how many of the oldest action items are read for the most urgent ones. Ready reads more, because it
// counts them.
const maxDueLooked = 100

// ReadStaleDays asks for the days after which a decision is stale, and answers once the part is read: with a warning where the threshold
// is no number of days.
func ReadStaleDays() (graph.Part, func() (days int64, warning string, err error)) {
	part, rows := graph.PartOf[policies.Stored](cypher.ThresholdByName, graph.Params{"names": []string{staleThreshold}})
	return part, func() (int64, string, error) {
		if rows.Err != nil {
			return 0, "", rows.Err
		}
		node, _, err := policies.Pick("SYS_Threshold", staleThreshold, "", rows.All)
		switch {
		case err != nil:
			return defaultStaleDays, apperr.From(err).Message + fmt.Sprintf("; %d days were taken", defaultStaleDays), nil
		case node == nil:
			return defaultStaleDays, "", nil
		}
		days, warning := daysIn(node.Properties["value"])
		return days, warning, nil
	}
}

// ReadMostUrgent asks for what of a project, spelled as decisions know it, presses most, and answers once the parts are read: at most so much.
// It costs less than Ready, since it does not say how much there is: the reason is all that it tells of an action.
func ReadMostUrgent(project string, limit int, days int64, drifts []calibration.DriftAlert) (parts []graph.Part, answer func() ([]DueAction, error)) {
	q := ReadyQuery{Limit: limit, Selection: Selection{Project: project}}
	overdue, overdueIn := pressing(cypher.Overdue, q, DueAction{Type: ReviewOverdue, Reason: "the review was due"}, graph.Params{})
	stale, staleIn := pressing(cypher.Stale, q, DueAction{Type: stalePending, Reason: "without an outcome, recorded"}, graph.Params{"days": days, "open": openAtSource})
	return []graph.Part{overdue, stale}, func() ([]DueAction, error) {
		due, dueErr := overdueIn()
		old, oldErr := staleIn()
		actions := slices.Concat(due, driftingIn(q, drifts).actions, old)
		slices.SortStableFunc(actions, func(a, b DueAction) int { // within a priority they stand as they should
			return slices.Index(priorities, b.Priority) - slices.Index(priorities, a.Priority)
		})
		return actions[:min(len(actions), limit)], cmp.Or(dueErr, oldErr)
	}
}

// CountsDrift tells whether drift is among what is due: it is counted for whole categories, over all projects.
func CountsDrift(ctx context.Context, project string) bool {
	return project == "" && !caller.From(ctx).Limited()
}

// pressing asks for what presses most of one kind. The kind's reason says what the time is that it is followed by.
func pressing(statement cypher.Statement, q ReadyQuery, kind DueAction, params graph.Params) (graph.Part, func() ([]DueAction, error)) {
	params["category"], params["agent"], params["project"], params["earliest"] = nil, nil, graph.NullIfEmpty(q.Project), graph.UTC(precedents.Earliest)
	params["limit"], params["least"], params["most"], params["budget"] = q.Limit, 1, maxDueLooked, maxDueLooked
	if q.Project != "" { // there is no index of action items by project
		params["budget"] = precedents.MaxChosen
	}
	part, rows := graph.PartOf[struct {
		Found []struct {
			Priority int64
			At       time.Time
			Decision map[string]any
		}
		Now time.Time
	}](statement, params)
	return part, func() ([]DueAction, error) {
		read, err := rows.First()
		actions := make([]DueAction, len(read.Found))
		for i, found := range read.Found {
			d := decisions.SummaryOf(found.Decision)
			actions[i] = DueAction{Type: kind.Type, Priority: priorities[found.Priority], Reason: kind.Reason + " " + ago(read.Now.Sub(found.At)), ID: d.ID, Title: d.Title,
				Category: d.Category, Stakes: d.Stakes, Date: found.At.UTC()}
		}
		return actions, err
	}
}
