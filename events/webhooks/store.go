package webhooks

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"nomograph/cypher"
	"nomograph/events"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/uid"
	"nomograph/policies/circuit"
)

// Store sends events to the webhooks of one file.
type Store struct {
	// Path is the file of webhooks, which need not exist. Site is the address of the pages if the file names none.
	Path, Site string

	graph    *graph.DB
	feed     *events.Feed
	circuits *circuit.Store
	client   *http.Client
	version  string
	server   string // this process among those that share the graph
	log      zerolog.Logger
	tick     time.Duration // between attempts to claim a webhook and to send what is due
}

const (
	tick = 10 * time.Second
	// held is how long a webhook belongs to the server that claimed it last, unless that server ends and leaves it:
	// several ticks and one slow request.
	held        = time.Minute
	sendTimeout = 15 * time.Second
)

// NewStore returns the store of a graph. version is that of this program.
func NewStore(db *graph.DB, feed *events.Feed, circuits *circuit.Store, version string, log zerolog.Logger) *Store {
	return &Store{graph: db, feed: feed, circuits: circuits, version: version, log: log, server: uid.New(), tick: tick,
		client: &http.Client{Timeout: sendTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // an address is configured exactly
		}}}
}

// Webhook is a configured webhook with its state.
type Webhook struct {
	Name        string     `json:"name"`
	Host        string     `json:"host,omitempty" jsonschema:"host of its address"`
	Format      string     `json:"format" jsonschema:"json, slack, ntfy or the path of a template"`
	Events      []string   `json:"events"`
	Project     string     `json:"project,omitempty"`
	Signed      bool       `json:"signed" jsonschema:"true if requests carry a signature (Standard Webhooks)"`
	Problem     string     `json:"problem,omitempty" jsonschema:"why nothing is sent"`
	Running     bool       `json:"running" jsonschema:"true if a server sends for it now"`
	DeliveredAt *time.Time `json:"delivered_at,omitempty" jsonschema:"last delivery"`
	Waiting     int64      `json:"waiting" jsonschema:"failed deliveries that are retried"`
	Dead        int64      `json:"dead" jsonschema:"failed deliveries that are not retried"`
	Failed      []Delivery `json:"failed,omitempty" jsonschema:"newest failed deliveries, at most 20"`
}

// Delivery is a delivery that failed.
type Delivery struct {
	DeliveryID string     `json:"delivery_id" mapstructure:"uid"`
	Type       string     `json:"type" jsonschema:"type of the event"`
	At         time.Time  `json:"at" jsonschema:"first attempt"`
	Attempts   int64      `json:"attempts"`
	Error      string     `json:"error"`
	NextAt     *time.Time `json:"next_at,omitempty" jsonschema:"next attempt; none if it is dead"`
}

// ListQuery asks for the webhooks of this server's file.
type ListQuery struct{}

// List holds webhooks in the order of the file.
type List struct {
	Webhooks []Webhook `json:"webhooks"`
	Total    int       `json:"total"`
}

const maxShown = 20 // failed deliveries of a webhook in a list

// Webhooks returns the webhooks of this server's file with their state.
func (s *Store) Webhooks(ctx context.Context, _ ListQuery) (List, error) {
	file, err := s.read()
	if err != nil {
		return List{}, err
	}
	out, names := List{Webhooks: []Webhook{}, Total: len(file.targets)}, []string{}
	for _, t := range file.targets {
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return out, nil
	}
	type row struct {
		Webhook `mapstructure:",squash"`
		Server  *string
	}
	rows, err := graph.All[row](ctx, s.graph, cypher.WebhooksState, graph.Params{"names": names, "limit": maxShown})
	if err != nil {
		return List{}, err
	}
	states := map[string]row{}
	for _, r := range rows {
		states[r.Name] = r
	}
	for _, t := range file.targets {
		w := states[t.Name].Webhook
		w.Name, w.Host, w.Format, w.Events, w.Project = t.Name, t.host, t.Format, t.Events, t.Project
		w.Signed, w.Problem, w.Running = t.secret != "", t.problem, states[t.Name].Server != nil
		out.Webhooks = append(out.Webhooks, w)
	}
	return out, nil
}

