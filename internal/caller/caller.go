// Package caller says who calls and with which rights. The transport sets it once; later code reads it and does not
// authenticate again.
package caller

import (
	"context"
	"slices"
	"strings"
	"time"

	"nomograph/internal/lists"
	"nomograph/internal/normalize"
)

// Permission is a permission that an operation needs.
type Permission string

// The permissions. They are independent, except that Admin includes all others.
const (
	Read     Permission = "read"     // read policies, thresholds, decisions and statistics; check actions
	Decide   Permission = "decide"   // record decisions and thoughts, update and link decisions
	Announce Permission = "announce" // announce intents and vote on them
	Federate Permission = "federate" // for agents of other servers: search shared decisions, check actions
	Review   Permission = "review"   // review outcomes of decisions
	Query    Permission = "query"    // read the whole graph: Cypher, schema, sessions of others
	// change policies and thresholds, reset circuit breakers, retract decisions and links
	Govern Permission = "govern"
	Admin  Permission = "admin" // tokens, imports, deletion, rebuilds
)

// Permissions lists all permissions in display order.
var Permissions = []Permission{Read, Decide, Announce, Federate, Review, Query, Govern, Admin}

// Caller is the caller of an operation. Without Trusted and without permissions, it may do nothing.
type Caller struct {
	Name string // "" if unknown
	// Authenticated reports whether the transport authenticated the name. Otherwise the caller claims it.
	Authenticated bool
	// Trusted callers may do everything: the local user of this process.
	Trusted     bool
	Permissions []Permission
	// Projects are the projects that the caller may see, in lower case; nil means all.
	Projects []string
	// Databases are the databases that the caller may use; nil means only the server's default.
	Databases []string
	// ViewsPage marks a person who views a page. Such reads do not create session events.
	ViewsPage bool
	// Shadow says that the transport lets denied actions pass: verdicts are recorded as not enforced.
	Shadow    bool
	Transport string // transport: mcp, rest, CommandLine or Pages
	// Connection distinguishes clients with the same name: the process that serves a client over stdio, or the MCP
	// session over HTTP. It is empty for REST and the command line, where each request can reach another process.
	Connection string
	Ended      <-chan struct{} // closed when the caller's access ends; nil if it never ends
	Until      time.Time       // time at which the caller's access ends; zero if unknown
	// ChargeAgain counts one more call of the same request against the caller's limits; nil without limits. See
	// ChargeItem.
	ChargeAgain func() error
}

// ChargeItem counts one more item of a request with several checks or calls, so that limits apply to items and not to
// requests. Call it before each item except the first. It returns rate_limited, or any other reason to reject a
// request.
func ChargeItem(ctx context.Context) error {
	if c := From(ctx); c.ChargeAgain != nil {
		return c.ChargeAgain()
	}
	return nil
}

// Transports that domain packages distinguish.
const (
	CommandLine = "command line" // a person or script
	Pages       = "pages"        // a person in a browser
)

// Local returns the local user of this process with this name.
func Local(name string) Caller { return Caller{Name: name, Trusted: true} }

// May reports whether the caller has a permission.
func (c Caller) May(p Permission) bool {
	return c.Trusted || slices.Contains(c.Permissions, p) || slices.Contains(c.Permissions, Admin)
}

// Limited reports whether the caller may see only certain projects.
func (c Caller) Limited() bool { return c.Projects != nil }

// QueriesAll reports whether the caller may run queries over the whole graph.
func (c Caller) QueriesAll() bool { return c.May(Query) && !c.Limited() }

// Sees reports whether the caller may see a project.
func (c Caller) Sees(project string) bool {
	return !c.Limited() || slices.Contains(c.Projects, Key(project))
}

// Is reports whether a name is the caller's name in any spelling.
func (c Caller) Is(name string) bool { return SameAgent(name, c.Name) }

// Key returns the name of an agent or project in lower case. The graph stores keys, and session hashes cover them.
// Similar-looking names can have different keys; use SameAgent to compare agents.
func Key(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// SameAgent reports whether two names belong to the same agent.
func SameAgent(a, b string) bool { return Identity(a) == Identity(b) }

// Identity returns the same text for all spellings of an agent's name: full-width letters, invisible characters,
// capitals. Similar letters of different alphabets remain different.
func Identity(name string) string { return normalize.Name(name) }

type callerKey struct{}

// With sets the caller.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// From returns the caller. Without one, it returns the process itself, which is trusted.
func From(ctx context.Context) Caller {
	if c, noted := ctx.Value(callerKey{}).(Caller); noted {
		return c
	}
	return Caller{Trusted: true}
}

// Visibility returns the parameter $caller of statements for a limited caller: {agent, projects}, in lower case, and
// {identity}. Statements for other callers do not take it.
func (c Caller) Visibility() map[string]any {
	projects := lists.Map(c.Projects, func(p string) any { return p })
	return map[string]any{"agent": Key(c.Name), "identity": Identity(c.Name), "projects": projects}
}
