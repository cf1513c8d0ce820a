package learning

import (
	"cmp"
	"slices"
)

// Explanation lists what distinguishes a failure from the most similar successes.
type Explanation struct {
	Nearest []string     `json:"nearest" jsonschema:"ids of the most similar successful decisions, most similar first"`
	Facts   []Difference `json:"facts" jsonschema:"facts of the failure that most of them lack, most unusual first"`
}

// Difference is a fact of the failure, and the outcomes of acts with and without it.
type Difference struct {
	When            string `json:"when" jsonschema:"as a CEL condition"`
	Words           string `json:"words"`
	NearestWith     int    `json:"nearest_with" jsonschema:"similar successes with the feature"`
	With            int    `json:"with" jsonschema:"acts with the feature"`
	FailuresWith    int    `json:"failures_with"`
	Without         int    `json:"without" jsonschema:"acts without the feature"`
	FailuresWithout int    `json:"failures_without"`
}

const (
	nearest        = 5
	maxDifferences = 10
)

// Explain compares the failed case at an index with the five successes that share most of its facts (Jaccard index over
// conditions), and returns the facts that fewer than half of them have.
func Explain(cases []Case, at int) Explanation {
	all := conditionsOf(cases)
	own := all[at]
	var found []int // successes
	alike := make([]float64, len(cases))
	for i, c := range cases {
		if c.Failed {
			continue
		}
		shared := 0
		for condition := range all[i] {
			if own[condition] {
				shared++
			}
		}
		if whole := len(own) + len(all[i]) - shared; whole > 0 {
			found = append(found, i)
			alike[i] = float64(shared) / float64(whole)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(alike[b], alike[a]) })
	found = found[:min(nearest, len(found))]
	var out Explanation
	for _, i := range found {
		out.Nearest = append(out.Nearest, cases[i].ID)
	}
	for condition := range own {
		d := Difference{When: condition.CEL(), Words: condition.String()}
		for _, i := range found {
			if all[i][condition] {
				d.NearestWith++
			}
		}
		if 2*d.NearestWith >= len(found) {
			continue
		}
		for i, c := range cases {
			with, failures := &d.Without, &d.FailuresWithout
			if all[i][condition] {
				with, failures = &d.With, &d.FailuresWith
			}
			*with++
			if c.Failed {
				*failures++
			}
		}
		out.Facts = append(out.Facts, d)
	}
	slices.SortFunc(out.Facts, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.NearestWith, b.NearestWith), cmp.Compare(b.rate(), a.rate()),
			cmp.Compare(a.Words, b.Words))
	})
	out.Facts = out.Facts[:min(maxDifferences, len(out.Facts))]
	return out
}

func (d Difference) rate() float64 { return float64(d.FailuresWith) / float64(d.With) }

// conditionsOf returns the conditions that each case satisfies. Presence is left out, because a value is more specific.
func conditionsOf(cases []Case) []map[Condition]bool {
	all := make([]map[Condition]bool, len(cases))
	for i := range all {
		all[i] = map[Condition]bool{}
	}
	visitConditions(cases, func(at int, c Condition) {
		if c.Operator != Has {
			all[at][c] = true
		}
	})
	return all
}

// Matches reports whether facts satisfy all conditions.
func Matches(conditions []Condition, facts map[string]any) bool {
	return !slices.ContainsFunc(conditions, func(c Condition) bool {
		value, ok := facts[c.Path]
		if !ok {
			return true
		}
		switch c.Operator {
		case Has:
			return false
		case Contains:
			texts, _ := value.([]string)
			text, _ := c.Value.(string)
			return !slices.Contains(texts, text)
		case AtMost, Above:
			number, ok := value.(float64)
			limit, _ := c.Value.(float64)
			return !ok || (number <= limit) != (c.Operator == AtMost)
		default:
			return value != c.Value
		}
	})
}
