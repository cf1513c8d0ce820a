package insights

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/render"
)

// WisdomQuery selects lessons of reviewed decisions.
type WisdomQuery struct {
	Selection
	MinDecisions int `json:"min_decisions,omitempty" jsonschema:"minimum number of reviewed decisions of a category" rule:"minimum=1,maximum=1000,default=5"`
}

// CategoryWisdom holds the lessons of a category.
type CategoryWisdom struct {
	Category          string      `json:"category"`
	Decisions         int         `json:"decisions" jsonschema:"number of reviewed decisions, at most the newest 2000"`
	SuccessRate       float64     `json:"success_rate" jsonschema:"mean outcome: success 1, partial 0.5, failure and abandoned 0"`
	KeyPrinciples     []Principle `json:"key_principles"`
	CommonFailureMode string      `json:"common_failure_mode,omitempty" jsonschema:"most frequent pattern of failures, otherwise the newest lesson"`
	Failures          int         `json:"failures" jsonschema:"number of failed and abandoned decisions"`
	AvgConfidence     *float64    `json:"avg_confidence,omitempty"`
	BrierScore        *float64    `json:"brier_score,omitempty" jsonschema:"Brier score of the confidence at review time; 0 is best"`
	Lessons           []Lesson    `json:"lessons" jsonschema:"newest lessons of failures"`
}

// Principle is a confirmed pattern: at least two reviewed decisions with a mean outcome of at least 0.6.
type Principle struct {
	Text          string   `json:"text"`
	Confirmations int      `json:"confirmations" jsonschema:"number of reviewed decisions that follow it"`
	MeanOutcome   float64  `json:"mean_outcome"`
	ExampleIDs    []string `json:"example_ids"`
}

// Lesson is the lesson of a failure.
type Lesson struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Wisdom holds lessons by category: the categories with most reviewed decisions first.
type Wisdom struct {
	Wisdom             []CategoryWisdom `json:"wisdom"`
	TotalDecisions     int              `json:"total_decisions" jsonschema:"number of reviewed decisions, including categories with too few"`
	CategoriesAnalyzed int              `json:"categories_analyzed"`
	Notes              []string         `json:"notes,omitempty"`
}

const (
	defaultWisdom = 5
	maxPrinciples = 5
	maxLessons    = 5
)

// Wisdom returns the outcomes, confirmed patterns and failures of each category. It is computed from the newest
// 2,000 reviewed decisions of a category; nothing is stored.
func (s *Store) Wisdom(ctx context.Context, q WisdomQuery) (Wisdom, error) {
	look := reviewsRead{decisions.CategoryValues, precedents.MaxSorted, maxLessons, true}
	if q.Category != "" {
		look.categories = []string{q.Category}
	}
	return s.readWisdom(ctx, look, q.Project, cmp.Or(q.MinDecisions, defaultWisdom))
}

// WisdomOfNewest returns the wisdom of the newest reviewed decisions of each category, with one lesson each. Its
// confidences are those of recording, not of review.
func (s *Store) WisdomOfNewest(ctx context.Context, project string, newest int) (Wisdom, error) {
	return s.readWisdom(ctx, reviewsRead{decisions.CategoryValues, newest, 1, false}, project, defaultWisdom)
}

// reviewsRead limits what wisdom is derived from: per category the newest reviewed decisions, and a number of lessons.
type reviewsRead struct {
	categories      []string
	newest, lessons int
	confidences     bool // those of the reviews
}

// readWisdom returns the wisdom of a project. It leaves out categories with fewer reviewed decisions than minimum.
func (s *Store) readWisdom(ctx context.Context, l reviewsRead, project string, minimum int) (Wisdom, error) {
	_, project, err := s.decisions.CanonicalNames(ctx, "", project)
	if err != nil {
		return Wisdom{}, err
	}
	rows, err := graph.All[patternSums](ctx, s.graph, cypher.Wisdom,
		graph.Params{"categories": l.categories, "project": graph.NullIfEmpty(project), "most": l.newest,
			"lessons": l.lessons, "reviewed": l.confidences, "earliest": graph.UTC(precedents.Earliest)})
	if err != nil {
		return Wisdom{}, err
	}
	out := Wisdom{}
	for _, category := range l.categories {
		var of []patternSums
		for _, row := range rows {
			if row.Category == category {
				of = append(of, row)
			}
		}
		w := wisdomOf(category, of, l.lessons)
		out.TotalDecisions += w.Decisions
		if w.Decisions < minimum {
			continue
		}
		if w.Decisions >= l.newest {
			out.Notes = append(out.Notes, fmt.Sprintf("Only the newest %d reviewed decisions of %s were examined",
				l.newest, category))
		}
		out.Wisdom = append(out.Wisdom, w)
	}
	out.CategoriesAnalyzed = len(out.Wisdom)
	slices.SortStableFunc(out.Wisdom, func(a, b CategoryWisdom) int { return b.Decisions - a.Decisions })
	return out, nil
}

// patternSums are sums over the decisions of a category with one pattern.
type patternSums struct {
	Category, Pattern           string
	Reviewed, Failed, Confident int64
	Outcomes                    float64
	Confidences, Errors         any // a sum without values is an integer
	Ids                         []string
	Lessons                     []lesson // of failed decisions, newest first
}

type lesson struct {
	ID, Lessons string
	At          time.Time
}

func wisdomOf(category string, patterns []patternSums, lessons int) CategoryWisdom {
	w := CategoryWisdom{Category: category}
	var outcomes, confidences, errors float64
	var confident, worst int64
	var linked []lesson
	for _, p := range patterns {
		w.Decisions += int(p.Reviewed)
		w.Failures += int(p.Failed)
		outcomes += p.Outcomes
		confident += p.Confident
		confidences += graph.Number(p.Confidences)
		errors += graph.Number(p.Errors)
		linked = append(linked, p.Lessons...)
		if p.Pattern == "" {
			continue
		}
		if mean := p.Outcomes / float64(p.Reviewed); counters.Confirms(p.Reviewed, mean) {
			w.KeyPrinciples = append(w.KeyPrinciples, Principle{p.Pattern, int(p.Reviewed), round(mean), p.Ids})
		} else if p.Failed > worst { // a confirmed pattern is not a cause of failures
			worst, w.CommonFailureMode = p.Failed, p.Pattern
		}
	}
	slices.SortStableFunc(w.KeyPrinciples, func(a, b Principle) int {
		return cmp.Or(b.Confirmations-a.Confirmations, cmp.Compare(b.MeanOutcome, a.MeanOutcome))
	})
	w.KeyPrinciples = w.KeyPrinciples[:min(len(w.KeyPrinciples), maxPrinciples)]
	slices.SortStableFunc(linked, func(a, b lesson) int { return b.At.Compare(a.At) })
	for _, l := range linked[:min(len(linked), lessons)] {
		w.Lessons = append(w.Lessons, Lesson{l.ID, strings.TrimSpace(l.Lessons)})
		w.CommonFailureMode = cmp.Or(w.CommonFailureMode, render.Title(l.Lessons))
	}
	if w.Decisions > 0 {
		w.SuccessRate = round(outcomes / float64(w.Decisions))
	}
	if confident > 0 {
		w.AvgConfidence, w.BrierScore = new(round(confidences/float64(confident))),
			new(round(errors/float64(confident)))
	}
	return w
}

// round rounds to four digits.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }
