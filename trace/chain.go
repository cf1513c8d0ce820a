package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
)

// link is what a hash covers of an event.
type link struct {
	session string // uid
	seq     int64
	kind    string
	at      time.Time
	agent   string
	payload string // JSON text
	prev    string // hash of the event before, or the start of the session
}

// hash is the SHA-256 of the canonical form, in hex.
//
// The canonical form is a row of fields, each as a netstring: its length in bytes in decimal, a colon, its bytes, a comma. So
// no two events have the same form, and any language can make it. The fields are "nomograph.event.1", the session's uid, seq
// in decimal, type, at, agent, payload, prev_hash. The texts are those of the properties; at is RFC 3339 with as many digits
// of the second as are needed, such as 2026-01-31T12:00:00.000001Z. Times are cut to microseconds before they are stored.
func (l link) hash() string { return digest(l.canonical()) }

func (l link) canonical() []byte {
	return netstrings("nomograph.event.1", l.session, strconv.FormatInt(l.seq, 10), l.kind, l.at.Format(time.RFC3339Nano), l.agent, l.payload, l.prev)
}

// start is what stands for the hash before a session's first event, so that one chain cannot stand in for another. It is the
// hash, as above, of "nomograph.session.1", the session's uid, id, agent, workspace and started_at.
func (s session) start() string {
	return digest(netstrings("nomograph.session.1", s.UID, s.ID, s.Agent, s.Workspace, s.StartedAt.UTC().Format(time.RFC3339Nano)))
}

func netstrings(fields ...string) []byte {
	var out []byte
	for _, field := range fields {
		out = strconv.AppendInt(out, int64(len(field)), 10)
		out = append(append(append(out, ':'), field...), ',')
	}
	return out
}

func digest(form []byte) string {
	sum := sha256.Sum256(form)
	return hex.EncodeToString(sum[:])
}
