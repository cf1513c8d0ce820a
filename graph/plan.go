package graph

import (
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// Plan is a query plan: an operator and its children. Rows and DBHits are set after PROFILE.
type Plan struct {
	Operator  string `json:"operator"`
	Details   string `json:"details,omitempty"`
	Estimated any    `json:"estimated_rows,omitempty"`
	Rows      *int64 `json:"rows,omitempty"`
	DBHits    *int64 `json:"db_hits,omitempty"`
	Children  []Plan `json:"children,omitempty"`
}

func planOf(summary neo4j.ResultSummary) *Plan {
	if profile := summary.Profile(); profile != nil {
		plan := profileOf(profile)
		return &plan
	}
	if plan := summary.Plan(); plan != nil {
		p := planFrom(plan)
		return &p
	}
	return nil
}

func planFrom(p neo4j.Plan) Plan {
	plan := newPlan(p.Operator(), p.Arguments())
	for _, child := range p.Children() {
		plan.Children = append(plan.Children, planFrom(child))
	}
	return plan
}

func profileOf(p neo4j.ProfiledPlan) Plan {
	plan := newPlan(p.Operator(), p.Arguments())
	rows, hits := p.Records(), p.DbHits()
	plan.Rows, plan.DBHits = &rows, &hits
	for _, child := range p.Children() {
		plan.Children = append(plan.Children, profileOf(child))
	}
	return plan
}

func newPlan(operator string, arguments map[string]any) Plan {
	name, _, _ := strings.Cut(operator, "@") // without the name of the database
	plan := Plan{Operator: name, Estimated: arguments["EstimatedRows"]}
	plan.Details, _ = arguments["Details"].(string)
	return plan
}
