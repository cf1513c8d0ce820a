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
	"nomograph/internal/render"
)

// audit is the state of verifying one chain.
type audit struct {
	session
	anchor   string
	events   int64
	problems []Problem

	forgotten []int64       // seqs of events without a payload, in order
	declared  []forgottenAt // ranges that later events declare forgotten
}

// forgottenAt is a range of events that the event at seq declares forgotten.
type forgottenAt struct{ seq, from, to int64 }

// covered holds the hashed fields of an event. They can have any type, because the graph may have been edited.
type covered struct {
	Seq, Type, At, Agent, Payload, PrevHash, Hash any
	Recorded, Forgotten                           bool
}

func (a *audit) found(seq int64, problem, format string, args ...any) {
	a.problems = append(a.problems, Problem{a.ID, seq, problem, fmt.Sprintf(format, args...)})
}

func (a *audit) run(ctx context.Context, db *graph.DB) error {
	prev, next, last := a.start(), int64(0), time.Time{}
	anchored := a.anchor == "" || a.anchor == prev
	for from, more := int64(math.MinInt64), true; more; {
		rows, err := graph.All[covered](ctx, db, cypher.ChainEvents,
			graph.Params{"session": a.UID, "from": from, "count": a.Count, "limit": eventsBatch})
		if err != nil {
			return err
		}
		for _, e := range rows {
			seq, whole := e.Seq.(int64)
			if !whole || seq < 0 {
				a.found(next, "foreign_event", "An event has the invalid position %v", e.Seq)
				continue
			}
			hash, _ := e.Hash.(string)
			a.check(e, seq, next, prev, last)
			prev, next = hash, seq+1
			if at, ok := e.At.(time.Time); ok {
				last = at
			}
			anchored = anchored || hash == a.anchor
			a.events++
		}
		if more = len(rows) == eventsBatch; more {
			from = max(next, from+1)
		}
	}
	a.checkForgotten()
	switch {
	case a.Imported && a.Count == 0 && a.Head == "":
	case next < a.Count:
		a.found(next, "missing_tail", "The session counts %s; those from here on are missing",
			render.Plural(a.Count, "event"))
	case prev != a.Head:
		a.found(max(next-1, 0), "head_mismatch", "The session's head is not the hash of its last event")
	}
	if !anchored {
		a.found(max(next-1, 0), "anchor_mismatch", "No event of the session has the expected hash %s", a.anchor)
	}
	return a.end(ctx, db)
}

// check compares an event with its predecessor and with its own hash.
func (a *audit) check(e covered, seq, next int64, prev string, last time.Time) {
	before, _ := e.PrevHash.(string)
	switch {
	case seq > next:
		a.found(next, "sequence_gap", "From here to event %d, events are missing", seq)
	case before != prev && seq == 0:
		a.found(seq, "invalid_start", "The first event does not begin this session's chain")
	case before != prev:
		a.found(seq, "chain_broken", "The event does not follow the one before it")
	}
	hash, computed := e.hash(a.UID, seq)
	switch {
	case e.Forgotten && e.Payload == nil:
		a.forgotten = append(a.forgotten, seq)
	case !computed || hash != e.Hash:
		a.found(seq, "hash_mismatch", "The event does not match its hash")
	case e.Type == any(Forgotten):
		a.declared = append(a.declared, rangesOf(seq, e.Payload)...)
	}
	if at, ok := e.At.(time.Time); ok && at.Before(last) {
		a.found(seq, "time_regression", "The event is older than the one before it")
	}
	if !e.Recorded {
		a.found(seq, "foreign_event", "The session does not record this event")
	}
}

// checkForgotten reports events without a payload that no later event declares forgotten.
func (a *audit) checkForgotten() {
	for _, seq := range a.forgotten {
		if !declaredForgotten(a.declared, seq) {
			a.found(seq, "hash_mismatch", unexplainedGap)
		}
	}
}

const unexplainedGap = "The event has no payload, and no later event says that it was forgotten"

// declaredForgotten reports whether an event later than seq declares seq forgotten.
func declaredForgotten(declared []forgottenAt, seq int64) bool {
	return slices.ContainsFunc(declared, func(r forgottenAt) bool {
		return r.seq > seq && r.from <= seq && seq <= r.to
	})
}

// Forgotten is the type of events that declare which earlier events lost their payloads.
const Forgotten = "forgotten"

// ForgottenEvent returns an event that declares the ranges [first, last] forgotten. by and reason are recorded.
func ForgottenEvent(ranges [][2]int64, by, reason string) Event {
	list := make([]any, len(ranges))
	for i, r := range ranges {
		list[i] = []any{r[0], r[1]}
	}
	return Event{Type: Forgotten, Payload: map[string]any{"events": list, "by": by, "reason": reason}}
}

func rangesOf(seq int64, payload any) (ranges []forgottenAt) {
	text, _ := payload.(string)
	var declared struct{ Events [][2]int64 }
	if json.Unmarshal([]byte(text), &declared) != nil {
		return nil
	}
	for _, r := range declared.Events {
		ranges = append(ranges, forgottenAt{seq, r[0], r[1]})
	}
	return ranges
}

// hash returns the hash of an event, and false if a field has a different type than it was written with.
func (e covered) hash(session string, seq int64) (string, bool) {
	l := link{session: session, seq: seq}
	var valid [5]bool
	l.kind, valid[0] = e.Type.(string)
	l.at, valid[1] = e.At.(time.Time)
	l.agent, valid[2] = e.Agent.(string)
	l.payload, valid[3] = e.Payload.(string)
	l.prev, valid[4] = e.PrevHash.(string)
	return l.hash(), valid == [5]bool{true, true, true, true, true}
}

// end searches for events after the end of the chain or outside the chain.
func (a *audit) end(ctx context.Context, db *graph.DB) error {
	end, err := graph.One[struct {
		Last            any
		Count, Recorded int64
	}](ctx, db, cypher.ChainEnd, graph.Params{"session": a.UID, "count": a.Count})
	if err != nil {
		return err
	}
	last, ok := end.Last.(int64)
	if !ok { // not an integer
		last = end.Count
	}
	// The count may have grown during the query. In that case the event is in the chain by now.
	if end.Last != nil && last >= end.Count {
		a.found(last, "foreign_event", "An event is after the end of the session, which counts %d", end.Count)
	}
	if end.Recorded != end.Count && len(a.problems) == 0 {
		a.found(end.Count, "foreign_event", "The session counts %s, but records %d", render.Plural(end.Count, "event"),
			end.Recorded)
	}
	return nil
}
