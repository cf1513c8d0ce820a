package briefing

import (
	"context"

	"nomograph/decisions/attention"
	"nomograph/internal/caller"
)

const maxPatternsShown = 10

// readPatterns reads what outcomes confirmed.
func (r *reading) readPatterns(ctx context.Context, c *Sections) error {
	if caller.From(ctx).Limited() {
		return nil
	}
	confirmed, err := r.counters.ConfirmedPatterns(ctx, maxPatternsShown)
	if err != nil {
		return err
	}
	c.ConfirmedPatterns = make([]Pattern, len(confirmed))
	for i, p := range confirmed {
		c.ConfirmedPatterns[i] = Pattern{Pattern: flat(p.Pattern, maxReasonLength), Count: p.Recorded, Reviewed: p.Reviewed, Categories: p.Categories, ExampleIDs: p.ExampleIDs}
		if p.MeanOutcome != nil {
			c.ConfirmedPatterns[i].MeanOutcome = *p.MeanOutcome
		}
	}
	return nil
}

const (
	maxWisdomLooked    = 50 // reviewed decisions of a category: the newest, so that a context costs the same in a large graph
	maxPrinciplesShown = 3
)

// readWisdom reads what the newest reviewed decisions of each category teach.
func (r *reading) readWisdom(ctx context.Context, c *Sections) error {
	taught, err := r.attention.WisdomOfNewest(ctx, attention.WisdomQuery{Selection: attention.Selection{Project: r.asks.Project}}, maxWisdomLooked)
	if err != nil {
		return err
	}
	c.Wisdom = make([]Wisdom, len(taught.Wisdom))
	for i, w := range taught.Wisdom {
		c.Wisdom[i] = Wisdom{Category: w.Category, Decisions: int64(w.Decisions), SuccessRate: new(w.SuccessRate), FailsBy: flat(w.CommonFailureMode, maxReasonLength)}
		for _, principle := range w.KeyPrinciples[:min(len(w.KeyPrinciples), maxPrinciplesShown)] {
			c.Wisdom[i].Principles = append(c.Wisdom[i].Principles, flat(principle.Text, maxReasonLength))
		}
	}
	return nil
}
