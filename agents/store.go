package agents

import (
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/policies/check"
	"nomograph/search"
)

// Settings say how this server answers other agents. They can be changed until the store is first used.
type Settings struct {
	Name       string  // agent name of this server's votes
	MaxResults int     // maximum number of decisions of one search
	MinScore   float64 // minimum of 1 - distance for a result
	// StoreReceived stores announced intents; otherwise they are answered and dropped. AutoRespond answers them
	// immediately; otherwise they wait for votes of agents.
	StoreReceived, AutoRespond bool
}

// DefaultSettings returns the default settings.
func DefaultSettings() Settings {
	return Settings{Name: "nomograph", MaxResults: maxResults, StoreReceived: true, AutoRespond: true}
}

// maxResults is the maximum number of decisions of one search, whatever the settings say.
const maxResults = 50

// Store answers other agents from one graph.
type Store struct {
	Settings Settings

	graph      *graph.DB
	precedents *precedents.Store
	checks     *check.Store
	embedder   search.Embedder // may be nil
}

// NewStore returns the store of a graph. The embedder ranks shared decisions; it may be nil.
func NewStore(db *graph.DB, found *precedents.Store, rules *check.Store, e search.Embedder) *Store {
	return &Store{Settings: DefaultSettings(), graph: db, precedents: found, checks: rules, embedder: e}
}
