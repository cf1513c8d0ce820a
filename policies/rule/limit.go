package rule

import (
	"strings"

	"nomograph/policies"
)

// Limit makes a guardrail a limit: within Seconds verdicts allow one agent at most Most under the rule. Its pattern adds up what
// they have allowed, and objects where this action would make it more; storing the verdict counts again, under a lock.
type Limit struct {
	Of      string  // calls, or params. and the name of a parameter, whose amounts add up
	Most    float64 // within Seconds
	Seconds int64
}

// What a limit may be of: how often, or how much of a parameter.
const (
	LimitCalls  = "calls"
	limitParams = "params."
)

// MaxLimitSeconds is the longest window of a limit, 30 days: what was allowed longer ago may have been deleted.
const MaxLimitSeconds = 30 * 24 * 60 * 60

// LimitOf reads what makes a policy a limit, and what is wrong with it. It gives nil for any other policy.
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
		problems = append(problems, Problem{"forbids_pattern", "is empty, and it is what adds up what was used of a limit"})
	}
	return l, problems
}

// Amount is what an action with these parameters uses. Without ok it is 0: the action states no finite number from 0 on.
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
