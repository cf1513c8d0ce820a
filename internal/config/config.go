// Package config reads settings. Flags override the environment, which overrides the `.env` file of the working
// directory, if that directory is trusted. Next come the `.env` file in the folder of the config file, the config file, and the
// defaults.
package config

import (
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"nomograph/internal/disk"
	"nomograph/internal/document"
)

// Config is the configuration of one process.
type Config struct {
	URI, Username, Password, Database string // NEO4J_*; an empty URI means the managed engine

	URL, Token    string        // server to use instead of a database, and its API token
	CAFile        string        // PEM certificates that are trusted in addition to the system's
	AllowHTTP     bool          // whether the token may be sent over an unencrypted connection
	RemoteTimeout time.Duration // per call

	EngineHome      string        // installed Neo4j to use instead of one fetched through Maven
	EngineVersion   string        // Neo4j version to fetch; empty means the default
	EngineDir       string        // data, password, logs and locks of the managed engine
	EngineCache     string        // files that can be fetched again
	EnginePort      int           // 0 means a free loopback port
	EngineHeap      string        // maximum Java heap, for example 512m; empty means automatic
	EnginePageCache string        // Neo4j page cache, for example 128m; empty means automatic
	EngineIdle      time.Duration // time after which an unused engine stops
	EngineCompiler  string        // quick or full; empty means automatic

	HTTP                              string   // address of the HTTP server; empty means stdin and stdout only
	Hosts, Pages                      []string // host names of the server, and origins of web pages that may call it
	Connections                       int      // maximum connections to the HTTP server
	AddressConnections                int      // maximum unauthenticated connections per address
	TLSCertificate, TLSKey            string   // PEM files
	PagesKey                          string   // key that seals page sessions and questions and binds approvals; empty means a key of this user
	Auth                              bool     // callers over HTTP must authenticate
	TokensFile, Tokens                string   // configured tokens: a YAML file, and agent:token,...
	OIDC                              OIDC     // OpenID provider whose tokens are accepted; disabled without an issuer
	Slow                              time.Duration
	Toolsets                          []string
	Queries                           string        // directory of named queries
	RequireProposals                  bool          // rules change only through approved proposals, except locally
	UnknownAction                     string        // answer to a reported action that no rule covers
	AskClient                         string        // when the user of an agent's client is asked for approval
	ApprovalDelay                     time.Duration // delay until an approval takes effect
	Hooks                             []string      // what hooks do besides checks: names in HookExtras
	Atlases                           string        // directory of atlases that serve loads
	CheckTimeout                      time.Duration // for reading and evaluating the rules of one check
	VerdictInputs                     string        // full, redacted or hash
	AllowedRetention, DeniedRetention time.Duration // retention of verdicts; 0 means forever

	Embedder        string // builtin, openai or none
	EmbedderURL     string // base URL of an OpenAI-compatible endpoint
	EmbedderModel   string
	EmbedderKey     string
	EmbedderTimeout time.Duration // per request
	SessionIdle     time.Duration // time after which an ambient session ends

	Remember []string // directories of conversations that a server imports continuously

	CSTP      CSTP // answers to other agents
	MaxTokens int  // maximum tokens of an answer from memory

	DocumentBytes int // maximum bytes of an external document
	ImportBytes   int // maximum unpacked bytes of a conversation file

	PackKeys   []string // public keys, as parsed by policies.ParseKeys; empty means that packs need no signature
	AgentsFile string   // other servers and their tokens
	Agent      string
	Project    string
	NoMigrate  bool
	LogLevel   string
	LogFormat  string

	File    string            // path of the config file, even if it does not exist
	Values  map[string]string // effective values by key, including secrets
	Origins map[string]string // sources of non-default values: flag, environment, or a file's path
	Notices []string          // ignored settings, and what to do about them
}

// OIDC configures an OpenID provider and its claims.
type OIDC struct {
	Issuer                                             string
	Audiences                                          []string
	NameClaim, PermissionsClaim, Prefix, ProjectsClaim string
	ClientID, ClientSecret                             string // for people who sign in on pages
}

