package search

import (
	"context"
	"sync"

	"nomograph/cypher"
	"nomograph/graph"
)

// pair combines the first full-text statement and the first vector statement of a hybrid search into one request. The
// first search to send its statement waits until the other sends one or ends.
type pair struct {
	mu      sync.Mutex
	asked   [2]bool // only the first statement of each search is combined
	missing int     // searches that have neither sent a statement nor ended
	waiting []firstAsk
}

// Indexes of the two searches in a pair.
const (
	ofText = iota
	ofVector
)

type firstAsk struct {
	statement cypher.Statement
	part      graph.Part
	answered  chan struct{}
}

func newPair() *pair { return &pair{missing: 2} }

// sendOne sends a statement of one of the two searches and returns its row.
func (s *search) sendOne(ctx context.Context, place int, statement cypher.Statement, params graph.Params) (rows, error) {
	if s.pair == nil || !s.pair.first(place) {
		return graph.One[rows](ctx, s.db, statement, params)
	}
	part, row := graph.NewPart[rows](statement, params)
	ask := firstAsk{statement, part, make(chan struct{})}
	s.pair.arrive(ctx, s.db, &ask)
	<-ask.answered
	return row.First()
}

func (p *pair) first(place int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := !p.asked[place]
	p.asked[place] = true
	return first
}

// end reports that a search sends no more statements.
func (p *pair) end(ctx context.Context, db *graph.DB, place int) {
	if p != nil && p.first(place) {
		p.arrive(ctx, db, nil)
	}
}

// arrive registers a statement, or the end of a search without one. The last of both sends the waiting statements.
func (p *pair) arrive(ctx context.Context, db *graph.DB, ask *firstAsk) {
	p.mu.Lock()
	if ask != nil {
		p.waiting = append(p.waiting, *ask)
	}
	p.missing--
	ready := p.missing == 0
	p.mu.Unlock()
	if !ready {
		return
	}
	defer func() {
		for _, one := range p.waiting {
			close(one.answered)
		}
	}()
	if len(p.waiting) == 2 {
		if joined, ok := cypher.JoinedOf(p.waiting[0].statement, p.waiting[1].statement); ok {
			graph.ReadJoined(ctx, db, joined, p.waiting[0].part, p.waiting[1].part)
			return
		}
	}
	for _, one := range p.waiting {
		graph.ReadAlone(ctx, db, one.part)
	}
}
