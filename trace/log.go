package trace

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/limits"
	"nomograph/internal/apperr"
	"nomograph/internal/uid"
)

// SessionSelector identifies a session. An empty SessionID means the ambient session of Agent in Workspace, separate
// for each connection (caller.Caller): two windows of one client have two ambient sessions.
type SessionSelector struct {
	Agent, Workspace, SessionID string
	// SessionUID, if not empty, is the uid that the session must have. If the session has another uid or has ended,
	// Append writes nothing and returns a conflict.
	SessionUID string
}

func moved() error {
	return apperr.New(apperr.Conflict, "The session just ended or was replaced by another").WithHint("Try again")
}

// Session identifies a session.
type Session struct{ ID, UID string }

// CachedSession returns the session to which this log last wrote for who. It avoids a query: with SessionUID set,
// Append writes to this session or fails.
func (l *Log) CachedSession(ctx context.Context, who SessionSelector) (Session, bool) {
	owner, err := who.owner(ctx)
	if err != nil {
		return Session{}, false
	}
	end, ok := l.ends.Get(owner.place())
	return Session{end.SessionID, end.UID}, ok
}

// Ending is the type of the event that ends a session.
const Ending = "session.ended"

// Event is an event to append to a session.
type Event struct {
	// query, check, lookup, stats, thought, input, step, decision, update, review, link, session.started,
	// context.given, action.reported, tool.executed, feedback, session.ended
	Type    string
	Payload map[string]any // JSON-like; secrets are masked, and long texts are truncated above 64 kB
	// Decision is the uid of the decision that a later thought refers to. It is empty for events that lead to the next
	// decision.
	Decision string
	WithEvent
}

// WithEvent holds data that is written in the same transaction as an event.
type WithEvent struct {
	Verdict map[string]any // verdict on the event's action: {properties, objections: [{version, result}]}; nil for none
	// action allowed by the verdict; if limits leave no room for it, Append returns *limits.Error or limits.ErrGrant
	Act   limits.Act
	Under *ReportedApproval
	Given []GivenContext // given contexts, sorted by uid, so that all writers lock in the same order
	Need  string         // need for which the contexts were given, with secrets masked
}

// ReportedApproval is the approval that a reported action refers to, with the answer to the report. Verdict is the uid
// of the verdict that requested the approval.
type ReportedApproval struct{ Approval, Decision, Verdict string }

// GivenContext is a context that a session was given.
type GivenContext struct {
	UID   string
	Score float64 // 0 to 1
}

// Recorded is a stored event. Integers of the payload are int64, other numbers float64.
type Recorded struct {
	UID     string
	Seq     int64 // position in the session, from 0
	At      time.Time
	Type    string
	Payload map[string]any
	Step    int64 // position in the deliberation of Event.Decision, from 1; 0 without a decision
}

// Receipt describes stored events. Head is the hash of the last one. Stored elsewhere, it is an anchor for Verify.
type Receipt struct {
	SessionID, SessionUID string
	Events                []Recorded
	Head                  string
}

// Log writes events to the sessions of one graph. It is safe for concurrent use in any number of processes. One Log
// stores the events of a session in the order of the calls, and combines the events of many callers in one transaction.
type Log struct {
	// Idle is the time without an event after which an ambient session ends. It may be changed until the log is first
	// used.
	Idle time.Duration
	// Project is the project of sessions that this log opens. BackgroundWorkers are woken after events were stored.
	// Both may be set until the log is first used.
	Project           string
	BackgroundWorkers []interface{ Wake() }

	db     *graph.DB
	limit  time.Duration // maximum duration of a transaction
	log    zerolog.Logger
	newUID func() string
	now    func() time.Time

	mu sync.Mutex
	// A group waits for the locks of all its sessions. Other processes can hold the locks of named sessions for long,
	// so these have a separate queue.
	free, named queue
	checks      queue // verdicts in ambient sessions, with earlier events of these sessions: an agent waits for them
	// events that count against limits: they can wait for other processes, and no other caller waits for them
	held queue

	// ends caches the ends of sessions after the last write. The append statement compares them with the graph, so that
	// an outdated entry writes nothing.
	ends *lru.Cache[sessionOwner, end]
}

// NewLog returns the log of a graph.
func NewLog(db *graph.DB, log zerolog.Logger) *Log {
	ends, err := lru.New[sessionOwner, end](knownEnds)
	if err != nil { // impossible, since the size is positive
		panic(err)
	}
	return &Log{Idle: 30 * time.Minute, db: db, limit: writeLimit, log: log, now: time.Now, newUID: uid.New, ends: ends}
}

// queue holds the items to store, in order.
type queue struct {
	waiting, writing []*item
	running          bool
}

