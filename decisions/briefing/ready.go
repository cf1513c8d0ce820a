package briefing

import (
	"context"
	"time"

	"nomograph/prose"
)

// readReady reads what waits to be done.
func (r *reading) readReady(ctx context.Context, c *Sections) error {
	due, warnings, err := r.attention.Pressing(ctx, r.asks.Project, r.asks.ReadyLimit)
	for _, warning := range warnings {
		r.missing(warning)
	}
	if err != nil {
		return err
	}
	c.ReadyQueue = make([]Action, len(due))
	for i, a := range due {
		c.ReadyQueue[i] = Action{ID: a.ID, Title: flat(a.Title, prose.LongestTitle), Reason: a.Type, Priority: a.Priority, Category: flat(a.Category, prose.LongestTitle),
			Date: a.Date.Truncate(time.Second), Detail: flat(a.Reason, longestSaid)}
	}
	return nil
}
