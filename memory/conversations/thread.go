package conversations

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
	"sync/atomic"
	"time"

	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/memory"
	"nomograph/memory/transcripts"
	"nomograph/memory/turns"
)

// thread is a conversation that is being read.
type thread struct {
	conversation *transcripts.Conversation
	known        storedConversation
	writer       *writer
	project      func() string
	agent        string
	file         transcripts.File

	builder turns.Builder
	cutter  turns.Cutter
	hash    hash.Hash // hash of the turns read so far
	content hash.Hash // hash of the messages read so far, with the times that the file states
	timed   bool      // the file states a time
	size    int64
	last    time.Time
	asked   string // first line of the first question, the title of a conversation whose file names none

	position int64 // position of the next chunk
	cursor   cursor
	chunks   []memory.Chunk // chunks not yet passed to the writer
	from     int64          // position of the first of these chunks
	bytes    int
	grows    bool // whether there is something to write
	differs  bool // the stored turns differ from the file, so the conversation must be read again

	copyOf func(content string) string // returns the id of another conversation with this content
	copied string                      // id of the conversation that this one is a copy of

	ownedBy func(first int64) (string, map[int64]bool,
		// returns a conversation with this first message, and all messages that are stored under such conversations
		error)
	owner    string
	owned    map[int64]bool
	first    int64   // hash of the first message
	shared   int64   // number of messages at the beginning that are stored under another conversation
	messages []int64 // hashes of the other messages

	moved   atomic.Bool // set by the writer if a concurrent import wrote first
	version int64       // version of the session's memory after the last write
}

// cursor is the point after which the chunks of a conversation can still change.
type cursor struct {
	closed, turns int64
	hash          string
}

func newThread(c *transcripts.Conversation, known storedConversation, w *writer) *thread {
	t := &thread{conversation: c, known: known, writer: w, hash: sha256.New(), content: sha256.New(),
		version: known.Version}
	t.cutter.Tokens = w.tokens.Tokens
	t.cursor = cursor{known.Closed, known.ClosedTurns, known.ClosedHash}
	t.position, t.from = known.Closed, known.Closed
	return t
}

func (t *thread) add(u transcripts.Utterance) error {
	if t.differs || t.moved.Load() {
		return nil
	}
	m := u.Message
	said := ""
	if !m.At.Equal(t.file.Changed) {
		said, t.timed = m.At.UTC().Format(time.RFC3339Nano), true
	}
	_, _ = fmt.Fprintf(t.content, "%s\x00%s\x00%s\x00", said, m.Speaker, m.Text)
	if shared, err := t.isShared(u.ID, said, m); shared || err != nil {
		return err
	}
	if m.At.Before(t.last) { // the clock was set back; the order of the messages counts
		m.At = t.last
	}
	t.last = m.At
	if t.asked == "" && m.Asks && !m.Summary && !strings.HasPrefix(m.Text,
		"<") { // clients write their own notes in tags
		t.asked = render.Title(redact.Mask(m.Text))
	}
	if turn, ends := t.builder.Add(m); ends {
		return t.turn(turn)
	}
	return nil
}

// isShared reports whether a message at the beginning is stored under another conversation: a client copies the
// messages of a session that it resumes or forks.
func (t *thread) isShared(id, said string, m turns.Message) (bool, error) {
	sum := sha256.Sum256([]byte(id + "\x00" + said + "\x00" + m.Speaker + "\x00" + m.Text))
	message := int64(binary.BigEndian.Uint64(sum[:]))
	if t.first == 0 {
		t.first = message
		if id != "" && !t.known.there {
			var err error
			if t.owner, t.owned, err = t.ownedBy(message); err != nil {
				return false, err
			}
		}
	}
	if len(t.messages) == 0 && id != "" && (t.known.there && t.shared < t.known.Shared || t.owned[message]) {
		t.shared++
		return true, nil
	}
	t.messages = append(t.messages, message)
	return false, nil
}

