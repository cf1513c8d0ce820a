package search

import (
	"context"
	"sync"

	"nomograph/cypher"
	"nomograph/graph"
)

// pair sends the first statements of the two searches of a hybrid one, by text and by vector, as one. The first to ask waits until the
// other asks or ends; neither waits for anything else of the other.
type pair struct {
	mu      sync.Mutex
	asked   [2]bool // each search asks its first statement here, and others alone
	missing int     // searches that have neither asked nor ended
	waiting []firstAsk
}

// The places of the two searches in a pair.
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

// one sends a statement of the search at a place, and gives its row.
func (s *search) one(ctx context.Context, place int, statement cypher.Statement, params graph.Params) (rows, error) {
	if s.pair == nil || !s.pair.first(place) {
		return graph.One[rows](ctx, s.db, statement, params)
	}
	part, row := graph.PartOf[rows](statement, params)
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

// end says that a search asks no more.
func (p *pair) end(ctx context.Context, db *graph.DB, place int) {
	if p != nil && p.first(place) {
		p.arrive(ctx, db, nil)
	}
}

// arrive notes that a search asks, or that it ended without having asked, and sends what waits once both have.
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
