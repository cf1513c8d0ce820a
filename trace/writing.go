package trace

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/limits"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
)

// entry is an event to write.
type entry struct {
	uid, kind, agent, payload, decision string
	attached                            WithEvent
}

// end is a session with the hash and the number of its events, and the time of the last one. clockLead is the
// database's clock minus the local one.
type end struct {
	SessionRow
	at        time.Time
	clockLead time.Duration
}

// writing is one transaction: the sessions to lock, in the same order for all processes, and the events to append.
type writing struct {
	log      *Log
	group    []*item        // items with events
	owners   []sessionOwner // sorted
	sessions []any          // statement parameters, in the order of owners
	agents   []any
	places   map[sessionOwner]int // index of an owner in owners, by owner.place()
	decision map[string][]string
	chains   []*chain // by index of owner, as last written
	// ends of sessions whose write may have succeeded although no response arrived, by session uid
	tried map[string]end
}

func newWriting(l *Log, group []*item) *writing {
	w := &writing{log: l, places: map[sessionOwner]int{}, decision: map[string][]string{}, tried: map[string]end{}}
	for _, it := range group {
		if len(it.events) == 0 {
			continue
		}
		if !it.asynchronous && it.ctx.Err() != nil { // its caller already got an error, so it must not be stored
			it.err = graph.AsError(it.ctx.Err())
			continue
		}
		w.group = append(w.group, it)
		if _, ok := w.places[it.who.place()]; !ok {
			w.places[it.who.place()] = 0
			w.owners = append(w.owners, it.who)
		}
		for _, e := range it.events {
			if e.decision != "" {
				w.decision[e.decision] = append(w.decision[e.decision], e.uid)
			}
		}
	}
	slices.SortFunc(w.owners, func(a, b sessionOwner) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.session, b.session),
			cmp.Compare(a.workspace, b.workspace), cmp.Compare(a.connection, b.connection))
	})
	for i, o := range w.owners {
		if i == 0 || w.owners[i-1].key != o.key {
			w.agents = append(w.agents, map[string]any{"key": o.key, "name": o.name, "uid": l.newUID()})
		}
		w.places[o.place()] = i
		w.sessions = append(w.sessions, map[string]any{"n": i, "key": o.key, "workspace": o.workspace,
			"connection": o.connection, "id": graph.NullIfEmpty(o.session), "uid": l.newUID(),
			"project": graph.NullIfEmpty(l.Project)})
	}
	return w
}

// limit returns how long the transaction may take: no longer than the last caller waits for it.
func (w *writing) limit() time.Duration {
	timeout := time.Duration(0)
	for _, it := range w.group {
		deadline, ok := it.ctx.Deadline()
		if !ok || it.asynchronous {
			return w.log.limit
		}
		timeout = max(timeout, time.Until(deadline))
	}
	return min(timeout, w.log.limit)
}

// chain is the end of a session to which events are appended.
type chain struct {
	end
	events   []any
	notifies bool  // an event has a verdict, so subscribers are notified
	going    bool  // the session must still be open
	err      error // reason why nothing can be appended
}

// quick appends to sessions with a cached end in one statement. It returns a writing with the items that were not
// stored, because their session has no cached end or has changed.
func (w *writing) quick(ctx context.Context) *writing {
	if len(w.decision) > 0 || w.held() {
		return w
	}
	rows, seen := make([]any, len(w.owners)), map[string]bool{}
	w.chains = make([]*chain, len(w.owners))
	for i, o := range w.owners {
		known, ok := w.log.ends.Get(o.place())
		if !ok || seen[known.UID] { // two owners can refer to the same session
			return w
		}
		seen[known.UID] = true
		w.chains[i] = &chain{end: known}
		rows[i] = map[string]any{"n": i, "key": o.key, "workspace": o.workspace, "connection": o.connection,
			"id": graph.NullIfEmpty(o.session), "was": known.Head, "had": known.Events, "at": known.at}
	}
	for _, it := range w.group {
		c := w.chains[w.places[it.who.place()]]
		if it.uid != "" && it.uid != c.UID {
			return w
		}
		c.going = c.going || it.uid != ""
		it.receipt = c.add(it, it.given.Add(c.clockLead))
	}
	for i, c := range w.chains {
		row := rows[i].(map[string]any)
		row["going"] = c.going
		row["uid"], row["head"], row["count"], row["events"] = c.UID, c.Head, c.Events, c.events
	}
	appended, err := graph.Append[struct {
		Kept []any // indexes of owners
		Now  time.Time
	}](ctx, w.log.db, w.statement(), graph.Params{"sessions": rows, "idle": w.log.Idle.Milliseconds()})
	w.cacheEnds(false)
	for _, n := range appended.Kept {
		place, _ := n.(int64)
		c := w.chains[place]
		c.clockLead = appended.Now.Sub(w.log.now()) // server clocks differ
		w.log.cacheEnd(w.owners[place], c)
		c.notifies, c.events = false, nil
		seen[c.UID] = false
	}
	var left []*item
	for _, it := range w.group {
		if c := w.chains[w.places[it.who.place()]]; seen[c.UID] {
			left = append(left, it)
		} else {
			it.isStored = true
		}
	}
	rest := newWriting(w.log, left)
	if err != nil { // the write may have succeeded, and only the response was lost
		for _, c := range w.chains {
			rest.tried[c.UID] = c.end
		}
	}
	return rest
}

