package lint

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"nomograph/internal/lists"
	"nomograph/policies"
	"nomograph/policies/condition"
)

// cells are the values to try for each fact of some conditions. A condition that compares facts with constants changes
// only at those constants. So it is enough to try each constant, a value between each two, a value below and a value
// above all, a different text, and no value.
type cells struct {
	paths  []string
	values [][]any
}

// absent represents an absent fact.
type absent struct{}

const (
	maxCells     = 50_000
	maxReasons   = 1000 // more than any action has
	anotherText  = "something else"
	scopeOfQuery = "scope" // path of an evaluation's scope; paths of facts contain a dot
)

// factsWanted says which inputs of a table are declared and required.
type factsWanted struct {
	table              bool
	declared, required []string
}

// cellsOf returns the values to try, and false if there are more combinations than limit.
func (m *model) cellsOf(compared []condition.Comparisons, w factsWanted, limit int) (cells, bool) {
	facts := map[string]*condition.Compared{}
	scopes := []any{""}
	for _, c := range compared {
		for path, found := range c.Facts {
			if facts[path] == nil {
				facts[path] = &condition.Compared{}
			}
			facts[path].Values = append(facts[path].Values, found.Values...)
			facts[path].Truth = facts[path].Truth || found.Truth
			for _, name := range found.Thresholds {
				for _, variant := range m.variants(name) {
					facts[path].Values = append(facts[path].Values, variant.Properties["value"])
					for _, scope := range variant.Scopes() {
						scopes = append(scopes, scope)
					}
				}
			}
		}
	}
	var c cells
	size := 1
	add := func(path string, values []any) {
		c.paths, c.values = append(c.paths, path), append(c.values, values)
		size *= max(len(values), 1)
	}
	for _, path := range slices.Sorted(maps.Keys(facts)) {
		if add(path, candidates(path, facts[path], w)); size > limit {
			return c, false
		}
	}
	if w.table {
		slices.SortFunc(scopes, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		add(scopeOfQuery, slices.Compact(scopes))
	}
	return c, size <= limit
}

// candidates returns the values to try for one fact, the likeliest first.
func candidates(path string, c *condition.Compared, w factsWanted) []any {
	root, name, _ := strings.Cut(path, ".")
	switch {
	case path == "action.stakes":
		return []any{int64(condition.Low), int64(condition.Medium), int64(condition.High), int64(condition.Critical)}
	case path == "action.consensus": // present or absent
		return []any{absent{}, true}
	case path == "action.reason_count", path == "action.deliberation_count":
		return counts(c.Values)
	case path == "action.confidence", path == "action.quality_score":
		inside := lists.Filter(numbersAround(append(c.Values, 0.0, 1.0)),
			func(v any) bool { return v.(float64) >= 0 && v.(float64) <= 1 })
		return append(inside, absent{})
	case root != "inputs" && !strings.HasPrefix(name, "params.") &&
		!strings.HasPrefix(name, "context."): // a string, never absent
		return append(otherValues(c.Values), "", anotherText)
	case root == "inputs" && len(w.declared) > 0 &&
		!slices.Contains(w.declared, name): // the table refuses undeclared inputs
		return []any{absent{}}
	}
	values := append(numbersAround(c.Values), otherValues(c.Values)...)
	if c.Truth {
		values = append(values, true, false)
	}
	if !c.Truth || len(values) > 2 {
		values = append(values, anotherText)
	}
	if !slices.Contains(w.required, name) || root != "inputs" {
		values = append(values, absent{})
	}
	return values
}

// numbersAround returns the numbers among values, a number between each two, one below all and one above all.
func numbersAround(values []any) []any {
	var numbers []float64
	for _, value := range values {
		if number, ok := policies.ToFloat(value); ok && !math.IsNaN(number) && !math.IsInf(number, 0) {
			numbers = append(numbers, number)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	first, last := numbers[0], numbers[len(numbers)-1]
	tried := make([]any, 0, 2*len(numbers)+1)
	tried = append(tried, min(first-1, math.Nextafter(first, math.Inf(-1))))
	for i, number := range numbers {
		if i > 0 {
			if middle := numbers[i-1] + (number-numbers[i-1])/2; middle > numbers[i-1] && middle < number {
				tried = append(tried, middle)
			}
		}
		tried = append(tried, number)
	}
	return append(tried, max(last+1, math.Nextafter(last, math.Inf(1))))
}

// otherValues returns the strings, booleans and nulls among values, without duplicates.
func otherValues(values []any) []any {
	var remaining []any
	for _, value := range values {
		switch value.(type) {
		case string, bool, nil:
			if !slices.Contains(remaining, value) {
				remaining = append(remaining, value)
			}
		}
	}
	return remaining
}

// counts returns the non-negative integers among values.
func counts(values []any) []any {
	tried := []any{int64(0)}
	for _, value := range numbersAround(values) {
		at := int64(math.Floor(value.(float64)))
		for _, n := range []int64{at, at + 1} {
			if n > 0 && !slices.Contains(tried, any(n)) {
				tried = append(tried, n)
			}
		}
	}
	return tried
}

// visit tries all combinations until use returns false.
func (c cells) visit(ctx context.Context, use func(facts map[string]any) bool) {
	at := make([]int, len(c.paths))
	for ctx.Err() == nil {
		facts := make(map[string]any, len(c.paths))
		for i, path := range c.paths {
			if _, ok := c.values[i][at[i]].(absent); !ok {
				facts[path] = c.values[i][at[i]]
			}
		}
		if !use(facts) {
			return
		}
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(c.values[i]) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// factsFrom builds facts from values by path.
func factsFrom(values map[string]any, thresholds func(name, scope string) (any, error)) condition.Facts {
	text := func(path string) string { t, _ := values[path].(string); return t }
	number := func(path string) *float64 {
		if n, ok := values[path].(float64); ok {
			return &n
		}
		return nil
	}
	within := func(prefix string) map[string]any {
		inside := map[string]any{}
		for path, value := range values {
			if name, found := strings.CutPrefix(path, prefix); found {
				inside[name] = value
			}
		}
		return inside
	}
	var consensus map[string]any // only its presence matters
	if values["action.consensus"] == true {
		consensus = map[string]any{}
	}
	level, _ := values["action.stakes"].(int64)
	reasons, _ := values["action.reason_count"].(int64)
	deliberations, _ := values["action.deliberation_count"].(int64)
	return condition.Facts{
		Agent: text("agent"), Project: text("project"), Session: text("session"), Now: time.Unix(0, 0).UTC(),
		Inputs: within("inputs."), Threshold: thresholds,
		Action: &condition.Action{Description: text("action.description"), Category: text("action.category"),
			Name:    text("action.name"),
			Pattern: text("action.pattern"), Phase: text("action.phase"),
			Stakes:     condition.Stakes(max(level, int64(condition.Low))),
			Confidence: number("action.confidence"), QualityScore: number("action.quality_score"),
			Params:  within("action.params."),
			Context: within("action.context."), Reasons: make([]map[string]any, min(reasons, maxReasons)),
			DeliberationCount: int(deliberations), Consensus: consensus},
	}
}
