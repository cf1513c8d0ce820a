package tools

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"nomograph/agents"
	"nomograph/agents/exchange"
	"nomograph/agents/federation"
	"nomograph/agents/peers"
	"nomograph/decisions"
	"nomograph/decisions/attribution"
	"nomograph/decisions/audit"
	"nomograph/decisions/briefing"
	"nomograph/decisions/counters"
	"nomograph/decisions/evidence"
	"nomograph/decisions/imports"
	"nomograph/decisions/insights"
	"nomograph/decisions/links"
	"nomograph/decisions/precedents"
	"nomograph/decisions/preparation"
	"nomograph/events"
	"nomograph/events/webhooks"
	"nomograph/graph"
	"nomograph/graph/engine"
	"nomograph/hooks"
	"nomograph/internal/config"
	"nomograph/memory"
	"nomograph/memory/conversations"
	"nomograph/memory/recall"
	"nomograph/policies/cases"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/circuit"
	"nomograph/policies/history"
	"nomograph/policies/lab"
	"nomograph/policies/lint"
	"nomograph/policies/live"
	"nomograph/policies/pack"
	"nomograph/policies/proposals"
	"nomograph/policies/table"
	"nomograph/search"
	"nomograph/sessions"
	"nomograph/tokens"
	"nomograph/trace"
)

// App is the application: the graph and one store for each domain. Operations work with it.
type App struct {
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
	Checks  *check.Store
	Circuit *circuit.Store
	Pack    *pack.Store
	Change  *change.Store
	Lint    *lint.Store
	Lab     *lab.Store
	// RequireProposals refuses operations that change rules, except for the command line on the database.
	RequireProposals bool
	// AnswerInCards lets the client's user answer approvals in cards, where the client may also be asked.
	AnswerInCards bool
	// Proposals stores proposed changes of the rules.
	Proposals *proposals.Store
	Scratch   cases.Scratch // graph for test cases of packs that need one

	Decisions   *decisions.Store
	Precedents  *precedents.Store
	Links       *links.Store
	Counters    *counters.Store
	Imports     *imports.Store
	Insights    *insights.Store
	Attribution *attribution.Store
	Briefing    *briefing.Store
	Evidence    *evidence.Store
	Audit       *audit.Store
	Preparation *preparation.Store

	Memory        *memory.Store
	Conversations *conversations.Store
	Recall        *recall.Store

	Feed     *events.Feed
	Webhooks *webhooks.Store
	Sessions *sessions.Store
	Agents   *agents.Store
	Peers    *peers.Store

	Federation *federation.Store
	Exchange   *exchange.Store

	Tokens  *tokens.Store
	Watches []Watch // called for every operation; set before the first call
	// Operations are the operations that find_tools searches: the catalog, and those that the process adds.
	Operations []Operation

	// Loading is closed when the configured atlases are loaded or have failed to load; nil if there are none. Calls
	// over a transport wait for it, because rules and contexts are missing before. It is set before the first call.
	Loading <-chan struct{}

	traces    bool // executed tool calls become session events
	remembers bool // this process updates memory in the background
	shared    bool // the graph belongs to the caller of Open
}

// Options are what an application needs besides the configuration. The zero value is an application for reading.
type Options struct {
	Migrate       bool          // update the schema of a database that is not the managed engine
	RestoreSchema bool          // restore dropped indexes and constraints when connecting
	Guardrails    []pack.Source // applied when the managed engine first starts
	Operations    []Operation   // operations that find_tools searches; nil means the catalog
	Version       string        // version of this program, for other servers
	Workspace     string        // directory of this process; with the agent, it selects the ambient session
	Person        string        // who can approve from the command line of this machine
	// Key returns the secret that servers of one graph share. If nil, a temporary key is used, which ends with this
	// process.
	Key func() ([]byte, error)

	Graph    *graph.DB       // shared with the caller, who closes it; nil: opened from the configuration
	Embedder search.Embedder // nil: the configured one
}

