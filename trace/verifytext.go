package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"nomograph/internal/apperr"
)

// TextVerification says of each chain in a text whether it is whole. It needs no graph.
type TextVerification struct {
	Intact    bool      `json:"intact"`
	Format    string    `json:"format" jsonschema:"jsonl or trace"`
	Events    int64     `json:"events"`
	Forgotten int64     `json:"forgotten,omitempty" jsonschema:"number of events with a deleted payload"`
	Ours      string    `json:"ours,omitempty" jsonschema:"head of our chain, if present"`
	Theirs    string    `json:"theirs,omitempty" jsonschema:"head of the TRACE/1.0 chain, if present"`
	Problems  []Problem `json:"problems"`
}

// Failed tells a program that something is wrong.
func (v TextVerification) Failed() bool { return !v.Intact }

const maxEventLineLength = 1 << 20

// VerifyText computes the hashes of an exported session again: those of our chain, and of TRACE/1.0. It returns a validation_error for a
// text that is none.
func VerifyText(text string) (TextVerification, error) {
	v := TextVerification{Problems: []Problem{}}
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, maxEventLineLength)
	c := chainsRead{ours: chainRead{}, theirs: chainRead{head: genesis}}
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		var event traceEvent
		var own ownEvent
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			return v, notEvents(n).Because(err)
		}
		switch {
		case event.Version != "":
			v.Format, v.Theirs = FormatTRACE, event.Hash
			c.follow(&v, event)
			if event.Own == nil {
				v.Events++
				continue
			}
			own = *event.Own
			own.Payload = event.Payload
			if own.Type != "" && (event.Type != traceType(own.Type, own.Payload) || event.ID != own.UID || event.Sequence != own.Seq) {
				c.found(&v, own.SessionID, own.Seq, "hash_mismatch", "The two chains tell of different events")
			}
		case json.Unmarshal([]byte(line), &own) == nil && own.Hash != "":
			v.Format = FormatLines
		default:
			return v, notEvents(n)
		}
		v.Events++
		v.Ours = own.Hash
		c.followOwn(&v, own)
	}
	if err := lines.Err(); err != nil {
		return v, apperr.New(apperr.Validation, "A line of the text is too long to be an event").WithHint("Export events with `export_session`").Because(err)
	}
	if v.Events == 0 {
		return v, notEvents(1)
	}
	for _, e := range c.forgotten {
		if !saidForgotten(c.said, e.Seq) {
			c.found(&v, e.SessionID, e.Seq, "hash_mismatch", unsaid)
		}
	}
	v.Intact = len(v.Problems) == 0
	return v, nil
}

func notEvents(line int) *apperr.Error {
	return apperr.Newf(apperr.Validation, "Line %d is not an event of a session", line).WithHint("Export events with `export_session`")
}

type chainRead struct {
	head string
	next int64
	last time.Time
}

type chainsRead struct {
	ours, theirs chainRead
	forgotten    []ownEvent
	said         []forgottenAt
}

func (c *chainsRead) found(v *TextVerification, session string, seq int64, problem, format string, args ...any) {
	if len(v.Problems) < maxProblems {
		v.Problems = append(v.Problems, Problem{session, seq, problem, fmt.Sprintf(format, args...)})
	}
}

// follow compares an event of TRACE/1.0 with the one before it, and with its own hash.
func (c *chainsRead) follow(v *TextVerification, e traceEvent) {
	at, _ := time.Parse(time.RFC3339Nano, e.Timestamp)
	switch {
	case e.Sequence != c.theirs.next:
		c.found(v, e.SessionID, e.Sequence, "sequence_gap", "Event %d stands where %d should", e.Sequence, c.theirs.next)
	case e.Previous != c.theirs.head && e.Sequence == 0:
		c.found(v, e.SessionID, e.Sequence, "invalid_start", "The first event does not begin a chain of TRACE/1.0")
	case e.Previous != c.theirs.head:
		c.found(v, e.SessionID, e.Sequence, "chain_broken", "The event does not follow the one before it, as TRACE/1.0 has it")
	}
	if e.hash() != e.Hash {
		c.found(v, e.SessionID, e.Sequence, "hash_mismatch", "The event is not what its hash of TRACE/1.0 was made of")
	}
	if at.Before(c.theirs.last) {
		c.found(v, e.SessionID, e.Sequence, "time_regression", "The event is older than the one before it")
	}
	c.theirs = chainRead{e.Hash, e.Sequence + 1, at}
}

// followOwn does the same for our chain.
func (c *chainsRead) followOwn(v *TextVerification, e ownEvent) {
	if e.Seq == 0 && e.Begins != nil {
		c.ours.head = session{UID: e.Session, ID: e.Begins.ID, Agent: e.Begins.Agent, Workspace: e.Begins.Workspace, StartedAt: e.Begins.StartedAt}.start()
	}
	switch {
	case e.Seq != c.ours.next:
		c.found(v, e.SessionID, e.Seq, "sequence_gap", "Event %d stands where %d should", e.Seq, c.ours.next)
	case e.PrevHash != c.ours.head && e.Seq == 0:
		c.found(v, e.SessionID, e.Seq, "invalid_start", "The first event does not begin this session's chain")
	case e.PrevHash != c.ours.head:
		c.found(v, e.SessionID, e.Seq, "chain_broken", "The event does not follow the one before it")
	}
	if e.Forgotten && (len(e.Payload) == 0 || string(e.Payload) == "null") {
		v.Forgotten++
		c.forgotten = append(c.forgotten, e)
		c.ours = chainRead{e.Hash, e.Seq + 1, e.At}
		return
	}
	l := link{session: e.Session, seq: e.Seq, kind: e.Type, at: e.At, agent: e.Agent, payload: string(e.Payload), prev: e.PrevHash}
	if l.hash() != e.Hash {
		c.found(v, e.SessionID, e.Seq, "hash_mismatch", "The event is not what its hash was made of")
	} else if e.Type == Forgotten {
		c.said = append(c.said, rangesOf(e.Seq, string(e.Payload))...)
	}
	c.ours = chainRead{e.Hash, e.Seq + 1, e.At}
}
