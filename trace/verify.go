package trace

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
	"nomograph/internal/render"
)

// VerifyRequest selects the sessions whose chains are verified.
type VerifyRequest struct {
	Sessions     []string `json:"sessions,omitempty" jsonschema:"ids or uids of sessions (default all)" rule:"maxItems=500"`
	ExpectedHead string   `json:"expected_head,omitempty" jsonschema:"earlier head hash of the one session; must be in the chain" rule:"maxLength=64"`
}

// Problem is an error at one position of a chain.
type Problem struct {
	SessionID string `json:"session_id"`
	Seq       int64  `json:"seq"`
	Problem   string `json:"problem" jsonschema:"hash_mismatch, chain_broken, sequence_gap, missing_tail, head_mismatch, invalid_start, invalid_session, time_regression, foreign_event, extra_property or anchor_mismatch"`
	Message   string `json:"message"`
}

// Verification is the result of verifying chains.
type Verification struct {
	Intact    bool      `json:"intact"`
	Sessions  int64     `json:"sessions" jsonschema:"number of verified sessions"`
	Events    int64     `json:"events" jsonschema:"number of verified events"`
	Forgotten int64     `json:"forgotten,omitempty" jsonschema:"number of events with a deleted payload; their hashes stay in the chain"`
	Problems  []Problem `json:"problems"`
	Omitted   int64     `json:"omitted,omitempty" jsonschema:"number of further problems"`
	Head      string    `json:"head,omitempty" jsonschema:"head hash if one session was verified; store it externally and pass it as expected_head later"`
}

// Failed reports whether a problem was found; the command line then exits with an error.
func (v Verification) Failed() bool { return !v.Intact }

const (
	maxProblems   = 100
	sessionsBatch = 500
	eventsBatch   = 500
	recheckDelay  = 50 * time.Millisecond
	maxRechecks   = 3
)

// Verify recomputes all hashes and compares them. Problems are part of the result, not an error. A person who can write
// to the graph can rebuild a chain, or truncate it and reset its head. Only a head that is stored elsewhere
// (ExpectedHead) reveals that. It returns not_found for an unknown session, and a validation_error for an expected head
// without exactly one session.
func (l *Log) Verify(ctx context.Context, r VerifyRequest) (Verification, error) {
	v := Verification{Problems: []Problem{}}
	if r.ExpectedHead != "" && len(r.Sessions) != 1 {
		return v, apperr.New(apperr.Validation, "`expected_head` needs one session").
			WithHint("Pass the session of this head")
	}
	if err := l.flush(ctx); err != nil {
		return v, err
	}
	for _, id := range r.Sessions {
		s, err := l.sessionOf(ctx, id)
		if err != nil {
			return v, err
		}
		if err := l.verify(ctx, &v, s, r.ExpectedHead); err != nil {
			return v, err
		}
		if len(r.Sessions) == 1 {
			v.Head = graph.Text(s, "head")
		}
	}
	if len(r.Sessions) == 0 {
		if err := l.verifyAll(ctx, &v); err != nil {
			return v, err
		}
	}
	v.Intact = len(v.Problems) == 0
	return v, nil
}

func (l *Log) verifyAll(ctx context.Context, v *Verification) error {
	for after := ""; ; {
		rows, err := graph.All[map[string]any](ctx, l.db, cypher.SessionsByUID,
			graph.Params{"after": after, "limit": sessionsBatch})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := l.verify(ctx, v, row, ""); err != nil {
				return err
			}
			after = graph.Text(row, "uid")
			if same := row["same"]; same != int64(1) {
				v.add([]Problem{{after, 0, "invalid_session", fmt.Sprintf("%d sessions have this uid", same)}})
			}
			progress.Report(ctx, progress.Step{Message: "Verifying sessions", Done: v.Sessions,
				Total: max(int64(graph.Number(row["total"])), v.Sessions)})
		}
		if len(rows) < sessionsBatch {
			break
		}
	}
	nameless, err := graph.All[map[string]any](ctx, l.db, cypher.SessionsNameless, nil)
	if err != nil {
		return err
	}
	for _, n := range nameless {
		if err := l.verify(ctx, v, n, ""); err != nil {
			return err
		}
	}
	found, err := l.recheck(ctx, func() ([]Problem, error) { return l.orphans(ctx) })
	v.add(found)
	return err
}

