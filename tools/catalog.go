package tools

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"nomograph/agents"
	"nomograph/agents/exchange"
	"nomograph/agents/federation"
	"nomograph/agents/peers"
	"nomograph/decisions"
	"nomograph/decisions/attention"
	"nomograph/decisions/attribution"
	"nomograph/decisions/briefing"
	"nomograph/decisions/counters"
	"nomograph/decisions/evidence"
	"nomograph/decisions/imports"
	"nomograph/decisions/links"
	"nomograph/decisions/precedents"
	"nomograph/decisions/preparation"
	"nomograph/events"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/memory"
	"nomograph/memory/conversations"
	"nomograph/memory/recall"
	"nomograph/policies/cases"
	"nomograph/policies/change"
	"nomograph/policies/circuit"
	"nomograph/policies/gate"
	"nomograph/policies/history"
	"nomograph/policies/lab"
	"nomograph/policies/lint"
	"nomograph/policies/live"
	"nomograph/policies/pack"
	"nomograph/policies/table"
	"nomograph/search"
	"nomograph/sessions"
	"nomograph/tokens"
	"nomograph/trace"
)

// Env holds the stores that operations use.
type Env struct {
	Graph  *graph.DB
	Trace  *trace.Log
	Search *search.Index
	// Contexts is the search index of the contexts of atlases.
	Contexts *search.Index
	// Chunks is the search index of memory.
	Chunks *search.Index

	History *history.Store
	Live    *live.Store
	Table   *table.Store
	Gate    *gate.Store
	Circuit *circuit.Store
	Pack    *pack.Store
	Change  *change.Store
	Lint    *lint.Store
	Lab     *lab.Store
	Scratch cases.Scratch // graph for test cases of packs that need one

	Decisions   *decisions.Store
	Precedents  *precedents.Store
	Links       *links.Store
	Counters    *counters.Store
	Imports     *imports.Store
	Attention   *attention.Store
	Attribution *attribution.Store
	Briefing    *briefing.Store
	Evidence    *evidence.Store
	Preparation *preparation.Store

	Memory        *memory.Store
	Conversations *conversations.Store
	Recall        *recall.Store

	Feed     *events.Feed
	Sessions *sessions.Store
	Agents   *agents.Store
	Peers    *peers.Store

	Federation *federation.Store
	Exchange   *exchange.Store

	Tokens  *tokens.Store
	Watches []Watch // called for every operation; set before the first call
	// Operations are the operations that find_tools searches: the catalog, and those that the process adds.
	Operations []Operation

	// Loading is closed when the configured atlases are loaded or have failed to load; nil if there are none. Calls over
	// a transport wait for it, because rules and contexts are missing before. It is set before the first call.
	Loading <-chan struct{}

	remembers bool // this process updates memory in the background
}

// Options configure an environment.
type Options struct {
	Embedder    search.Embedder // nil means keyword search only
	Project     string          // default project of calls
	Workspace   string          // working directory; selects the ambient session together with the agent
	Scratch     cases.Scratch
	Peers       peers.Settings
	SessionIdle time.Duration // idle time after which an ambient session ends; 0 means the default
	Log         zerolog.Logger
}

