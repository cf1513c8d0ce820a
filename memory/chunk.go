package memory

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/memory/turns"
	"nomograph/search"
)

// Kinds of chunks.
const (
	Conversation = "conversation"
	Summary      = "summary"
	Events       = "events"
	Decision     = "decision"
	FactKind     = "fact"
)

// Imported is the session kind of imported conversations.
const Imported = "imported"

// Chunk is a section of a session, a fact or a decision, stored as one searchable text.
type Chunk struct {
	UID        string
	Project    string
	Session    string // session uid
	Position   int64  // index in the session, from 0; unused by decision chunks
	Agent      string
	Kind       string
	At, EndsAt time.Time
	Tokens     int64
	Text       string
	Hash       string
	// First and Last are the numbers of the first and last event or turn in the chunk.
	First, Last int64
	Title       string
	Terms       string
	Visibility  string
	Decisions   []string       // uids of the decisions that the chunk mentions
	Extra       map[string]any // additional node properties of a fact
	Vectors     any            // from search.Index.Prepare; nil if they are made later
}

// HashOf returns the SHA-256 of a chunk's text in hex.
func HashOf(text string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

// OfPiece returns the chunk of a piece of a session.
func OfPiece(kind, title string, p turns.Piece) Chunk {
	return Chunk{Kind: kind, At: p.At, EndsAt: p.EndsAt, Tokens: int64(p.Tokens), Text: p.Text, First: p.First,
		Last: p.Last, Title: title, Decisions: p.Links}
}

// properties returns the properties of the chunk's node, except session and position.
func (c Chunk) properties() map[string]any {
	p := map[string]any{"uid": c.UID, "schema_version": 1, "project": c.Project, "agent": c.Agent, "kind": c.Kind,
		"at": graph.UTC(c.At), "ends_at": graph.UTC(c.EndsAt),
		"tokens": c.Tokens, "text": c.Text, "hash": c.Hash, "visibility": c.Visibility, "facets": c.facets()}
	for name, value := range map[string]string{"title": c.Title,
		"terms": strings.TrimSpace(c.Terms + " " + c.At.UTC().Format("Monday 2 January 2006"))} {
		if value != "" {
			p[name] = value
		}
	}
	maps.Copy(p, c.Extra)
	if c.Kind != Decision {
		p["first"], p["last"] = c.First, c.Last
	}
	return p
}

// facets returns the tokens that filters match, separated by spaces.
func (c Chunk) facets() string {
	tokens := []string{search.Facet("kind", c.Kind), search.Facet("project", c.Project), search.Facet("agent", c.Agent),
		search.MonthFacet(c.At)}
	if c.Session != "" {
		tokens = append(tokens, search.Facet("session", c.Session))
	}
	return strings.Join(tokens, " ")
}
