package briefing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/decisions/insights"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/render"
	"nomograph/memory/recall"
)

// read reads all requested sections in parallel, in few statements. It fails only if the profile cannot be read,
// because then the database does not answer or the call was canceled.
func (r *reading) read(ctx context.Context) (Sections, error) {
	var c Sections
	var all sync.WaitGroup
	var failed error
	if !r.asks.OnlyRelevant { // profile, calibration, action items and lessons of categories do not depend on the task
		all.Go(func() { failed = r.readCounted(ctx, &c) })
	}
	all.Go(func() { r.readRules(ctx, &c) })
	all.Go(func() { r.readFound(ctx, &c) })
	all.Wait()
	switch {
	case failed == nil:
		return c, nil
	case apperr.Is(failed, apperr.Unavailable) || ctx.Err() != nil:
		return Sections{}, errors.Join(failed, ctx.Err())
	}
	r.addNote("The profile could not be read: " + apperr.From(failed).Message)
	return c, nil
}

// section adds a note about a section that could not be read.
func (r *reading) section(word string, err error) {
	if err != nil {
		r.addNote(fmt.Sprintf("The section %s could not be read: %s", word, apperr.From(err).Message))
	}
}

// readCounted reads the profile, calibration and patterns, and then memories, action items and lessons, which depend on
// the project's spelling and on a threshold. It returns why the profile could not be read.
func (r *reading) readCounted(ctx context.Context, c *Sections) error {
	names, spelled := decisions.ReadNames("", r.asks.Project)
	threshold, staleDays := insights.ReadStaleDays()
	profile, profiled := r.counters.ReadProfile(r.asks.AgentID)
	patterns, confirmed := r.counters.ReadConfirmedPatterns(maxPatternsShown)
	drift, drifting := r.counters.ReadDriftAlerts(r.includes("ready") && insights.CountsDrift(ctx, r.asks.Project))
	projects, ref := recall.ReadProject(r.asks.Project)
	graph.ReadJoined(ctx, r.graph, cypher.ContextAgentData, append(profile, names, threshold, patterns, projects, drift)...)
	if r.includes("memories") {
		var remembering sync.WaitGroup
		defer remembering.Wait()
		remembering.Go(func() {
			r.section("memories", r.readMemories(ctx, c, recall.Question{Text: r.asks.TaskDescription, Project: r.asks.Project, Recent: true, Together: true, Meant: ref}))
		})
	}

	var failed error
	if caller.From(ctx).Limited() {
		// Counters include projects that the caller may not see.
		r.addNote("The profile, calibration, patterns and breakers are counted over all projects, so they are left out")
	} else {
		failed = r.showProfile(c, profiled)
		if r.includes("patterns") {
			r.section("patterns", showPatterns(c, confirmed))
		}
	}
	ready, wisdom := r.includes("ready"), r.includes("wisdom")
	if !ready && !wisdom || apperr.Is(failed, apperr.Unavailable) {
		return failed
	}
	_, project, err := spelled()
	days, warning, daysErr := staleDays()
	alerts, driftErr := drifting()
	pressing, pressed := insights.ReadMostUrgent(project, r.asks.ReadyLimit, days, alerts)
	taught, teach := insights.ReadWisdomOfNewest(project, maxReviewsRead)
	if err == nil {
		graph.ReadJoined(ctx, r.graph, cypher.ContextUrgent, append(pressing, taught)...)
	}
	if ready {
		if warning != "" {
			r.addNote(warning)
		}
		due, dueErr := pressed()
		r.section("ready", cmp.Or(err, daysErr, driftErr, dueErr))
		if cmp.Or(err, daysErr, driftErr, dueErr) == nil {
			showReady(c, due)
		}
	}
	if wisdom {
		lessons, wisdomErr := teach()
		r.section("wisdom", cmp.Or(err, wisdomErr))
		if cmp.Or(err, wisdomErr) == nil {
			showWisdom(c, lessons)
		}
	}
	return failed
}

func (r *reading) showProfile(c *Sections, profiled func() (counters.AgentProfile, map[string]counters.CategoryCalibration, error)) error {
	profile, categories, err := profiled()
	if err != nil {
		return err
	}
	profile.Agent = flatten(profile.Agent, render.MaxTitleLength)
	c.AgentProfile = &profile
	if r.includes("calibration") {
		c.CalibrationByCategory = categories
	}
	return nil
}

// showReady adds the action items.
func showReady(c *Sections, due []insights.DueAction) {
	c.ReadyQueue = make([]Action, len(due))
	for i, a := range due {
		c.ReadyQueue[i] = Action{ID: a.ID, Title: flatten(a.Title, render.MaxTitleLength), Reason: a.Type, Priority: a.Priority, Category: flatten(a.Category, render.MaxTitleLength),
			Date: a.Date.Truncate(time.Second), Detail: flatten(a.Reason, maxResultLength)}
	}
}
