package client

import (
	_ "embed" // the schema of the agents file
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-viper/mapstructure/v2"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/render"
	"nomograph/internal/schema"
	"nomograph/internal/userfile"
)

// NoAnswer says how a check counts an agent that did not answer.
type NoAnswer string

// An agent that did not answer can count as a denial, a warning, or nothing. It is always listed.
const (
	Block  NoAnswer = "block"
	Warn   NoAnswer = "warn"
	Ignore NoAnswer = "ignore"
)

// Agent is another server, as this user configured it. Only the request that carries the token sees it.
type Agent struct {
	Name     string
	URL      string // without a trailing slash; requests go to URL/cstp
	Timeout  time.Duration
	Retries  int           // retries after the first attempt; Timeout limits all attempts together
	Cooldown time.Duration // how long an agent that did not answer is not called
	NoAnswer NoAnswer
	// Poll is the interval for reading the agent's decisions and outcomes if it does not push them; 0 means never.
	// Topics are the queries for an agent without a list method, one per line.
	Poll   time.Duration
	Topics string

	token   string
	problem string // why the agent cannot be called, without secrets
}

// Default settings of an agent.
const (
	defaultTimeout  = 30 * time.Second
	defaultCooldown = 30 * time.Second
)

// Directory is the agents file, in the format of the CSTP design:
//
//	agents:
//	  - {name: security-policy, url: "https://security.example.com", token: "${CSTP_TOKEN_SECURITY}"}
//	defaults: {timeout_seconds: 30, retry_count: 3}
//
// It is read for each call of an operation, so tokens are rotated without a restart. A token is in the environment, in
// a file of its own (token_file), or in this file if only its owner can read it.
type Directory struct{ path string }

// AgentList is the content of the agents file.
type AgentList struct {
	Agents     []Agent
	Registries []string // URLs of servers, or paths of files, that list agents
	Defaults   Agent    // without a name
}

// NewDirectory returns the agent directory stored at path. The file need not exist; an empty path means no agents.
func NewDirectory(path string) *Directory { return &Directory{path: path} }

// Path returns the path of the file.
func (d *Directory) Path() string { return d.path }

// Read returns the current content of the file. It returns a validation_error without secrets if the file is invalid. A
// mistake in one agent's entry is reported when that agent is called, so that the others remain usable.
func (d *Directory) Read() (AgentList, error) {
	file, problem := userfile.Read(d.path, parsedSchema())
	if problem != "" {
		return AgentList{}, d.fileError(problem)
	}
	return d.parse(file)
}

func (d *Directory) fileError(problem string) error {
	return apperr.Newf(apperr.Validation, "Invalid agents file %s: %s", d.path, problem).
		WithHint("Use the form agents: [{name: ada, url: \"https://ada.example.com\", token: \"${ADA_TOKEN}\"}]; see docs/guides/agents.md")
}

// fileSchema has the keys and limits of an agents file.
//
//go:embed agents.schema.json
var fileSchema []byte

var parsedSchema = sync.OnceValue(func() schema.Schema { return schema.MustCompile(fileSchema) })

// settings are the settings of an agent as in the file.
type settings struct {
	Name, URL, Token string
	TokenFile        string   `mapstructure:"token_file"`
	TimeoutSeconds   float64  `mapstructure:"timeout_seconds"`
	CooldownSeconds  float64  `mapstructure:"cooldown_seconds"`
	PollMinutes      float64  `mapstructure:"poll_minutes"`
	PollQueries      []string `mapstructure:"poll_queries"`
	RetryCount       int      `mapstructure:"retry_count"`
	NoAnswer         NoAnswer `mapstructure:"no_answer"`
}

// agent returns the agent with these settings, without its token.
func (s settings) agent() Agent {
	span := func(n float64, unit time.Duration) time.Duration { return time.Duration(n * float64(unit)) }
	for i, topic := range s.PollQueries {
		s.PollQueries[i] = render.OneLine(topic)
	}
	return Agent{Name: strings.TrimSpace(s.Name), Timeout: span(s.TimeoutSeconds, time.Second), Retries: s.RetryCount,
		Cooldown: span(s.CooldownSeconds, time.Second), NoAnswer: s.NoAnswer, Poll: span(s.PollMinutes, time.Minute),
		Topics: strings.Join(s.PollQueries, "\n")}
}

// defaultSettings are the settings of an agent without its own and without defaults in the file.
var defaultSettings = settings{TimeoutSeconds: defaultTimeout.Seconds(), CooldownSeconds: defaultCooldown.Seconds(),
	RetryCount: 3, NoAnswer: Block}

func (d *Directory) parse(written userfile.File) (listing AgentList, err error) {
	file := struct {
		Defaults   settings
		Agents     []map[string]any
		Registries []string
	}{Defaults: defaultSettings}
	if err := mapstructure.Decode(written.Value, &file); err != nil {
		return listing, d.fileError("it cannot be read")
	}
	listing.Defaults = file.Defaults.agent()
	seen := map[string]bool{}
	for _, fields := range file.Agents {
		one := file.Defaults
		if fields["poll_queries"] != nil { // otherwise they would be written into the defaults
			one.PollQueries = nil
		}
		if err := mapstructure.Decode(fields, &one); err != nil {
			return listing, d.fileError("it cannot be read")
		}
		a := one.agent()
		problem := caller.NameProblem(a.Name)
		switch {
		case problem != "":
			return listing, d.fileError(fmt.Sprintf("%q is not a valid agent name: %s", a.Name, problem))
		case seen[caller.Key(a.Name)]:
			return listing, d.fileError("two agents are called " + a.Name)
		}
		if a.URL, err = Address(one.URL); err != nil {
			return listing, d.fileError("the address of " + a.Name + ": " + apperr.From(err).Message)
		}
		seen[caller.Key(a.Name)] = true
		a.token, a.problem = written.Secret("token", one.Token, one.TokenFile)
		listing.Agents = append(listing.Agents, a)
	}
	for _, place := range file.Registries {
		if !strings.Contains(place, "://") {
			place = written.Path(place)
		}
		listing.Registries = append(listing.Registries, place)
	}
	return listing, nil
}

// Lookup returns an agent known only by name and URL, with the settings and token that the file has for exactly this
// URL. A token belongs to a URL and is never sent to another.
func (l AgentList) Lookup(name, address string) Agent {
	for _, a := range l.Agents {
		if a.URL == address {
			a.Name = name
			return a
		}
	}
	a := l.Defaults
	a.Name, a.URL = name, address
	return a
}

// Address normalizes the URL of a server to https://host/path without a trailing slash. The URL of its CSTP endpoint
// becomes that of the server. It returns a validation_error that quotes nothing that may be secret.
func Address(text string) (string, error) {
	wrong := func(why string) (string, error) {
		return "", apperr.New(apperr.Validation, "The address "+why).
			WithHint("Use an address such as https://agent.example.com or http://127.0.0.1:9991")
	}
	address, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil || len(text) > 2000:
		return wrong("is invalid")
	case address.Scheme != "http" && address.Scheme != "https" || address.Hostname() == "":
		return wrong("does not begin with https:// or http:// and a host")
	case address.User != nil:
		return wrong("contains a user name or password; put a token into the agents file")
	case address.RawQuery != "" || address.Fragment != "":
		return wrong("contains more than a host and a path")
	}
	address.Host = strings.ToLower(address.Host)
	address.Path = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(address.Path, "/"), "/cstp"), "/")
	address.RawPath = ""
	return address.String(), nil
}
