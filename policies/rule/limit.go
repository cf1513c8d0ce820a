package rule

import (
	"strings"

	"nomograph/policies"
)

// Limit makes a guardrail a limit: within Seconds, verdicts allow one agent at most Most under the rule. Its pattern
// adds up what was allowed, and is violated if this action would exceed the limit; storing the verdict counts again,
// under a lock.
type Limit struct {
	Of      string  // calls, or params. and the name of a parameter, whose values add up
	Most    float64 // maximum within Seconds
	Seconds int64
}

// What a limit counts: calls, or the values of a parameter.
const (
	LimitCalls  = "calls"
	limitParams = "params."
)

// MaxLimitSeconds is the longest window of a limit, 30 days: older verdicts may have been deleted.
const MaxLimitSeconds = 30 * 24 * 60 * 60

// LimitOf returns the limit of a policy and its errors, nil for any other policy.
func LimitOf(properties map[string]any) (*Limit, []error) {
	if properties["limit_of"] == nil && properties["limit_most"] == nil && properties["limit_seconds"] == nil {
		return nil, nil
	}
	l := &Limit{}
	var problems []error
	l.Of, _ = properties["limit_of"].(string)
	if name, of := strings.CutPrefix(l.Of, limitParams); l.Of != LimitCalls && (!of || strings.TrimSpace(name) == "") {
		problems = append(problems, Problem{"limit_of", "must be calls, or params. and the name of a parameter, such as params.cost"})
	}
	var number bool
	if l.Most, number = policies.ToFloat(properties["limit_most"]); !number || l.Most < 0 || !policies.Finite(l.Most) {
		problems = append(problems, Problem{"limit_most", "must be a number, 0 or more"})
	}
	if l.Seconds, number = properties["limit_seconds"].(int64); !number || l.Seconds < 1 || l.Seconds > MaxLimitSeconds {
		problems = append(problems, Problem{"limit_seconds", "must be a whole number from 1 to 2592000, which is 30 days"})
	}
	if pattern, _ := properties["forbids_pattern"].(string); pattern == "" {
		problems = append(problems, Problem{"forbids_pattern", "is empty, but a limit counts its uses with it"})
	}
	return l, problems
}

// Amount returns what an action with these parameters uses. ok is false and the amount 0 if the action states no finite
// non-negative number.
func (l Limit) Amount(params map[string]any) (amount float64, ok bool) {
	if l.Of == LimitCalls {
		return 1, true
	}
	amount, ok = policies.ToFloat(params[strings.TrimPrefix(l.Of, limitParams)])
	if !ok || amount < 0 || !policies.Finite(amount) {
		return 0, false
	}
	return amount, true
}
