package insights

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/render"
)

// ContradictionsQuery asks for contradicting decisions. Without ID, the newest open decisions are checked.
type ContradictionsQuery struct {
	ID string `json:"id,omitempty" jsonschema:"filter by decision id" rule:"maxLength=200"`
	Selection
	AgentID string `json:"agent_id,omitempty" jsonschema:"deciding agent" rule:"maxLength=200"`
	Limit   int    `json:"limit,omitempty" jsonschema:"maximum results" rule:"minimum=1,maximum=50,default=10"`
}

// Contradiction is a pair of contradicting decisions.
type Contradiction struct {
	Kind       string              `json:"kind" jsonschema:"contradicts (by a link), repeats_failure or supersedes_unsaid (without a link)"`
	Decisions  []ContradictionSide `json:"decisions" jsonschema:"the two decisions, the later one first if they are similar"`
	Why        string              `json:"reason"`
	Suggestion string              `json:"suggestion" jsonschema:"suggested action"`
	Similarity *float64            `json:"similarity,omitempty" jsonschema:"cosine similarity"`
}

// ContradictionSide is one of the two decisions.
type ContradictionSide struct {
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Date    time.Time `json:"date"`
	Outcome string    `json:"outcome,omitempty"`

	uid, status, project string
}

// Contradictions are the results: pairs with a link first, then repeated failures, then successors without a link.
type Contradictions struct {
	Contradictions []Contradiction `json:"contradictions"`
	LookedAt       int             `json:"examined" jsonschema:"number of decisions compared"`
	Notes          []string        `json:"notes,omitempty"`
}

// The kinds, in the order of a list.
const (
	Contradicts      = "contradicts"
	RepeatsFailure   = "repeats_failure"
	SupersedesUnsaid = "supersedes_unsaid"
)

var contradictionKinds = []string{Contradicts, RepeatsFailure, SupersedesUnsaid}

const (
	defaultContradictions = 10
	newestOpen            = 50 // open decisions that are checked
	// minSimilarity is the minimum cosine similarity of two decisions about the same topic.
	minSimilarity = 0.85
	nearestOpen   = 12 // neighbors requested from the vector index for a decision
	// maxContradictions is the maximum number of links that are read; the answer says if there are more.
	maxContradictions = 2000
)

// contradictionScope selects the checked decisions: the uids, or without them the newest open ones that match the
// filters. With among, the uids are compared only with one another, which needs no index.
type contradictionScope struct {
	uids                     []string
	among                    bool
	category, project, agent string
}

// Contradictions finds decisions that a link says contradict each other, open ones that repeat a failed one, and ones
// that replace another without a link: same category and project, similar (cosine of at least 0.85), worded
// differently, and not linked by anybody. It checks 50 open decisions, however many there are. It returns the errors
// of Resolve for the id.
func (s *Store) Contradictions(ctx context.Context, q ContradictionsQuery) (Contradictions, error) {
	agent, project, err := s.decisions.CanonicalNames(ctx, q.AgentID, q.Project)
	if err != nil {
		return Contradictions{}, err
	}
	scope := contradictionScope{category: q.Category, project: project, agent: agent}
	if q.ID != "" {
		ref, err := s.decisions.Resolve(ctx, q.ID)
		if err != nil {
			return Contradictions{}, err
		}
		scope.uids = []string{ref.UID}
	}
	return s.contradictionsIn(ctx, scope, cmp.Or(q.Limit, defaultContradictions))
}

// ContradictionsAmong returns at most ten contradictions among the decisions with these uids.
func (s *Store) ContradictionsAmong(ctx context.Context, uids []string) (Contradictions, error) {
	return s.contradictionsIn(ctx, contradictionScope{uids: uids, among: true}, defaultContradictions)
}

func (s *Store) contradictionsIn(ctx context.Context, scope contradictionScope, limit int) (Contradictions, error) {
	stated := sync.OnceValues(func() (linksRow, error) {
		return graph.One[linksRow](ctx, s.graph, cypher.ContradictingPairs,
			scope.params(graph.Params{"limit": limit, "links": maxContradictions}))
	})
	go func() { _, _ = stated() }()
	newest, budget := newestOpen, precedents.MaxSorted
	if scope.uids != nil {
		newest, budget = 0, 0
	}
	// a score is (1 + cosine) / 2
	alike, err := scope.similarPairs(graph.One[pairsRow](ctx, s.graph, cypher.SimilarPairs,
		scope.params(graph.Params{"among": scope.among, "newest": newest, "budget": budget, "nearest": nearestOpen,
			"least": (1 + minSimilarity) / 2, "earliest": graph.UTC(precedents.Earliest)})))
	links, failed := stated()
	if err = cmp.Or(failed, err); err != nil {
		return Contradictions{}, err
	}
	return mergeContradictions(scope.contradictingPairs(links), alike, limit), nil
}

// mergeContradictions merges contradicting links and similar pairs, and returns at most limit of them.
func mergeContradictions(linked, alike Contradictions, limit int) Contradictions {
	out := Contradictions{Contradictions: append(linked.Contradictions, alike.Contradictions...),
		LookedAt: alike.LookedAt, Notes: append(linked.Notes, alike.Notes...)}
	slices.SortStableFunc(out.Contradictions, func(a, b Contradiction) int {
		return cmp.Or(slices.Index(contradictionKinds, a.Kind)-slices.Index(contradictionKinds, b.Kind), b.newest().
			Compare(a.newest()))
	})
	out.Contradictions = out.Contradictions[:min(limit, len(out.Contradictions))]
	return out
}

