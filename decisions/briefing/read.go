package briefing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/render"
)

// concurrent is the number of sections that are read at a time. The decisions found take the longest: more sections
// beside them delay them on a server with few cores.
const concurrent = 3

// read reads all requested sections, several at a time. It fails only if the profile cannot be read, because then the
// database does not answer or the call was canceled.
func (r *reading) read(ctx context.Context) (Sections, error) {
	var c Sections
	var all errgroup.Group
	all.SetLimit(concurrent)
	read := func(word string, section func(context.Context, *Sections) error) {
		if r.includes(word) {
			all.Go(func() error { r.section(word, section(ctx, &c)); return nil })
		}
	}
	all.Go(func() error { r.readFound(ctx, &c); return nil })
	all.Go(func() error { r.readRules(ctx, &c); return nil })
	if !r.asks.OnlyRelevant { // counters, action items and lessons of categories do not depend on the task
		read("memories", r.readMemories)
		if caller.From(ctx).Limited() { // counters include projects that the caller may not see
			r.addNote("The profile, calibration, patterns and breakers are counted over all projects, so they are left out")
		} else {
			all.Go(func() error { return r.readProfile(ctx, &c) })
			read("patterns", r.readPatterns)
		}
		read("ready", r.readReady)
		read("wisdom", r.readWisdom)
	}
	failed := all.Wait()
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

// readProfile reads the profile of the agent and the figures of categories.
func (r *reading) readProfile(ctx context.Context, c *Sections) error {
	profile, categories, err := r.counters.Profile(ctx, r.asks.AgentID)
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

// readReady reads the most urgent action items.
func (r *reading) readReady(ctx context.Context, c *Sections) error {
	due, err := r.insights.MostUrgent(ctx, r.asks.Project, r.asks.ReadyLimit)
	if err != nil {
		return err
	}
	for _, warning := range due.Warnings {
		r.addNote(warning)
	}
	c.ReadyQueue = make([]Action, len(due.Actions))
	for i, a := range due.Actions {
		c.ReadyQueue[i] = Action{ID: a.ID, Title: flatten(a.Title, render.MaxTitleLength), Reason: a.Type,
			Priority: a.Priority,
			Category: flatten(a.Category, render.MaxTitleLength), Date: a.Date.Truncate(time.Second),
			Detail: flatten(a.Reason, maxResultLength)}
	}
	return nil
}
