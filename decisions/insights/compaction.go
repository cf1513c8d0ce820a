package insights

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/render"
)

// CompactedQuery selects decisions, whose length depends on their age.
type CompactedQuery struct {
	Category         string `json:"category,omitempty" rule:"enum=architecture|process|integration|tooling|security"`
	Level            string `json:"level,omitempty" jsonschema:"filter by level" rule:"enum=full|summary|digest|wisdom"`
	Limit            int    `json:"limit,omitempty" jsonschema:"maximum results" rule:"minimum=1,maximum=100,default=20"`
	IncludePreserved *bool  `json:"include_preserved,omitempty" jsonschema:"include preserved decisions" rule:"default=true"`
}

// CompactedDecision is a decision at its level. Wisdom has only the pattern, else the title. Digest adds day and
// outcome, on one line. Summary has the fields of lists and one line each of the review; full has everything.
type CompactedDecision struct {
	ID           string             `json:"id"`
	Level        string             `json:"compaction_level" jsonschema:"full, summary, digest or wisdom"`
	Preserved    bool               `json:"preserved,omitempty"`
	Text         string             `json:"text" jsonschema:"text at that level; full is the whole decision"`
	Category     string             `json:"category,omitempty"`
	Outcome      string             `json:"outcome,omitempty"`
	Date         time.Time          `json:"date,omitzero"`
	Stakes       string             `json:"stakes,omitempty"`
	Confidence   *float64           `json:"confidence,omitempty"`
	Project      string             `json:"project,omitempty"`
	Tags         []string           `json:"tags,omitempty"`
	Pattern      string             `json:"pattern,omitempty"`
	ActualResult string             `json:"actual_result,omitempty"`
	Lessons      string             `json:"lessons,omitempty"`
	Context      string             `json:"context,omitempty"`
	Reasons      []decisions.Reason `json:"reasons,omitempty"`
}

// Compacted holds shortened decisions, newest first.
type Compacted struct {
	Decisions []CompactedDecision `json:"decisions"`
	Total     int                 `json:"total" jsonschema:"number of decisions at all levels"`
	AtLeast   bool                `json:"at_least,omitempty" jsonschema:"true if a level has more than 1000, which are not counted"`
	Levels    LevelCounts         `json:"levels"`
}

// LevelCounts counts decisions by level, each up to 1,000.
type LevelCounts struct {
	Full    int `json:"full"`
	Summary int `json:"summary"`
	Digest  int `json:"digest"`
	Wisdom  int `json:"wisdom"`
}

// Days since the current review after which a decision is shortened.
const (
	summaryAfter = 7
	digestAfter  = 30
	wisdomAfter  = 90
	everAfter    = 36500
)

// ages are the levels from the newest to the oldest, with the days since the review.
var ages = []struct {
	level    string
	from, to int
}{{"full", 0, summaryAfter}, {"summary", summaryAfter, digestAfter}, {"digest", digestAfter, wisdomAfter},
	{"wisdom", wisdomAfter, everAfter}}

// compactionLevel returns the level of a decision: by the time since its current review, and full without a review or
// if it is preserved.
func compactionLevel(p map[string]any, now time.Time) string {
	reviewed, ok := p["reviewed_at"].(time.Time)
	if preserve, _ := p["preserve"].(bool); preserve || !ok || p["status"] == "pending" {
		return "full"
	}
	level := "full"
	for _, age := range ages {
		if now.Sub(reviewed) >= time.Duration(age.from)*24*time.Hour {
			level = age.level
		}
	}
	return level
}

const defaultCompacted = 20

// Compacted shortens decisions by age: full for a week after the review, then a summary, after 30 days one line, after
// 90 days the lesson. It is a view: get_decision returns everything. The cost does not depend on the number of
// decisions.
func (s *Store) Compacted(ctx context.Context, q CompactedQuery) (Compacted, error) {
	out := Compacted{}
	rows, err := graph.All[struct {
		Decision map[string]any
		Now      time.Time
		Reasons  []decisions.Reason
		Reviews  []map[string]any
	}](ctx, s.graph, cypher.Compacted, q.params())
	if err != nil {
		return Compacted{}, err
	}
	for _, row := range rows {
		var review decisions.Review
		if len(row.Reviews) > 0 {
			review = decisions.ReviewOf(row.Reviews[0])
		}
		out.Decisions = append(out.Decisions, shorten(row.Decision, row.Reasons, review,
			compactionLevel(row.Decision, row.Now)))
	}
	counts, err := s.Compaction(ctx, CompactionQuery{q.Category})
	if q.IncludePreserved != nil && !*q.IncludePreserved {
		counts.Levels.Full -= counts.Preserved
	}
	out.Levels, out.AtLeast, out.Total = counts.Levels, counts.AtLeast, counts.Levels.Full+counts.Compacted
	return out, err
}

