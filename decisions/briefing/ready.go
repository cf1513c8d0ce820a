package briefing

import (
	"time"

	"nomograph/decisions/attention"
	"nomograph/internal/render"
)

// showReady shows what waits to be done.
func showReady(c *Sections, due []attention.DueAction) {
	c.ReadyQueue = make([]Action, len(due))
	for i, a := range due {
		c.ReadyQueue[i] = Action{ID: a.ID, Title: flat(a.Title, render.MaxTitleLength), Reason: a.Type, Priority: a.Priority, Category: flat(a.Category, render.MaxTitleLength),
			Date: a.Date.Truncate(time.Second), Detail: flat(a.Reason, maxSaidLength)}
	}
}
