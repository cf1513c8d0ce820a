package policies

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph"
)

// Store answers from one graph. Nothing is cached: a changed node is what the next read gives.
type Store struct {
	// Settings may be changed until the store is first used.
	Settings Settings

	graph   *graph.DB
	asked   atomic.Pointer[asked]
	reading *rounds[struct{}, *inForce]
	keeping *rounds[map[string]any, struct{}]
	digests *lru.Cache[string, digested]
	planned *lru.Cache[string, struct{}] // patterns of circuit breakers that were asked before
	newID   func() string
	trusted func() ([]ed25519.PublicKey, error) // nil where packs need no signature
}

// Settings say how checks are judged and kept. The zero value is what most want.
type Settings struct {
	Project      string        // of checks that name none
	CheckTimeout time.Duration // for reading and evaluating the rules of one check; 0 means CheckTimeout
	Keep         KeepInputs    // what a verdict keeps of the action; empty means KeepFull
	KeepAllowed  time.Duration // how long verdicts that allowed are kept; 0 means for ever
	KeepDenied   time.Duration // how long denials are kept; 0 means for ever
}

const remembered = 5000 // digests, at least

// NewStore gives the store of a graph.
func NewStore(db *graph.DB) *Store {
	digests, err := lru.New[string, digested](remembered)
	if err != nil { // the size is positive
		panic(err)
	}
	planned, err := lru.New[string, struct{}](remembered)
	if err != nil { // likewise
		panic(err)
	}
	s := &Store{graph: db, digests: digests, planned: planned, newID: func() string { return uuid.Must(uuid.NewV7()).String() }}
	s.reading, s.keeping = &rounds[struct{}, *inForce]{run: s.readRules}, &rounds[map[string]any, struct{}]{run: s.writeVerdicts}
	return s
}

// Node is a policy's or threshold's own properties, exactly as stored, and what we add about this reading of it. In JSON
// the properties stand at the top level and the rest under "reading".
type Node struct {
	Properties map[string]any
	Reading    Reading
}

// Reading says where an answer came from.
type Reading struct {
	Source  string     `json:"source" jsonschema:"node, scoped (a node for the scope asked for), version (an earlier state), or default (the caller's own value: no such node)"`
	Scope   string     `json:"scope,omitempty" jsonschema:"the scope of the node that answered"`
	Version string     `json:"version,omitempty" jsonschema:"SHA-256 of the node's content"`
	Since   *time.Time `json:"since,omitempty" jsonschema:"of an earlier state: when it began"`
	Note    string     `json:"note,omitempty"`
	Judging            // of a policy
}

// MarshalJSON puts the properties at the top level.
func (n Node) MarshalJSON() ([]byte, error) {
	flat := make(map[string]any, len(n.Properties)+1)
	for key, value := range n.Properties {
		flat[key] = graph.JSON(value)
	}
	flat["reading"] = n.Reading
	return json.Marshal(flat)
}

// stored is one row of the statements that read nodes by name.
type stored struct {
	ID         string
	Properties map[string]any
	Links      []any
}

// scopes are what the node is for; a policy's scope may be a list.
func (s stored) scopes() []string {
	var scopes []string
	for _, key := range []string{"domain_scope", "scope"} {
		switch value := s.Properties[key].(type) {
		case string:
			if value != "" {
				scopes = append(scopes, value)
			}
		case []any:
			for _, item := range value {
				if text, ok := item.(string); ok {
					scopes = append(scopes, text)
				}
			}
		}
	}
	return scopes
}

func (s stored) node(source, scope string) Node {
	if source != "scoped" {
		scope = strings.Join(s.scopes(), ", ")
	}
	return Node{Properties: s.Properties, Reading: Reading{Source: source, Scope: scope, Version: Version(s.Properties, texts(s.Links))}}
}

func texts(list []any) []string {
	out := make([]string, len(list))
	for i, item := range list {
		out[i], _ = item.(string) // the statement makes them
	}
	return out
}

// namesFor are the names under which a node for the scope may stand.
func namesFor(name, scope string) []string {
	if scope == "" {
		return []string{name}
	}
	return []string{name, name + "_" + scope}
}

