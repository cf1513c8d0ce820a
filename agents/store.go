package agents

import (
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/policies/gate"
	"nomograph/search"
)

// Settings say how this server answers other agents. They may be changed until the store is first used.
type Settings struct {
	Name       string  // under which this server speaks on intents
	MaxResults int     // how many decisions one search gives at most
	MinScore   float64 // 1 - distance of what a search gives, at least
	// StoreReceived keeps announced intents; else they are answered and forgotten. AutoRespond answers them at once; else they are only
	// received, and agents answer.
	StoreReceived, AutoRespond bool
}

// DefaultSettings are the settings where nobody says otherwise.
func DefaultSettings() Settings {
	return Settings{Name: "nomograph", MaxResults: maxResults, StoreReceived: true, AutoRespond: true}
}

// maxResults is how many decisions one search gives at most, whatever is set.
const maxResults = 50

// Store answers other agents from one graph.
type Store struct {
	Settings Settings

	graph      *graph.DB
	precedents *precedents.Store
	gate       *gate.Store
	embedder   search.Embedder // nil: none
}

// NewStore gives the store of a graph. The embedder orders what leaves; nil for none.
func NewStore(db *graph.DB, found *precedents.Store, rules *gate.Store, e search.Embedder) *Store {
	return &Store{Settings: DefaultSettings(), graph: db, precedents: found, gate: rules, embedder: e}
}