// Setting declares one setting for all its sources.
type Setting struct {
	Key     string // key in the config file, with dots: neo4j.uri
	Env     string // name in the environment and in .env
	Flag    string // command-line flag without dashes; empty if a flag would leak a secret or be useless
	Default string
	Help    string
	Secret  bool
	With    string // key of the address that this credential is sent to; it applies only to the address from the same source
	Of      string // command with this flag; empty means all commands
	paths   bool   // the values are paths of files or directories
	set     func(*Config, string) error
}

// Settings lists all settings in the order of the help.
var Settings = slices.Concat(ourSettings, cstpSettings)

var ourSettings = []Setting{
	{Key: "neo4j.uri", Env: "NEO4J_URI", Flag: "uri", Help: "URI of a Neo4j to use instead of the managed engine: bolt:// or neo4j://, with +s or +ssc for TLS", set: text(func(c *Config) *string { return &c.URI })},
	{Key: "neo4j.username", Env: "NEO4J_USERNAME", Flag: "username", Default: "neo4j", Help: "user at NEO4J_URI", With: "neo4j.uri", set: text(func(c *Config) *string { return &c.Username })},
	{Key: "neo4j.password", Env: "NEO4J_PASSWORD", Help: "password at NEO4J_URI", Secret: true, With: "neo4j.uri", set: text(func(c *Config) *string { return &c.Password })},
	{Key: "neo4j.database", Env: "NEO4J_DATABASE", Flag: "database", Help: "database name; empty uses the server's default", set: text(func(c *Config) *string { return &c.Database })},
	{Key: "remote.url", Env: "NOMOGRAPH_URL", Flag: "url", Help: "URL of a Nomograph server to use instead of a database, for example https://nomograph.example.org", set: text(func(c *Config) *string { return &c.URL })},
	{Key: "remote.token", Env: "NOMOGRAPH_TOKEN", Help: "API token for the server of remote.url; --token-env names another variable", Secret: true, With: "remote.url", set: text(func(c *Config) *string { return &c.Token })},
	{Key: "remote.ca_file", Env: "NOMOGRAPH_CA_FILE", Flag: "ca-file", Help: "PEM file of certificate authorities to trust in addition to the system's", paths: true, set: text(func(c *Config) *string { return &c.CAFile })},
	{Key: "remote.allow_http", Env: "NOMOGRAPH_ALLOW_HTTP", Flag: "allow-http", Default: "false", Help: "send the token to another machine over http:// too", set: boolean(func(c *Config) *bool { return &c.AllowHTTP })},
	{Key: "remote.timeout", Env: "NOMOGRAPH_REMOTE_TIMEOUT", Default: "5m", Help: "timeout of one call to the server", set: duration(func(c *Config) *time.Duration { return &c.RemoteTimeout })},
	{Key: "engine.home", Env: "NEO4J_HOME", Help: "installed Neo4j 5.26 for the managed engine, instead of one fetched through Maven", paths: true, set: text(func(c *Config) *string { return &c.EngineHome })},
	{Key: "engine.version", Env: "NOMOGRAPH_ENGINE_VERSION", Help: "Neo4j version of the managed engine, for example 2026.08.1; empty uses 5.26 LTS", set: text(func(c *Config) *string { return &c.EngineVersion })},
	{Key: "engine.dir", Env: "NOMOGRAPH_ENGINE_DIR", Help: "directory of the managed engine's data, password, logs and locks", paths: true, set: text(func(c *Config) *string { return &c.EngineDir })},
	{Key: "engine.cache", Env: "NOMOGRAPH_ENGINE_CACHE", Help: "directory of fetched Neo4j jars", paths: true, set: text(func(c *Config) *string { return &c.EngineCache })},
	{Key: "engine.port", Env: "NOMOGRAPH_ENGINE_PORT", Default: "0", Help: "Bolt port of the managed engine on loopback; 0 uses a free port", set: number(func(c *Config) *int { return &c.EnginePort })},
	{Key: "engine.heap", Env: "NOMOGRAPH_ENGINE_HEAP", Help: "maximum Java heap of the managed engine; empty derives it from memory and graph size", set: text(func(c *Config) *string { return &c.EngineHeap })},
	{Key: "engine.page_cache", Env: "NOMOGRAPH_ENGINE_PAGECACHE", Help: "page cache of the managed engine; empty derives it from memory and graph size", set: text(func(c *Config) *string { return &c.EnginePageCache })},
	{Key: "engine.idle", Env: "NOMOGRAPH_ENGINE_IDLE", Default: "5m", Help: "time after which an unused managed engine stops", set: duration(func(c *Config) *time.Duration { return &c.EngineIdle })},
	{Key: "engine.compiler", Env: "NOMOGRAPH_ENGINE_COMPILER", Help: "Java compiler of the managed engine: quick for short runs, full for long ones; empty uses full if engine.idle is an hour or more", set: text(func(c *Config) *string { return &c.EngineCompiler })},
	{Key: "server.http", Env: "NOMOGRAPH_HTTP", Flag: "http", Of: "serve", Help: "address for MCP over HTTP, host:port; the flag without a value uses " + DefaultAddress, set: address(func(c *Config) *string { return &c.HTTP })},
	{Key: "server.allowed_hosts", Env: "NOMOGRAPH_ALLOWED_HOSTS", Flag: "allowed-hosts", Of: "serve", Help: "comma-separated host names of the HTTP server besides its address and loopback; *.example.org allows all subdomains", set: list(func(c *Config) *[]string { return &c.Hosts })},
	{Key: "server.cors_origins", Env: "NOMOGRAPH_CORS_ORIGINS", Flag: "cors-origins", Of: "serve", Help: "comma-separated origins of web pages that may call the HTTP server, for example https://app.example.org; * allows all", set: list(func(c *Config) *[]string { return &c.Pages })},
	{Key: "server.max_connections", Env: "NOMOGRAPH_MAX_CONNECTIONS", Default: "4096", Help: "maximum number of connections to the HTTP server; a quarter of them may be unauthenticated", set: atLeast(16, func(c *Config) *int { return &c.Connections })},
	{Key: "server.max_connections_per_address", Env: "NOMOGRAPH_MAX_CONNECTIONS_PER_ADDRESS", Default: "256", Help: "maximum number of unauthenticated connections per address; increase it behind a load balancer", set: atLeast(1, func(c *Config) *int { return &c.AddressConnections })},
	{Key: "server.tls_certificate", Env: "NOMOGRAPH_TLS_CERTIFICATE", Flag: "tls-certificate", Of: "serve", Help: "PEM file with the certificate chain of the HTTP server; reloaded when it changes", paths: true, set: text(func(c *Config) *string { return &c.TLSCertificate })},
	{Key: "server.tls_key", Env: "NOMOGRAPH_TLS_KEY", Flag: "tls-key", Of: "serve", Help: "PEM file with the private key of the HTTP server", paths: true, set: text(func(c *Config) *string { return &c.TLSKey })},
	{Key: "server.pages_key", Env: "NOMOGRAPH_PAGES_KEY", Help: "key that seals browser sessions and questions to clients and binds approvals to parameters, at least 32 characters; set the same key on all servers of one service. Empty generates a key for this user", Secret: true, set: secret(func(c *Config) *string { return &c.PagesKey })},
	{Key: "auth.enabled", Env: "NOMOGRAPH_AUTH", Flag: "auth", Of: "serve", Default: "false", Help: "require authentication over HTTP, on loopback too", set: boolean(func(c *Config) *bool { return &c.Auth })},
	{Key: "auth.tokens_file", Env: "NOMOGRAPH_TOKENS_FILE", Flag: "tokens", Of: "serve", Help: "YAML file with auth.tokens as in CSTP, in addition to tokens in the graph", paths: true, set: text(func(c *Config) *string { return &c.TokensFile })},
	{Key: "auth.tokens", Env: "CSTP_AUTH_TOKENS", Help: "comma-separated agent:token pairs, in addition to tokens in the graph", Secret: true, set: text(func(c *Config) *string { return &c.Tokens })},
	{Key: "auth.oidc.issuer", Env: "NOMOGRAPH_OIDC_ISSUER", Flag: "oidc-issuer", Of: "serve", Help: "issuer (claim iss) of an OpenID provider whose tokens are accepted, for example https://login.example.org", set: text(func(c *Config) *string { return &c.OIDC.Issuer })},
	{Key: "auth.oidc.audience", Env: "NOMOGRAPH_OIDC_AUDIENCE", Flag: "oidc-audience", Of: "serve", Help: "comma-separated accepted audiences (claim aud), for example https://nomograph.example.org/mcp", set: list(func(c *Config) *[]string { return &c.OIDC.Audiences })},
	{Key: "auth.oidc.client_id", Env: "NOMOGRAPH_OIDC_CLIENT_ID", Help: "client id for browser sign-in; the redirect path is /signin/callback", set: text(func(c *Config) *string { return &c.OIDC.ClientID })},
	{Key: "auth.oidc.client_secret", Env: "NOMOGRAPH_OIDC_CLIENT_SECRET", Help: "client secret; empty for a public client", Secret: true, With: "auth.oidc.issuer", set: text(func(c *Config) *string { return &c.OIDC.ClientSecret })},
	{Key: "auth.oidc.name_claim", Env: "NOMOGRAPH_OIDC_NAME_CLAIM", Default: "sub", Help: "claim with the caller's name", set: text(func(c *Config) *string { return &c.OIDC.NameClaim })},
	{Key: "auth.oidc.permissions_claim", Env: "NOMOGRAPH_OIDC_PERMISSIONS_CLAIM", Default: "scope", Help: "claim with the caller's permissions; a path such as realm_access.roles is allowed", set: text(func(c *Config) *string { return &c.OIDC.PermissionsClaim })},
	{Key: "auth.oidc.permissions_prefix", Env: "NOMOGRAPH_OIDC_PERMISSIONS_PREFIX", Default: "nomograph:", Help: "prefix of permissions in the claim auth.oidc.permissions_claim", set: prefix(func(c *Config) *string { return &c.OIDC.Prefix })},
	{Key: "auth.oidc.projects_claim", Env: "NOMOGRAPH_OIDC_PROJECTS_CLAIM", Help: "claim with the projects that the caller may see; empty allows all", set: text(func(c *Config) *string { return &c.OIDC.ProjectsClaim })},
	{Key: "toolsets", Env: "NOMOGRAPH_TOOLSETS", Flag: "toolsets", Default: "default", Help: "comma-separated toolsets that MCP serves: default, core, all, or names from docs/reference/tools.md", set: list(func(c *Config) *[]string { return &c.Toolsets })},
	{Key: "queries", Env: "NOMOGRAPH_QUERIES", Default: ownFile("queries"), Help: "directory of named queries (*.cypher)", paths: true, set: text(func(c *Config) *string { return &c.Queries })},
	{Key: "atlases", Env: "NOMOGRAPH_ATLASES", Flag: "atlases", Of: "serve", Help: "directory of atlases that serve loads; enables the toolset cra", paths: true, set: text(func(c *Config) *string { return &c.Atlases })},
	{Key: "memory.folders", Env: "NOMOGRAPH_MEMORY_FOLDERS", Flag: "remember", Of: "serve", Help: "comma-separated directories of conversations that serve imports continuously, for example ~/.claude/projects", set: list(func(c *Config) *[]string { return &c.Remember })},
	{Key: "packs.trusted_keys", Env: "NOMOGRAPH_PACK_KEYS", Help: "comma-separated public keys (PEM files or base64); packs must be signed by one of them", paths: true, set: nonEmptyList(list(func(c *Config) *[]string { return &c.PackKeys }), func(c *Config) []string { return c.PackKeys })},
	{Key: "policies.require_proposals", Env: "NOMOGRAPH_REQUIRE_PROPOSALS", Default: "false", Help: "true: rules and thresholds change only through approved proposals, except by the command line on the database", set: boolean(func(c *Config) *bool { return &c.RequireProposals })},
	{Key: "documents.max_bytes", Env: "NOMOGRAPH_DOCUMENTS_MAX_BYTES", Default: strconv.Itoa(document.DefaultBytes), Help: "maximum size of an external document in bytes: a pack, an imported record, YAML arguments", set: number(func(c *Config) *int { return &c.DocumentBytes })},
	{Key: "imports.max_bytes", Env: "NOMOGRAPH_IMPORTS_MAX_BYTES", Default: "2000000000", Help: "maximum size of a conversation file in bytes, uncompressed", set: number(func(c *Config) *int { return &c.ImportBytes })},
	{Key: "check.timeout", Env: "NOMOGRAPH_CHECK_TIMEOUT", Default: "2s", Help: "timeout for reading and evaluating the rules of one check; a check that times out is denied", set: duration(func(c *Config) *time.Duration { return &c.CheckTimeout })},
	{Key: "verdicts.inputs", Env: "NOMOGRAPH_VERDICTS_INPUTS", Default: "full", Help: "what a verdict stores of the action: full, redacted (no description, context and params) or hash; secrets are always masked", set: oneOf(func(c *Config) *string { return &c.VerdictInputs }, "full", "redacted", "hash")},
	{Key: "verdicts.keep_allowed", Env: "NOMOGRAPH_VERDICTS_KEEP_ALLOWED", Default: "90d", Help: "retention of verdicts that allowed an action; 0 keeps them forever", set: duration(func(c *Config) *time.Duration { return &c.AllowedRetention })},
	{Key: "verdicts.keep_denied", Env: "NOMOGRAPH_VERDICTS_KEEP_DENIED", Default: "0", Help: "retention of denials; 0 keeps them forever", set: duration(func(c *Config) *time.Duration { return &c.DeniedRetention })},
	{Key: "embedder.kind", Env: "NOMOGRAPH_EMBEDDER", Default: "builtin", Help: "embedder of decisions: builtin, openai (any endpoint with /embeddings) or none (keyword search only)", set: oneOf(func(c *Config) *string { return &c.Embedder }, "builtin", "openai", "none")},
	{Key: "embedder.url", Env: "NOMOGRAPH_EMBEDDER_URL", Default: "https://api.openai.com/v1", Help: "base URL of the embeddings endpoint, for example http://127.0.0.1:11434/v1", set: text(func(c *Config) *string { return &c.EmbedderURL })},
	{Key: "embedder.model", Env: "NOMOGRAPH_EMBEDDER_MODEL", Default: "text-embedding-3-small", Help: "model of the embeddings endpoint", set: text(func(c *Config) *string { return &c.EmbedderModel })},
	{Key: "embedder.key", Env: "NOMOGRAPH_EMBEDDER_KEY", Help: "API key of the embeddings endpoint", Secret: true, With: "embedder.url", set: text(func(c *Config) *string { return &c.EmbedderKey })},
	{Key: "embedder.timeout", Env: "NOMOGRAPH_EMBEDDER_TIMEOUT", Default: "10s", Help: "timeout of one request to the embeddings endpoint", set: duration(func(c *Config) *time.Duration { return &c.EmbedderTimeout })},
	{Key: "sessions.unknown_action", Env: "NOMOGRAPH_UNKNOWN_ACTION", Default: "ask", Help: "answer to a reported action that no rule covers: ask (a person if reachable, otherwise deny), deny or allow", set: oneOf(func(c *Config) *string { return &c.UnknownAction }, "ask", "deny", "allow")},
	{Key: "sessions.ask_client", Env: "NOMOGRAPH_ASK_CLIENT", Default: "local", Help: "whether the agent's client asks its user for approvals: local (only your own processes), always (also over the network, where a client could answer for its user) or never", set: oneOf(func(c *Config) *string { return &c.AskClient }, "local", "always", "never")},
	{Key: "sessions.approval_delay", Env: "NOMOGRAPH_APPROVAL_DELAY", Default: "10s", Help: "delay between approval and effect, 0s to 1m; an approval can be undone until then", set: upTo(time.Minute, func(c *Config) *time.Duration { return &c.ApprovalDelay })},
	{Key: "hooks.extras", Env: "NOMOGRAPH_HOOKS_EXTRAS", Default: strings.Join(HookExtras, ","), Help: "what hooks do besides checks (session-context, prompt-context, trace, reviews, transcripts; none disables all)", set: extras(func(c *Config) *[]string { return &c.Hooks })},
	{Key: "tokens.mcpMaxResponse", Env: "NOMOGRAPH_MCP_MAX_RESPONSE", Default: "2000", Help: "maximum number of tokens of a memory answer, counted by cl100k_base; predict uses half", set: atLeast(100, func(c *Config) *int { return &c.MaxTokens })},
	{Key: "session.idle", Env: "NOMOGRAPH_SESSION_IDLE", Default: "30m", Help: "time without calls after which an agent's ambient session ends", set: duration(func(c *Config) *time.Duration { return &c.SessionIdle })},
	{Key: "agents.file", Env: "NOMOGRAPH_AGENTS_FILE", Default: ownFile("agents.yaml"), Help: "file with other servers and their tokens, in the format of the CSTP client", paths: true, set: text(func(c *Config) *string { return &c.AgentsFile })},
	{Key: "agent", Env: "NOMOGRAPH_AGENT", Flag: "agent", Help: "name of the acting agent", set: text(func(c *Config) *string { return &c.Agent })},
	{Key: "project", Env: "NOMOGRAPH_PROJECT", Flag: "project", Help: "project as owner/repo", set: text(func(c *Config) *string { return &c.Project })},
	{Key: "no_migrate", Env: "NOMOGRAPH_NO_MIGRATE", Flag: "no-migrate", Default: "false", Help: "do not migrate the schema of the database at NEO4J_URI", set: boolean(func(c *Config) *bool { return &c.NoMigrate })},
	{Key: "log.level", Env: "NOMOGRAPH_LOG_LEVEL", Flag: "log-level", Default: "warn", Help: "minimum level of log lines on stderr: debug, info, warn, error", set: text(func(c *Config) *string { return &c.LogLevel })},
	{Key: "log.slow", Env: "NOMOGRAPH_LOG_SLOW", Default: "1s", Help: "duration from which a server logs a call as a warning; 0 disables it", set: duration(func(c *Config) *time.Duration { return &c.Slow })},
	{Key: "log.format", Env: "NOMOGRAPH_LOG_FORMAT", Flag: "log-format", Default: "console", Help: "log format: console or json", set: text(func(c *Config) *string { return &c.LogFormat })},
}

