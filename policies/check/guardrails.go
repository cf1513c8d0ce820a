package check

import (
	"context"
	"slices"

	"nomograph/graph"
	"nomograph/internal/normalize"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
)

// GuardrailsQuery selects active guardrails.
type GuardrailsQuery struct {
	Scope string `json:"scope,omitempty" jsonschema:"filter by project, as owner/repo (default all)" rule:"maxLength=200"`
}

// GuardrailList holds the active guardrails, blocking ones first.
type GuardrailList struct {
	Guardrails []GuardrailRow `json:"guardrails"`
	Count      int            `json:"count"`
}

// GuardrailRow describes an active rule to a person or a program that is about to act, with the live values of
// thresholds.
type GuardrailRow struct {
	ID           string   `json:"id"` // the element id for a node without a name
	Description  string   `json:"description"`
	Action       string   `json:"action" jsonschema:"block, warn or shadow"`
	Scope        []string `json:"scope" jsonschema:"projects; none: all"`
	Conditions   []Clause `json:"conditions" jsonschema:"conditions for the guardrail to apply to an action"`
	Requirements []Clause `json:"requirements" jsonschema:"conditions that must hold for such actions, and patterns that must match nothing"`
	Message      string   `json:"message,omitempty"` // empty if it refers to an action and the rule has a description
	Breaker      bool     `json:"breaker,omitempty" jsonschema:"a circuit breaker"`
	Broken       string   `json:"broken,omitempty" jsonschema:"reason why it cannot be evaluated; it then denies every action it applies to"`

	AppliesWhen string `json:"-"`
	Requires    string `json:"-"`
	Pattern     string `json:"-"` // Cypher that must return nothing
}

// Clause is a condition: a CEL expression or a Cypher statement.
type Clause struct {
	Field    string `json:"field" jsonschema:"action"`
	Operator string `json:"operator" jsonschema:"cel or cypher"`
	Value    string `json:"value"`
	Expected string `json:"expected,omitempty" jsonschema:"expected result of a requirement: true, or no rows"`
}

// Guardrails lists the active guardrails. It returns the errors of reading the rules.
func (s *Store) Guardrails(ctx context.Context, q GuardrailsQuery) (GuardrailList, error) {
	set, err := s.Rules(ctx)
	if err != nil {
		return GuardrailList{}, err
	}
	list := GuardrailList{Guardrails: set.InForce(q.Scope)}
	order := []string{"block", "warn", "shadow"}
	slices.SortStableFunc(list.Guardrails, func(a,
		b GuardrailRow) int {
		return slices.Index(order, a.Action) - slices.Index(order, b.Action)
	})
	list.Count = len(list.Guardrails)
	return list, nil
}

// clauses returns a condition as a clause; none if it is empty.
func clauses(operator, value, expected string) []Clause {
	if value == "" {
		return nil
	}
	return []Clause{{"action", operator, value, expected}}
}

// InForce returns the rules of a project that are not off, by name. Without a project it returns all.
func (set *RuleSet) InForce(project string) []GuardrailRow {
	var found []GuardrailRow
	forms := normalize.Forms(project)
	now := condition.Facts{Threshold: (&evaluator{set: set}).threshold, Project: normalize.Project(project)}
	for _, r := range set.rules {
		if r.Mode == rule.Off || !r.InScope(forms) {
			continue
		}
		needs := func(key string, program *condition.Program) string {
			if program != nil {
				return program.Needs(now)
			}
			return graph.Text(r.Properties, key)
		}
		row := GuardrailRow{ID: r.Name, Action: rule.EffectOf(r.Mode, r.Severity),
			Scope:       r.Scope,
			AppliesWhen: needs("applies_when", r.Applies), Requires: needs("requires", r.Requires), Pattern: r.Pattern,
			Breaker: r.Circuit != nil}
		row.Description, row.Message = r.StaticMessage(now)
		row.Conditions = clauses("cel", row.AppliesWhen, "")
		row.Requirements = append(clauses("cel", row.Requires, "true"), clauses("cypher", row.Pattern, "no rows")...)
		if r.Broken != nil {
			row.Broken = r.Broken.Error()
		}
		found = append(found, row)
	}
	return found
}
