package briefing

import (
	"nomograph/decisions/counters"
	"nomograph/decisions/insights"
)

const maxPatternsShown = 10

// showPatterns adds the patterns that outcomes confirmed.
func showPatterns(c *Sections, read func() ([]counters.ConfirmedPattern, error)) error {
	confirmed, err := read()
	if err != nil {
		return err
	}
	c.ConfirmedPatterns = make([]Pattern, len(confirmed))
	for i, p := range confirmed {
		c.ConfirmedPatterns[i] = Pattern{Pattern: flatten(p.Pattern, maxReasonLength), Count: p.Recorded, Reviewed: p.Reviewed, Categories: p.Categories, ExampleIDs: p.ExampleIDs}
		if p.MeanOutcome != nil {
			c.ConfirmedPatterns[i].MeanOutcome = *p.MeanOutcome
		}
	}
	return nil
}

const (
	maxReviewsRead     = 50 // reviewed decisions of a category: the newest, so that the cost does not depend on the size of the graph
	maxPrinciplesShown = 3
)

// showWisdom adds the lessons of the newest reviewed decisions of each category.
func showWisdom(c *Sections, taught insights.Wisdom) {
	c.Wisdom = make([]Wisdom, len(taught.Wisdom))
	for i, w := range taught.Wisdom {
		c.Wisdom[i] = Wisdom{Category: w.Category, Decisions: int64(w.Decisions), SuccessRate: new(w.SuccessRate), FailsBy: flatten(w.CommonFailureMode, maxReasonLength)}
		for _, principle := range w.KeyPrinciples[:min(len(w.KeyPrinciples), maxPrinciplesShown)] {
			c.Wisdom[i].Principles = append(c.Wisdom[i].Principles, flatten(principle.Text, maxReasonLength))
		}
	}
}