// NewEnv returns the environment for a database.
func NewEnv(db *graph.DB, o Options) *Env {
	env := &Env{Graph: db, Trace: trace.NewLog(db, o.Log), Search: search.Open(db, o.Embedder, o.Log), Contexts: search.OpenContexts(db, o.Embedder, o.Log), Chunks: search.OpenChunks(db, o.Embedder, o.Log),
		History: history.NewStore(db), Live: live.NewStore(db), Table: table.NewStore(db), Gate: gate.NewStore(db),
		Pack: pack.NewStore(db), Change: change.NewStore(db), Lint: lint.NewStore(db), Tokens: tokens.NewStore(db), Scratch: o.Scratch}
	env.Circuit = circuit.NewStore(db, env.Gate)
	env.Lab = lab.NewStore(db, env.Gate)
	env.Gate.Settings.Project = o.Project
	if o.SessionIdle > 0 {
		env.Trace.Idle = o.SessionIdle
	}
	env.Decisions = decisions.NewStore(db, env.Gate, env.Trace)
	env.Decisions.Settings = decisions.Settings{Project: o.Project, Workspace: o.Workspace}
	env.Precedents = precedents.NewStore(db, env.Decisions, env.Search)
	env.Links = links.NewStore(db, env.Decisions)
	env.Counters = counters.NewStore(db, env.Decisions, env.Precedents)
	env.Imports = imports.NewStore(db, env.Decisions, env.Search)
	env.Attention = attention.NewStore(db, env.Decisions, env.Counters, env.Circuit)
	env.Attribution = attribution.NewStore(db, env.Decisions, env.Gate)
	env.Briefing = briefing.NewStore(db, env.Decisions, env.Precedents, env.Counters, env.Gate)
	env.Preparation = preparation.NewStore(db, env.Decisions, env.Precedents, env.Counters, env.Gate)
	env.Memory = memory.NewStore(db, env.Chunks, env.Trace, o.Log)
	env.Conversations = conversations.NewStore(db, env.Memory, env.Chunks, o.Log)
	env.Trace.Project = memory.ProjectOf(o.Workspace)
	env.Recall = recall.NewStore(db, env.Chunks)
	env.Briefing.Memory = env.Recall
	env.Feed = events.New(db, env.History, o.Log)
	env.Sessions = sessions.NewStore(db, env.Change, env.Gate, env.Trace, env.Contexts)
	env.Sessions.Workspace = o.Workspace
	env.Evidence = evidence.NewStore(db, env.Decisions, env.Trace)
	env.Agents = agents.NewStore(db, env.Precedents, env.Gate, o.Embedder)
	env.Peers = peers.NewStore(db, o.Peers)
	env.Exchange = exchange.NewStore(db, env.Peers, env.Counters, o.Log)
	env.Federation = federation.NewStore(db, env.Peers, env.Agents, env.Decisions, env.Precedents, env.Gate, o.Embedder)
	env.Operations = Catalog
	env.Decisions.Followers = []interface{ Wake() }{env.Search, env.Counters}
	return env
}

// Remember lets this process update memory in the background. Long-running processes call it before the first operation.
// Other processes leave the update to them, or to the next memory query.
func (e *Env) Remember() {
	e.Trace.Followers = append(e.Trace.Followers, e.Memory)
	e.Decisions.Followers = append(e.Decisions.Followers, e.Memory)
	e.Memory.Wake()
	e.remembers = true
}

const takingIn = 10 * time.Second // maximum time that a memory query waits for the update of memory

// TakeIn updates memory before a query, unless this process updates it in the background. If that fails, for example in
// a read-only graph, the update stays pending.
func (e *Env) TakeIn(ctx context.Context) {
	if e.remembers {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, takingIn)
	defer cancel()
	_ = e.Memory.CatchUp(ctx) // on error, the query uses the current content
}

// Close waits for background work and closes the connections.
func (e *Env) Close(ctx context.Context) error {
	e.Trace.Close(ctx)
	e.Search.Close(ctx)
	e.Contexts.Close(ctx)
	e.Memory.Close(ctx)
	e.Chunks.Close(ctx)
	e.Counters.Close(ctx)
	e.Peers.Close()
	return e.Graph.Close(ctx)
}

// Toolset is a named group of operations that MCP serves or omits as a whole. The command line has all toolsets.
type Toolset struct {
	Name    string
	Use     string
	Default bool // served over MCP unless other toolsets are selected
	Listing      // default listing of its operations
}

// Listing is the condition under which tools/list includes a served operation. Calls by name do not depend on it.
type Listing string

// The listings. A toolset named in --toolsets is always listed.
const (
	ListedAlways        Listing = ""
	ListedNever         Listing = "never"
	ListedConversations Listing = "once conversations were imported"
	ListedAtlases       Listing = "once an atlas is loaded"
)

