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
	Title        string     `json:"title"`
	Category     string     `json:"category,omitempty"`
	Confidence   *float64   `json:"confidence,omitempty"`
	Stakes       string     `json:"stakes,omitempty"`
	Status       string     `json:"status,omitempty"`
	Outcome      string     `json:"outcome,omitempty"`
	Date         time.Time  `json:"date"`
	ReviewBy     *time.Time `json:"review_by,omitempty" jsonschema:"review due date"`
	Project      string     `json:"project,omitempty"`
	AgentID      string     `json:"agent_id,omitempty"`
	Tags         []string   `json:"tags,omitempty"`
	Pattern      string     `json:"pattern,omitempty"`
	SourceStatus string     `json:"source_status,omitempty" jsonschema:"status in the imported record"`
	ExternalID   string     `json:"external_id,omitempty"`
	Retracted    bool       `json:"retracted,omitempty"`
	URI          string     `json:"uri"`
}

// SummaryOf decodes a decision's properties.
func SummaryOf(p map[string]any) Summary {
	text := func(name string) string { value, _ := p[name].(string); return value }
	s := Summary{ID: text("id"), Title: render.Title(text("decision")), Category: text("category"),
		Stakes: text("stakes"), Status: text("status"), Outcome: text("outcome"),
		Project: text("project"), AgentID: text("agent"), Tags: graph.Texts(p["tags"]), Pattern: text("pattern"),
		SourceStatus: text("source_status"),
		ExternalID:   text("external_id"), Retracted: p["retracted_at"] != nil, URI: URI(text("id"))}
	if confidence, ok := p["confidence"].(float64); ok {
		s.Confidence = &confidence
	}
	if at, ok := p["created_at"].(time.Time); ok {
		s.Date = at.UTC()
	}
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
