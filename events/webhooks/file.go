package webhooks

import (
	"cmp"
	_ "embed" // the schema of the file
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/go-viper/mapstructure/v2"

	"nomograph/events"
	"nomograph/internal/apperr"
	"nomograph/internal/loopback"
	"nomograph/internal/schema"
	"nomograph/internal/userfile"
	"nomograph/internal/webhook"
)

// Event types that the feed has only as changes of other kinds.
const (
	breakerOpened = "breaker.opened" // found when an outcome is recorded
	agentFrozen   = "agent.frozen"   // a change of the policy of a freeze
	testEvent     = "test"
)

// defaultEvents are the events of a webhook that names none: what waits for a person, and what changes the rules.
var defaultEvents = []string{"approval.requested", "proposal.opened", "threshold.changed", breakerOpened, agentFrozen}

// target is a webhook of the file.
type target struct {
	Name, Format, Project string
	Events                []string

	url    string // may contain a secret, so it is never shown
	host   string
	secret string
	token  string

	problem string // why nothing can be sent
}

// content is the content of the file.
type content struct {
	site    string // address of the pages in links, without a trailing slash if the file names it
	targets []target
}

//go:embed webhooks.schema.json
var schemaFile []byte

var fileSchema = sync.OnceValue(func() schema.Schema { return schema.MustCompile(schemaFile) })

// read reads the file. A mistake in the entry of one webhook is its problem, so that the others remain usable. It
// returns a validation_error without secrets.
func (s *Store) read() (content, error) {
	wrong := func(problem string) (content, error) {
		return content{}, apperr.Newf(apperr.Validation, "Invalid webhooks file %s: %s", s.Path, problem).
			WithHint("Use the form webhooks: [{name: ops, url: \"${SLACK_URL}\", format: slack}]; see docs/guides/webhooks.md")
	}
	file, problem := userfile.Read(s.Path, fileSchema())
	if problem != "" {
		return wrong(problem)
	}
	var in struct {
		Site     string
		Webhooks []struct {
			target     `mapstructure:",squash"`
			URL        string
			URLFile    string `mapstructure:"url_file"`
			Secret     string
			SecretFile string `mapstructure:"secret_file"`
			Token      string
			TokenFile  string `mapstructure:"token_file"`
		}
	}
	if err := mapstructure.Decode(file.Value, &in); err != nil {
		return wrong("it cannot be read")
	}
	out := content{site: cmp.Or(strings.TrimSuffix(in.Site, "/"), s.Site)}
	for _, one := range in.Webhooks {
		t := one.target
		if slices.ContainsFunc(out.targets, func(o target) bool { return o.Name == t.Name }) {
			return wrong("two webhooks are called " + t.Name)
		}
		for _, secret := range []struct {
			into             *string
			what, text, path string
		}{{&t.url, "address", one.URL, one.URLFile}, {&t.secret, "secret", one.Secret, one.SecretFile},
			{&t.token, "token", one.Token, one.TokenFile}} {
			read, problem := file.Secret(secret.what, secret.text, secret.path)
			if *secret.into = read; problem != "" {
				t.problem = problem
			}
		}
		if len(t.Events) == 0 {
			t.Events = defaultEvents
		}
		if t.problem == "" {
			t.problem = t.check(file)
		}
		out.targets = append(out.targets, t)
	}
	return out, nil
}

// check completes a webhook and returns why nothing can be sent, without secrets, or "".
func (t *target) check(file userfile.File) string {
	address, err := url.Parse(t.url)
	if err != nil || address.Host == "" || address.Scheme != "https" &&
		(address.Scheme != "http" || !loopback.Is(address.Hostname())) {
		return "its address does not begin with https:// (or http:// on this machine) and a host"
	}
	t.host = address.Host
	if t.Format == "ntfy" && (address.Path == "" || strings.HasSuffix(address.Path, "/")) {
		return "its address does not end with a topic"
	}
	if _, err := t.query(); err != nil {
		return apperr.From(err).Message
	}
	switch {
	case t.Format == "":
		t.Format = "json"
	case strings.HasSuffix(t.Format, ".tmpl"):
		t.Format = file.Path(t.Format)
	}
	if _, err := templateOf(t.Format); err != nil {
		return "its format is not json, slack, ntfy or a readable template (*.tmpl)"
	}
	if t.secret == "" && t.Format == "json" {
		return "it has no secret: set one as `openssl rand -base64 32` prints it, with whsec_ before it"
	}
	if _, err := webhook.Key(t.secret); t.secret != "" && err != nil {
		return "its secret is not whsec_ and at least 24 bytes in base64"
	}
	return ""
}

// query returns what the webhook reads from the feed.
func (t *target) query() (events.Query, error) {
	asked := map[string]string{breakerOpened: "decision.reviewed", agentFrozen: events.PolicyChanged}
	filter := events.Filter{Project: t.Project}
	for _, name := range t.Events {
		filter.Types = append(filter.Types, cmp.Or(asked[name], name))
	}
	types, err := filter.ChosenTypes()
	return events.Query{Filter: filter, Types: types}, err
}

// names reports whether the webhook names the type or its group.
func (t *target) names(eventType string) bool {
	group, _, _ := strings.Cut(eventType, ".")
	return slices.Contains(t.Events, eventType) || slices.Contains(t.Events, group)
}
