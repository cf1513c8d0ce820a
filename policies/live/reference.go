package live

import (
	"context"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies"
)

// FederationFilter selects federation sources.
type FederationFilter struct {
	Status string `json:"status,omitempty" jsonschema:"operational, partial or planned" rule:"maxLength=100"`
}

// FederationSource is a source of reference data. Absent fields are null.
type FederationSource struct {
	Name          any `json:"name"`
	PID           any `json:"pid" jsonschema:"its identifier property, such as P1584"`
	Status        any `json:"status"`
	ScopingWeight any `json:"scoping_weight" jsonschema:"weight, or confidence"`
	PropertyName  any `json:"property_name"`
}

// FederationSources holds all sources by name.
type FederationSources struct {
	Sources []FederationSource `json:"sources"`
	Total   int                `json:"total"`
}

// FederationSources lists the federation sources.
func (s *Store) FederationSources(ctx context.Context, f FederationFilter) (FederationSources, error) {
	var status any
	if f.Status != "" {
		status = f.Status
	}
	rows, err := graph.All[FederationSource](ctx, s.graph, cypher.FederationSources, graph.Params{"status": status})
	if err != nil {
		return FederationSources{}, err
	}
	return FederationSources{Sources: rows, Total: len(rows)}, nil
}

// SubjectFilter asks for subject concepts.
type SubjectFilter struct {
	Status string `json:"status,omitempty" jsonschema:"approved or pending_approval" rule:"maxLength=100"`
	Text   string `json:"text,omitempty" jsonschema:"text in the label" rule:"maxLength=200"`
	Limit  int    `json:"limit,omitempty" jsonschema:"maximum results" rule:"minimum=1,maximum=500,default=100"`
	Offset int    `json:"offset,omitempty" jsonschema:"results to skip" rule:"minimum=0"`
}

// SubjectConcept is a concept of the subject catalog. Absent fields are null.
type SubjectConcept struct {
	SubjectID   any `json:"subject_id"`
	QID         any `json:"qid"`
	Label       any `json:"label"`
	EntityCount any `json:"entity_count"`
	Facets      any `json:"facets"`
	Status      any `json:"status,omitempty"`
}

// SubjectConcepts is a page of concepts, those with most entities first.
type SubjectConcepts struct {
	Concepts []SubjectConcept `json:"concepts"`
	Total    int              `json:"total"`
}

// SubjectConcepts lists subject concepts.
func (s *Store) SubjectConcepts(ctx context.Context, f SubjectFilter) (SubjectConcepts, error) {
	limit := f.Limit
	if limit <= 0 {
		limit = policies.DefaultLimit
	}
	var status any
	if f.Status != "" {
		status = f.Status
	}
	row, err := graph.One[struct {
		Total int
		Page  []SubjectConcept
	}](ctx, s.graph, cypher.SubjectConcepts, graph.Params{"status": status, "text": graph.NullIfEmpty(strings.ToLower(f.Text)), "skip": f.Offset, "limit": limit})
	if err != nil {
		return SubjectConcepts{}, err
	}
	if row.Page == nil {
		row.Page = []SubjectConcept{}
	}
	return SubjectConcepts{Concepts: row.Page, Total: row.Total}, nil
}
