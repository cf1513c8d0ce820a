package links

import (
	"slices"
	"strings"
	"time"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
)

// Node is a decision in a graph, or a policy or threshold (Kind), whose id is policy:NAME or threshold:NAME.
type Node struct {
	ID         string    `json:"id"`
	Kind       string    `json:"kind,omitempty" mapstructure:"-" jsonschema:"policy or threshold; absent of a decision"`
	Title      string    `json:"title" mapstructure:"decision"`
	Category   string    `json:"category,omitempty"`
	Stakes     string    `json:"stakes,omitempty"`
	Status     string    `json:"status,omitempty"`
	Outcome    string    `json:"outcome,omitempty"`
	Confidence *float64  `json:"confidence,omitempty"`
	Date       time.Time `json:"date,omitzero" mapstructure:"created_at"`
	InDegree   int64     `json:"in_degree" jsonschema:"number of incoming links, including those not shown"`
	OutDegree  int64     `json:"out_degree"`
	Tags       []string  `json:"tags,omitempty"`
	Pattern    string    `json:"pattern,omitempty"`
	AgentID    string    `json:"agent_id,omitempty" mapstructure:"agent"`
	Project    string    `json:"project,omitempty"`
	Superseded bool      `json:"superseded,omitempty"`
	Retracted  bool      `json:"retracted,omitempty"`
	Distance   int       `json:"distance" jsonschema:"steps from the center"`
}

// nodeOf decodes a decision.
func nodeOf(properties any) Node {
	p, _ := properties.(map[string]any)
	var n Node
	graph.Fill(p, &n)
	n.Title, n.Retracted = render.Title(n.Title), p["retracted_at"] != nil
	if n.Outcome == "" {
		n.Status = decisions.Summary{Status: n.Status, SourceStatus: graph.Text(p, "source_status")}.State()
	}
	return n
}

// Edge is a link between decisions; or, as judged_by and uses_threshold, an edge to a rule.
type Edge struct {
	SourceID  string    `json:"source_id"`
	TargetID  string    `json:"target_id"`
	EdgeType  string    `json:"edge_type" mapstructure:"type"`
	Weight    float64   `json:"weight"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	CreatedBy string    `json:"created_by,omitempty"`
	Context   string    `json:"context,omitempty"`
	Auto      bool      `json:"auto,omitempty" jsonschema:"true if created automatically from a search during deliberation"`
	Version   string    `json:"version,omitempty" jsonschema:"version of the policy; only for links of type judged_by"`
	VerdictID string    `json:"verdict_id,omitempty"`
}

// link is an edge with the uids of its ends.
type link struct {
	Edge           `mapstructure:",squash"`
	Source, Target string
}

// linkOf decodes a link. A link made by others may have no weight.
func linkOf(properties any) link {
	l := link{Edge: Edge{Weight: 1}}
	p, _ := properties.(map[string]any)
	_ = graph.Decode(p, &l) // a property of a foreign type leaves its field empty
	l.EdgeType = strings.ToLower(l.EdgeType)
	return l
}

// edgeTypes are the types of links between decisions.
var edgeTypes = []string{"relates_to", "supersedes", "depends_on", "contradicts", "blocks"}

// typesOf converts types to relationship types; none means all.
func typesOf(names []string) ([]string, error) {
	if len(names) == 0 {
		names = edgeTypes
	}
	types := make([]string, len(names))
	for i, name := range names {
		if !slices.Contains(edgeTypes, name) {
			return nil, apperr.Newf(apperr.Validation, "Unknown link type '%s'", name).
				WithHint("Use %s", strings.Join(edgeTypes, ", "))
		}
		types[i] = strings.ToUpper(name)
	}
	return types, nil
}

// ways divides types by the direction in which links are followed.
func ways(types []string, direction string) (outgoing, incoming []string, err error) {
	switch direction {
	case "", "both":
		return types, types, nil
	case "outgoing":
		return types, []string{}, nil
	case "incoming":
		return []string{}, types, nil
	}
	return nil, nil, apperr.Newf(apperr.Validation, "Unknown `direction` '%s'", direction).
		WithHint("Use outgoing, incoming or both")
}
