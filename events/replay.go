package events

import (
	"context"
	"slices"
	"time"
)

// replay reads the events before a subscription began, page by page.
type replay struct {
	position Position
	from     time.Time
	seen     map[string]any // events at from, which the next page skips
	ready    []*Event
	behind   []*Event // events up to the position, held back until all of them were read
	passed   bool     // whether the events of all pages up to the position were read
	end      bool
}

const replayPage = 500

func newReplay(p Position) *replay {
	return &replay{position: p, from: p.begins(), seen: map[string]any{}}
}

// next returns the next event, or nil without an error if there is none at the moment or the replay has ended.
func (r *replay) next(ctx context.Context, s *Subscription) (*Event, error) {
	for len(r.ready) == 0 {
		if r.end {
			s.again = nil
			return nil, nil
		}
		if err := r.read(ctx, s); err != nil {
			return nil, err
		}
	}
	e := r.ready[0]
	r.ready = r.ready[1:]
	s.track.add(e.position())
	return e, nil
}

// read reads a page. Events up to the position are held back until all of them were read, because all are needed to
// tell which of them were missed.
func (r *replay) read(ctx context.Context, s *Subscription) error {
	since := map[string]any{}
	for kind := range s.kinds() {
		since[kind] = r.from
	}
	rows, now, err := s.feed.since(ctx, since, r.seen, replayPage)
	if err != nil {
		return err
	}
	r.end = len(rows) < replayPage
	if n := len(rows); n > 0 {
		if last := rows[n-1].At; !last.Equal(r.from) {
			r.from, r.seen = last, map[string]any{}
		}
	}
	for _, row := range rows {
		if row.At.Equal(r.from) {
			r.seen[seenAs(row.Kind, row.UID, row.At)] = true
		}
		e, err := row.event()
		if err != nil {
			return err
		}
		if e == nil || isInFuture(e.At, now) {
			continue
		}
		if e.At.After(s.begin.Add(-maxCommitDelay)) {
			s.replayed[e.position()] = struct{}{}
		}
		switch {
		case !s.wants(e):
		case e.position().compare(r.position.newest) <= 0:
			r.behind = append(r.behind, e)
		default:
			r.ready = append(r.ready, e)
		}
	}
	if !r.passed && (r.end || r.from.After(r.position.newest.at)) {
		known, missed := r.position.split(r.behind)
		for _, e := range known {
			s.track.add(e.position())
		}
		r.ready, r.behind, r.passed = slices.Concat(missed, r.ready), nil, true
	}
	return nil
}