func (w *writing) held() bool {
	return slices.ContainsFunc(w.group, func(it *item) bool { return !it.act.Free() })
}

// statement returns the statement that appends the events. Only events with a verdict notify subscribers.
func (w *writing) statement() cypher.Statement {
	statement := cypher.EventsAppend
	if !slices.ContainsFunc(w.chains, func(c *chain) bool { return c != nil && c.notifies }) {
		return statement.WithoutNotification()
	}
	return statement
}

// cacheEnd caches the end of a session.
func (l *Log) cacheEnd(o sessionOwner, c *chain) { l.ends.Add(o.place(), c.end) }

// cacheEnds caches the ends of the sessions if they were written, or else removes them from the cache.
func (w *writing) cacheEnds(written bool) {
	for i, o := range w.owners {
		if written && w.chains[i].err == nil && w.chains[i].Events > 0 {
			w.log.cacheEnd(o, w.chains[i])
		} else {
			w.log.ends.Remove(o.place())
		}
	}
}

// run may be retried. If an earlier attempt may have succeeded, run compares the ends that this attempt would have
// written.
func (w *writing) run(ctx context.Context, tx *graph.Tx) error {
	acts := lists.Map(w.group, func(it *item) limits.Act { return it.act })
	held, err := limits.Hold(ctx, tx, acts)
	if err != nil {
		return err
	}
	if err := w.open(ctx, tx); err != nil {
		return err
	}
	for _, it := range w.group {
		c := w.chains[w.places[it.who.place()]]
		if tried, ok := w.tried[c.UID]; ok && tried.Head == c.Head && tried.Events == c.Events && c.err == nil {
			continue // an earlier attempt succeeded; its receipt is valid
		}
		if it.err = cmp.Or(c.err, it.who.owns(c.SessionID, c.AgentID)); it.err == nil && it.uid != "" &&
			(it.uid != c.UID || !c.EndedAt.IsZero()) {
			it.err = moved()
		}
		if it.err == nil {
			if it.err, err = held.Admit(ctx, it.act); err != nil {
				return err
			}
		}
		if it.err == nil {
			it.receipt = c.add(it, it.given.Add(c.clockLead))
		}
	}
	grown := []any{}
	for _, c := range w.chains { // each session once, in the order of the locks
		if len(c.events) > 0 {
			grown = append(grown, map[string]any{"uid": c.UID, "was": nil, "head": c.Head, "count": c.Events,
				"events": c.events})
			w.tried[c.UID] = c.end
			c.events = nil
		}
	}
	if len(grown) == 0 {
		return nil
	}
	if err := tx.Run(ctx, w.statement(), graph.Params{"sessions": grown,
		"idle": w.log.Idle.Milliseconds()}); err != nil || len(w.decision) == 0 {
		return err
	}
	return w.attach(ctx, tx)
}