// Open assembles the application. It returns without I/O: the first call that needs the database connects to it.
func Open(c config.Config, log zerolog.Logger, o Options) *App {
	db := o.Graph
	if db == nil {
		db = graph.Open(graph.Options{
			URI: c.URI, Username: c.Username, Password: c.Password, Database: c.Database,
			Engine:        EngineOptions(c),
			Migrate:       !c.NoMigrate && (o.Migrate || c.URI == ""),
			RestoreSchema: o.RestoreSchema,
			FirstStart: func(ctx context.Context, db *graph.DB) error {
				return change.NewStore(db).FirstStart(ctx, o.Guardrails, "nomograph")
			},
			Log: log,
		})
	}
	embedder := o.Embedder
	if embedder == nil {
		embedder = configuredEmbedder(c)
	}
	app := &App{Graph: db, shared: o.Graph != nil, Operations: o.Operations, Scratch: scratchEngine(c, log),
		Trace: trace.NewLog(db, log), Search: search.Open(db, embedder, log),
		Contexts: search.OpenContexts(db, embedder, log), Chunks: search.OpenChunks(db, embedder, log),
		History: history.NewStore(db), Live: live.NewStore(db), Table: table.NewStore(db), Checks: check.NewStore(db),
		Pack: pack.NewStore(db), Change: change.NewStore(db), Lint: lint.NewStore(db), Tokens: tokens.NewStore(db)}
	if app.Operations == nil {
		app.Operations = Catalog
	}
	app.Table.Timeout = c.CheckTimeout
	app.Checks.Settings = check.Settings{Project: c.Project, Workspace: o.Workspace, CheckTimeout: c.CheckTimeout,
		Retention:        check.InputRetention(c.VerdictInputs),
		AllowedRetention: c.AllowedRetention, DeniedRetention: c.DeniedRetention, Effects: hooks.Effects}
	app.Checks.Trace = app.Trace
	app.Circuit = circuit.NewStore(db, app.Checks)
	app.Lab = lab.NewStore(db, app.Checks)
	app.Proposals = proposals.NewStore(db, app.Checks, app.Change, app.Lab)
	app.RequireProposals, app.AnswerInCards = c.RequireProposals, c.AnswerInCards
	app.Proposals.Scratch = app.Scratch
	if len(c.PackKeys) > 0 {
		app.Change.RequireSignatures(c.PackKeys)
	}
	app.Trace.Project = memory.ProjectOf(o.Workspace)
	if c.SessionIdle > 0 {
		app.Trace.Idle = c.SessionIdle
	}

	app.traces = c.HookDoes(config.TraceCalls)
	app.Decisions = decisions.NewStore(db, app.Checks, app.Trace)
	app.Decisions.Settings = decisions.Settings{Project: c.Project, Workspace: o.Workspace}
	app.Precedents = precedents.NewStore(db, app.Decisions, app.Search)
	app.Links = links.NewStore(db, app.Decisions)
	app.Counters = counters.NewStore(db, app.Decisions, app.Precedents)
	app.Decisions.BackgroundWorkers = []interface{ Wake() }{app.Search, app.Counters}
	app.Imports = imports.NewStore(db, app.Decisions, app.Search)
	app.Insights = insights.NewStore(db, app.Decisions, app.Counters, app.Circuit, app.Proposals.Stale)
	app.Attribution = attribution.NewStore(db, app.Decisions, app.Checks)
	app.Briefing = briefing.NewStore(db, app.Decisions, app.Precedents, app.Counters, app.Insights, app.Checks)
	app.Preparation = preparation.NewStore(db, app.Decisions, app.Precedents, app.Counters, app.Checks)
	app.Evidence = evidence.NewStore(db, app.Decisions, app.Trace)
	app.Audit = audit.NewStore(db, app.Trace, c.AuditKey)

	app.Memory = memory.NewStore(db, app.Chunks, app.Trace)
	app.Conversations = conversations.NewStore(db, app.Memory, app.Chunks, log)
	app.Conversations.Most = int64(c.ImportBytes)
	app.Recall = recall.NewStore(db, app.Chunks, app.Checks)
	app.Recall.Settings.MaxTokens = c.MaxTokens
	app.Briefing.Memory = app.Recall

	app.Feed = events.New(db, app.History, log)
	app.Webhooks = webhooks.NewStore(db, app.Feed, app.Circuit, o.Version, log)
	app.Webhooks.Path, app.Webhooks.Site = c.Webhooks, strings.TrimSuffix(c.CSTP.URL, "/")
	app.Sessions = sessions.NewStore(db, app.Change, app.Checks, app.Trace, app.Contexts)
	app.Sessions.Workspace, app.Sessions.Reach.Person = o.Workspace, o.Person
	app.Sessions.UnknownAction, app.Sessions.AskClient, app.Sessions.ApprovalDelay = c.UnknownAction, c.AskClient,
		c.ApprovalDelay
	if o.Key != nil {
		app.Sessions.Key = o.Key
	}

	app.Agents = agents.NewStore(db, app.Precedents, app.Checks, embedder)
	app.Agents.Settings = agents.Settings{Name: c.CSTP.Name, MaxResults: c.CSTP.MaxResults, MinScore: c.CSTP.MinScore,
		StoreReceived: c.CSTP.StoreReceived, AutoRespond: c.CSTP.AutoRespond}
	app.Peers = peers.NewStore(db, peers.Settings{File: c.AgentsFile, Name: c.CSTP.Name,
		URL:     strings.TrimSuffix(c.CSTP.URL, "/"),
		Version: o.Version, AllowHTTP: c.AllowHTTP})
	app.Exchange = exchange.NewStore(db, app.Peers, app.Counters, log)
	app.Federation = federation.NewStore(db, app.Peers, app.Agents, app.Precedents, app.Checks, embedder)
	return app
}