// pick finds the one node that is meant: the one for the scope, else the one without a scope, else the only one there is.
// It gives nil where there is none, and says whether the node is the plain or the scoped one.
func pick(label, name, scope string, found []stored) (*stored, string, error) {
	choose := func(source string, candidates []stored) (*stored, string, error) {
		if len(candidates) > 1 {
			return nil, "", twice(label, name, candidates)
		}
		return &candidates[0], source, nil
	}
	if scope != "" {
		if scoped := filter(found, func(s stored) bool { return slices.Contains(s.scopes(), scope) }); len(scoped) > 0 {
			return choose("scoped", scoped)
		}
	}
	named := filter(found, func(s stored) bool { return s.Properties["name"] == name })
	if plain := filter(named, func(s stored) bool { return len(s.scopes()) == 0 }); len(plain) > 0 {
		return choose("node", plain)
	}
	if scope != "" || len(named) == 0 {
		return nil, "", nil
	}
	return choose("node", named)
}

func filter[T any](items []T, keep func(T) bool) []T {
	var kept []T
	for _, item := range items {
		if keep(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

func twice(label, name string, found []stored) error {
	nodes, told := make([]any, len(found)), make([]string, len(found))
	for i, s := range found {
		nodes[i], told[i] = map[string]any{"element_id": s.ID, "properties": graph.JSON(s.Properties)}, s.ID
		for _, property := range []string{"value", "active", "facet_key", "domain_scope", "scope"} {
			if value := graph.JSON(s.Properties[property]); value != nil {
				told[i] += fmt.Sprintf(", %s %.60s", property, shown(value))
			}
		}
	}
	return fault.Newf(fault.Conflict, "%d %s nodes are called '%s'", len(found), label, name).
		WithHint("Remove or rename all but one (%s); `nomograph doctor` lists every such name", strings.Join(told, "; ")).With("nodes", nodes)
}

// missing is the not_found fault of a name, in the words that readers of such graphs know, with the names that come nearest.
func (s *Store) missing(ctx context.Context, label, name string, names cypher.Statement) error {
	err := fault.Newf(fault.NotFound, "%s node '%s' not found", label, name)
	near, lookupErr := s.nearest(ctx, name, names)
	switch {
	case slices.Contains(near, name):
		return err.WithHint("Nodes of this name are for other scopes than the one asked for")
	case lookupErr != nil || len(near) == 0:
		return err.WithHint("`list_policies` and `list_thresholds` show what there is; `apply_packs` brings in a pack")
	default:
		return err.WithHint("Did you mean %s?", "'"+strings.Join(near, "', '")+"'").With("nearest", near)
	}
}

const namesRead = 2000 // of each kind of match, so that a miss costs the same in a large graph

// nearest gives the names that look most like name, best first.
func (s *Store) nearest(ctx context.Context, name string, names cypher.Statement) ([]string, error) {
	candidates, err := s.names(ctx, firstRunes(name, 3), names, namesRead)
	if err != nil {
		return nil, err
	}
	return fault.Nearest(name, candidates), nil
}

func (s *Store) names(ctx context.Context, prefix string, names cypher.Statement, limit int) ([]string, error) {
	rows, err := graph.All[struct{ Name any }](ctx, s.graph, names, graph.Params{"prefix": prefix, "limit": limit})
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(rows))
	for _, row := range rows {
		if text, ok := row.Name.(string); ok {
			out = append(out, text)
		}
	}
	return out, nil
}

func firstRunes(text string, n int) string {
	runes := []rune(text)
	return string(runes[:min(n, len(runes))])
}

// Duplicate is a name that more than one node goes by.
type Duplicate struct {
	Label string `json:"label"`
	Name  any    `json:"name"`
	Nodes int    `json:"nodes"`
}

// Duplicates lists the names that a gate could not tell apart.
func (s *Store) Duplicates(ctx context.Context) ([]Duplicate, error) {
	return graph.All[Duplicate](ctx, s.graph, cypher.NamesTwice, nil)
}
