package lab

import (
	"slices"
	"strconv"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
)

// condition is a condition of fail_on: a number of the replay compared with a limit.
type condition struct {
	text     string
	of       func(*Replay) int
	operator string
	limit    float64
}

// Check is a condition of fail_on with the number that it compares.
type Check struct {
	Condition string  `json:"condition"`
	Value     float64 `json:"value"`
	Holds     bool    `json:"holds"`
}

// figures are the numbers that conditions can name.
var figures = []struct {
	name string
	of   func(*Replay) int
}{
	{"blocked", func(r *Replay) int { return r.Blocked.Acts }},
	{"blocked_successes", func(r *Replay) int { return r.Blocked.Outcomes.Success }},
	{"blocked_unreviewed", func(r *Replay) int { return r.Blocked.Outcomes.Unreviewed }},
	{"stopped_failures", func(r *Replay) int { return r.Blocked.Outcomes.Failure }},
	{"unblocked", func(r *Replay) int { return r.Freed.Acts }},
	{"unblocked_failures", func(r *Replay) int { return r.Freed.Outcomes.Failure }},
	{"undetermined", func(r *Replay) int { return r.Undetermined }},
	{"different", func(r *Replay) int { return r.Same.Different }},
	{"acts", func(r *Replay) int { return r.Acts }},
}

var comparison = pattern.New(`^\s*([a-z_]+)\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)?)\s*$`)

func conditionsOf(texts []string) ([]condition, error) {
	var conditions []condition
	for _, text := range texts {
		parts := comparison.FindStringSubmatch(text)
		var names []string
		for _, f := range figures {
			names = append(names, f.name)
		}
		if parts == nil || !slices.Contains(names, parts[1]) {
			return nil, apperr.Newf(apperr.Validation, "Invalid `fail_on` '%s'", text).
				WithHint("Use a number of the replay, an operator and a limit, such as blocked_successes > 2. Numbers are %s", strings.Join(names, ", "))
		}
		limit, err := strconv.ParseFloat(parts[3], 64)
		if err != nil {
			return nil, apperr.From(err)
		}
		conditions = append(conditions, condition{strings.TrimSpace(text), figures[slices.Index(names, parts[1])].of,
			parts[2], limit})
	}
	return conditions, nil
}

func checkConditions(conditions []condition, r *Replay) []Check {
	var checks []Check
	for _, c := range conditions {
		value := float64(c.of(r))
		checks = append(checks, Check{Condition: c.text, Value: value, Holds: compare(value, c.operator, c.limit)})
	}
	return checks
}

func compare(value float64, operator string, limit float64) bool {
	switch operator {
	case ">":
		return value > limit
	case ">=":
		return value >= limit
	case "<":
		return value < limit
	case "<=":
		return value <= limit
	case "==":
		return value == limit
	}
	return value != limit
}