// DefaultFile returns the default path of the config file, which NOMOGRAPH_CONFIG and --config override. Without a home
// directory it returns "", and no file is read.
func DefaultFile() string { return ownFile("config.yaml") }

// ownFile returns the path of a file in this program's settings directory, or "" if there is no such directory.
func ownFile(name string) string {
	path, err := disk.Config("nomograph", name)
	if err != nil {
		return ""
	}
	return path
}

// DefaultAddress is the default address of the HTTP server.
const DefaultAddress = "127.0.0.1:9991"

// address accepts host:port, :port, or a port alone for loopback.
func address(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error {
		if _, err := strconv.ParseUint(v, 10, 16); err == nil {
			v = "127.0.0.1:" + v
		}
		if _, port, err := net.SplitHostPort(v); err != nil || port == "" {
			return errors.New("must be an address such as " + DefaultAddress + ", not " + strconv.Quote(v))
		}
		*field(c) = v
		return nil
	}
}

// prefix accepts a text; "none" means the empty prefix.
func prefix(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error {
		if v == "none" {
			v = ""
		}
		*field(c) = v
		return nil
	}
}

func text(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error { *field(c) = v; return nil }
}

// secret accepts a text of at least 32 characters.
func secret(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error {
		if v != "" && len(v) < 32 {
			return errors.New("must have 32 characters or more")
		}
		*field(c) = v
		return nil
	}
}

