package config

import (
	"cmp"
	"errors"
	"net"
	"path/filepath"
	"strconv"

	"nomograph/internal/document"
)

// CSTP configures how this server answers other agents. The keys are those of config.yaml in the CSTP design.
type CSTP struct {
	Host, Port                      string // address of the HTTP server if server.http is empty
	Name, Description, URL, Contact string // fields of the agent card
	MaxResults                      int
	MinScore                        float64
	Guardrails                      string // file of guardrails that serve applies
	StoreReceived, AutoRespond      bool
}

var cstpSettings = []Setting{
	{Key: "server.host", Env: "NOMOGRAPH_HTTP_HOST", Help: "host of the HTTP server, used with server.port if server.http is empty; as in CSTP's config.yaml", set: text(func(c *Config) *string { return &c.CSTP.Host })},
	{Key: "server.port", Env: "NOMOGRAPH_HTTP_PORT", Help: "port for server.host (default 8100)", set: port(func(c *Config) *string { return &c.CSTP.Port })},
	{Key: "cstp.name", Env: "NOMOGRAPH_CSTP_NAME", Help: "name of this server among other agents; empty uses agent, otherwise nomograph", set: text(func(c *Config) *string { return &c.CSTP.Name })},
	{Key: "cstp.description", Env: "NOMOGRAPH_CSTP_DESCRIPTION", Default: "Decision intelligence for AI agents", Help: "description in the agent card", set: text(func(c *Config) *string { return &c.CSTP.Description })},
	{Key: "cstp.url", Env: "NOMOGRAPH_CSTP_URL", Help: "public URL in the agent card; empty uses the URL of the request", set: text(func(c *Config) *string { return &c.CSTP.URL })},
	{Key: "cstp.contact", Env: "NOMOGRAPH_CSTP_CONTACT", Help: "contact in the agent card", set: text(func(c *Config) *string { return &c.CSTP.Contact })},
	{Key: "cstp.query.max_results", Env: "NOMOGRAPH_CSTP_MAX_RESULTS", Default: "50", Help: "maximum number of results of cstp.queryDecisions", set: number(func(c *Config) *int { return &c.CSTP.MaxResults })},
	{Key: "cstp.query.min_score", Env: "NOMOGRAPH_CSTP_MIN_SCORE", Default: "0", Help: "minimum score of results: 1 - distance", set: fraction(func(c *Config) *float64 { return &c.CSTP.MinScore })},
	{Key: "cstp.guardrails.config_path", Env: "NOMOGRAPH_CSTP_GUARDRAILS", Help: "file or directory of CSTP guardrails and circuit breakers; serve applies them as the pack cstp-guardrails, and exits if it cannot apply every one", paths: true, set: text(func(c *Config) *string { return &c.CSTP.Guardrails })},
	{Key: "cstp.intent.store_received", Env: "NOMOGRAPH_CSTP_STORE_RECEIVED", Default: "true", Help: "store received intents and notify other agents", set: boolean(func(c *Config) *bool { return &c.CSTP.StoreReceived })},
	{Key: "cstp.intent.auto_respond", Env: "NOMOGRAPH_CSTP_AUTO_RESPOND", Default: "true", Help: "answer received intents immediately with guardrails, similar decisions and suggestions; otherwise agents answer", set: boolean(func(c *Config) *bool { return &c.CSTP.AutoRespond })},
}

// applyCSTPAddress sets the address from CSTP's config.yaml if no other setting does.
func (c *Config) applyCSTPAddress() {
	const defaultPort = "8100"
	if c.HTTP == "" && c.CSTP.Host+c.CSTP.Port != "" {
		c.HTTP = net.JoinHostPort(cmp.Or(c.CSTP.Host, "127.0.0.1"), cmp.Or(c.CSTP.Port, defaultPort))
	}
	c.CSTP.Name = cmp.Or(c.CSTP.Name, c.Agent, "nomograph")
}

// tokensIn uses a config file as the tokens file if it contains tokens as in CSTP: a list of {name, token}.
func tokensIn(root *document.Node, path string, values map[string]string) {
	if tokens := root.Get("auth").Get("tokens"); tokens.IsList() && values["auth.tokens_file"] == "" {
		delete(values, "auth.tokens")
		values["auth.tokens_file"] = filepath.Base(path)
	}
}

func port(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error {
		if n, err := strconv.ParseUint(v, 10, 16); err != nil || n == 0 {
			return errors.New("must be a port, not " + strconv.Quote(v))
		}
		*field(c) = v
		return nil
	}
}

func fraction(field func(*Config) *float64) func(*Config, string) error {
	return func(c *Config, v string) error {
		f, err := strconv.ParseFloat(v, 64)
		if err != nil || !(f >= 0 && f <= 1) {
			return errors.New("must be from 0 to 1, not " + strconv.Quote(v))
		}
		*field(c) = f
		return nil
	}
}
