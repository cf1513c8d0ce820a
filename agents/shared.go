package agents

import (
	"time"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/search"
)

// Shared is everything that another server or its agent can learn about a decision.
type Shared struct {
	ID         string    `json:"id"`
	Title      string    `json:"title" jsonschema:"the first line of the decision, at most 80 characters"`
	Category   string    `json:"category"`
	Stakes     string    `json:"stakes"`
	Confidence *float64  `json:"confidence"`
	Outcome    string    `json:"outcome,omitempty" jsonschema:"success, partial, failure or abandoned; absent without a review"`
	Date       time.Time `json:"date"`
	Distance   float64   `json:"distance" jsonschema:"cosine distance of its title to the query, 0 to 2; without vectors the share of missing query words"`
}

// SharedView returns the shareable part of a decision. Answers for other servers contain nothing else of it.
func SharedView(d decisions.Summary, distance float64) Shared {
	return Shared{ID: d.ID, Title: d.Title, Category: d.Category, Stakes: d.Stakes, Confidence: d.Confidence,
		Outcome: d.Outcome, Date: d.Date, Distance: distance}
}

// Distance returns the distance of a hit from the query: the cosine distance of its nearest passage if vectors found
// it,
// 1 / (1 + BM25) if words did, 1 if only a link led to it.
func Distance(cosine, bm25 *float64) float64 {
	switch {
	case cosine != nil:
		return 1 - *cosine
	case bm25 != nil:
		return 1 / (1 + *bm25)
	}
	return 1
}

// Audience describes who asks for decisions of others.
type Audience struct {
	agent    string   // name that the transport authenticated, as caller.Key; "" if none
	projects []string // the only projects that it may see; nil: no restriction, but no membership either
}

// AudienceOf returns the audience of a caller. It sees
//   - decisions shared with everybody, of the projects that it may see;
//   - decisions shared with a project, if its rights name that project;
//   - decisions shared with it by name, and its own.
func AudienceOf(c caller.Caller) Audience {
	a := Audience{projects: c.Projects}
	if c.Authenticated {
		a.agent = caller.Key(c.Name)
	}
	return a
}

// param returns an audience as a parameter of statements.
func (a Audience) param() map[string]any {
	p := map[string]any{"agent": graph.NullIfEmpty(a.agent), "projects": nil}
	if a.projects != nil {
		p["projects"] = graph.List(a.projects)
	}
	return p
}

// facets narrow a search approximately to decisions that the audience may see; the statement that reads them applies
// the exact condition. "Shared, or by name, or (with the project and of that project)" is written as a conjunction.
func (a Audience) facets() [][]string {
	anybody := []string{search.Facet("visibility", "shared")}
	if a.agent != "" {
		anybody = append(anybody, search.Facet("shared_with", a.agent), search.Facet("agent", a.agent))
	}
	if len(a.projects) == 0 {
		return [][]string{anybody}
	}
	shown, within := append([]string{search.Facet("visibility", "project")}, anybody...), append([]string{}, anybody...)
	for _, project := range a.projects {
		within = append(within, search.Facet("project", project))
	}
	return [][]string{shown, within}
}
