package briefing

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/render"
)

// read reads all sections that are asked for at the same time. The profile is the one part that must be there: what keeps it
// from being read is that the database is away, or that the caller is gone.
func (r *reading) read(ctx context.Context) (Sections, error) {
	var c Sections
	var all sync.WaitGroup
	var failed error
	all.Go(func() { failed = r.readProfile(ctx, &c) })
	for word, read := range map[string]func(context.Context, *Sections) error{"ready": r.readReady, "patterns": r.readPatterns, "wisdom": r.readWisdom, "memories": r.readMemories} {
		if r.includes(word) {
			all.Go(func() { r.section(word, read(ctx, &c)) })
		}
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
	r.missing("The profile could not be read: " + apperr.From(failed).Message)
	return c, nil
}

// section keeps a note of a section that could not be read.
func (r *reading) section(word string, err error) {
	if err != nil {
		r.missing(fmt.Sprintf("The section %s could not be read: %s", word, apperr.From(err).Message))
	}
}

// readProfile reads who asks, and what the counters say. They add up all projects, so whoever may not see all is told nothing of it.
func (r *reading) readProfile(ctx context.Context, c *Sections) error {
	if caller.From(ctx).Limited() {
		r.missing("The profile, calibration, patterns and breakers are counted over all projects, so they are left out")
		return nil
	}
	profile, categories, err := r.counters.Profile(ctx, r.asks.AgentID)
	if err != nil {
		return err
	}
	profile.Agent = flat(profile.Agent, render.MaxTitleLength)
	c.AgentProfile = &profile
	if r.includes("calibration") {
		c.CalibrationByCategory = categories
	}
	return nil
}
