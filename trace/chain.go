package trace

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"time"
)

// schemaWithUID is the schema_version of events whose hashes cover their uid.
const schemaWithUID = 2

// hash returns the SHA-256 of the canonical form in hex. session is the uid of the session whose chain the event is in.
//
// The canonical form is a sequence of netstrings: the length in bytes in decimal, a colon, the bytes, a comma. It is
// unambiguous and easy to build in any language. The fields are "nomograph.event.2", the session's uid, seq in decimal,
// type, at, agent, payload, prev_hash and uid. Events of older programs have "nomograph.event.1" and no uid. The texts
// equal the node's properties. at is RFC 3339 with as many fractional digits as needed, such as
// 2026-01-31T12:00:00.000001Z. Times are truncated to microseconds before they are stored.
func (e ownEvent) hash(session string) string { return digest(e.canonical(session)) }

func (e ownEvent) canonical(session string) []byte {
	fields := []string{"nomograph.event.1", session, strconv.FormatInt(e.Seq, 10), e.Type,
		e.At.Format(time.RFC3339Nano), e.Agent, string(e.Payload), e.PrevHash}
	if e.Schema >= schemaWithUID {
		fields = append(fields, e.UID)
		fields[0] = "nomograph.event.2"
	}
	return netstrings(fields...)
}

// start returns the previous hash of a session's first event. It differs for each session, so that one chain cannot
// replace another. It is the hash, as above, of "nomograph.session.1" and the session's uid, id, agent, workspace and
// started_at.
func (s SessionRow) start() string {
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
