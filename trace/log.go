package trace

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/limits"
	"nomograph/internal/apperr"
	"nomograph/internal/uid"
)

// SessionSelector says whose session is meant. An empty SessionID is the ambient session of Agent in Workspace, of the connection that the context
// names (access.Caller): two windows of one client have two.
type SessionSelector struct {
	Agent, Workspace, SessionID string
	// SessionUID is the uid that this session must have; empty for any. Events go nowhere else then, and not there once it has ended: Append
	// returns ErrMoved, and nothing was written.
	SessionUID string
}

// ErrMoved is in the chain of an error where the session that Who means has ended, or has another uid than it says.
var ErrMoved = errors.New("the session has moved")

// Moved is ErrMoved as a caller sees it.
func Moved() error {
	return apperr.New(apperr.Conflict, "The session just ended or was replaced by another").WithHint("Try again").Because(ErrMoved)
}

// Session names a session.
type Session struct{ ID, UID string }

// CachedSession is the session to which this log wrote last for who. It saves asking for it: with SessionUID, Append writes there or nowhere.
func (l *Log) CachedSession(ctx context.Context, who SessionSelector) (Session, bool) {
	owner, err := who.owner(ctx)
	if err != nil {
		return Session{}, false
	}
	end, known := l.ends.Get(owner.place())
	return Session{end.id, end.uid}, known
}

// Ending is the type of the event that ends its session, as it is stored.
const Ending = "session.ended"

// Event is something that happened in a session.
type Event struct {
	Type    string         // query, check, lookup, stats, thought, input, step, decision, update, review, link, session.started, context.given, action.reported, feedback, session.ended
	Payload map[string]any // JSON-like; kept without secrets, and with its longest texts cut beyond 64 kB
	// Decision is the uid of the decision that it is a later thought on; empty for what leads to the next one.
	Decision string
	WithEvent
}

// WithEvent is what is written together with an event: all of it is there, or none.
type WithEvent struct {
	Verdict map[string]any // on what the event tells: {properties, objections: [{version, result}]}; nil for none
	Act     limits.Act     // what the verdict allows: without room for it Append returns *limits.Error or limits.ErrGrant
	Under   *ReportedApproval
	Given   []GivenContext // contexts, in the order of their uids, so that no two writers wait for each other
	Need    string         // for which they were given, without secrets
}

// ReportedApproval is the approval that the event is about, and how what was reported was answered; its request came from Verdict.
type ReportedApproval struct{ Approval, Decision, Verdict string }

// GivenContext is a context that a session was given.
type GivenContext struct {
	UID   string
	Score float64 // 0 to 1
}

// Recorded is an event as it is stored. Whole numbers of the payload are int64, others float64.
type Recorded struct {
	UID     string
	Seq     int64 // its place in the session, from 0
	At      time.Time
	Type    string
	Payload map[string]any
	Step    int64 // its place in the deliberation of Event.Decision, from 1; 0 where there is no such decision
}

// Receipt says where events were stored. Head is the hash of the last: kept elsewhere, it is the anchor for Verify.
type Receipt struct {
	SessionID, SessionUID string
	Events                []Recorded
	Head                  string
}

// Log writes events to the sessions of one graph. It is safe for concurrent use, in any number of processes. What is given
// to one Log is stored in the order in which it was given, many callers' events in one transaction.
type Log struct {
	// Idle is how long an ambient session goes on without an event. It may be changed until the log is first used.
	Idle time.Duration
	// Project is the name of the one that this process works for: of sessions that are opened. Followers are woken where events were stored:
	// they make something of them behind the answer. Both may be set until the log is first used.
	Project   string
	Followers []interface{ Wake() }

	db     *graph.DB
	log    zerolog.Logger
	newUID func() string
	now    func() time.Time

	mu   sync.Mutex
	free queue
	held queue // events whose limits must have room: they wait for other processes, and nobody else waits for them

	// ends are where sessions ended when this log last wrote to them. That saves reading it: what is written says where it goes, and goes
	// nowhere else.
	ends *lru.Cache[sessionOwner, end]
}

// NewLog gives the log of a graph.
func NewLog(db *graph.DB, log zerolog.Logger) *Log {
	ends, err := lru.New[sessionOwner, end](knownEnds)
	if err != nil { // the size is positive
		panic(err)
	}
	return &Log{Idle: 30 * time.Minute, db: db, log: log, now: time.Now, newUID: uid.New, ends: ends}
}

// queue is what waits to be stored, in its order.
type queue struct {
	waiting []*item
	running bool
}

// item is what one call gave: events of one session, or none, where the call only waits for its turn.
type item struct {
	ctx     context.Context
	who     sessionOwner
	uid     string // of the session that it must be; empty for any
	events  []entry
	act     limits.Act
	given   time.Time // by the local clock
	behind  bool
	done    chan struct{}
	receipt Receipt
	stored  bool
	err     error
}

const (
	groupEvents = 1000    // of one transaction: others wait for its locks
	groupBytes  = 4 << 20 // of payloads, since the server bounds a transaction's memory
	maxWaiting  = 10_000  // items, beyond which Behind waits too
	writeLimit  = 30 * time.Second
	knownEnds   = 1000
	together    = 200 * time.Microsecond // in which callers who were told come again, to go in one group and not in two
)