// Toolsets lists all toolsets in the order of docs/reference/tools.md.
var Toolsets = []Toolset{
	{Name: "policy", Use: "May I? And policies and thresholds, read live.", Default: true},
	{Name: "decisions", Use: "Record decisions, find precedents, review how they turned out.", Default: true},
	{Name: "memory", Use: "What was said, done and decided before: find it, explain it, bring a session back.", Default: true, Listing: ListedConversations},
	{Name: "memories", Use: "Memory searched, counted, brought in and forgotten."},
	{Name: "graph", Use: "How decisions hang together.", Default: true},
	{Name: "explore", Use: "Lists of decisions, paths between them, what stands on one that failed; the schema of the graph."},
	{Name: "insight", Use: "Drift, wisdom, salience, contradictions, plots: what the record of decisions teaches."},
	{Name: "tables", Use: "Decision tables: evaluate them."},
	{Name: "history", Use: "Versions, changes and verdicts, and why a verdict was given."},
	{Name: "lab", Use: "What rules did and what changed rules would have done: replay over recorded actions."},
	{Name: "knowledge", Use: "Federation sources and subject concepts.", Default: true},
	{Name: "query", Use: "Read-only Cypher, and a search for the operation that does a job.", Default: true},
	{Name: "queries", Use: "Named queries of this installation, from its queries folder.", Default: true},
	{Name: "trace", Use: "Sessions and their chained events."},
	{Name: "agents", Use: "Agents of other servers: intents that they announce, what is shared with them, what guardrails tell them; and what only CSTP has methods for."},
	{Name: "evidence", Use: "Evidence for auditors: what other systems saw, decisions linked to it, and the controls that it speaks for."},
	{Name: "cra", Use: "Governed sessions: atlases and the contexts that they give. Always listed where serve has --atlases.", Default: true, Listing: ListedAtlases},
	{Name: "samples", Use: "The shipped named queries, to learn from."},
	{Name: "manage", Use: "Changing thresholds and applying packs, and thresholds for scripts."},
	{Name: "tokens", Use: "Who may come in over the network, and what was done under each name."},
}

// Catalog lists all operations in the order of docs/reference/tools.md.
var Catalog = slices.Concat(preActionOperations, contextOperations, attentionOperations, checkOperations, decisionOperations, searchOperations, memoryOperations, calibrationOperations, circuitOperations, linkOperations, policyOperations, tableOperations, knowledgeOperations, queryOperations, findingOperations, nameOperations, historyOperations, labOperations, traceOperations, manageOperations, packOperations, atlasOperations, craOperations, approvalOperations, agentOperations, evidenceOperations, peerOperations, federationOperations, exchangeOperations, importOperations, rememberingOperations, tokenOperations)

// Find returns the operation with this name.
func Find(operations []Operation, name string) (Operation, bool) {
	i := slices.IndexFunc(operations, func(o Operation) bool { return o.Name == name })
	if i < 0 {
		return Operation{}, false
	}
	return operations[i], true
}

// Select returns the operations in the named toolsets. "default" and "all" select several toolsets. "core" selects the
// operations marked Core, from any toolset. An operation that only "default" selects is listed as the operation and its
// toolset declare; others are always listed. It returns a validation_error that lists the names for an unknown one.
func Select(operations []Operation, names []string) ([]Operation, error) {
	named, byDefault, core := map[string]bool{}, map[string]Listing{}, slices.Contains(names, "core")
	for _, name := range names {
		known := name == "all" || name == "default" || name == "core"
		for _, set := range Toolsets {
			switch {
			case set.Name == name || name == "all":
				named[set.Name], known = true, true
			case name == "default" && set.Default:
				byDefault[set.Name] = set.Listing
			}
		}
		if !known {
			return nil, apperr.Newf(apperr.Validation, "Unknown toolset %q", name).WithHint("Use default, core, all, %s", strings.Join(toolsetNames(), ", "))
		}
	}
	var selected []Operation
	for _, o := range operations {
		listing, standard := byDefault[o.Toolset]
		switch {
		case named[o.Toolset] || core && o.Core:
			o.Listing = ListedAlways
		case !standard:
			continue
		case o.Listing == ListedAlways:
			o.Listing = listing
		}
		selected = append(selected, o)
	}
	return selected, nil
}

func toolsetNames() []string {
	names := make([]string, len(Toolsets))
	for i, set := range Toolsets {
		names[i] = set.Name
	}
	return names
}
