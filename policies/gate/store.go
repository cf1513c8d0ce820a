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
	reading  *graph.Batcher[struct{}, *RuleSet]
	settling *graph.Batcher[*RuleSet, struct{}]
	keeping  *graph.Batcher[map[string]any, struct{}]
	holding  *graph.Batcher[*pendingVerdict, struct{}] // verdicts for which limits must have room
	compiler *Compiler
	was      *cachedRules // of whoever reads
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB) *Store {
	s := &Store{graph: db, history: history.NewStore(db), compiler: NewCompiler(db)}
	s.reading, s.settling, s.keeping = graph.NewBatcher(s.readRules), graph.NewBatcher(s.settle), graph.NewBatcher(s.writeVerdicts)
	s.holding = graph.NewBatcher(s.hold)
	return s
}