// Append stores events at the end of a session, which is opened where there is none, and waits until that is done. It returns
// a validation_error for what cannot be stored, a conflict where the session is another agent's, ErrMoved, *limits.Error,
// limits.ErrGrant, and unavailable. A caller that leaves early does not take its events back.
func (l *Log) Append(ctx context.Context, who SessionSelector, events ...Event) (Receipt, error) {
	it, err := l.item(ctx, who, events)
	if err != nil {
		return Receipt{}, err
	}
	if _, err := l.db.Connect(ctx); err != nil {
		return Receipt{}, err
	}
	lane := &l.free
	if !it.act.Free() {
		if err := l.flush(ctx); err != nil { // what the caller gave before comes before
			return Receipt{}, err
		}
		lane = &l.held
	}
	l.give(lane, it)
	if err := it.wait(ctx); err != nil {
		return Receipt{}, err
	}
	return it.receipt, nil
}

// AppendAsync is Append for a caller who does not wait, and whose events no limit holds. What cannot be stored is told to the log only.
func (l *Log) AppendAsync(ctx context.Context, who SessionSelector, events ...Event) {
	it, err := l.item(ctx, who, events)
	if err != nil {
		l.log.Warn().Err(err).Msg("event not stored")
		return
	}
	it.behind = true
	if l.give(&l.free, it) > maxWaiting {
		_ = it.wait(ctx) // told to the log already
	}
}

// Close waits until everything is stored that was given before.
func (l *Log) Close(ctx context.Context) {
	err := l.flush(ctx)
	if err == nil {
		err = l.stored(ctx, &l.held)
	}
	if err != nil {
		l.log.Warn().Err(err).Msg("events possibly not stored")
	}
}

// flush waits for what was given before, but for what its own callers wait for: that may wait for other processes.
func (l *Log) flush(ctx context.Context) error { return l.stored(ctx, &l.free) }

// stored waits until a lane has stored what was given to it before.
func (l *Log) stored(ctx context.Context, lane *queue) error {
	it := &item{ctx: ctx, done: make(chan struct{})}
	l.give(lane, it)
	return it.wait(ctx)
}

func (l *Log) item(ctx context.Context, who SessionSelector, events []Event) (*item, error) {
	owner, err := who.owner(ctx)
	if err != nil {
		return nil, err
	}
	it := &item{ctx: ctx, who: owner, uid: who.SessionUID, events: make([]entry, len(events)), given: l.now(), done: make(chan struct{})}
	for i, e := range events {
		text, err := payloadText(e.Payload)
		if err != nil {
			return nil, err
		}
		if !e.Act.Free() { // an action is reported in an event of its own
			it.act = e.Act
		}
		it.events[i] = entry{uid: l.newUID(), kind: e.Type, agent: owner.name, payload: text, decision: e.Decision, beside: e.WithEvent}
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

// give puts an item at the end of a lane, and says how many wait there.
func (l *Log) give(to *queue, it *item) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	to.waiting = append(to.waiting, it)
	if !to.running {
		to.running = true
		go l.run(to)
	}
	return len(to.waiting)
}

// run stores what waits in a lane, group by group, until nothing does.
func (l *Log) run(from *queue) {
	for group := l.take(from); len(group) > 0; group = l.take(from) {
		l.store(group)
		if len(group) > 1 {
			time.Sleep(together)
		}
	}
}

func (l *Log) take(from *queue) []*item {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, events, bytes := 0, 0, 0
	ends := false
	for ; n < len(from.waiting) && events < groupEvents && bytes < groupBytes && !ends; n++ {
		events += len(from.waiting[n].events)
		for _, e := range from.waiting[n].events {
			bytes += len(e.payload)
			ends = ends || e.kind == Ending // what comes after it finds the session ended
		}
	}
	group := from.waiting[:n:n]
	from.waiting = from.waiting[n:]
	from.running = n > 0
	return group
}

// store writes a group and tells who waits. Where the group was refused, each of it is tried alone, so that one does not fail
// the others.
func (l *Log) store(group []*item) {
	err := l.write(group)
	alone := err != nil && len(group) > 1 && !apperr.Is(err, apperr.Unavailable) && !apperr.Is(err, apperr.QueryTimeout)
	for _, it := range group {
		switch {
		case err == nil || it.stored:
		case alone:
			if err := l.write([]*item{it}); err != nil {
				it.err = err
			}
		default:
			it.err = err
		}
	}
	if err == nil || alone {
		l.wake()
	}
	for _, it := range group {
		l.finish(it)
	}
}

func (l *Log) wake() {
	for _, follower := range l.Followers {
		follower.Wake()
	}
}

func (l *Log) finish(it *item) {
	if it.err != nil && it.behind {
		level := zerolog.WarnLevel
		if apperr.Is(it.err, apperr.PermissionDenied) { // a graph that may only be read: each question would say so
			level = zerolog.DebugLevel
		}
		l.log.WithLevel(level).Err(it.err).AnErr("cause", apperr.From(it.err).Unwrap()).Int("events", len(it.events)).Msg("events not stored")
	}
	close(it.done)
}

// write stores a group: what goes where sessions are known to end in one statement, the rest in one transaction. What concerns one item
// alone is its err; an error stands for all that are not stored.
func (l *Log) write(group []*item) (err error) {
	defer func() {
		if problem := recover(); problem != nil { // one bad node must not end a server
			err = apperr.From(fmt.Errorf("panic: %v", problem))
		}
	}()
	w := newWriting(l, group)
	if len(w.sessions) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(group[0].ctx), writeLimit)
	defer cancel()
	if w = w.quick(ctx); len(w.sessions) == 0 {
		return nil
	}
	err = l.db.Write(ctx, func(tx *graph.Tx) error { return w.run(ctx, tx) })
	w.keepEnds(err == nil)
	if graph.IsUniqueViolation(err) {
		return apperr.New(apperr.Conflict, "Another writer stored an event at this position of the session's chain").
			WithHint("Find the position with `verify_trace`; leave `session_id` out or choose another").Because(err)
	}
	return err
}
