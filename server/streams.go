package server

import (
	"sync"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
)

// Streams limits the open streams of one server: in total, and per caller.
type Streams struct {
	max, ofCaller int

	mu     sync.Mutex
	open   int
	byName map[string]int
}

// NewStreams returns limits for one kind of stream.
func NewStreams(limit, ofCaller int) *Streams {
	return &Streams{max: limit, ofCaller: ofCaller, byName: map[string]int{}}
}

// Enter counts a stream until leave is called. It returns rate_limited.
func (s *Streams) Enter(who caller.Caller) (leave func(), err error) {
	by := caller.Key(who.Name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open >= s.max || s.byName[by] >= s.ofCaller {
		return nil, RetryIn(5, apperr.Newf(apperr.RateLimited, "%d streams are open, %d of them yours", s.open,
			s.byName[by]).
			WithHint("The limit is %d per caller and %d in total. Subscribe to several types in one stream", s.ofCaller,
				s.max))
	}
	s.open++
	s.byName[by]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
		decrement(s.byName, by)
	}, nil
}
