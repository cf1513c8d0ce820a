package trace

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"time"
)

// link holds the fields of an event that its hash covers.
type link struct {
	session string // session uid
	seq     int64
	kind    string
	at      time.Time
	agent   string
	payload string // JSON text
	prev    string // hash of the previous event, or the session's start hash
	uid     string // empty for events in the first form, which does not cover the uid
}

// schemaWithUID is the schema_version of events whose hashes cover their uid.
const schemaWithUID = 2

// hash returns the SHA-256 of the canonical form in hex.
//
// The canonical form is a sequence of netstrings: the length in bytes in decimal, a colon, the bytes, a comma. It is
// unambiguous and easy to build in any language. The fields are "nomograph.event.2", the session's uid, seq in decimal,
// type, at, agent, payload, prev_hash and uid. Events of older programs have "nomograph.event.1" and no uid. The texts
// equal the node's properties. at is RFC 3339 with as many fractional digits as needed, such as
// 2026-01-31T12:00:00.000001Z. Times are truncated to microseconds before they are stored.
func (l link) hash() string { return digest(l.canonical()) }

func (l link) canonical() []byte {
	fields := []string{"nomograph.event.1", l.session, strconv.FormatInt(l.seq, 10), l.kind,
		l.at.Format(time.RFC3339Nano), l.agent, l.payload, l.prev}
	if l.uid != "" {
		fields = append(fields, l.uid)
		fields[0] = "nomograph.event.2"
	}
	return netstrings(fields...)
}

// start returns the previous hash of a session's first event. It differs for each session, so that one chain cannot
// replace another. It is the hash, as above, of "nomograph.session.1" and the session's uid, id, agent, workspace and
// started_at.
func (s session) start() string {
	return digest(netstrings("nomograph.session.1", s.UID, s.SessionID, s.AgentID, s.Workspace, s.StartedAt.UTC().
		Format(time.RFC3339Nano)))
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
	return fmt.Sprintf("%x", sha256.Sum256(form))
}
