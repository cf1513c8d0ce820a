package gate

import (
	"sync/atomic"

	"nomograph/graph"
	"nomograph/policies/history"
)

// Store judges by the rules of one graph and keeps the verdicts there. What it remembers, such as compiled conditions, only saves work: it
// is compared with what was read.
type Store struct {
	// Settings may be changed until the store is first used.
	Settings Settings

	graph    *graph.DB
	history  *history.Store
	asked    atomic.Pointer[asked]
	reading  *graph.Rounds[struct{}, *RuleSet]
	settling *graph.Rounds[*RuleSet, struct{}]
	keeping  *graph.Rounds[map[string]any, struct{}]
	holding  *graph.Rounds[*held, struct{}] // verdicts for which limits must have room
	compiler *Compiler
	was      *wasRead // of whoever reads
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB) *Store {
	s := &Store{graph: db, history: history.NewStore(db), compiler: NewCompiler(db)}
	s.reading, s.settling, s.keeping = graph.NewRounds(s.readRules), graph.NewRounds(s.settle), graph.NewRounds(s.writeVerdicts)
	s.holding = graph.NewRounds(s.hold)
	return s
}