func number(field func(*Config) *int) func(*Config, string) error {
	return func(c *Config, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			return errors.New("must be a whole number, not " + strconv.Quote(v))
		}
		*field(c) = n
		return nil
	}
}

func atLeast(minimum int, field func(*Config) *int) func(*Config, string) error {
	return func(c *Config, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < minimum {
			return errors.New("must be a whole number from " + strconv.Itoa(minimum) + " on, not " + strconv.Quote(v))
		}
		*field(c) = n
		return nil
	}
}

func boolean(field func(*Config) *bool) func(*Config, string) error {
	return func(c *Config, v string) error {
		b, err := strconv.ParseBool(v)
		if err != nil {
			return errors.New("must be true or false, not " + strconv.Quote(v))
		}
		*field(c) = b
		return nil
	}
}

func upTo(limit time.Duration, field func(*Config) *time.Duration) func(*Config, string) error {
	set := duration(field)
	return func(c *Config, v string) error {
		if err := set(c, v); err != nil || *field(c) <= limit {
			return err
		}
		return errors.New("must be at most " + limit.String())
	}
}

func duration(field func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, v string) error {
		d, err := time.ParseDuration(v)
		if days, ok := strings.CutSuffix(v, "d"); err != nil && ok {
			var n int
			n, err = strconv.Atoi(days)
			d = time.Duration(n) * 24 * time.Hour
		}
		if err != nil || d < 0 {
			return errors.New("must be a duration such as 90s, 5m or 30d, not " + strconv.Quote(v))
		}
		*field(c) = d
		return nil
	}
}

