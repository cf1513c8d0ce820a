package config

import (
	"cmp"
	"net"
	"path/filepath"

	"nomograph/internal/document"
)

// CSTP configures how this server answers other agents. The keys are those of config.yaml in the CSTP design.
type CSTP struct {
	Host          string  `key:"server.host" env:"NOMOGRAPH_HTTP_HOST" help:"host of the HTTP server, used with server.port if server.http is empty; as in CSTP's config.yaml"`
	Port          string  `key:"server.port" env:"NOMOGRAPH_HTTP_PORT" rule:"port" help:"port for server.host (default 8100)"`
	Name          string  `key:"cstp.name" env:"NOMOGRAPH_CSTP_NAME" help:"name of this server among other agents; empty uses agent, otherwise nomograph"`
	Description   string  `key:"cstp.description" env:"NOMOGRAPH_CSTP_DESCRIPTION" default:"Decision intelligence for AI agents" help:"description in the agent card"`
	URL           string  `key:"cstp.url" env:"NOMOGRAPH_CSTP_URL" help:"public URL in the agent card; empty uses the URL of the request"`
	Contact       string  `key:"cstp.contact" env:"NOMOGRAPH_CSTP_CONTACT" help:"contact in the agent card"`
	MaxResults    int     `key:"cstp.query.max_results" env:"NOMOGRAPH_CSTP_MAX_RESULTS" default:"50" help:"maximum number of results of cstp.queryDecisions"`
	MinScore      float64 `key:"cstp.query.min_score" env:"NOMOGRAPH_CSTP_MIN_SCORE" default:"0" help:"minimum score of results: 1 - distance"`
	Guardrails    string  `key:"cstp.guardrails.config_path" env:"NOMOGRAPH_CSTP_GUARDRAILS" paths:"true" help:"file or directory of CSTP guardrails and circuit breakers; serve applies them as the pack cstp-guardrails, and exits if it cannot apply every one"`
	StoreReceived bool    `key:"cstp.intent.store_received" env:"NOMOGRAPH_CSTP_STORE_RECEIVED" default:"true" help:"store received intents and notify other agents"`
	AutoRespond   bool    `key:"cstp.intent.auto_respond" env:"NOMOGRAPH_CSTP_AUTO_RESPOND" default:"true" help:"answer received intents immediately with guardrails, similar decisions and suggestions; otherwise agents answer"`
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
