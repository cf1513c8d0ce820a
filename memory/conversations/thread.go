package conversations

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"sync/atomic"
	"time"

	"nomograph/internal/redact"
	"nomograph/memory"
	"nomograph/memory/transcripts"
	"nomograph/memory/turns"
)

// thread is a conversation that is being read.
type thread struct {
	conversation *transcripts.Conversation
	known        known
	writer       *writer
	project      func() string
	agent        string
	file         transcripts.File

	builder turns.Builder
	cutter  turns.Cutter
	said    hash.Hash // of the turns so far
	size    int64
	last    time.Time

	position int64 // of the next chunk
	cursor   cursor
	chunks   []memory.Chunk // not handed to the writer yet
	from     int64          // the position of the first of them
	bytes    int
	grows    bool // there is something to write
	differs  bool // what was settled is not what it said: it is to be read again

	moved   atomic.Bool // another import was quicker; the writer says so
	version int64       // of the session's memory, as the writer left it
}

// cursor is from where a conversation's chunks may still become others.
type cursor struct {
	closed, turns int64
	hash          string
}

func newThread(c *transcripts.Conversation, known known, w *writer) *thread {
	t := &thread{conversation: c, known: known, writer: w, said: sha256.New(), version: known.Version}
	t.cutter.Tokens = w.tokens.Tokens
	t.cursor = cursor{known.Closed, known.ClosedTurns, known.ClosedHash}
	t.position, t.from = known.Closed, known.Closed
	return t
}

func (t *thread) add(m turns.Message) error {
	if t.differs || t.moved.Load() {
		return nil
	}
	if m.At.Before(t.last) { // a clock was set, or a line was written late: order is that of the file
		m.At = t.last
	}
	t.last = m.At
	if turn, ends := t.builder.Add(m); ends {
		return t.turn(turn)
	}
	return nil
}

// turn takes a turn that is whole.
func (t *thread) turn(turn turns.Turn) error {
	settled := t.known.ClosedTurns
	if turn.Number >= settled {
		turn.Before = hex.EncodeToString(t.said.Sum(nil))
	}
	if turn.Number == settled && settled > 0 && t.known.ClosedHash != "" && turn.Before != t.known.ClosedHash {
		t.differs = true
		return nil
	}
	t.size += int64(len(turn.Text))
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(turn.Text)))
	_, _ = t.said.Write(length[:])
	_, _ = t.said.Write([]byte(turn.Text))
	if turn.Number < settled {
		return nil
	}
	turn.Text = redact.Mask(turn.Text)
	return t.take(t.cutter.Add(turn))
}

// over ends a conversation. One that says no more than is known stays as it is: the file may be an older copy.
func (t *thread) over() error {
	if turn, under := t.builder.End(); under && !t.differs {
		if err := t.turn(turn); err != nil {
			return err
		}
	}
	read := t.builder.Next()
	if t.differs || t.moved.Load() || read == 0 || t.known.there && (read < t.known.Turns || read == t.known.Turns && t.size <= t.known.Size) {
		t.rest()
		return nil
	}
	if err := t.take(t.cutter.End()); err != nil {
		return err
	}
	err := t.hand(true)
	t.rest()
	return err
}

// rest frees what reading needed: from now on it is only asked whether another import was quicker.
func (t *thread) rest() { t.builder, t.cutter, t.said = turns.Builder{}, turns.Cutter{}, nil }

// take makes chunks of pieces.
func (t *thread) take(pieces []turns.Piece) error {
	for _, p := range pieces {
		kind := memory.Conversation
		if p.Summary {
			kind = memory.Summary
		}
		if p.Part == 0 {
			t.cursor = cursor{t.position, p.First, p.Before}
		}
		t.chunks = append(t.chunks, memory.Chunk{Kind: kind, At: p.At, EndsAt: p.EndsAt, Tokens: int64(p.Tokens), Text: p.Text, First: p.First, Last: p.Last,
			Title: redact.Mask(t.conversation.Title)})
		t.position++
		if t.bytes += len(p.Text); t.bytes >= batchBytes {
			if err := t.hand(false); err != nil {
				return err
			}
		}
	}
	return nil
}

// hand gives the writer what there is.
func (t *thread) hand(ends bool) error {
	t.grows = true
	g := memory.Growth{Project: t.project(), Agent: redact.Mask(t.agent), Visibility: memory.Private, From: t.from, Chunks: t.chunks, Ends: ends,
		Set: map[string]any{"closed": t.cursor.closed, "closed_turns": t.cursor.turns, "closed_hash": t.cursor.hash, "turns": t.builder.Next(), "size": t.size}}
	if title := redact.Mask(t.conversation.Title); title != "" {
		g.Set["title"] = title
	}
	t.chunks, t.from, t.bytes = nil, t.position, 0
	return t.writer.give(write{thread: t, growth: g, folder: t.conversation.Folder, parent: t.conversation.Parent})
}
