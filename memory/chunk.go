package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/search"
)

// The kinds of chunks.
const (
	Conversation = "conversation"
	Summary      = "summary"
	Events       = "events"
	Decision     = "decision"
	FactKind     = "fact"
)

// Imported is the kind of a session that is an imported conversation.
const Imported = "imported"

// Chunk is a piece of memory.
type Chunk struct {
	UID        string
	Project    string
	Session    string // uid
	Position   int64  // in its session, from 0; a decision's has none
	Agent      string
	Kind       string
	At, EndsAt time.Time
	Tokens     int64
	Text       string
	Hash       string
	// First and Last are the numbers of the events, or of the turns, that it holds.
	First, Last int64
	Title       string
	Terms       string
	Visibility  string
	Decisions   []string       // uids of those that it tells of
	Extra       map[string]any // further properties of a fact
	Vectors     search.PreparedVectors
}

// HashOf is the SHA-256 of a chunk's text, in hex.
func HashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// properties are those of its node, but for session and position.
func (c Chunk) properties() map[string]any {
	p := map[string]any{"uid": c.UID, "schema_version": 1, "project": c.Project, "agent": c.Agent, "kind": c.Kind, "at": graph.UTC(c.At), "ends_at": graph.UTC(c.EndsAt),
		"tokens": c.Tokens, "text": c.Text, "hash": c.Hash, "visibility": c.Visibility, "facets": c.facets()}
	for name, value := range map[string]string{"title": c.Title, "terms": strings.TrimSpace(c.Terms + " " + c.At.UTC().Format("Monday 2 January 2006"))} {
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

// facets are the tokens by which filters find it.
func (c Chunk) facets() string {
	tokens := []string{search.Facet("kind", c.Kind), search.Facet("project", c.Project), search.Facet("agent", c.Agent), search.MonthFacet(c.At)}
	if c.Session != "" {
		tokens = append(tokens, search.Facet("session", c.Session))
	}
	return strings.Join(tokens, " ")
}
