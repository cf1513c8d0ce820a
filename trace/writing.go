package trace

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph"
)

// entry is an event on its way into the graph.
type entry struct{ uid, kind, agent, payload, decision string }

// writing is one transaction: which sessions are locked, in one order for all processes, and what is added to them.
type writing struct {
	log      *Log
	group    []*item // with events
	sessions []any   // of the statement, sorted
	agents   []any
	places   map[owner]int // of an owner's session among sessions, by owner.place
	decision map[string][]string
}

func newWriting(l *Log, group []*item) *writing {
	w := &writing{log: l, places: map[owner]int{}, decision: map[string][]string{}}
	var owners []owner
	for _, it := range group {
		if len(it.events) == 0 {
			continue
		}
		w.group = append(w.group, it)
		if _, there := w.places[it.who.place()]; !there {
			w.places[it.who.place()] = 0
			owners = append(owners, it.who)
		}
		for _, e := range it.events {
			if e.decision != "" {
				w.decision[e.decision] = append(w.decision[e.decision], e.uid)
			}
		}
	}
	slices.SortFunc(owners, func(a, b owner) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.session, b.session), cmp.Compare(a.workspace, b.workspace))
	})
	for i, o := range owners {
		if i == 0 || owners[i-1].key != o.key {
			w.agents = append(w.agents, map[string]any{"key": o.key, "name": o.name, "uid": l.newUID()})
		}
		w.places[o.place()] = i
		w.sessions = append(w.sessions, map[string]any{"n": i, "key": o.key, "workspace": o.workspace, "id": nullIfEmpty(o.session), "uid": l.newUID(), "project": nullIfEmpty(l.Project)})
	}
	return w
}

// opened is a session as it is while its lock is held.
type opened struct {
	N       int64
	Session stored    `mapstructure:",squash"`
	At      any       // of its last event
	Now     time.Time // by the database's clock
}

// chain is the growing end of a session.
type chain struct {
	session
	at     time.Time
	events []any
	err    error // why nothing can be added
}

// run may be run again: nothing is kept of an earlier run.
func (w *writing) run(ctx context.Context, tx *graph.Tx) error {
	rows, err := graph.All[opened](ctx, tx, cypher.SessionsOpen, graph.Params{"agents": w.agents, "sessions": w.sessions, "idle": w.log.Idle.Milliseconds()})
	if err != nil {
		return err
	}
	if len(rows) != len(w.sessions) {
		return fault.New(fault.Internal, "The sessions could not be opened").WithHint("Try again")
	}
	offset := rows[0].Now.Sub(w.log.now()) // servers' clocks differ
	byPlace, byUID := make([]*chain, len(rows)), map[string]*chain{}
	for _, row := range rows {
		s, wrong := row.Session.session()
		if byUID[s.UID] == nil || len(wrong) > 0 { // two names may stand for one session
			at := s.StartedAt.Add(time.Microsecond - 1).Truncate(time.Microsecond) // no event is older than its session
			if last := as[time.Time](row.At, "", nil); last.After(at) {
				at = last
			}
			byUID[s.UID] = &chain{session: s, at: graph.UTC(at)}
			if len(wrong) > 0 {
				byUID[s.UID].err = fault.Newf(fault.Conflict, "Somebody changed the session '%s' in the graph: its %s cannot be read, so nothing is added to it", s.ID, strings.Join(wrong, ", ")).
					WithHint("Pass another `session_id`; `verify_trace` shows what is wrong")
			}
		}
		byPlace[row.N] = byUID[s.UID]
	}
	for _, it := range w.group {
		c := byPlace[w.places[it.who.place()]]
		if it.err = cmp.Or(c.err, it.who.owns(c.ID, c.Agent)); it.err == nil {
			it.receipt = c.add(it, it.given.Add(offset))
		}
	}
	grown := []any{}
	for _, c := range byPlace { // each once, in the order of the locks
		if len(c.events) > 0 {
			grown = append(grown, map[string]any{"uid": c.UID, "head": c.Head, "count": c.Count, "events": c.events})
			c.events = nil
		}
	}
	if err := tx.Run(ctx, cypher.EventsCreate, graph.Params{"sessions": grown}); err != nil || len(w.decision) == 0 {
		return err
	}
	return w.attach(ctx, tx)
}

// add puts the events of an item at the end. Time does not go back within a session, whoever's clock it came from.
func (c *chain) add(it *item, at time.Time) Receipt {
	receipt := Receipt{SessionID: c.ID, SessionUID: c.UID, Events: make([]Recorded, len(it.events))}
	if at = graph.UTC(at.Truncate(time.Microsecond)); at.After(c.at) {
		c.at = at
	}
	if c.Count == 0 {
		c.Head = c.start()
	}
	for i, e := range it.events {
		l := link{session: c.UID, seq: c.Count, kind: e.kind, at: c.at, agent: e.agent, payload: e.payload, prev: c.Head}
		c.Head = l.hash()
		c.events = append(c.events, map[string]any{"uid": e.uid, "seq": l.seq, "type": l.kind, "at": l.at, "agent": l.agent,
			"payload": l.payload, "prev_hash": l.prev, "hash": c.Head})
		receipt.Events[i] = Recorded{UID: e.uid, Seq: l.seq, At: l.at, Type: l.kind, Payload: payloadOf(e.payload)}
		c.Count++
	}
	receipt.Head = c.Head
	return receipt
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

func nullIfEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}