// verify verifies one session. A session without a valid uid or count cannot be verified and is reported.
func (l *Log) verify(ctx context.Context, v *Verification, node map[string]any, anchor string) error {
	var events, forgotten int64
	found, err := l.recheck(ctx, func() ([]Problem, error) {
		s, wrong := sessionIn(node)
		w := newWalk(s, anchor)
		w.SessionID = cmp.Or(s.SessionID, fmt.Sprintf("%v (id)", node["id"]))
		for _, name := range wrong {
			w.found(0, "invalid_session", "The session's %s was edited and cannot be read", name)
		}
		if slices.Contains(wrong, "uid") || slices.Contains(wrong, "count") {
			return w.problems, nil
		}
		if s.Consumed < 0 || s.Consumed > s.Events {
			w.found(0, "invalid_session", "The session's consumed is %d of %s", s.Consumed,
				render.Plural(s.Events, "event"))
		}
		if node["ambient"] == false && s.SessionID == s.UID &&
			!s.Imported { // only ambient sessions have no id of their own
			w.found(0, "invalid_session", "The session's ambient was edited: a session without an id is ambient")
		}
		err := l.verifyStored(ctx, w)
		events, forgotten = w.events, int64(len(w.forgotten))
		if len(w.problems) > 0 && err == nil {
			node, err = l.sessionOf(ctx, s.UID)
		}
		return w.problems, err
	})
	v.Sessions++
	v.Events += events
	v.Forgotten += forgotten
	v.add(found)
	return err
}

// recheck repeats a check before it reports problems: during a commit, the database can show a part of the transaction.
func (l *Log) recheck(ctx context.Context, look func() ([]Problem, error)) ([]Problem, error) {
	for try := 1; ; try++ {
		found, err := look()
		if err != nil || len(found) == 0 || try == maxRechecks {
			return found, err
		}
		select {
		case <-ctx.Done():
			return nil, graph.AsError(ctx.Err())
		case <-time.After(recheckDelay):
		}
	}
}

func (v *Verification) add(found []Problem) {
	room := min(len(found), maxProblems-len(v.Problems))
	v.Problems = append(v.Problems, found[:room]...)
	v.Omitted += int64(len(found) - room)
}

// orphans returns events without a session, and events that neither a session's links nor its chain include.
func (l *Log) orphans(ctx context.Context) ([]Problem, error) {
	rows, err := graph.All[struct{ Session, Seq any }](ctx, l.db, cypher.EventsOrphaned,
		graph.Params{"limit": maxProblems})
	found := make([]Problem, len(rows))
	for i, row := range rows {
		seq, _ := row.Seq.(int64)
		found[i] = Problem{fmt.Sprint(row.Session), seq, "foreign_event", "No session records this event"}
	}
	return found, err
}

// TextVerification is the result of verifying an exported session. It needs no graph.
type TextVerification struct {
	Intact    bool      `json:"intact"`
	Format    string    `json:"format" jsonschema:"jsonl or trace"`
	Events    int64     `json:"events"`
	Forgotten int64     `json:"forgotten,omitempty" jsonschema:"number of events with a deleted payload"`
	Ours      string    `json:"nomograph_head,omitempty" jsonschema:"head of our chain, if present"`
	Theirs    string    `json:"trace_head,omitempty" jsonschema:"head of the TRACE/1.0 chain, if present"`
	Problems  []Problem `json:"problems"`
}

// Failed reports whether a problem was found; the command line then exits with an error.
func (v TextVerification) Failed() bool { return !v.Intact }

