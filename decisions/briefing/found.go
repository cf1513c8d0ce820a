package briefing

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/insights"
	"nomograph/decisions/precedents"
	"nomograph/internal/lists"
	"nomograph/internal/render"
)

// readFound finds decisions similar to the task, and contradictions among them. Without a task it uses the newest
// decisions of the project, or without a project those of all projects.
func (r *reading) readFound(ctx context.Context, c *Sections) {
	if !r.includes("decisions") && !r.includes("contradictions") {
		return
	}
	find := r.similarDecisions
	if r.asks.TaskDescription == "" {
		find = r.newestDecisions
	}
	found, asked, err := find(ctx)
	if err != nil {
		r.section("decisions", err)
		return
	}
	if r.includes("decisions") {
		c.RelevantDecisions = lists.Map(found.Decisions, decisionOf)
	}
	if r.includes("contradictions") {
		r.section("contradictions", r.readContradictions(ctx, c, found.Decisions))
	}
	if r.includes("decisions") && asked != nil && (len(found.Decisions) > 0 ||
		!r.asks.OnlyRelevant) { // a search without results is not worth an event
		r.decisions.Note(ctx, decisions.Caller{AgentID: r.asks.AgentID, Session: r.asks.Session}, "query", asked)
	}
}

// readContradictions reads contradictions among the decisions found, and those that links state.
func (r *reading) readContradictions(ctx context.Context, c *Sections, among []precedents.Match) error {
	uids := lists.Map(among, func(m precedents.Match) string { return m.UID })
	var found insights.Contradictions
	if len(uids) > 0 {
		var err error
		if found, err = r.insights.ContradictionsAmong(ctx, uids); err != nil {
			return err
		}
	}
	c.Contradictions = []Contradiction{}
	for _, x := range found.Contradictions {
		seen := Contradiction{Kind: x.Kind, Why: flatten(x.Why, maxResultLength)}
		for _, d := range x.Decisions {
			seen.IDs, seen.Titles = append(seen.IDs, d.ID), append(seen.Titles, flatten(d.Title, render.MaxTitleLength))
		}
		c.Contradictions = append(c.Contradictions, seen)
	}
	for _, note := range found.Notes {
		r.addNote(note)
	}
	return nil
}

// similarDecisions returns decisions found by the task, in the project if one is named and has matches, and the query
// as an event.
func (r *reading) similarDecisions(ctx context.Context) (precedents.Matches, map[string]any, error) {
	q := precedents.Query{Query: r.asks.TaskDescription, Limit: r.asks.DecisionsLimit, NoLinks: true,
		AgentID: r.asks.AgentID}
	if r.asks.Project != "" {
		q.Filters = &precedents.Filters{Project: r.asks.Project}
	}
	found, asked, err := r.precedents.Find(ctx, q)
	if err == nil && len(found.Decisions) == 0 && q.Filters != nil {
		q.Filters = nil
		if found, asked, err = r.precedents.Find(ctx, q); len(found.Decisions) > 0 {
			r.addNote(fmt.Sprintf("No decision of %s fits the task; the relevant ones are of all projects",
				flatten(r.asks.Project, render.MaxTitleLength)))
		}
	}
	for _, note := range found.Notes {
		r.addNote(note)
	}
	return found, asked, err
}

// newestDecisions returns the newest decisions of the project, or without a project those of all projects.
func (r *reading) newestDecisions(ctx context.Context) (precedents.Matches, map[string]any, error) {
	project := r.project()
	_, spelled, err := r.decisions.CanonicalNames(ctx, "", project)
	if err != nil {
		return precedents.Matches{}, nil, err
	}
	found, err := r.precedents.Newest(ctx, spelled, r.asks.DecisionsLimit)
	if err != nil || len(found.Decisions) > 0 || project == "" {
		return found, nil, err
	}
	found, err = r.precedents.Newest(ctx, "", r.asks.DecisionsLimit)
	if len(found.Decisions) > 0 {
		r.addNote(fmt.Sprintf("%s has no decisions; the newest ones are of all projects",
			flatten(project, render.MaxTitleLength)))
	}
	return found, nil, err
}

// project returns the caller's project, if known.
func (r *reading) project() string {
	return cmp.Or(r.asks.Project, r.decisions.Settings.Project)
}

const maxReasonsShown = 3

// decisionOf shortens a result.
func decisionOf(m precedents.Match) Decision {
	d := Decision{ID: m.ID, Title: flatten(m.Title, render.MaxTitleLength),
		Category: flatten(m.Category, render.MaxTitleLength), Stakes: flatten(m.Stakes, render.MaxTitleLength),
		Confidence: m.Confidence,
		Status:     flatten(m.Status, render.MaxTitleLength), Outcome: flatten(m.Outcome, render.MaxTitleLength),
		Date: m.Date.Truncate(time.Second), Project: flatten(m.Project, render.MaxTitleLength),
		AgentID: flatten(m.AgentID, render.MaxTitleLength), Pattern: flatten(m.Pattern, maxReasonLength),
		Score: m.Score, SupersededBy: m.SupersededBy,
		ActualResult: flatten(m.ActualResult, maxResultLength), Lessons: flatten(m.Lessons, maxResultLength)}
	if m.Outcome == "" {
		d.Status = flatten(m.State(), render.MaxTitleLength)
	}
	for _, reason := range m.Reasons[:min(len(m.Reasons), maxReasonsShown)] {
		d.Reasons = append(d.Reasons, flatten(reason.Type+": "+reason.Text, maxReasonLength))
	}
	return d
}
