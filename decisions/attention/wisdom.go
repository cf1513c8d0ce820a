package attention

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/render"
)

// WisdomQuery asks what reviewed decisions teach.
type WisdomQuery struct {
	Selection
	MinDecisions int `json:"min_decisions,omitempty" jsonschema:"minimum number of reviewed decisions of a category" rule:"minimum=1,maximum=1000,default=5"`
}

// CategoryWisdom is what the decisions of a category teach.
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

// Principle is a pattern that outcomes confirm: at least two reviewed decisions with a mean outcome of 0.6 or more.
type Principle struct {
	Text          string   `json:"text"`
	Confirmations int      `json:"confirmations" jsonschema:"number of reviewed decisions that follow it"`
	MeanOutcome   float64  `json:"mean_outcome"`
	ExampleIDs    []string `json:"example_ids"`
}

// Lesson is what a failure taught.
type Lesson struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Wisdom is the answer: the categories with most reviewed decisions first.
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

// Wisdom says for each category how its decisions turned out, which patterns outcomes confirm and how they fail. It is a view:
// nothing is kept and nothing goes. It looks at the newest 2,000 reviewed decisions of a category.
func (s *Store) Wisdom(ctx context.Context, q WisdomQuery) (Wisdom, error) {
	return s.taught(ctx, q, precedents.MaxChosen, maxLessons)
}

// WisdomOfNewest is Wisdom of no more than so many of the newest reviewed decisions of each category. It gives a lesson only of
// categories whose failures no pattern explains.
func (s *Store) WisdomOfNewest(ctx context.Context, q WisdomQuery, newest int) (Wisdom, error) {
	return s.taught(ctx, q, newest, 1)
}

// taught looks at the newest reviewed decisions of each category, at most so many. With fewer lessons than usual, it only asks
// for those of categories whose failures no pattern explains.
func (s *Store) taught(ctx context.Context, q WisdomQuery, most, lessons int) (Wisdom, error) {
	_, project, err := s.decisions.CanonicalNames(ctx, "", q.Project)
	if err != nil {
		return Wisdom{}, err
	}
	categories := decisions.CategoryWords
	if q.Category != "" {
		categories = []string{q.Category}
	}
	params := graph.Params{"categories": categories, "project": graph.NullIfEmpty(project), "most": most, "earliest": graph.UTC(precedents.Earliest)}
	rows, err := graph.All[patternSums](ctx, s.graph, cypher.Wisdom, params)
	if err != nil {
		return Wisdom{}, err
	}
	out := Wisdom{Wisdom: []CategoryWisdom{}}
	failing := []string{}
	for _, category := range categories {
		var of []patternSums
		for _, row := range rows {
			if row.Category == category {
				of = append(of, row)
			}
		}
		w := wisdomOf(category, of)
		out.TotalDecisions += w.Decisions
		if w.Decisions < cmp.Or(q.MinDecisions, defaultWisdom) {
			continue
		}
		if w.Decisions >= most {
			out.Notes = append(out.Notes, fmt.Sprintf("Of %s, only the newest %d reviewed decisions were looked at", category, most))
		}
		if w.Failures > 0 && (lessons == maxLessons || w.CommonFailureMode == "") {
			failing = append(failing, category)
		}
		out.Wisdom = append(out.Wisdom, w)
	}
	out.CategoriesAnalyzed = len(out.Wisdom)
	slices.SortStableFunc(out.Wisdom, func(a, b CategoryWisdom) int { return b.Decisions - a.Decisions })
	if len(failing) == 0 {
		return out, nil
	}
	params["categories"], params["limit"] = failing, lessons
	found, err := graph.All[struct{ Category, ID, Lessons string }](ctx, s.graph, cypher.Lessons, params)
	if err != nil {
		return Wisdom{}, err
	}
	for _, l := range found {
		w := &out.Wisdom[slices.IndexFunc(out.Wisdom, func(w CategoryWisdom) bool { return w.Category == l.Category })]
		w.Lessons = append(w.Lessons, Lesson{l.ID, strings.TrimSpace(l.Lessons)})
		w.CommonFailureMode = cmp.Or(w.CommonFailureMode, render.Title(l.Lessons))
	}
	return out, nil
}

// patternSums are the sums over the decisions of a category that follow one pattern.
type patternSums struct {
	Category, Pattern           string
	Reviewed, Failed, Confident int64
	Outcomes                    float64
	Confidences, Errors         any // sums over nothing are integers
	Ids                         []string
}

func wisdomOf(category string, patterns []patternSums) CategoryWisdom {
	w := CategoryWisdom{Category: category, KeyPrinciples: []Principle{}, Lessons: []Lesson{}}
	var outcomes, confidences, errors float64
	var confident, worst int64
	for _, p := range patterns {
		w.Decisions += int(p.Reviewed)
		w.Failures += int(p.Failed)
		outcomes += p.Outcomes
		confident += p.Confident
		confidences += graph.Number(p.Confidences)
		errors += graph.Number(p.Errors)
		if p.Pattern == "" {
			continue
		}
		if mean := p.Outcomes / float64(p.Reviewed); counters.Confirms(p.Reviewed, mean) {
			w.KeyPrinciples = append(w.KeyPrinciples, Principle{p.Pattern, int(p.Reviewed), rounded(mean), p.Ids})
		} else if p.Failed > worst { // what outcomes confirm is no way to fail
			worst, w.CommonFailureMode = p.Failed, p.Pattern
		}
	}
	slices.SortStableFunc(w.KeyPrinciples, func(a, b Principle) int {
		return cmp.Or(b.Confirmations-a.Confirmations, cmp.Compare(b.MeanOutcome, a.MeanOutcome))
	})
	w.KeyPrinciples = w.KeyPrinciples[:min(len(w.KeyPrinciples), maxPrinciples)]
	if w.Decisions > 0 {
		w.SuccessRate = rounded(outcomes / float64(w.Decisions))
	}
	if confident > 0 {
		w.AvgConfidence, w.BrierScore = new(rounded(confidences/float64(confident))), new(rounded(errors/float64(confident)))
	}
	return w
}

// rounded keeps four digits.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }
