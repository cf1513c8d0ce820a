package trace

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/render"
)

// walk verifies the events of one session in order, wherever they come from: the graph, an exported text or a bundle.
type walk struct {
	session
	anchor   string
	anchored bool // an event, or the start, has the expected hash
	prev     string
	next     int64
	last     time.Time
	events   int64
	problems []Problem

	forgotten []int64       // seqs of events without a payload, in order
	declared  []forgottenAt // ranges that later events declare forgotten
}

// forgottenAt is a range of events that the event at seq declares forgotten.
type forgottenAt struct{ seq, from, to int64 }

// newWalk begins at the start of the session's chain. A session without an id begins nowhere.
func newWalk(s session, anchor string) *walk {
	start := s.start()
	return &walk{session: s, prev: start, anchor: anchor, anchored: anchor == "" || anchor == start}
}

func (w *walk) found(seq int64, problem, format string, args ...any) {
	w.problems = append(w.problems, Problem{w.SessionID, seq, problem, fmt.Sprintf(format, args...)})
}

// follow compares an event with its predecessor and with its own hash. readable is false if a field has another type
// than it was written with.
func (w *walk) follow(e ownEvent, readable bool) {
	switch {
	case e.Seq > w.next:
		w.found(w.next, "sequence_gap", "From here to event %d, events are missing", e.Seq)
	case e.PrevHash != w.prev && e.Seq == 0:
		w.found(e.Seq, "invalid_start", "The first event does not begin this session's chain")
	case e.PrevHash != w.prev:
		w.found(e.Seq, "chain_broken", "The event does not follow the one before it")
	case e.Seq < w.next:
		w.found(e.Seq, "sequence_gap", "Event %d is at the position of event %d", e.Seq, w.next)
	}
	switch {
	case e.Forgotten && (len(e.Payload) == 0 || string(e.Payload) == "null"):
		w.forgotten = append(w.forgotten, e.Seq)
	case !readable || e.hash(w.UID) != e.Hash:
		w.found(e.Seq, "hash_mismatch", "The event does not match its hash")
	case e.Type == Forgotten:
		w.declared = append(w.declared, rangesOf(e.Seq, e.Payload)...)
	}
	switch {
	case e.At.IsZero():
	case e.At.Before(w.last):
		w.found(e.Seq, "time_regression", "The event is older than the one before it")
		fallthrough
	default:
		w.last = e.At
	}
	w.prev, w.next, w.anchored = e.Hash, e.Seq+1, w.anchored || e.Hash == w.anchor
	w.events++
}

// checkForgotten reports events without a payload that no later event declares forgotten.
func (w *walk) checkForgotten() {
	for _, seq := range w.forgotten {
		if !slices.ContainsFunc(w.declared, func(r forgottenAt) bool {
			return r.seq > seq && r.from <= seq && seq <= r.to
		}) {
			w.found(seq, "hash_mismatch", "The event has no payload, and no later event says that it was forgotten")
		}
	}
}

// finish compares the end of the chain with the session.
func (w *walk) finish() {
	w.checkForgotten()
	last := max(w.next-1, 0)
	switch {
	case w.Imported && w.Events == 0 && w.Head == "":
	case w.next < w.Events:
		w.found(w.next, "missing_tail", "The session counts %s; those from here on are missing",
			render.Plural(w.Events, "event"))
	case w.prev != w.Head:
		w.found(last, "head_mismatch", "The session's head is not the hash of its last event")
	}
	if !w.anchored {
		w.found(last, "anchor_mismatch", "No event of the session has the expected hash %s", w.anchor)
	}
}

// event returns the event in a row, and the names of properties that have another type than they were written with.
func (s session) event(row map[string]any) (own ownEvent, wrong []string) {
	own = ownEvent{SessionID: s.SessionID, Session: s.UID, Forgotten: row["payload"] == nil}
	wrong = fill(&own, row)
	payload, ok := row["payload"].(string)
	if own.Payload = json.RawMessage(payload); !ok && !own.Forgotten {
		wrong = append(wrong, "payload")
	}
	if own.Schema > schemaWithUID {
		wrong = append(wrong, "schema_version")
	}
	return own, wrong
}

// eachEvent reads the events of a session, in order, as far as the session counts.
func (l *Log) eachEvent(ctx context.Context, s session, from int64, visit func(map[string]any)) error {
	for {
		rows, err := graph.All[map[string]any](ctx, l.db, cypher.ChainEvents,
			graph.Params{"session": s.UID, "from": from, "count": s.Events, "limit": eventsBatch})
		if err != nil {
			return err
		}
		from++
		for _, e := range rows {
			visit(e)
			if seq, ok := e["seq"].(int64); ok {
				from = max(from, seq+1)
			}
		}
		if len(rows) < eventsBatch {
			return nil
		}
	}
}

// verifyStored verifies the events in the graph.
func (l *Log) verifyStored(ctx context.Context, w *walk) error {
	err := l.eachEvent(ctx, w.session, math.MinInt64, func(e map[string]any) {
		own, wrong := w.event(e)
		if slices.Contains(wrong, "seq") || own.Seq < 0 {
			w.found(w.next, "foreign_event", "An event has the invalid position %v", e["seq"])
			return
		}
		w.follow(own, len(wrong) == 0)
		if e["recorded"] != true {
			w.found(own.Seq, "foreign_event", "The session does not record this event")
		}
		for _, name := range graph.Texts(e["added"]) {
			w.found(own.Seq, "extra_property", "The event has the property %s, which nobody wrote here", name)
		}
	})
	if err != nil {
		return err
	}
	w.finish()
	return l.verifyEnd(ctx, w)
}

// verifyEnd searches for events after the end of the chain or outside the chain.
func (l *Log) verifyEnd(ctx context.Context, w *walk) error {
	end, err := graph.One[struct {
		Last            any
		Count, Recorded int64
	}](ctx, l.db, cypher.ChainEnd, graph.Params{"session": w.UID, "count": w.Events})
	if err != nil {
		return err
	}
	last, ok := end.Last.(int64)
	if !ok { // not an integer
		last = end.Count
	}
	// The count may have grown during the query. In that case the event is in the chain by now.
	if end.Last != nil && last >= end.Count {
		w.found(last, "foreign_event", "An event is after the end of the session, which counts %d", end.Count)
	}
	if end.Recorded != end.Count && len(w.problems) == 0 {
		w.found(end.Count, "foreign_event", "The session counts %s, but records %d", render.Plural(end.Count, "event"),
			end.Recorded)
	}
	return nil
}

// Forgotten is the type of events that declare which earlier events lost their payloads.
const Forgotten = "forgotten"

// ForgottenEvent returns an event that declares the ranges [first, last] forgotten. by and reason are recorded.
func ForgottenEvent(ranges [][2]int64, by, reason string) Event {
	list := lists.Map(ranges, func(r [2]int64) any { return []any{r[0], r[1]} })
	return Event{Type: Forgotten, Payload: map[string]any{"events": list, "by": by, "reason": reason}}
}

func rangesOf(seq int64, payload []byte) (ranges []forgottenAt) {
	var declared struct{ Events [][2]int64 }
	if json.Unmarshal(payload, &declared) != nil {
		return nil
	}
	for _, r := range declared.Events {
		ranges = append(ranges, forgottenAt{seq, r[0], r[1]})
	}
	return ranges
}
