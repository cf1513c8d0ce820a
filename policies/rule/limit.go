package rule

import (
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/graph/limits"
	"nomograph/internal/normalize"
	"nomograph/internal/pattern"
	"nomograph/policies"
)

// Limit makes a guardrail a limit: within Seconds, verdicts allow one agent, one project or everyone together at most
// Most under the rule. A check adds up what was allowed; storing the verdict counts again, under a lock.
type Limit struct {
	Of        string  // calls, or params. and the name of a parameter, whose values add up
	Most      float64 // maximum within Seconds, unless Threshold is set
	Threshold string  // threshold with the maximum
	Scoped    bool    // whether the threshold is read for the action's project
	Scope     string  // whose uses count together: agent, project or everyone
	Seconds   int64
}

// most matches a maximum that is read from a threshold, with the name and the scope.
var most = pattern.New(`^\s*threshold\(\s*(?:"([^"]+)"|'([^']+)')\s*(,\s*project\s*)?\)\s*$`)

// What a limit counts: calls, or the values of a parameter.
const (
	LimitCalls  = "calls"
	limitParams = "params."
)

// MaxLimitSeconds is the longest window of a limit, 30 days: older verdicts may have been deleted.
const MaxLimitSeconds = 30 * 24 * 60 * 60

// LimitOf returns the limit of a policy and its errors, nil for any other policy.
func LimitOf(properties map[string]any) (*Limit, []error) {
	p := &reading{properties: properties}
	return p.limit(), p.problems
}

func (p *reading) limit() *Limit {
	if p.properties["limit_of"] == nil && p.properties["limit_most"] == nil && p.properties["limit_seconds"] == nil &&
		p.properties["limit_scope"] == nil {
		return nil
	}
	l := &Limit{Scope: limits.OfAgent}
	l.Of, _ = p.properties["limit_of"].(string)
	if name, of := strings.CutPrefix(l.Of, limitParams); l.Of != LimitCalls && (!of || strings.TrimSpace(name) == "") {
		p.wrong("limit_of", "must be calls, or params. and the name of a parameter, such as params.cost")
	}
	var number bool
	if text, ok := p.properties["limit_most"].(string); ok {
		if read := most.FindStringSubmatch(text); read != nil {
			l.Threshold, l.Scoped, number = read[1]+read[2], read[3] != "", true
		}
	} else if l.Most, number = policies.ToFloat(p.properties["limit_most"]); l.Most < 0 || !policies.Finite(l.Most) {
		number = false
	}
	if !number {
		p.wrong("limit_most", `must be a number, 0 or more, or threshold("name")`)
	}
	if scope := p.properties["limit_scope"]; scope != nil {
		if l.Scope, _ = scope.(string); !slices.Contains([]string{limits.OfAgent, limits.OfProject, limits.Everyone},
			l.Scope) {
			p.wrong("limit_scope", "must be agent, project or everyone")
		}
	}
	if l.Seconds, number = p.properties["limit_seconds"].(int64); !number || l.Seconds < 1 ||
		l.Seconds > MaxLimitSeconds {
		p.wrong("limit_seconds", "must be a whole number from 1 to 2592000, which is 30 days")
	}
	if graph.Text(p.properties, "forbids_pattern") == "" {
		p.wrong("forbids_pattern", "is empty, but a limit counts its uses with it")
	}
	return l
}

// Amount returns what an action with these parameters uses: the sum of all spellings of the parameter. ok is false and
// the amount 0 if one of them is no finite non-negative number, or none is given.
func (l Limit) Amount(params map[string]any) (amount float64, ok bool) {
	if l.Of == LimitCalls {
		return 1, true
	}
	var sum limits.Sum
	name := normalize.Name(strings.TrimPrefix(l.Of, limitParams))
	for key, value := range params {
		if normalize.Name(key) != name {
			continue
		}
		if amount, ok = policies.ToFloat(value); !ok || amount < 0 || !policies.Finite(amount) {
			return 0, false
		}
		sum.Add(amount, 1)
	}
	return sum.Float(), ok
}
