package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/disk"
	"nomograph/internal/document"
	"nomograph/internal/envvar"
	"nomograph/internal/render"
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
	defaultRetries  = 3
	defaultCooldown = 30 * time.Second
)

// Directory is the agents file, in the format of the CSTP design:
//
//	agents:
//	  - {name: security-policy, url: "https://security.example.com", token: "${CSTP_TOKEN_SECURITY}"}
//	defaults: {timeout_seconds: 30, retry_count: 3}
//
// It is read again after a change, so tokens are rotated without a restart. A token is in the environment, in a file of
// its own (token_file), or in this file if only its owner can read it.
type Directory struct {
	path string

	mu    sync.Mutex
	stamp os.FileInfo
	known AgentList
}

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
	d.mu.Lock()
	defer d.mu.Unlock()
	fallback := AgentList{Defaults: Agent{Timeout: defaultTimeout, Retries: defaultRetries, Cooldown: defaultCooldown,
		NoAnswer: Block}}
	info, err := os.Stat(d.path)
	switch {
	case d.path == "" || errors.Is(err, fs.ErrNotExist):
		d.stamp = nil
		return fallback, nil
	case err == nil && d.stamp != nil && os.SameFile(info, d.stamp) && info.Size() == d.stamp.Size() && info.ModTime().
		Equal(d.stamp.ModTime()):
		return d.known, nil
	case err == nil && !info.Mode().IsRegular():
		return AgentList{}, d.fileError("not a regular file")
	}
	text, err := disk.Read(d.path, document.DefaultBytes)
	if err != nil {
		return AgentList{}, d.fileError("it cannot be read")
	}
	if text, err = document.Decode(text); err != nil {
		return AgentList{}, d.fileError(err.Error())
	}
	listing, err := d.parse(string(text), fallback, private(info))
	if err != nil {
		return AgentList{}, err
	}
	d.stamp, d.known = info, listing
	return listing, nil
}

// Reload discards the cached file after a token was refused: the token may have been replaced within the resolution of
// the file's modification time.
func (d *Directory) Reload() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stamp = nil
}

// private reports whether only the owner can read a file.
func private(info os.FileInfo) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0
}

func (d *Directory) fileError(problem string) error {
	return apperr.Newf(apperr.Validation, "Invalid agents file %s: %s", d.path, problem).
		WithHint("Use the form agents: [{name: ada, url: \"https://ada.example.com\", token: \"${ADA_TOKEN}\"}]; see docs/guides/agents.md")
}

func (d *Directory) parse(text string, listing AgentList, private bool) (AgentList, error) {
	root, err := document.YAML(context.Background(), text, document.DefaultLimits())
	if err != nil {
		var refused *document.Error
		if errors.As(err, &refused) && len(refused.Problems) > 0 { // the position only: the line may contain a token
			return listing, d.fileError("invalid YAML, at " + refused.Problems[0].String())
		}
		return listing, d.fileError("invalid YAML")
	}
	document, ok := root.Value().(map[string]any)
	if !ok && root.Value() != nil {
		return listing, d.fileError("it is not a mapping")
	}
	for key := range document {
		if !slices.Contains([]string{"agents", "defaults", "registries"}, key) {
			return listing, d.fileError("unknown key " + key + "; allowed: agents, defaults and registries")
		}
	}
	defaults, ok := document["defaults"].(map[string]any)
	if document["defaults"] != nil && !ok {
		return listing, d.fileError("defaults is not a mapping")
	}
	if problem := listing.Defaults.readSettings(defaults); problem != "" {
		return listing, d.fileError("defaults: " + problem)
	}
	agents, ok := document["agents"].([]any)
	if document["agents"] != nil && !ok {
		return listing, d.fileError("agents is not a list")
	}
	seen := map[string]bool{}
	for _, one := range agents {
		fields, _ := one.(map[string]any)
		a := listing.Defaults
		problem := a.identify(fields)
		switch {
		case problem != "":
		case seen[caller.Key(a.Name)]:
			problem = "two agents are called " + a.Name
		default:
			problem = a.readSettings(fields, "name", "url", "token", "token_file")
		}
		if problem != "" {
			return listing, d.fileError(problem)
		}
		seen[caller.Key(a.Name)] = true
		a.credential(fields, filepath.Dir(d.path), private)
		listing.Agents = append(listing.Agents, a)
	}
	registries, ok := document["registries"].([]any)
	if document["registries"] != nil && !ok {
		return listing, d.fileError("registries is not a list")
	}
	for _, one := range registries {
		place, _ := one.(string)
		if place == "" {
			return listing, d.fileError("a registry must be a URL or the path of a file")
		}
		if !strings.Contains(place, "://") && !filepath.IsAbs(place) {
			place = filepath.Join(filepath.Dir(d.path), place)
		}
		listing.Registries = append(listing.Registries, place)
	}
	return listing, nil
}

