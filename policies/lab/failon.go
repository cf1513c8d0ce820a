package lab

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
)

// figureLimit is a condition of fail_on: a number of the replay compared with a limit.
type figureLimit struct {
	text, figure, operator string
	limit                  float64
}

// Check is a condition of fail_on with the number that it compares.
type Check struct {
	Condition string  `json:"condition"`
	Value     float64 `json:"value"`
	Holds     bool    `json:"holds"`
}

// figures returns the numbers that conditions can name.
func (r *Replay) figures() map[string]int {
	return map[string]int{"blocked": r.Blocked.Acts, "blocked_successes": r.Blocked.Outcomes.Success,
		"blocked_unreviewed": r.Blocked.Outcomes.Unreviewed, "stopped_failures": r.Blocked.Outcomes.Failure,
		"unblocked": r.Freed.Acts, "unblocked_failures": r.Freed.Outcomes.Failure, "undetermined": r.Undetermined,
		"different": r.Same.Different, "acts": r.Acts}
}

var comparison = pattern.New(`^\s*([a-z_]+)\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)?)\s*$`)

func conditionsOf(texts []string) ([]figureLimit, error) {
	var conditions []figureLimit
	names := slices.Sorted(maps.Keys(new(Replay).figures()))
	for _, text := range texts {
		parts := comparison.FindStringSubmatch(text)
		if parts == nil || !slices.Contains(names, parts[1]) {
			return nil, apperr.Newf(apperr.Validation, "Invalid `fail_on` '%s'", text).
				WithHint("Use a number of the replay, an operator and a limit, such as blocked_successes > 2. Numbers are %s", strings.Join(names, ", "))
		}
		limit, err := strconv.ParseFloat(parts[3], 64)
		if err != nil {
			return nil, apperr.From(err)
		}
		conditions = append(conditions, figureLimit{strings.TrimSpace(text), parts[1], parts[2], limit})
	}
	return conditions, nil
}

func checkConditions(conditions []figureLimit, r *Replay) []Check {
	var checks []Check
	figures := r.figures()
	for _, c := range conditions {
		value := float64(figures[c.figure])
		holds := map[string]bool{">": value > c.limit, ">=": value >= c.limit, "<": value < c.limit,
			"<=": value <= c.limit, "==": value == c.limit, "!=": value != c.limit}
		checks = append(checks, Check{Condition: c.text, Value: value, Holds: holds[c.operator]})
	}
	return checks
}