func oneOf(field func(*Config) *string, choices ...string) func(*Config, string) error {
	return func(c *Config, v string) error {
		if !slices.Contains(choices, v) {
			return errors.New("must be one of " + strings.Join(choices, ", ") + ", not " + strconv.Quote(v))
		}
		*field(c) = v
		return nil
	}
}

// What hooks do besides checks.
const (
	SessionContext = "session-context"
	PromptContext  = "prompt-context"
	TraceCalls     = "trace"
	ListReviews    = "reviews"
	Transcripts    = "transcripts"
)

// HookExtras lists what hooks can do besides checks.
var HookExtras = []string{SessionContext, PromptContext, TraceCalls, ListReviews, Transcripts}

// HookDoes reports whether hooks do this one of HookExtras.
func (c Config) HookDoes(extra string) bool { return slices.Contains(c.Hooks, extra) }

// extras accepts a list of names in HookExtras, or none.
func extras(field func(*Config) *[]string) func(*Config, string) error {
	return func(c *Config, v string) error {
		*field(c) = nil
		for item := range strings.SplitSeq(v, ",") {
			switch item = strings.TrimSpace(item); {
			case item == "none" || item == "":
			case !slices.Contains(HookExtras, item):
				return errors.New("must be none or some of " + strings.Join(HookExtras, ", ") + ", not " + strconv.Quote(item))
			default:
				*field(c) = append(*field(c), item)
			}
		}
		return nil
	}
}

// nonEmptyList rejects a list that is set but empty, because treating the list as unset would disable a protection.
func nonEmptyList(set func(*Config, string) error, field func(*Config) []string) func(*Config, string) error {
	return func(c *Config, v string) error {
		if err := set(c, v); err != nil {
			return err
		}
		if len(field(c)) == 0 {
			return errors.New("must name at least one")
		}
		return nil
	}
}

func list(field func(*Config) *[]string) func(*Config, string) error {
	return func(c *Config, v string) error {
		for item := range strings.SplitSeq(v, ",") {
			if item = strings.TrimSpace(item); item != "" {
				*field(c) = append(*field(c), item)
			}
		}
		return nil
	}
}