// holds reports whether items of the session of an item wait or are being written.
func (q *queue) holds(it *item) bool {
	return slices.ContainsFunc(q.waiting, it.sameSession) || slices.ContainsFunc(q.writing, it.sameSession)
}

// item holds the events of one call, all of one session. An item without events only waits for its turn.
type item struct {
	ctx          context.Context
	who          sessionOwner
	uid          string // required session uid; empty for any
	events       []entry
	act          limits.Act
	given        time.Time // local time of the call
	asynchronous bool
	checks       bool // has a verdict
	done         chan struct{}
	receipt      Receipt
	isStored     bool
	err          error
}

const (
	groupEvents = 1000    // events per transaction, since others wait for its locks
	groupBytes  = 4 << 20 // payload bytes per transaction, since the server limits its memory
	maxQueued   = 10_000  // number of items above which AppendAsync waits
	writeLimit  = 30 * time.Second
	knownEnds   = 1000
	// time for callers of the last group to call again, so that their next events form one group
	groupDelay = 200 * time.Microsecond
)

// Append stores events at the end of a session, which it opens if necessary, and waits until they are stored. It
// returns a validation_error for invalid events, a conflict if the session belongs to another agent or has ended,
// *limits.Error, limits.ErrGrant, and unavailable. When ctx ends, the wait ends, and events that are not yet being
// written are dropped.
func (l *Log) Append(ctx context.Context, who SessionSelector, events ...Event) (Receipt, error) {
	it, err := l.item(ctx, who, events)
	if err != nil {
		return Receipt{}, err
	}
	if _, err := l.db.Connect(ctx); err != nil {
		return Receipt{}, err
	}
	if it.act.Free() {
		l.enqueue(nil, it)
	} else {
		if err := l.flush(ctx); err != nil { // earlier events of this caller come first
			return Receipt{}, err
		}
		l.enqueue(&l.held, it)
	}
	if err := it.wait(ctx); err != nil {
		return Receipt{}, err
	}
	return it.receipt, nil
}

// AppendAsync is Append without waiting, for events without limits. Errors are only logged.
func (l *Log) AppendAsync(ctx context.Context, who SessionSelector, events ...Event) {
	it, err := l.item(ctx, who, events)
	if err != nil {
		l.log.Warn().Err(err).Msg("event not stored")
		return
	}
	it.asynchronous = true
	if l.enqueue(nil, it) > maxQueued {
		_ = it.wait(ctx) // finish logs the error
	}
}

// Close waits until all earlier events are stored.
func (l *Log) Close(ctx context.Context) {
	err := l.flush(ctx)
	if err == nil {
		err = l.waitUntilStored(ctx, &l.held)
	}
	if err != nil {
		l.log.Warn().Err(err).Msg("events possibly not stored")
	}
}

// flush waits for earlier events, except those that count against limits: their callers wait themselves, possibly for
// other processes.
func (l *Log) flush(ctx context.Context) error {
	for _, lane := range []*queue{&l.free, &l.named, &l.checks} { // items move from free to checks
		if err := l.waitUntilStored(ctx, lane); err != nil {
			return err
		}
	}
	return nil
}

// waitUntilStored waits until a queue has stored its earlier items.
func (l *Log) waitUntilStored(ctx context.Context, lane *queue) error {
	it := &item{ctx: ctx, done: make(chan struct{})}
	l.enqueue(lane, it)
	return it.wait(ctx)
}

func (l *Log) item(ctx context.Context, who SessionSelector, events []Event) (*item, error) {
	owner, err := who.owner(ctx)
	if err != nil {
		return nil, err
	}
	it := &item{ctx: ctx, who: owner, uid: who.SessionUID, events: make([]entry, len(events)), given: l.now(),
		done: make(chan struct{})}
	for i, e := range events {
		text, err := payloadText(e.Payload)
		if err != nil {
			return nil, err
		}
		if !e.Act.Free() { // an event that counts against limits needs its own call
			it.act = e.Act
		}
		it.checks = it.checks || e.Verdict != nil
		it.events[i] = entry{uid: l.newUID(), kind: e.Type, agent: owner.name, payload: text, decision: e.Decision,
			attached: e.WithEvent}
	}
	return it, nil
}

func (it *item) wait(ctx context.Context) error {
	select {
	case <-it.done:
		return it.err
	case <-ctx.Done():
		return graph.AsError(ctx.Err())
	}
}

// enqueue appends an item to a queue; a nil queue means the lane of the item's session. It returns the length of the
// queue.
func (l *Log) enqueue(to *queue, it *item) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if to == nil {
		to = l.lane(it)
	}
	to.waiting = append(to.waiting, it)
	if !to.running {
		to.running = true
		go l.run(to)
	}
	return len(to.waiting)
}

