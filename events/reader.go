package events

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
)

const (
	// rereadWindow is how far back each read looks for late commits. Later ones are found by counting, once a second.
	rereadWindow = 2 * time.Second
	// page is the number of events of one statement.
	page = 1000
	// The reader pauses after each read for as long as the read took, within these limits, so that many commits cost
	// few reads.
	minPause, maxPause = 5 * time.Millisecond, 100 * time.Millisecond
	readTimeout        = 10 * time.Second
	startupTimeout     = 30 * time.Second // a server that has just started plans its queries
)

// reader reads new events for all subscribers. Everything except its channels belongs to its goroutine.
type reader struct {
	feed    *Feed
	end     context.CancelFunc
	done    <-chan struct{}
	joins   chan *joining
	removes chan *Subscription
	edits   *manualEdits

	subscriptions map[*Subscription]struct{}
	// by kind: events of the last two minutes that were published or existed before
	known    map[string]map[eventPosition]struct{}
	clock    time.Time // the database's, at the last read
	read     time.Time // this machine's, at the last read
	nextRead time.Time // time of the next read
	away     bool
}

type joining struct {
	*Subscription
	joined chan error
}

func (f *Feed) start() *reader {
	ctx, end := context.WithCancel(graph.Operation(context.Background(), "events", "reader"))
	r := &reader{feed: f, end: end, done: ctx.Done(), joins: make(chan *joining), removes: make(chan *Subscription),
		edits:         newManualEdits(f.history, f.log),
		subscriptions: map[*Subscription]struct{}{}, known: map[string]map[eventPosition]struct{}{}}
	go r.follow(ctx)
	go r.edits.follow(ctx)
	return r
}

// join registers a subscription. Events that are committed after it returns are delivered.
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
	notifications, stop := r.feed.graph.CommitNotifications(cypher.EventLabels...)
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-r.removes:
			delete(r.subscriptions, s)
		case j := <-r.joins:
			r.admit(ctx, j)
		case notification := <-notifications:
			select { // collect further commits into one read
			case <-time.After(time.Until(r.nextRead)):
			case <-ctx.Done():
				return
			}
			r.readCommits(ctx, notification)
		}
	}
}

// readCommits reads after a commit notification.
func (r *reader) readCommits(ctx context.Context, notification graph.CommitNotification) {
	started := time.Now()
	err := notification.Err
	switch {
	case err != nil || len(r.subscriptions) == 0:
	case notification.Here:
		err = r.publishNew(ctx)
	case notification.Moved || r.away:
		err = r.readLateAndNew(ctx)
	default: // nothing was committed before the request
		r.reach(r.clock.Add(notification.Asked.Sub(r.read)))
	}
	if err != nil && ctx.Err() == nil && !r.away {
		r.feed.log.Warn().Err(err).Msg("events delayed: database unavailable")
	}
	r.away = err != nil
	r.nextRead = time.Now().Add(min(max(minPause, time.Since(started)), maxPause))
}

// admit starts the delivery to a new subscriber.
func (r *reader) admit(ctx context.Context, j *joining) {
	var fresh []string
	for kind := range j.kinds() {
		if r.known[kind] == nil {
			fresh = append(fresh, kind)
		}
	}
	err := r.prime(ctx, fresh)
	if err == nil && slices.Contains(fresh, kindChange) { // later deletions are detected against the current state
		if r.edits.compareRules(ctx) != nil {
			r.edits.wake()
		}
	}
	if err == nil {
		for kind := range j.kinds() {
			for m := range r.known[kind] {
				if !isInFuture(m.at, r.clock) {
					j.track.add(m)
				}
			}
		}
		j.track.reach(r.clock)
		j.heard.Store(new(r.clock))
		r.subscriptions[j.Subscription] = struct{}{}
	}
	j.joined <- err
}

// prime marks existing events of newly wanted kinds as known.
func (r *reader) prime(ctx context.Context, fresh []string) error {
	if len(fresh) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, startupTimeout)
	defer cancel()
	read := time.Now()
	_, now, err := r.feed.since(ctx, map[string]any{}, map[string]any{}, 0)
	if err != nil {
		return err
	}
	known, err := r.recentEvents(ctx, fresh, now)
	if err != nil {
		return err
	}
	maps.Copy(r.known, known)
	if r.clock.IsZero() {
		r.clock, r.read = now, read
	}
	return nil
}

