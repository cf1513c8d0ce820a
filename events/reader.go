package events

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
)

const (
	// near is how far back each reading looks for what was committed late. What is later still is found by counting, once a second.
	near = 2 * time.Second
	// page is how many events one statement gives.
	page = 1000
	// After each reading there is none for as long as it took, within these: many commits at once cost few readings.
	breath, maxRest = 5 * time.Millisecond, 100 * time.Millisecond
	lookTimeout     = 10 * time.Second
	firstTimeout    = 30 * time.Second // a server that has just started makes its plans
)

// reader reads what is new for all subscribers. Everything but the channels belongs to its goroutine.
type reader struct {
	feed    *Feed
	end     context.CancelFunc
	done    <-chan struct{}
	joins   chan *joining
	removes chan *Subscription
	hands   *manualEdits

	subscriptions map[*Subscription]struct{}
	known         map[string]map[mark]struct{} // by kind: what was told, or was there before, of the last two minutes
	clock         time.Time                    // the database's, when it was read last
	read          time.Time                    // this machine's, likewise
	rested        time.Time                    // when it may read again
	away          bool
}

type joining struct {
	*Subscription
	joined chan error
}

func (f *Feed) start() *reader {
	ctx, end := context.WithCancel(graph.Operation(context.Background(), "events", "reader"))
	r := &reader{feed: f, end: end, done: ctx.Done(), joins: make(chan *joining), removes: make(chan *Subscription), hands: newManualEdits(f.history, f.log),
		subscriptions: map[*Subscription]struct{}{}, known: map[string]map[mark]struct{}{}}
	go r.follow(ctx)
	go r.hands.follow(ctx)
	return r
}

// join has the reader know what its subscriber wants. When it returns, whatever is committed from then on is told.
func (r *reader) join(ctx context.Context, s *Subscription) error {
	j := &joining{s, make(chan error, 1)}
	select {
	case r.joins <- j:
	case <-ctx.Done():
		return graph.AsError(ctx.Err())
	}
	select {
	case err := <-j.joined:
		return err
	case <-ctx.Done():
		return graph.AsError(ctx.Err())
	}
}

func (r *reader) remove(s *Subscription) {
	select {
	case r.removes <- s:
	case <-r.done:
	}
}

// follow reads until the context ends.
func (r *reader) follow(ctx context.Context) {
	beats, stop := r.feed.graph.CommitNotifications(cypher.EventLabels...)
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-r.removes:
			delete(r.subscriptions, s)
		case j := <-r.joins:
			r.admit(ctx, j)
		case beat := <-beats:
			select { // what else is committed meanwhile is read at once with it
			case <-time.After(time.Until(r.rested)):
			case <-ctx.Done():
				return
			}
			r.take(ctx, beat)
		}
	}
}

// take reads what a beat tells of.
func (r *reader) take(ctx context.Context, beat graph.CommitNotification) {
	begun := time.Now()
	err := beat.Err
	switch {
	case err != nil || len(r.subscriptions) == 0:
	case beat.Here:
		err = r.tellNew(ctx)
	case beat.Moved || r.away:
		err = r.lookAround(ctx)
	default: // nothing was committed until it was asked
		r.reach(r.clock.Add(beat.Asked.Sub(r.read)))
	}
	if err != nil && ctx.Err() == nil && !r.away {
		r.feed.log.Warn().Err(err).Msg("events wait for the database")
	}
	r.away = err != nil
	r.rested = time.Now().Add(min(max(breath, time.Since(begun)), maxRest))
}

// admit begins to tell a subscriber, and those who came with it.
func (r *reader) admit(ctx context.Context, first *joining) {
	joins := []*joining{first}
	for more := true; more; {
		select {
		case j := <-r.joins:
			joins = append(joins, j)
		default:
			more = false
		}
	}
	fresh := map[string]bool{}
	for _, j := range joins {
		for kind := range j.kinds() {
			fresh[kind] = fresh[kind] || r.known[kind] == nil
		}
	}
	err := r.prime(ctx, fresh)
	if err == nil && fresh[kindChange] { // what goes from now on is missed against what is there
		if r.hands.look(ctx) != nil {
			r.hands.wake()
		}
	}
	for _, j := range joins {
		if err == nil {
			for kind := range j.kinds() {
				for m := range r.known[kind] {
					if !ahead(m.at, r.clock) {
						j.track.add(m)
					}
				}
			}
			j.track.reach(r.clock)
			j.heard.set(r.clock)
			r.subscriptions[j.Subscription] = struct{}{}
		}
		j.joined <- err
	}
}