func (c Contradiction) newest() time.Time {
	newest := time.Time{}
	for _, d := range c.Decisions {
		if d.Date.After(newest) {
			newest = d.Date
		}
	}
	return newest
}

// linksRow holds the pairs with a link of type contradicts.
type linksRow struct {
	Links int64
	Found []struct {
		Context   string
		Decisions []map[string]any
	}
}

// contradictingPairs returns the pairs with a link of type contradicts.
func (c contradictionScope) contradictingPairs(read linksRow) (out Contradictions) {
	if c.uids == nil && read.Links > maxContradictions {
		out.Notes = []string{fmt.Sprintf("Only %d of %d contradicts links were examined", maxContradictions,
			read.Links)}
	}
	for _, found := range read.Found {
		sides := sidesOf(found.Decisions)
		why := "A link says that they contradict each other, and both are in force"
		if found.Context != "" {
			why += ": " + render.Title(found.Context)
		}
		out.Contradictions = append(out.Contradictions, Contradiction{Kind: Contradicts, Decisions: sides, Why: why,
			Suggestion: "Let one of them supersede the other, or review the one that no longer holds"})
	}
	return out
}

// pairsRow holds pairs of similar decisions.
type pairsRow struct {
	Looked, Without int64
	Found           []pair
}

// similarPairs returns the pairs that repeat a failure or replace another without a link.
func (contradictionScope) similarPairs(read pairsRow, err error) (Contradictions, error) {
	switch {
	case graph.ProcedureFailed(err):
		return Contradictions{Notes: []string{"The vector index of decisions does not answer, so only links were compared. A server creates a dropped index when it starts"}}, nil
	case err != nil:
		return Contradictions{}, err
	}
	out := Contradictions{LookedAt: int(read.Looked)}
	switch {
	case read.Without == read.Looked && read.Looked > 0:
		out.Notes = []string{"The decisions have no vectors, so repeated failures and unlinked successors cannot be found"}
	case read.Without > 0:
		out.Notes = []string{fmt.Sprintf("%d of %d decisions have no vectors yet and were not compared", read.Without,
			read.Looked)}
	}
	seen := map[[2]string]bool{}
	for _, p := range read.Found {
		sides := sidesOf(p.Decisions)
		if later(sides[1], sides[0]) {
			slices.Reverse(sides)
		}
		ends := [2]string{sides[0].uid, sides[1].uid}
		if c, ok := p.contradiction(sides[0], sides[1]); ok && !seen[ends] {
			seen[ends] = true
			out.Contradictions = append(out.Contradictions, c)
		}
	}
	return out, nil
}

// pair is two similar decisions. Said means that somebody linked them, Linked that any link exists.
type pair struct {
	Score                  float64
	SameText, Linked, Said bool
	Decisions              []map[string]any
}

func later(a, b ContradictionSide) bool {
	return cmp.Or(a.Date.Compare(b.Date), strings.Compare(a.uid, b.uid)) > 0
}

// contradiction returns the contradiction of a pair, if any.
func (p pair) contradiction(newer, older ContradictionSide) (Contradiction, bool) {
	c := Contradiction{Decisions: []ContradictionSide{newer, older}, Similarity: new(2*p.Score - 1)}
	switch {
	case older.failed() && newer.status == "pending" && !p.Linked:
		c.Kind = RepeatsFailure
		c.Why = fmt.Sprintf("%s is open and similar to %s, which ended in %s", newer.ID, older.ID, older.Outcome)
		c.Suggestion = "Read what was learned from " + older.ID +
			"; link them to say what is different this time, or abandon the new one"
	case !older.failed() && !newer.failed() && !p.SameText && !p.Said && newer.project == older.project:
		c.Kind = SupersedesUnsaid
		c.Why = fmt.Sprintf("%s is very similar to %s but decides otherwise, and neither is superseded", newer.ID,
			older.ID)
		c.Suggestion = fmt.Sprintf("If it replaces the other, link them: %s supersedes %s; otherwise link them with relates_to", newer.ID, older.ID)
	default:
		return c, false
	}
	return c, true
}

func (d ContradictionSide) failed() bool { return d.Outcome == "failure" || d.Outcome == "abandoned" }

func sidesOf(both []map[string]any) []ContradictionSide {
	sides := make([]ContradictionSide, len(both))
	for i, p := range both {
		d := decisions.SummaryOf(p)
		sides[i] = ContradictionSide{ID: d.ID, Title: d.Title, Date: d.Date, Outcome: d.Outcome,
			uid: graph.Text(p, "uid"), status: d.Status, project: d.Project}
	}
	return sides
}

// params returns the parameters of both statements, with those of one. Other parameters than a statement has would
// make the server plan it again.
func (c contradictionScope) params(own graph.Params) graph.Params {
	p := graph.Params{"category": graph.NullIfEmpty(c.category), "project": graph.NullIfEmpty(c.project),
		"agent": graph.NullIfEmpty(c.agent), "uids": decisions.EmptyIfNil(c.uids)}
	maps.Copy(p, own)
	return p
}