// EngineOptions returns the settings of the managed engine.
func EngineOptions(c config.Config) engine.Options {
	return engine.Options{Home: c.EngineHome, Version: c.EngineVersion, Dir: c.EngineDir, Cache: c.EngineCache,
		Mirror: c.EngineMirror, Port: c.EnginePort,
		Heap: c.EngineHeap, PageCache: c.EnginePageCache, Idle: c.EngineIdle, Compiler: c.EngineCompiler}
}

// scratchEngine returns the scratch engine for pack tests, separate from the user's graph. It stops soon after the last
// test of a pack.
func scratchEngine(c config.Config, log zerolog.Logger) cases.Scratch {
	return func(ctx context.Context) (*graph.DB, func(), error) {
		o := EngineOptions(c).Defaults()
		folder := "scratch"
		if o.Version != engine.Version {
			folder += "-" + o.Version // the default version refuses data that a newer Neo4j had open
		}
		o.Dir, o.Port, o.Idle, o.Scratch = filepath.Join(o.Dir, folder), 0, time.Minute, true
		return cases.ScratchEngine(o, log)(ctx)
	}
}

// configuredEmbedder returns the configured embedder, or nil for keyword search only.
func configuredEmbedder(c config.Config) search.Embedder {
	switch c.Embedder {
	case "none":
		return nil
	case "openai":
		return search.NewOpenAI(search.Endpoint{URL: c.EmbedderURL, Model: c.EmbedderModel, Key: c.EmbedderKey,
			Timeout: c.EmbedderTimeout})
	}
	return search.Builtin()
}

// Remember lets this process update memory in the background. Long-running processes call it before the first
// operation. Other processes leave the update to them, or to the next memory query.
func (a *App) Remember() {
	a.Trace.BackgroundWorkers = append(a.Trace.BackgroundWorkers, a.Memory)
	a.Decisions.BackgroundWorkers = append(a.Decisions.BackgroundWorkers, a.Memory)
	a.Memory.Wake()
	a.remembers = true
}

const memoryUpdateTime = 10 * time.Second // maximum time that a memory query waits for the update of memory

// UpdateMemory updates memory before a query, unless this process updates it in the background. If that fails, for
// example in a read-only graph, the update stays pending.
func (a *App) UpdateMemory(ctx context.Context) {
	if a.remembers {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, memoryUpdateTime)
	defer cancel()
	_ = a.Memory.CatchUp(ctx) // on error, the query uses the current content
}

// Close waits for background work and closes the connections, except those of a shared graph.
func (a *App) Close(ctx context.Context) error {
	a.Trace.Close(ctx)
	a.Search.Close(ctx)
	a.Contexts.Close(ctx)
	a.Memory.Close(ctx)
	a.Chunks.Close(ctx)
	a.Counters.Close(ctx)
	a.Peers.Close()
	if a.shared {
		return nil
	}
	return a.Graph.Close(ctx)
}
