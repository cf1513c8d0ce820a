package agents

import (
	"time"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/search"
)

// Shared is all that another server or its agent is ever told of a decision.
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

// SharedView makes what leaves of a decision. Nothing else of one is put into an answer for another server.
func SharedView(d decisions.Summary, distance float64) Shared {
	return Shared{ID: d.ID, Title: d.Title, Category: d.Category, Stakes: d.Stakes, Confidence: d.Confidence, Outcome: d.Outcome, Date: d.Date, Distance: distance}
}

// Distance says how far a hit is from what was asked: the cosine distance of its nearest passage where vectors found it, 1 / (1 + BM25) where
// words did, 1 where only a link led to it.
func Distance(cosine, bm25 *float64) float64 {
	switch {
	case cosine != nil:
		return 1 - *cosine
	case bm25 != nil:
		return 1 / (1 + *bm25)
	}
	return 1
}

// Audience is who asks for decisions that others made.
type Audience struct {
	agent    string   // a name that the door knows to be true, as caller.Key; "" where it knows none
	projects []string // the only ones that it may see, likewise; nil: it is a member of none, and shut out of none
}

// AudienceOf is what a caller is to owners of decisions. It sees
//   - what is shared with everybody, of the projects that it may see;
//   - what is shown to a project, where its rights name that project;
//   - what is shown to it by name, and what it decided itself.
func AudienceOf(c caller.Caller) Audience {
	a := Audience{projects: c.Projects}
	if c.Proven {
		a.agent = caller.Key(c.Name)
	}
	return a
}

// param is what statements are told of an audience.
func (a Audience) param() map[string]any {
	p := map[string]any{"agent": graph.NullIfEmpty(a.agent), "projects": nil}
	if a.projects != nil {
		p["projects"] = graph.List(a.projects)
	}
	return p
}

// facets leave in a search what the audience may see, and little else: whether it may is decided where decisions are read. Shared, or by
// name, or (shown to the project, of that project) is written as a conjunction.
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
