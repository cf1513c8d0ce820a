package live

import (
	"cmp"
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
	rows, err := graph.All[FederationSource](ctx, s.graph, cypher.FederationSources,
		graph.Params{"status": graph.NullIfEmpty(f.Status)})
	return FederationSources{rows, len(rows)}, err
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
	Concepts []SubjectConcept `json:"concepts" mapstructure:"page"`
	Total    int              `json:"total"`
}

// SubjectConcepts lists subject concepts.
func (s *Store) SubjectConcepts(ctx context.Context, f SubjectFilter) (SubjectConcepts, error) {
	return graph.One[SubjectConcepts](ctx, s.graph, cypher.SubjectConcepts,
		graph.Params{"status": graph.NullIfEmpty(f.Status),
			"text": graph.NullIfEmpty(strings.ToLower(f.Text)), "skip": f.Offset,
			"limit": cmp.Or(f.Limit, policies.DefaultLimit)})
}