// sameSession reports whether another item is known to be of the same session, which can be named by its id or be
// ambient.
func (it *item) sameSession(other *item) bool {
	return it.who.place() == other.who.place() || it.uid != "" && it.uid == other.uid
}

// lane returns the queue for an item, so that the events of a session stay in order. A check takes the waiting events
// of its session with it.
func (l *Log) lane(it *item) *queue {
	for _, lane := range []*queue{&l.checks, &l.named} {
		if lane.holds(it) {
			return lane
		}
	}
	named := it.who.place().session != ""
	switch {
	case named && !l.free.holds(it):
		return &l.named
	case named || !it.checks || slices.ContainsFunc(l.free.writing, it.sameSession):
		return &l.free
	}
	var others []*item
	for _, other := range l.free.waiting {
		if it.sameSession(other) {
			l.checks.waiting = append(l.checks.waiting, other)
		} else {
			others = append(others, other)
		}
	}
	l.free.waiting = others
	return &l.checks
}

// run stores the items of a queue in groups until the queue is empty.
func (l *Log) run(from *queue) {
	for group := l.dequeue(from); len(group) > 0; group = l.dequeue(from) {
		l.store(group)
		if len(group) > 1 {
			time.Sleep(groupDelay)
		}
	}
}

func (l *Log) dequeue(from *queue) []*item {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, events, bytes := 0, 0, 0
	ends := false
	for ; n < len(from.waiting) && events < groupEvents && bytes < groupBytes && !ends; n++ {
		events += len(from.waiting[n].events)
		for _, e := range from.waiting[n].events {
			bytes += len(e.payload)
			ends = ends || e.kind == Ending // later events must see that the session ended
		}
	}
	group := from.waiting[:n:n]
	from.waiting, from.writing = from.waiting[n:], group
	from.running = n > 0
	return group
}

// store writes a group and notifies its callers.
func (l *Log) store(group []*item) {
	l.writeParts(group)
	for _, it := range group {
		l.finish(it)
	}
}

// writeParts writes a group. If it is rejected, or takes too long, it writes the items of each session separately, and
// then each item of a rejected session, so that one invalid item or one locked session does not fail the others.
func (l *Log) writeParts(group []*item) {
	err := l.write(group)
	if err == nil {
		l.wake()
		return
	}
	var parts [][]*item // the items of each session
	for _, it := range group {
		at := slices.IndexFunc(parts, func(part []*item) bool { return it.sameSession(part[0]) })
		switch {
		case it.isStored:
		case at < 0:
			parts = append(parts, []*item{it})
		default:
			parts[at] = append(parts[at], it)
		}
	}
	if len(parts) == 1 && !apperr.Is(err, apperr.QueryTimeout) {
		parts = slices.Collect(slices.Chunk(parts[0], 1))
	}
	for _, part := range parts {
		if len(parts) > 1 && !apperr.Is(err, apperr.Unavailable) {
			l.writeParts(part)
			continue
		}
		for _, it := range part {
			it.err = err
		}
	}
}

func (l *Log) wake() {
	for _, worker := range l.BackgroundWorkers {
		worker.Wake()
	}
}

func (l *Log) finish(it *item) {
	if it.err != nil && it.asynchronous {
		level := zerolog.WarnLevel
		if apperr.Is(it.err, apperr.PermissionDenied) { // in a read-only graph, every query would log this error
			level = zerolog.DebugLevel
		}
		l.log.WithLevel(level).Err(it.err).AnErr("cause", apperr.From(it.err).Unwrap()).Int("events", len(it.events)).
			Msg("events not stored")
	}
	close(it.done)
}

// write stores a group: sessions with a known end in one statement, the others in one transaction. Errors of a single
// item are stored in its err. A returned error applies to all items that were not stored.
func (l *Log) write(group []*item) (err error) {
	defer func() {
		if problem := recover(); problem != nil { // an invalid node must not stop the server
			err = apperr.From(fmt.Errorf("panic: %v", problem))
		}
	}()
	w := newWriting(l, group)
	if len(w.sessions) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(group[0].ctx), w.limit())
	defer cancel()
	if w = w.quick(ctx); len(w.sessions) == 0 {
		return nil
	}
	err = l.db.Write(ctx, func(tx *graph.Tx) error { return w.run(ctx, tx) })
	w.cacheEnds(err == nil)
	if graph.IsUniqueViolation(err) {
		return apperr.New(apperr.Conflict, "Another writer stored an event at this position of the session's chain").
			WithHint("Find the position with `verify_trace`; leave `session_id` out or choose another").Because(err)
	}
	return err
}
