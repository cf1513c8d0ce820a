package decisions

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/render"
)

// Summary is a decision in lists.
type Summary struct {
	ID           string     `json:"id"`
	Title        string     `json:"title" mapstructure:"decision"`
	Category     string     `json:"category,omitempty"`
	Confidence   *float64   `json:"confidence,omitempty"`
	Stakes       string     `json:"stakes,omitempty"`
	Status       string     `json:"status,omitempty"`
	Outcome      string     `json:"outcome,omitempty"`
	Date         time.Time  `json:"date" mapstructure:"created_at"`
	ReviewBy     *time.Time `json:"review_by,omitempty" mapstructure:"-" jsonschema:"review due date"`
	Project      string     `json:"project,omitempty"`
	AgentID      string     `json:"agent_id,omitempty" mapstructure:"agent"`
	Tags         []string   `json:"tags,omitempty"`
	Pattern      string     `json:"pattern,omitempty"`
	SourceStatus string     `json:"source_status,omitempty" jsonschema:"status in the imported record"`
	ExternalID   string     `json:"external_id,omitempty"`
	Retracted    bool       `json:"retracted,omitempty"`
	URI          string     `json:"uri"`
}

// SummaryOf decodes a decision's properties.
func SummaryOf(p map[string]any) Summary {
	var s Summary
	graph.Fill(p, &s)
	s.Title, s.Retracted, s.URI = render.Title(s.Title), p["retracted_at"] != nil, URI(s.ID)
	return s
}

// State is "retracted", else the outcome, else the status in its source, else whether it was reviewed: an imported
// record that was accepted at its source is not pending.
func (s Summary) State() string {
	const maxLength = 24
	if s.Retracted {
		return "retracted"
	}
	if source := render.Cut(render.FirstLine(s.SourceStatus), maxLength); s.Outcome == "" && source != "" {
		return strings.ToLower(source)
	}
	return cmp.Or(s.Outcome, s.Status)
}

// derivedProperties are properties for search and identity, which are never shown.
var derivedProperties = []string{"terms", "facets", "schema_version", "request_key", "request_hash", "import_hash",
	"counted_as"}

// publicProperties returns a decision's own properties in the form of all transports.
func publicProperties(p map[string]any) map[string]any {
	out := make(map[string]any, len(p))
	for name, value := range p {
		out[name] = graph.JSON(value)
	}
	for _, name := range derivedProperties {
		delete(out, name)
	}
	return out
}

// ConfidenceText formats a confidence without loss, "-" if absent.
func ConfidenceText(confidence *float64) string {
	if confidence == nil {
		return "-"
	}
	return strconv.FormatFloat(*confidence, 'g', -1, 64)
}
