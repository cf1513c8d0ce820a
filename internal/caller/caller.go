// Package caller says who calls and with which rights. The transport sets it once; later code reads it and does not
// authenticate again.
package caller

import (
	"context"
	"slices"
	"strings"
	"time"

	"nomograph/internal/spelling"
)

// Permission is a right that an operation needs.
type Permission string

// The permissions. Each is given by itself; only Admin has all others in it.
const (
	Read     Permission = "read"     // policies, thresholds, decisions, statistics; whether an action is allowed
	Decide   Permission = "decide"   // record decisions and thoughts, update and link them
	Announce Permission = "announce" // tell others what one is about to do, and what one has against it
	Federate Permission = "federate" // another server's agent: find what owners share, and have actions judged
	Review   Permission = "review"   // say how decisions turned out
	Query    Permission = "query"    // ask anything of the whole graph: Cypher, the schema, others' sessions
	Govern   Permission = "govern"   // change rules and thresholds, reset breakers, take decisions and links back
	Admin    Permission = "admin"    // tokens, imports, deleting, rebuilding
)

// Permissions are all of them, in the order in which they are shown.
var Permissions = []Permission{Read, Decide, Announce, Federate, Review, Query, Govern, Admin}

// Caller is who calls. One that is neither Trusted nor has a permission may do nothing.
type Caller struct {
	Name string // "" where nobody said
	// Proven tells that the door knows the name to be true. Else it is what the caller says.
	Proven bool
	// Trusted callers may do everything: the user whose process this is.
	Trusted     bool
	Permissions []Permission
	// Projects are the only ones that the caller may see, in lower case; nil means all.
	Projects []string
	// Databases are the only ones that the caller may use; nil means the one that the server uses unasked.
	Databases []string
	// Looks tells that a person looks at a page: what it reads is no step of work, and leaves no event in a session.
	Looks bool
	Door  string // mcp, rest, CommandLine: what the call came through
	// Connection tells two clients of one name apart: the process that serves a client over stdio, or the MCP session over HTTP. It is
	// empty where nothing does, as for REST and the command line, where each request may reach another process.
	Connection string
	Ended      <-chan struct{} // closed when the caller is refused from now on; nil: never
	Until      time.Time       // when the caller is refused from then on; zero: not known beforehand
	// Again lets in one more call of the same request, counted like a request of its own; nil: nothing counts. See Again.
	Again func() error
}

// ChargeItem lets the caller in for one more item of a request that holds several checks or calls, so that many in one request count as
// many requests. Call it before each item but the first. It returns rate_limited, and whatever else refuses a request.
func ChargeItem(ctx context.Context) error {
	if c := From(ctx); c.Again != nil {
		return c.Again()
	}
	return nil
}

// Doors that packages below the transports tell apart.
const (
	CommandLine = "command line" // what a person or script runs
	Pages       = "pages"        // what a person does in a browser
)

// Local is the user whose process this is, acting under a name.
func Local(name string) Caller { return Caller{Name: name, Trusted: true} }

// May tells whether the caller has a permission.
func (c Caller) May(p Permission) bool {
	return c.Trusted || slices.Contains(c.Permissions, p) || slices.Contains(c.Permissions, Admin)
}

// Limited tells whether the caller may see only some projects.
func (c Caller) Limited() bool { return c.Projects != nil }

// Sees tells whether the caller may see a project.
func (c Caller) Sees(project string) bool {
	return !c.Limited() || slices.Contains(c.Projects, Key(project))
}

// Is tells whether a name is the caller's own, however it is spelled.
func (c Caller) Is(name string) bool { return SameAgent(name, c.Name) }

// Key is the same for all capitalizations of a name, of an agent or a project: the graph stores it, and hashes of sessions cover it. Two names
// may look alike and have two keys, so whether somebody is somebody else is for Same to say.
func Key(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// SameAgent tells whether two names are of one agent.
func SameAgent(a, b string) bool { return Identity(a) == Identity(b) }

// Identity is the same for all spellings of an agent's name: with full-width letters, with characters that show nothing, in capitals. Letters of two
// alphabets that look alike stay two.
func Identity(name string) string { return spelling.Name(name) }

type callerKey struct{}

// With notes who calls.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// From gives who calls. Where no door noted anybody, it is the process itself, which is trusted.
func From(ctx context.Context) Caller {
	if c, noted := ctx.Value(callerKey{}).(Caller); noted {
		return c
	}
	return Caller{Trusted: true}
}

// Visibility returns the parameter $caller of statements for a limited caller: {agent, projects}, in lower case, and {identity}. Statements
// for other callers do not take it.
func (c Caller) Visibility() map[string]any {
	projects := make([]any, len(c.Projects))
	for i, p := range c.Projects {
		projects[i] = p
	}
	return map[string]any{"agent": Key(c.Name), "identity": Identity(c.Name), "projects": projects}
}