// recentEvents reads the events of kinds that may be followed by late ones.
func (r *reader) recentEvents(ctx context.Context, kinds []string,
	now time.Time) (map[string]map[eventPosition]struct{}, error) {
	since, known := map[string]any{}, map[string]map[eventPosition]struct{}{}
	for _, kind := range kinds {
		since[kind], known[kind] = now.Add(-maxCommitDelay), map[eventPosition]struct{}{}
	}
	rows, err := graph.All[row](ctx, r.feed.graph, cypher.EventIDs, graph.Params{"since": since})
	for _, row := range rows {
		known[row.Kind][eventPosition{row.At, row.UID}] = struct{}{}
	}
	return known, err
}

// selectedKinds returns the kinds that any subscriber selects and forgets the others.
func (r *reader) selectedKinds() []string {
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

// readLateAndNew reads late and new commits. Manual edits are published after they were recorded.
func (r *reader) readLateAndNew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	if slices.Contains(r.selectedKinds(), kindChange) {
		r.edits.wake()
	}
	if err := r.publishLate(ctx); err != nil {
		return err
	}
	return r.publishNew(ctx)
}

// publishNew publishes unknown events since shortly before the last read.
func (r *reader) publishNew(ctx context.Context) error {
	read := time.Now()
	now, err := r.publishSince(ctx, r.selectedKinds(), r.clock.Add(-rereadWindow))
	if err != nil {
		return err
	}
	r.clock, r.read = now, read
	r.reach(now)
	return nil
}

// publishSince publishes unknown events since a time and returns the database's clock from before the read.
func (r *reader) publishSince(ctx context.Context, kinds []string, from time.Time) (started time.Time, err error) {
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
			err = r.publish(rows, now)
		}
		if err != nil {
			return time.Time{}, err
		}
		if started.IsZero() {
			started = now
		}
		for _, row := range rows {
			seen[seenAs(row.Kind, row.UID, row.At)] = true
		}
		more = len(rows) == page
	}
	return started, nil
}

// seenAs is the key by which EventsSince skips published events. A request and its answers are one node: after an
// undone answer another one follows.
func seenAs(kind, uid string, at time.Time) string {
	switch kind {
	case kindAnswer:
		return fmt.Sprintf("answer %s %d", uid, at.UnixMilli())
	case kindRuling:
		return "ruling " + uid
	}
	return uid
}

// isInFuture reports whether an event has a time in the future, as an imported record may. It is not published,
// because no position could come after it.
func isInFuture(at, now time.Time) bool { return at.After(now.Add(maxCommitDelay)) }

// since reads a page of events.
func (f *Feed) since(ctx context.Context, since, seen map[string]any, limit int) (rows []row, now time.Time,
	err error) {
	read, err := graph.One[struct {
		Now    time.Time
		Events []row
	}](ctx, f.graph, cypher.EventsSince, graph.Params{"since": since, "seen": seen, "limit": limit})
	return read.Events, read.Now, err
}

func (r *reader) publish(rows []row, now time.Time) error {
	for _, row := range rows {
		e, err := row.event()
		if err != nil {
			return err
		}
		r.known[row.Kind][eventPosition{row.At, row.UID}] = struct{}{}
		if e == nil || isInFuture(e.At, now) {
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

// reach records the time up to which everything is published, and forgets older events.
func (r *reader) reach(at time.Time) {
	for s := range r.subscriptions {
		s.heard.Store(&at)
	}
	for _, marks := range r.known {
		for m := range marks {
			if m.at.Before(at.Add(-maxCommitDelay)) {
				delete(marks, m)
			}
		}
	}
}

// publishLate counts the events of the last two minutes. If the count differs from the known events, an event was
// committed late or deleted.
func (r *reader) publishLate(ctx context.Context) error {
	kinds, from, until := r.selectedKinds(), r.clock.Add(-maxCommitDelay), map[string]any{}
	for _, kind := range kinds {
		until[kind] = r.clock.Add(-rereadWindow)
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
			if !m.at.Before(from) && m.at.Before(r.clock.Add(-rereadWindow)) {
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
	standing, err := r.recentEvents(ctx, other, r.clock)
	if err != nil {
		return err
	}
	if _, err := r.publishSince(ctx, other, from); err != nil {
		return err
	}
	for kind, marks := range standing { // deleted events are no longer known
		for m := range r.known[kind] {
			if _, ok := marks[m]; !ok && m.at.Before(r.clock.Add(-rereadWindow)) {
				delete(r.known[kind], m)
			}
		}
	}
	return nil
}
