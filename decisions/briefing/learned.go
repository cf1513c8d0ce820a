package briefing

import "context"

const maxPatternsShown = 10

// readPatterns reads the patterns that outcomes confirmed.
func (r *reading) readPatterns(ctx context.Context, c *Sections) error {
	confirmed, err := r.counters.ConfirmedPatterns(ctx, maxPatternsShown)
	if err != nil {
		return err
	}
	c.ConfirmedPatterns = make([]Pattern, len(confirmed))
	for i, p := range confirmed {
		c.ConfirmedPatterns[i] = Pattern{Pattern: flatten(p.Pattern, maxReasonLength), Count: p.Recorded,
			Reviewed: p.Reviewed, Categories: p.Categories, ExampleIDs: p.ExampleIDs}
		if p.MeanOutcome != nil {
			c.ConfirmedPatterns[i].MeanOutcome = *p.MeanOutcome
		}
	}
	return nil
}

const (
	// reviewed decisions of a category: the newest, so that the cost does not depend on the size of the graph
	maxReviewsRead     = 50
	maxPrinciplesShown = 3
)

// readWisdom reads the lessons of the newest reviewed decisions of each category.
func (r *reading) readWisdom(ctx context.Context, c *Sections) error {
	taught, err := r.insights.WisdomOfNewest(ctx, r.asks.Project, maxReviewsRead)
	if err != nil {
		return err
	}
	c.Wisdom = make([]Wisdom, len(taught.Wisdom))
	for i, w := range taught.Wisdom {
		c.Wisdom[i] = Wisdom{Category: w.Category, Decisions: int64(w.Decisions), SuccessRate: new(w.SuccessRate),
			FailsBy: flatten(w.CommonFailureMode, maxReasonLength)}
		for _, principle := range w.KeyPrinciples[:min(len(w.KeyPrinciples), maxPrinciplesShown)] {
			c.Wisdom[i].Principles = append(c.Wisdom[i].Principles, flatten(principle.Text, maxReasonLength))
		}
	}
	return nil
}
