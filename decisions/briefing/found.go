package briefing

import (
	"context"
	"fmt"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/internal/render"
)

// readFound finds what was decided for the like of the task, and what of it does not go together. Where nobody says what the
// task is, the newest decisions stand for it: those of the project, else of all.
func (r *reading) readFound(ctx context.Context, c *Sections) {
	if !r.includes("decisions") && !r.includes("contradictions") {
		return
	}
	find := r.alike
	if r.asks.TaskDescription == "" {
		find = r.newest
	}
	matches, err := find(ctx)
	if err != nil {
		r.section("decisions", err)
		return
	}
	if r.includes("decisions") {
		c.RelevantDecisions = make([]Decision, len(matches))
		for i, m := range matches {
			c.RelevantDecisions[i] = decisionOf(m)
		}
	}
	if r.includes("contradictions") {
		r.section("contradictions", r.readContradictions(ctx, c, matches))
	}
}

// readContradictions compares the decisions that were found with one another, and looks at what links say of them.
func (r *reading) readContradictions(ctx context.Context, c *Sections, matches []precedents.Match) error {
	c.Contradictions = []Contradiction{}
	if len(matches) == 0 {
		return nil
	}
	uids := make([]string, len(matches))
	for i, m := range matches {
		uids[i] = m.UID
	}
	found, err := r.attention.ContradictionsAmong(ctx, uids)
	if err != nil {
		c.Contradictions = nil
		return err
	}
	for _, x := range found.Contradictions {
		seen := Contradiction{Kind: x.Kind, Why: flat(x.Why, maxSaidLength)}
		for _, d := range x.Decisions {
			seen.IDs, seen.Titles = append(seen.IDs, d.ID), append(seen.Titles, flat(d.Title, render.MaxTitleLength))
		}
		c.Contradictions = append(c.Contradictions, seen)
	}
	for _, note := range found.Notes {
		r.missing(note)
	}
	return nil
}

// alike are found by the task, among those of the project where one is named and has some that fit.
func (r *reading) alike(ctx context.Context) ([]precedents.Match, error) {
	q := precedents.Query{Query: r.asks.TaskDescription, Limit: r.asks.DecisionsLimit, NoLinks: true, AgentID: r.asks.AgentID}
	if r.asks.Project != "" {
		q.Filters = &precedents.Filters{Project: r.asks.Project}
	}
	found, payload, err := r.precedents.Find(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(found.Decisions) == 0 && q.Filters != nil {
		q.Filters = nil
		if found, payload, err = r.precedents.Find(ctx, q); err != nil {
			return nil, err
		}
		if len(found.Decisions) > 0 {
			r.missing(fmt.Sprintf("No decision of %s fits the task; the relevant ones are of all projects", flat(r.asks.Project, render.MaxTitleLength)))
		}
	}
	for _, note := range found.Notes {
		r.missing(note)
	}
	if r.includes("decisions") {
		r.decisions.Note(ctx, decisions.Caller{AgentID: r.asks.AgentID, Session: r.asks.Session}, "query", payload)
	}
	return found.Decisions, nil
}

// newest are the decisions that were made last: those of the project, else of all.
func (r *reading) newest(ctx context.Context) ([]precedents.Match, error) {
	project := r.project()
	found, err := r.precedents.Newest(ctx, project, r.asks.DecisionsLimit)
	if err != nil || len(found) > 0 || project == "" {
		return found, err
	}
	found, err = r.precedents.Newest(ctx, "", r.asks.DecisionsLimit)
	if len(found) > 0 {
		r.missing(fmt.Sprintf("%s has no decisions; the newest ones are of all projects", flat(project, render.MaxTitleLength)))
	}
	return found, err
}

// project is the one that the caller works in, as far as is known.
func (r *reading) project() string {
	if r.asks.Project != "" {
		return r.asks.Project
	}
	return r.decisions.Settings.Project
}

const maxReasonsShown = 3

// decisionOf cuts what was found to what is worth its room.
func decisionOf(m precedents.Match) Decision {
	d := Decision{ID: m.ID, Title: flat(m.Title, render.MaxTitleLength), Category: flat(m.Category, render.MaxTitleLength), Stakes: flat(m.Stakes, render.MaxTitleLength), Confidence: m.Confidence,
		Status: flat(m.Status, render.MaxTitleLength), Outcome: flat(m.Outcome, render.MaxTitleLength), Date: m.Date.Truncate(time.Second), Project: flat(m.Project, render.MaxTitleLength),
		AgentID: flat(m.AgentID, render.MaxTitleLength), Pattern: flat(m.Pattern, maxReasonLength), Score: m.Score, SupersededBy: m.SupersededBy,
		ActualResult: flat(m.ActualResult, maxSaidLength), Lessons: flat(m.Lessons, maxSaidLength)}
	if m.Outcome == "" {
		d.Status = flat(m.State(), render.MaxTitleLength)
	}
	for _, reason := range m.Reasons[:min(len(m.Reasons), maxReasonsShown)] {
		d.Reasons = append(d.Reasons, flat(reason.Type+": "+reason.Text, maxReasonLength))
	}
	return d
}
