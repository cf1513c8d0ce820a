package insights

import (
	"cmp"
	"context"
	"fmt"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/graph"
)

// SalientQuery asks for the decisions on which most depends.
type SalientQuery struct {
	Selection
	Limit int `json:"limit,omitempty" jsonschema:"maximum results" rule:"minimum=1,maximum=50,default=10"`
}

// SalientDecision is a decision with its salience and the parts of the score.
type SalientDecision struct {
	decisions.Summary
	Score             float64       `json:"score" jsonschema:"dependents plus weights of incoming links: depends_on and blocks 1, supersedes 0.5, relates_to 0.25"`
	Dependents        int           `json:"dependents" jsonschema:"number of decisions that depend on it within three steps"`
	DependentsAtLeast bool          `json:"dependents_at_least,omitempty" jsonschema:"true if more paths exist than were followed"`
	Links             IncomingLinks `json:"links"`
	Superseded        bool          `json:"superseded,omitempty"`
}

// IncomingLinks counts incoming links by type.
type IncomingLinks struct {
	DependsOn  int64 `json:"depends_on"`
	Blocks     int64 `json:"blocks"`
	Supersedes int64 `json:"supersedes"`
	RelatesTo  int64 `json:"relates_to"`
}

// Salient holds decisions, most salient first.
type Salient struct {
	Decisions []SalientDecision `json:"decisions"`
	LookedAt  int               `json:"examined" jsonschema:"number of newest decisions whose links were counted"`
	Notes     []string          `json:"notes,omitempty"`
}

const (
	defaultSalient = 10
	newestLinking  = 5000   // maximum number of newest decisions whose links are followed
	maxLinksRead   = 20_000 // maximum number of these links
	maxScored      = 200    // decisions
	maxWays        = 2000   // paths to one decision over depends_on
	maxLinksAdded  = 500    // links of one decision whose weights are read; the rest is extrapolated
)

// Salient finds the decisions on which most depends:
//
//	score = dependents + Σ weight × factor of incoming links
//
// Dependents is the number of decisions that depend on it over DEPENDS_ON within three steps. The factor of DEPENDS_ON
// and BLOCKS is 1, of SUPERSEDES 1/2, of RELATES_TO 1/4. Dependents count most, and frequent references count, too. It
// reads the links of the newest 5,000 decisions and the dependencies of their targets: an old decision is salient
// while new ones depend on it. The cost does not depend on the number of decisions.
func (s *Store) Salient(ctx context.Context, q SalientQuery) (Salient, error) {
	_, project, err := s.decisions.CanonicalNames(ctx, "", q.Project)
	if err != nil {
		return Salient{}, err
	}
	params := graph.Params{"category": graph.NullIfEmpty(q.Category), "project": graph.NullIfEmpty(project),
		"limit":    cmp.Or(q.Limit, defaultSalient),
		"earliest": graph.UTC(precedents.Earliest), "newest": newestLinking, "links": maxLinksRead,
		"candidates": maxScored, "paths": maxWays, "read": maxLinksAdded}
	read, err := graph.One[struct {
		Total, Looked int64
		Found         []struct {
			Score      float64
			Dependents int64 `mapstructure:"standing"`
			Cut        bool
			Links      IncomingLinks
			Decision   map[string]any
		}
	}](ctx, s.graph, cypher.Salient, params)
	if err != nil {
		return Salient{}, err
	}
	out := Salient{LookedAt: int(read.Looked)}
	if read.Looked == newestLinking && read.Total > newestLinking {
		out.Notes = []string{fmt.Sprintf("Only links of the newest %d of %d decisions were examined", newestLinking,
			read.Total)}
	}
	for _, found := range read.Found {
		out.Decisions = append(out.Decisions, SalientDecision{Summary: decisions.SummaryOf(found.Decision),
			Score: round(found.Score), Dependents: int(found.Dependents),
			DependentsAtLeast: found.Cut, Links: found.Links, Superseded: found.Links.Supersedes > 0})
	}
	return out, nil
}