// identify reads an agent's name and URL.
func (a *Agent) identify(fields map[string]any) (problem string) {
	a.Name, _ = fields["name"].(string)
	if a.Name = strings.TrimSpace(a.Name); caller.NameProblem(a.Name) != "" {
		return fmt.Sprintf("%q is not a valid agent name: %s", a.Name, caller.NameProblem(a.Name))
	}
	address, _ := fields["url"].(string)
	normal, err := Address(address)
	if err != nil {
		return "the address of " + a.Name + ": " + apperr.From(err).Message
	}
	a.URL = normal
	return ""
}

const (
	maxTopicLength = 1000
	maxTopics      = 10
)

// readSettings reads settings that an agent or the defaults can have.
func (a *Agent) readSettings(fields map[string]any, also ...string) (problem string) {
	for key, value := range fields {
		switch key {
		case "timeout_seconds", "cooldown_seconds":
			seconds, ok := number(value)
			if !ok || seconds <= 0 || seconds > 600 {
				return key + " must be above 0 and at most 600"
			}
			span := time.Duration(seconds * float64(time.Second))
			if key == "timeout_seconds" {
				a.Timeout = span
			} else {
				a.Cooldown = span
			}
		case "retry_count":
			count, ok := number(value)
			if !ok || count < 0 || count > 10 || count != float64(int(count)) {
				return "retry_count must be a whole number from 0 to 10"
			}
			a.Retries = int(count)
		case "poll_minutes":
			minutes, ok := number(value)
			if !ok || minutes < 1 || minutes > 7*24*60 {
				return key + " must be from 1 to 10080"
			}
			a.Poll = time.Duration(minutes * float64(time.Minute))
		case "poll_queries":
			list, ok := value.([]any)
			var topics []string
			for _, one := range list {
				topic, _ := one.(string)
				if topic = render.OneLine(topic); topic != "" && len(topic) <= maxTopicLength {
					topics = append(topics, topic)
				}
			}
			if !ok || len(topics) != len(list) || len(list) > maxTopics {
				return key + " must be a list of at most 10 questions"
			}
			a.Topics = strings.Join(topics, "\n")
		case "no_answer":
			text, _ := value.(string)
			a.NoAnswer = NoAnswer(text)
			if !slices.Contains([]NoAnswer{Block, Warn, Ignore}, a.NoAnswer) {
				return "no_answer must be block, warn or ignore"
			}
		default:
			if !slices.Contains(also, key) {
				return "unknown key " + key + cmp.Or(" in "+a.Name, "")
			}
		}
	}
	return ""
}

func number(value any) (float64, bool) {
	switch n := value.(type) {
	case float64:
		return n, true
	case int64:
		return float64(n), true
	case int:
		return float64(n), true
	case uint64:
		return float64(n), true
	}
	return 0, false
}

// credential finds an agent's token. If there is none, the reason is stored and returned by calls to the agent.
func (a *Agent) credential(fields map[string]any, folder string, private bool) {
	text, _ := fields["token"].(string)
	if file, _ := fields["token_file"].(string); file != "" {
		if !filepath.IsAbs(file) {
			file = filepath.Join(folder, file)
		}
		content, err := disk.Read(file, 8<<10)
		if err != nil {
			a.problem = "its token_file cannot be read"
			return
		}
		a.token = strings.TrimSpace(string(content))
		return
	}
	if !envvar.Only(text) && !private {
		a.problem = "its token is in a file that others can read: run chmod 600, or write ${VARIABLE}"
		return
	}
	var unset string
	if a.token, unset = envvar.Expand(text); unset != "" {
		a.problem = "its token is " + unset + ", which is not set"
	}
	if strings.ContainsFunc(a.token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		a.token, a.problem = "", "its token contains blanks or other invalid characters"
	}
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
