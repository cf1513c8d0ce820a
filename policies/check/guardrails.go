package check

import (
	"context"
	"slices"
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

// GuardrailRow describes a guardrail.
type GuardrailRow struct {
	ID           string   `json:"id"`
	Description  string   `json:"description"`
	Action       string   `json:"action" jsonschema:"block, warn or shadow"`
	Scope        []string `json:"scope" jsonschema:"projects; none: all"`
	Conditions   []Clause `json:"conditions" jsonschema:"conditions for the guardrail to apply to an action"`
	Requirements []Clause `json:"requirements" jsonschema:"conditions that must hold for such actions, and patterns that must match nothing"`
	Message      string   `json:"message,omitempty"`
	Breaker      bool     `json:"breaker,omitempty" jsonschema:"a circuit breaker"`
	Broken       string   `json:"broken,omitempty" jsonschema:"reason why it cannot be evaluated; it then denies every action it applies to"`
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
	list := GuardrailList{Guardrails: []GuardrailRow{}}
	for _, r := range set.InForce(q.Scope) {
		row := GuardrailRow{ID: r.Name, Description: r.Description, Action: r.Action, Scope: append([]string{}, r.Scope...), Conditions: []Clause{}, Requirements: []Clause{}, Message: r.Message, Breaker: r.Breaker}
		if r.AppliesWhen != "" {
			row.Conditions = append(row.Conditions, Clause{Field: "action", Operator: "cel", Value: r.AppliesWhen})
		}
		if r.Requires != "" {
			row.Requirements = append(row.Requirements, Clause{Field: "action", Operator: "cel", Value: r.Requires, Expected: "true"})
		}
		if r.Pattern != "" {
			row.Requirements = append(row.Requirements, Clause{Field: "action", Operator: "cypher", Value: r.Pattern, Expected: "no rows"})
		}
		if r.Broken != nil {
			row.Broken = r.Broken.Error()
		}
		list.Guardrails = append(list.Guardrails, row)
	}
	order := []string{"block", "warn", "shadow"}
	slices.SortStableFunc(list.Guardrails, func(a, b GuardrailRow) int { return slices.Index(order, a.Action) - slices.Index(order, b.Action) })
	list.Count = len(list.Guardrails)
	return list, nil
}