const maxEventLineLength = 1 << 20

// VerifyText verifies the hashes of an exported session: Nomograph's own chain and TRACE/1.0. It returns a
// validation_error for a text that is not an export.
func VerifyText(text string) (TextVerification, error) {
	v := TextVerification{Problems: []Problem{}}
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, maxEventLineLength)
	var own *walk
	theirs := traceWalk{head: genesis}
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		var event traceEvent
		var e ownEvent
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			return v, notEvents(n).Because(err)
		}
		if event.Version == "" && (json.Unmarshal([]byte(line), &e) != nil || e.Hash == "") {
			return v, notEvents(n)
		}
		v.Events++
		v.Format = FormatLines
		if event.Version != "" {
			v.Format, v.Theirs = FormatTRACE, event.Hash
			theirs.follow(event)
			if event.Own == nil {
				continue
			}
			if e = *event.Own; e.Type != "" && (event.Type != traceType(e.Type, event.Payload) || event.ID != e.UID ||
				event.Sequence != e.Seq) {
				theirs.found(event, "hash_mismatch", "The two chains contain different events")
			}
			e.Payload = event.Payload
		}
		if own == nil {
			own = newWalk(e.begins(), "")
		}
		v.Ours = e.Hash
		own.follow(e, true)
	}
	if err := lines.Err(); err != nil {
		return v, apperr.New(apperr.Validation, "A line of the text is too long to be an event").
			WithHint("Export events with `export_session`").Because(err)
	}
	if v.Events == 0 {
		return v, notEvents(1)
	}
	v.Problems = append(v.Problems, theirs.problems...)
	if own != nil {
		own.checkForgotten()
		v.Forgotten = int64(len(own.forgotten))
		v.Problems = append(v.Problems, own.problems...)
	}
	v.Problems = v.Problems[:min(len(v.Problems), maxProblems)]
	v.Intact = len(v.Problems) == 0
	return v, nil
}

// begins returns the session whose chain begins with this event of an exported text.
func (e ownEvent) begins() session {
	s := session{SessionRow: SessionRow{UID: e.Session, SessionID: e.SessionID}}
	if b := e.Begins; e.Seq == 0 && b != nil {
		s.SessionID, s.AgentID, s.Workspace, s.StartedAt = b.ID, b.Agent, b.Workspace, b.StartedAt
	}
	return s
}

func notEvents(line int) *apperr.Error {
	return apperr.Newf(apperr.Validation, "Line %d is not an event of a session", line).
		WithHint("Export events with `export_session`")
}

// traceWalk verifies the chain of TRACE/1.0.
type traceWalk struct {
	head     string
	next     int64
	last     time.Time
	problems []Problem
}

func (w *traceWalk) found(e traceEvent, problem, message string) {
	w.problems = append(w.problems, Problem{e.SessionID, e.Sequence, problem, message})
}

// follow compares a TRACE/1.0 event with its predecessor and with its hash.
func (w *traceWalk) follow(e traceEvent) {
	at, _ := time.Parse(time.RFC3339Nano, e.Timestamp)
	switch {
	case e.Sequence != w.next:
		w.found(e, "sequence_gap", fmt.Sprintf("Event %d is at the position of event %d", e.Sequence, w.next))
	case e.Previous != w.head && e.Sequence == 0:
		w.found(e, "invalid_start", "The first event does not begin a chain of TRACE/1.0")
	case e.Previous != w.head:
		w.found(e, "chain_broken", "The event does not follow the one before it, as TRACE/1.0 requires")
	}
	if e.hash() != e.Hash {
		w.found(e, "hash_mismatch", "The event does not match its TRACE/1.0 hash")
	}
	if at.Before(w.last) {
		w.found(e, "time_regression", "The event is older than the one before it")
	}
	w.head, w.next, w.last = e.Hash, e.Sequence+1, at
}