// Selection names a webhook.
type Selection struct {
	Name string `json:"name" jsonschema:"name of the webhook" rule:"minLength=1,maxLength=100"`
}

// Sent says that a test message was delivered.
type Sent struct {
	Name   string `json:"name"`
	Host   string `json:"host"`
	Status int    `json:"status" jsonschema:"HTTP status of the answer"`
}

// Test sends a test message once. It returns unavailable if it is not delivered.
func (s *Store) Test(ctx context.Context, q Selection) (Sent, error) {
	t, site, err := s.named(q.Name)
	if err != nil {
		return Sent{}, err
	}
	m := message{ID: uid.New(), Type: testEvent, At: time.Now().UTC(), Data: map[string]any{}}
	body, err := t.body(m, site, t.Format)
	if err != nil {
		return Sent{}, invalidTemplate(t, err)
	}
	status, _, err := s.send(ctx, t, t.deliveryID(m), body)
	if err != nil {
		return Sent{}, apperr.Newf(apperr.Unavailable, "The webhook '%s' was not delivered: %v", t.Name, err).
			WithHint("Check its address in %s and whether the receiver is running", s.Path)
	}
	return Sent{t.Name, t.host, status}, nil
}

func invalidTemplate(t *target, err error) error {
	return apperr.Newf(apperr.Validation, "The format of the webhook '%s' cannot be filled in: %v", t.Name, err).
		WithHint("Correct the template; docs/guides/webhooks.md lists its fields")
}

// named returns a webhook of the file that can be sent to.
func (s *Store) named(name string) (*target, string, error) {
	file, err := s.read()
	if err != nil {
		return nil, "", err
	}
	var names []string
	for i, t := range file.targets {
		if names = append(names, t.Name); t.Name != name {
			continue
		}
		if t.problem != "" {
			return nil, "", apperr.Newf(apperr.Validation, "The webhook '%s' cannot be used: %s", name, t.problem).
				WithHint("Correct %s", s.Path)
		}
		return &file.targets[i], file.site, nil
	}
	missing := apperr.Newf(apperr.NotFound, "Webhook '%s' not found", name)
	if len(names) == 0 {
		return nil, "", missing.WithHint("Add it to %s; see docs/guides/webhooks.md", s.Path)
	}
	return nil, "", missing.WithHint("Use one of %s, or add it to %s", strings.Join(names, ", "), s.Path)
}

// Resending selects failed deliveries.
type Resending struct {
	Name       string `json:"name" jsonschema:"name of the webhook" rule:"minLength=1,maxLength=100"`
	DeliveryID string `json:"delivery_id,omitempty" jsonschema:"one delivery (default all failed ones of the webhook)" rule:"maxLength=100"`
}

// Resent says how many deliveries are sent again.
type Resent struct {
	Name string `json:"name"`
	Due  int64  `json:"due" jsonschema:"deliveries that the server of the webhook now sends again"`
}

// Resend makes failed deliveries due, also dead ones. It returns not_found for a delivery that did not fail.
func (s *Store) Resend(ctx context.Context, q Resending) (Resent, error) {
	t, _, err := s.named(q.Name)
	if err != nil {
		return Resent{}, err
	}
	row, err := graph.Append[struct{ Due int64 }](ctx, s.graph, cypher.WebhookResend,
		graph.Params{"name": t.Name, "uid": graph.NullIfEmpty(q.DeliveryID)})
	if err == nil && row.Due == 0 && q.DeliveryID != "" {
		err = apperr.Newf(apperr.NotFound, "'%s' has no failed delivery '%s'", t.Name, q.DeliveryID).
			WithHint("`list_webhooks` shows failed deliveries")
	}
	return Resent{t.Name, row.Due}, err
}

// retryAfter returns the delay that a receiver asks for, at most a day.
func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 86400)) * time.Second
}