// open locks and reads the sessions, which it opens if necessary.
func (w *writing) open(ctx context.Context, tx *graph.Tx) error {
	rows, err := graph.All[map[string]any](ctx, tx, cypher.SessionsOpen,
		graph.Params{"agents": w.agents, "sessions": w.sessions, "idle": w.log.Idle.Milliseconds()})
	if err != nil {
		return err
	}
	if len(rows) != len(w.sessions) {
		return apperr.New(apperr.Internal, "Cannot open the sessions").WithHint("Try again")
	}
	clockLead := graph.Time(rows[0], "now").Sub(w.log.now()) // server clocks differ
	w.chains = make([]*chain, len(rows))
	byUID := map[string]*chain{}
	for _, row := range rows {
		s, wrong := sessionIn(row)
		if byUID[s.UID] == nil || len(wrong) > 0 { // two owners can refer to the same session
			at := s.StartedAt.Add(time.Microsecond - 1).Truncate(time.Microsecond) // no event is older than its session
			if last := graph.Time(row, "at"); last.After(at) {                     // the time of its last event
				at = last
			}
			byUID[s.UID] = &chain{end: end{s.SessionRow, graph.UTC(at), clockLead}}
			if len(wrong) > 0 {
				byUID[s.UID].err = apperr.Newf(apperr.Conflict,
					"Session '%s' was changed in the graph: cannot read its %s, so nothing is added", s.SessionID,
					strings.Join(wrong, ", ")).
					WithHint("Pass another `session_id`; find the change with `verify_trace`")
			}
		}
		w.chains[row["n"].(int64)] = byUID[s.UID]
	}
	return nil
}

// add appends the events of an item. Times never decrease within a session, even if clocks differ.
func (c *chain) add(it *item, at time.Time) Receipt {
	receipt := Receipt{SessionID: c.SessionID, SessionUID: c.UID, Events: make([]Recorded, len(it.events))}
	if at = graph.UTC(at.Truncate(time.Microsecond)); at.After(c.at) {
		c.at = at
	}
	if c.Events == 0 {
		c.Head = c.start()
	}
	for i, e := range it.events {
		own := ownEvent{Seq: c.Events, Type: e.kind, At: c.at, Agent: e.agent, UID: e.uid, Schema: schemaWithUID,
			Payload: json.RawMessage(e.payload), PrevHash: c.Head}
		c.Head = own.hash(c.UID)
		c.events = append(c.events, e.attached.addTo(map[string]any{"uid": e.uid, "seq": own.Seq, "type": e.kind,
			"at": c.at, "agent": e.agent,
			"payload": e.payload, "prev_hash": own.PrevHash, "hash": c.Head}))
		c.notifies = c.notifies || e.attached.Verdict != nil
		receipt.Events[i] = Recorded{UID: e.uid, Seq: own.Seq, At: c.at, Type: e.kind, Payload: payloadOf(e.payload)}
		c.Events++
	}
	receipt.Head = c.Head
	return receipt
}

// addTo adds the data of b to an event's row.
func (b WithEvent) addTo(row map[string]any) map[string]any {
	verdicts, under, given := []any{}, []any{}, make([]any, len(b.Given))
	if b.Verdict != nil {
		verdicts = append(verdicts, b.Verdict)
	}
	if b.Under != nil {
		under = append(under, map[string]any{"approval": b.Under.Approval, "decision": b.Under.Decision,
			"verdict": b.Under.Verdict})
	}
	for i, g := range b.Given {
		given[i] = map[string]any{"uid": g.UID, "score": g.Score}
	}
	row["verdicts"], row["under"], row["given"], row["need"] = verdicts, under, given, b.Need
	return row
}

func (w *writing) attach(ctx context.Context, tx *graph.Tx) error {
	decisions := []any{}
	for uid, events := range w.decision {
		decisions = append(decisions, map[string]any{"uid": uid, "events": events})
	}
	slices.SortFunc(decisions, func(a, b any) int {
		return cmp.Compare(a.(map[string]any)["uid"].(string), b.(map[string]any)["uid"].(string))
	})
	rows, err := graph.All[struct {
		UID  string
		Step int64
	}](ctx, tx, cypher.EventsAttach, graph.Params{"decisions": decisions})
	if err != nil {
		return err
	}
	steps := map[string]int64{}
	for _, row := range rows {
		steps[row.UID] = row.Step
	}
	for _, it := range w.group {
		for i := range it.receipt.Events {
			it.receipt.Events[i].Step = steps[it.receipt.Events[i].UID]
		}
	}
	return nil
}
