package decisions

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/search"
)

// Terms returns the additional search words of a decision: reasons, tags, pattern, bridge, feature, and the text of a
// review. p are the decision's properties.
func Terms(p map[string]any, reasons []string, review string) string {
	parts := slices.Clone(reasons)
	names := []string{"pattern", "feature", "project", "external_id"}
	if p["bridge_method"] == "explicit" { // a derived bridge consists of indexed texts
		names = append(names, "structure", "function")
	}
	for _, name := range names {
		if text, _ := p[name].(string); text != "" {
			parts = append(parts, text)
		}
	}
	for _, name := range []string{"tags", "tolerance", "enforcement", "prevention", "kpi_indicators"} {
		parts = append(parts, graph.Texts(p[name])...)
	}
	if review != "" {
		parts = append(parts, review)
	}
	return strings.Join(parts, "\n")
}

// Facets returns the filter tokens of a decision. p are its properties; created is used if created_at is absent.
func Facets(p map[string]any, created time.Time) string {
	if at, ok := p["created_at"].(time.Time); ok {
		created = at
	}
	tokens := []string{}
	add := func(kind, value string) {
		if value != "" {
			tokens = append(tokens, search.Facet(kind, value))
		}
	}
	for _, name := range []string{"category", "stakes", "status", "project", "agent", "feature", "outcome",
		"visibility", "pattern"} {
		text, _ := p[name].(string)
		add(name, text)
	}
	for _, tag := range graph.Texts(p["tags"]) {
		add("tag", tag)
	}
	for _, name := range graph.Texts(p["shared_with"]) {
		add("shared_with", name)
	}
	outcome, _ := p["outcome"].(string)
	add("has_outcome", map[bool]string{true: "yes", false: "no"}[outcome != ""])
	if p["retracted_at"] != nil {
		tokens = append(tokens, search.Retracted)
	}
	if pr, ok := p["pr"].(int64); ok {
		add("pr", Decimal(pr))
	}
	if confidence, ok := p["confidence"].(float64); ok {
		tokens = append(tokens, search.ConfidenceFacet(confidence))
	}
	tokens = append(tokens, search.MonthFacet(created))
	return strings.Join(tokens, " ")
}

// Decimal formats a number for search.
func Decimal(n int64) string { return strconv.FormatInt(n, 10) }