// prime notes what is there of kinds that nobody wanted before, as known.
func (r *reader) prime(ctx context.Context, kinds map[string]bool) error {
	ctx, cancel := context.WithTimeout(ctx, firstTimeout)
	defer cancel()
	var fresh []string
	for kind, is := range kinds {
		if is {
			fresh = append(fresh, kind)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	read := time.Now()
	clock, err := graph.One[struct{ Now time.Time }](ctx, r.feed.graph, cypher.EventsSince, graph.Params{"since": map[string]any{}, "seen": map[string]any{}, "limit": 0})
	if err != nil {
		return err
	}
	known, err := r.standing(ctx, fresh, clock.Now)
	if err != nil {
		return err
	}
	for kind, marks := range known {
		r.known[kind] = marks
	}
	if !r.clock.IsZero() {
		return nil
	}
	r.clock, r.read = clock.Now, read
	// The statement of each second is planned before there is anything to tell, not while it waits.
	_, err = graph.All[row](ctx, r.feed.graph, cypher.EventsCount, graph.Params{"from": clock.Now, "until": map[string]any{}})
	return err
}

// standing reads what there is of kinds within the time in which more may come.
func (r *reader) standing(ctx context.Context, kinds []string, now time.Time) (map[string]map[mark]struct{}, error) {
	since, known := map[string]any{}, map[string]map[mark]struct{}{}
	for _, kind := range kinds {
		since[kind], known[kind] = now.Add(-late), map[mark]struct{}{}
	}
	rows, err := graph.All[row](ctx, r.feed.graph, cypher.EventsKnown, graph.Params{"since": since})
	for _, row := range rows {
		known[row.Kind][mark{row.At.UTC(), row.UID}] = struct{}{}
	}
	return known, err
}

// wanted are the kinds that somebody is told of. What nobody wants any more is forgotten.
func (r *reader) wanted() []string {
	wanted := map[string]bool{}
	for s := range r.subscriptions {
		for kind := range s.kinds() {
			wanted[kind] = true
		}
	}
	var kinds []string
	for kind := range r.known {
		if wanted[kind] {
			kinds = append(kinds, kind)
		} else {
			delete(r.known, kind)
		}
	}
	return kinds
}

// lookAround reads what others committed: what is late, and what is new. What was changed past Nomograph is told once it is recorded.
func (r *reader) lookAround(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	if slices.Contains(r.wanted(), kindChange) {
		r.hands.wake()
	}
	if err := r.tellLate(ctx); err != nil {
		return err
	}
	return r.tellNew(ctx)
}

// tellNew tells what is not known of what bears a time since shortly before the last reading.
func (r *reader) tellNew(ctx context.Context) error {
	read := time.Now()
	now, err := r.tellSince(ctx, r.wanted(), r.clock.Add(-near))
	if err != nil {
		return err
	}
	r.clock, r.read = now, read
	r.reach(now)
	return nil
}

// tellSince tells what is not known of what bears a time from a moment on, and gives the database's clock before all of it was read.
func (r *reader) tellSince(ctx context.Context, kinds []string, from time.Time) (begun time.Time, err error) {
	since, seen := map[string]any{}, map[string]any{}
	for _, kind := range kinds {
		since[kind] = from
		for m := range r.known[kind] {
			if !m.at.Before(from) {
				seen[seenAs(kind, m.uid, m.at)] = true
			}
		}
	}
	for more := true; more; {
		rows, now, err := r.feed.since(ctx, since, seen, page)
		if err == nil {
			err = r.tell(rows, now)
		}
		if err != nil {
			return time.Time{}, err
		}
		if begun.IsZero() {
			begun = now
		}
		for _, row := range rows {
			seen[seenAs(row.Kind, row.UID, row.At)] = true
		}
		more = len(rows) == page
	}
	return begun, nil
}

// seenAs is how EventsSince knows what was told already. A request and its answers are one node: an answer that was undone is followed by another.
func seenAs(kind, uid string, at time.Time) string {
	if kind == kindAnswer {
		return fmt.Sprintf("answer %s %d", uid, at.UnixMilli())
	}
	return uid
}

// ahead tells whether something bears a time that has not come, as an imported record may. It is not told: no position could lie
// behind it.
func ahead(at, now time.Time) bool { return at.After(now.Add(late)) }

// since reads a page of what happened.
func (f *Feed) since(ctx context.Context, since, seen map[string]any, limit int) (rows []row, now time.Time, err error) {
	read, err := graph.One[struct {
		Now    time.Time
		Events []row
	}](ctx, f.graph, cypher.EventsSince, graph.Params{"since": since, "seen": seen, "limit": limit})
	return read.Events, read.Now, err
}

func (r *reader) tell(rows []row, now time.Time) error {
	for _, row := range rows {
		e, err := row.event()
		if err != nil {
			return err
		}
		r.known[row.Kind][mark{row.At.UTC(), row.UID}] = struct{}{}
		if e == nil || ahead(e.At, now) {
			continue
		}
		for s := range r.subscriptions {
			if s.wants(e) && !s.offer(e) {
				delete(r.subscriptions, s)
			}
		}
	}
	return nil
}

// reach says up to when everything was told, and forgets what is too long ago for more to come.
func (r *reader) reach(at time.Time) {
	for s := range r.subscriptions {
		s.heard.set(at)
	}
	for _, marks := range r.known {
		for m := range marks {
			if m.at.Before(at.Add(-late)) {
				delete(marks, m)
			}
		}
	}
}

// tellLate counts what there is of the last two minutes. Where that is not what is known, something was committed long after the time
// that it bears, or was deleted.
func (r *reader) tellLate(ctx context.Context) error {
	kinds, from, until := r.wanted(), r.clock.Add(-late), map[string]any{}
	for _, kind := range kinds {
		until[kind] = r.clock.Add(-near)
	}
	rows, err := graph.All[struct {
		Kind   string
		Events int
	}](ctx, r.feed.graph, cypher.EventsCount, graph.Params{"from": from, "until": until})
	if err != nil {
		return err
	}
	var other []string
	for _, row := range rows {
		known := 0
		for m := range r.known[row.Kind] {
			if !m.at.Before(from) && m.at.Before(r.clock.Add(-near)) {
				known++
			}
		}
		if slices.Contains(kinds, row.Kind) && known != row.Events {
			other = append(other, row.Kind)
		}
	}
	if len(other) == 0 {
		return nil
	}
	standing, err := r.standing(ctx, other, r.clock)
	if err != nil {
		return err
	}
	if _, err := r.tellSince(ctx, other, from); err != nil {
		return err
	}
	for kind, marks := range standing { // what is gone is not known any more
		for m := range r.known[kind] {
			if _, ok := marks[m]; !ok && m.at.Before(r.clock.Add(-near)) {
				delete(r.known[kind], m)
			}
		}
	}
	return nil
}