// params selects the indexes of the page: by level, since a level is a range of review times.
func (q CompactedQuery) params() graph.Params {
	limit := cmp.Or(q.Limit, defaultCompacted)
	keep := q.IncludePreserved == nil || *q.IncludePreserved
	p := graph.Params{"category": graph.NullIfEmpty(q.Category), "earliest": graph.UTC(precedents.Earliest),
		"limit": limit, "keep": keep, "from": 0, "to": 0, "budget": 0, "recorded": 0, "reviewed": 0, "pending": 0,
		"preserved": 0}
	if q.Level == "" {
		p["recorded"] = precedents.MaxSorted
		return p
	}
	p["reviewed"] = precedents.MaxSorted
	for _, age := range ages {
		if age.level == q.Level {
			p["from"], p["to"] = age.from, age.to
		}
	}
	if q.Level != "full" {
		p["keep"] = false // preserved decisions are always full
		return p
	}
	p["pending"], p["budget"] = limit, precedents.MaxScanned
	if keep {
		p["preserved"] = limit
	}
	return p
}

// shorten returns a decision at a level.
func shorten(p map[string]any, reasons []decisions.Reason, review decisions.Review, level string) CompactedDecision {
	d := decisions.SummaryOf(p)
	preserve, _ := p["preserve"].(bool)
	c := CompactedDecision{ID: d.ID, Level: level, Preserved: preserve, Text: d.Title, Category: d.Category,
		Outcome: d.Outcome}
	switch level {
	case "wisdom":
		if d.Pattern != "" {
			c.Text = render.Title(d.Pattern)
		}
		return c
	case "digest":
		c.Text = render.Shorten(fmt.Sprintf("%s %s: %s", d.Date.Format(time.DateOnly), d.Outcome, d.Title),
			render.MaxTitleLength)
		return c
	}
	c.Date, c.Stakes, c.Confidence, c.Project, c.Tags, c.Pattern = d.Date, d.Stakes, d.Confidence, d.Project, d.Tags,
		d.Pattern
	c.ActualResult, c.Lessons = render.Title(review.ActualResult), render.Title(review.Lessons)
	if level == "full" {
		c.Text, c.Context, c.Reasons = graph.Text(p, "decision"), graph.Text(p, "context"), reasons
		c.ActualResult, c.Lessons = review.ActualResult, review.Lessons
	}
	return c
}

// CompactionQuery asks for the number of decisions by level.
type CompactionQuery struct {
	Category string `json:"category,omitempty" rule:"enum=architecture|process|integration|tooling|security"`
}

// Compaction counts decisions by level.
type Compaction struct {
	Compacted int         `json:"compacted" jsonschema:"number of shortened decisions"`
	Preserved int         `json:"preserved" jsonschema:"number of preserved decisions, always shown in full"`
	Levels    LevelCounts `json:"levels"`
	AtLeast   bool        `json:"at_least,omitempty" jsonschema:"true if a level has more than 1000, which are not counted"`
}

// Compaction counts decisions by their level in Compacted. Levels follow from the time of the review, so nothing has to
// be run for them.
func (s *Store) Compaction(ctx context.Context, q CompactionQuery) (Compaction, error) {
	ranges := make([]any, len(ages))
	for i, age := range ages {
		ranges[i] = map[string]any{"from": age.from, "to": age.to}
	}
	p := graph.Params{"category": graph.NullIfEmpty(q.Category), "earliest": graph.UTC(precedents.Earliest),
		"ranges": ranges, "most": maxCounted + 1, "budget": precedents.MaxScanned}
	read, err := graph.One[struct {
		Levels  [][]int64 // all and preserved decisions, in the order of the ranges
		Pending int64
	}](ctx, s.graph, cypher.CompactionLevels, p)
	if err != nil {
		return Compaction{}, err
	}
	var c Compaction
	c.Levels.Full, c.AtLeast = cappedCount(read.Pending)
	for i, into := range []*int{&c.Levels.Full, &c.Levels.Summary, &c.Levels.Digest, &c.Levels.Wisdom} {
		n, atLeast := cappedCount(read.Levels[i][0])
		preserved := int(read.Levels[i][1])
		c.AtLeast = c.AtLeast || atLeast
		*into += n - preserved
		c.Preserved += preserved
	}
	c.Levels.Full += c.Preserved
	c.Compacted = c.Levels.Summary + c.Levels.Digest + c.Levels.Wisdom
	return c, nil
}