// turn processes a complete turn.
func (t *thread) turn(turn turns.Turn) error {
	settled := t.known.ClosedTurns
	if turn.Number >= settled {
		turn.Before = hex.EncodeToString(t.hash.Sum(nil))
	}
	if turn.Number == settled && settled > 0 && t.known.ClosedHash != "" && turn.Before != t.known.ClosedHash {
		t.differs = true
		return nil
	}
	t.size += int64(len(turn.Text))
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(turn.Text)))
	_, _ = t.hash.Write(length[:])
	_, _ = t.hash.Write([]byte(turn.Text))
	if turn.Number < settled {
		return nil
	}
	turn.Text = redact.Mask(turn.Text)
	return t.addChunks(t.cutter.Add(turn))
}

// endConversation ends a conversation. If the file has no more turns or bytes than are stored, nothing is written: the
// file can be an older copy.
func (t *thread) endConversation() error {
	if turn, under := t.builder.End(); under && !t.differs {
		if err := t.turn(turn); err != nil {
			return err
		}
	}
	read := t.builder.TurnNumber()
	if t.differs || t.moved.Load() || read == 0 {
		if t.shared > 0 && !t.known.there {
			t.copied = t.owner
		}
		t.freeMemory()
		return nil
	}
	if !t.timed { // the same words in another project are another conversation
		_, _ = fmt.Fprint(t.content, t.project())
	}
	content := t.contentHash()
	copied := t.copyOf(content)
	if !t.known.there && t.from == 0 { // otherwise a part is stored already
		t.copied = copied
	}
	older := read < t.known.Turns || read == t.known.Turns &&
		(t.size < t.known.Size || t.size == t.known.Size &&
			(t.known.ContentHash == "" || t.known.ContentHash == content))
	if t.copied != "" || t.known.there && older {
		t.freeMemory()
		return nil
	}
	if err := t.addChunks(t.cutter.End()); err != nil {
		return err
	}
	err := t.sendChunks(true)
	t.freeMemory()
	return err
}

func (t *thread) contentHash() string { return hex.EncodeToString(t.content.Sum(nil)[:16]) }

// freeMemory frees the memory used for reading. Afterwards only moved is read.
func (t *thread) freeMemory() {
	t.builder, t.cutter, t.hash, t.content, t.chunks, t.owned, t.asked = turns.Builder{}, turns.Cutter{}, nil, nil, nil,
		nil, ""
}

// addChunks converts pieces into chunks.
func (t *thread) addChunks(pieces []turns.Piece) error {
	for _, p := range pieces {
		kind := memory.Conversation
		if p.Summary {
			kind = memory.Summary
		}
		if p.Part == 0 {
			t.cursor = cursor{t.position, p.First, p.Before}
		}
		t.chunks = append(t.chunks, memory.OfPiece(kind, redact.Mask(t.conversation.Title), p))
		t.position++
		limit := batchBytes
		if !t.known.there && t.from == 0 { // whether it is a copy is known at its end
			limit = heldBytes
		}
		if t.bytes += len(p.Text); t.bytes >= limit {
			if err := t.sendChunks(false); err != nil {
				return err
			}
		}
	}
	return nil
}

// sendChunks passes the collected chunks to the writer.
func (t *thread) sendChunks(ends bool) error {
	t.grows = true
	g := memory.SessionChunks{Project: t.project(), Agent: redact.Mask(t.agent), Visibility: memory.Private,
		From: t.from, Chunks: t.chunks, Ends: ends,
		Set: map[string]any{"closed": t.cursor.closed, "closed_turns": t.cursor.turns, "closed_hash": t.cursor.hash,
			"turns": t.builder.TurnNumber(), "size": t.size, "shared": t.shared}}
	if ends {
		g.Set["content_hash"], g.Set["first_message"], g.Set["messages"] = t.contentHash(), t.first, t.messages
	}
	title := redact.Mask(t.conversation.Title)
	if title == "" && !t.known.there { // later imports would restore a title that was forgotten
		title = t.asked
	}
	if title != "" {
		g.Set["title"] = title
	}
	t.chunks, t.from, t.bytes = nil, t.position, 0
	return t.writer.add(write{thread: t, growth: g, folder: t.conversation.Folder, parent: t.conversation.Parent})
}
