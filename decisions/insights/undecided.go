package insights

import (
	"context"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/render"
)

// undecidedRow is a proposal or an appeal that a person has to decide about.
type undecidedRow struct {
	ID, Title, By, State, Stakes, Category string
	At                                     time.Time
}

func (s *Store) readUndecided(ctx context.Context, statement cypher.Statement, q ReadyQuery,
	item func(undecidedRow) DueAction) (duePart, error) {
	read, err := graph.One[struct {
		Found []undecidedRow
		Now   time.Time
	}](ctx, s.graph, statement, graph.Params{"project": graph.NullIfEmpty(q.Project),
		"agent": graph.NullIfEmpty(q.AgentID), "category": graph.NullIfEmpty(q.Category), "limit": maxCounted + 1})
	part := duePart{atLeast: len(read.Found) > maxCounted}
	for _, row := range read.Found[:min(len(read.Found), maxCounted)] {
		a := item(row)
		a.ID, a.Title, a.Stakes, a.Category, a.Date = row.ID, render.Title(row.Title), row.Stakes, row.Category,
			row.At.UTC()
		a.Reason += " " + ago(row.At, read.Now)
		part.add(a, q)
	}
	return part, err
}

// proposalActions returns an action item for each proposal that needs approval, application or another replay. A
// proposal has no category.
func (s *Store) proposalActions(ctx context.Context, q ReadyQuery) (duePart, error) {
	if q.Category != "" {
		return duePart{}, nil
	}
	stale, err := s.stale(ctx)
	if err != nil {
		return duePart{}, err
	}
	return s.readUndecided(ctx, cypher.ProposalsUndecided, q, func(row undecidedRow) DueAction {
		a := DueAction{Type: openProposal, Priority: "medium", Detail: "proposed by " + row.By}
		switch {
		case row.State == "stale" || slices.Contains(stale, row.ID):
			a.Reason = "The rules differ from those of a replayed proposal, opened or approved"
			a.Suggestion = "Replay it with `open_proposal`, or take it back with `withdraw_proposal`"
		case row.State == "approved":
			a.Reason, a.Suggestion = "A change of the rules was approved", "Apply it with `apply_proposal`"
		default:
			a.Reason = "A change of the rules was proposed"
			a.Suggestion = "Read it with `get_proposal`, then approve or reject it"
		}
		return a
	})
}

// appealActions returns an action item for each open appeal.
func (s *Store) appealActions(ctx context.Context, q ReadyQuery) (duePart, error) {
	return s.readUndecided(ctx, cypher.AppealsUndecided, q, func(row undecidedRow) DueAction {
		a := DueAction{Type: openAppeal, Priority: "medium", Reason: "A denial was appealed",
			Suggestion: "Read it with `explain_verdict`, then uphold or overturn it", Detail: "appealed by " + row.By}
		switch strings.ToLower(row.Stakes) {
		case "high", "critical":
			a.Priority = "high"
		case "low":
			a.Priority = "low"
		}
		return a
	})
}
