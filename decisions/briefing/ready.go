package briefing

import (
	"context"
	"time"

	"nomograph/internal/render"
)

// readReady reads what waits to be done.
func (r *reading) readReady(ctx context.Context, c *Sections) error {
	due, warnings, err := r.attention.MostUrgent(ctx, r.asks.Project, r.asks.ReadyLimit)
	for _, warning := range warnings {
		r.missing(warning)
	}
	if err != nil {
		return err
	}
	c.ReadyQueue = make([]Action, len(due))
	for i, a := range due {
		c.ReadyQueue[i] = Action{ID: a.ID, Title: flat(a.Title, render.MaxTitleLength), Reason: a.Type, Priority: a.Priority, Category: flat(a.Category, render.MaxTitleLength),
			Date: a.Date.Truncate(time.Second), Detail: flat(a.Reason, maxSaidLength)}
	}
	return nil
}
