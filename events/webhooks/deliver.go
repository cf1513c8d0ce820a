package webhooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"nomograph/cypher"
	"nomograph/events"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/webhook"
	"nomograph/policies/circuit"
)

// delays are the delays after failed attempts, as Standard Webhooks recommends. After the last one a delivery is dead.
var delays = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

// Run sends events to the webhooks of the file until ctx ends. It notices changes of the file and of the secrets in
// other files.
func (s *Store) Run(ctx context.Context) {
	for ctx.Err() == nil {
		within, stop := context.WithCancel(graph.Operation(ctx, "webhooks", "send"))
		var running sync.WaitGroup
		file, err := s.read()
		if err != nil {
			s.log.Error().Err(err).Msg("no webhooks are sent")
		}
		for i := range file.targets {
			t := &file.targets[i]
			if t.problem != "" {
				s.log.Error().Str("webhook", t.Name).Str("problem", t.problem).Msg("webhook is not sent")
				continue
			}
			running.Go(func() { s.serve(within, t, file.site) })
		}
		for same := true; ctx.Err() == nil && same; {
			wait(ctx, s.tick)
			now, wrong := s.read()
			same = reflect.DeepEqual(now, file) && fmt.Sprint(wrong) == fmt.Sprint(err)
		}
		stop()
		running.Wait()
	}
}

func wait(ctx context.Context, delay time.Duration) {
	select {
	case <-time.After(delay):
	case <-ctx.Done():
	}
}

// claimed is what a server reads when it claims a webhook.
type claimed struct {
	Claimed  bool
	Position string
	Breakers []string
	Due      []struct {
		UID, Type, Body string
		Attempts        int
	}
}

// sender sends the events of one webhook while this server has it.
type sender struct {
	*Store
	*target
	site     string
	position string
	stored   time.Time // when the position was stored
	breakers []string  // openings that were reported
}

const storeInterval = time.Hour

// serve sends for one webhook whenever this server has it, until ctx ends. Then it leaves the webhook to other servers.
func (s *Store) serve(ctx context.Context, t *target, site string) {
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_, _ = s.claim(ctx, t, 0) // after a failure, others wait until the claim ends
	}()
	for ctx.Err() == nil {
		c := &sender{Store: s, target: t, site: site}
		if err := c.run(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn().Err(err).AnErr("cause", errors.Unwrap(err)).Str("webhook", t.Name).Msg("webhook waits")
		}
		wait(ctx, s.tick)
	}
}

// run claims the webhook and sends events until the claim is lost or the feed fails.
func (c *sender) run(ctx context.Context) error {
	state, err := c.claim(ctx, c.target, held)
	if err != nil || !state.Claimed {
		return err
	}
	c.position, c.breakers = state.Position, state.Breakers
	query, err := c.query()
	if err != nil {
		return err
	}
	if c.position != "" {
		after, err := events.ParsePosition(c.position)
		if err != nil {
			return err
		}
		query.After = &after
	}
	from, err := c.feed.Subscribe(ctx, query)
	if apperr.Is(err, apperr.NotFound) { // no server ran for longer than events stay available
		c.log.Warn().Err(err).Str("webhook", c.Name).Msg("webhook skips older events")
		query.After = nil
		from, err = c.feed.Subscribe(ctx, query)
	}
	if err != nil {
		return err
	}
	defer from.Close()
	if c.position == "" { // from now on, events of a pause of all servers are sent, too
		if err := c.savePosition(ctx, from.Position()); err != nil {
			return err
		}
	}
	for next := time.Now().Add(c.tick); ; {
		if err := c.retry(ctx, state); err != nil {
			return err
		}
		if err := c.follow(ctx, from, next); err != nil {
			return err
		}
		if state, err = c.claim(ctx, c.target, held); err != nil || !state.Claimed {
			return err
		}
		next = time.Now().Add(c.tick)
	}
}

// claim claims a webhook for a time, if no other server has it.
func (s *Store) claim(ctx context.Context, t *target, lasts time.Duration) (claimed, error) {
	return graph.Append[claimed](ctx, s.graph, cypher.WebhookClaim,
		graph.Params{"name": t.Name, "server": s.server, "milliseconds": lasts.Milliseconds()})
}

// follow sends new events until the time of the next claim.
func (c *sender) follow(ctx context.Context, from *events.Subscription, until time.Time) error {
	within, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	for {
		e, position, err := from.Next(within)
		if err != nil {
			if within.Err() == nil || ctx.Err() != nil {
				return err
			}
			return c.savePosition(ctx, from.Position())
		}
		c.position = position
		if err := c.event(ctx, e); err != nil {
			return err
		}
	}
}

// savePosition stores the position of a webhook without events now and then, because old positions cannot be continued.
func (c *sender) savePosition(ctx context.Context, position string) error {
	if position == "" || c.position != "" && time.Since(c.stored) < storeInterval {
		return nil
	}
	c.position = position
	return c.progress(ctx, false, nil)
}

// event sends the messages of one event.
func (c *sender) event(ctx context.Context, e *events.Event) error {
	if m, ok := c.messageOf(e); ok {
		if err := c.deliver(ctx, m); err != nil {
			return err
		}
	}
	if e.Review == nil || !c.names(breakerOpened) {
		return nil
	}
	list, err := c.breakersOpen(ctx)
	if err != nil {
		return err
	}
	reported := c.breakers
	c.breakers = slices.DeleteFunc(slices.Clone(reported), func(key string) bool {
		return !slices.ContainsFunc(list, func(s circuit.State) bool { return breakerKey(s) == key })
	})
	for _, s := range list {
		if key := breakerKey(s); !slices.Contains(reported, key) {
			c.breakers = append(c.breakers, key)
			if err := c.deliver(ctx, breakerMessage(s)); err != nil {
				return err
			}
		}
	}
	return nil
}

// breakersOpen returns the circuit breakers that are open.
func (c *sender) breakersOpen(ctx context.Context) (open []circuit.State, err error) {
	list, err := c.circuits.Breakers(ctx, circuit.BreakersQuery{})
	for _, s := range list.Breakers {
		if s.State == circuit.Open {
			open = append(open, s)
		}
	}
	return open, err
}

// deliver sends a message once and stores that it was sent, or the failed delivery, so that the next event does not
// wait for it.
func (c *sender) deliver(ctx context.Context, m message) error {
	id := c.deliveryID(m)
	failed := map[string]any{"uid": id, "type": m.Type, "attempts": 1}
	body, err := c.body(m, c.site, c.Format)
	if err != nil { // a template of the user does not fit this event: no retry, but `webhook resend` sends its JSON
		err = invalidTemplate(c.target, err)
		body, _ = c.body(m, c.site, "json")
	} else {
		var header http.Header
		if _, header, err = c.send(ctx, c.target, id, body); err == nil {
			return c.progress(ctx, true, nil)
		}
		if ctx.Err() != nil {
			return ctx.Err() // the event is sent again after a restart, with the same id
		}
		failed["delay"] = delayAfter(1, err, header)
	}
	failed["body"], failed["error"] = string(body), err.Error()
	c.log.Warn().Err(err).Str("webhook", c.Name).Str("delivery", id).Msg("webhook not delivered")
	return c.progress(ctx, false, failed)
}

// progress stores what was done. It returns unavailable if another server has taken the webhook.
func (c *sender) progress(ctx context.Context, delivered bool, failed map[string]any) error {
	c.stored = time.Now()
	list := []any{}
	if failed != nil {
		list = append(list, failed)
	}
	row, err := graph.Append[struct{ Name string }](ctx, c.graph, cypher.WebhookProgress,
		graph.Params{"name": c.Name, "server": c.server, "position": graph.NullIfEmpty(c.position),
			"breakers": graph.List(c.breakers), "delivered": delivered, "failed": list})
	if err == nil && row.Name == "" {
		err = apperr.New(apperr.Unavailable, "Another server sends for this webhook").WithHint("Nothing is lost")
	}
	return err
}

// retry sends deliveries that are due.
func (c *sender) retry(ctx context.Context, state claimed) error {
	end := time.Now().Add(held / 2) // before the claim ends
	for _, d := range state.Due {
		if time.Now().After(end) {
			return nil // the next claim reads the others again
		}
		attempts := d.Attempts + 1
		_, header, err := c.send(ctx, c.target, d.UID, []byte(d.Body))
		var failure any
		if err != nil {
			failure = err.Error()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := graph.Append[struct{}](ctx, c.graph, cypher.WebhookRetried,
			graph.Params{"name": c.Name, "uid": d.UID,
				"attempts": attempts, "error": failure, "delay": delayAfter(attempts, err, header)}); err != nil {
			return err
		}
	}
	return nil
}

// errGone is in the error of a receiver that wants no more requests.
var errGone = errors.New("HTTP 410: the receiver does not exist any longer")

// delayAfter returns the milliseconds until the next attempt, nil if there is none.
func delayAfter(attempts int, err error, header http.Header) any {
	if err == nil || attempts > len(delays) || errors.Is(err, errGone) {
		return nil
	}
	return max(delays[attempts-1], retryAfter(header)).Milliseconds()
}

// send sends a body once. Its error has no part of the address, which may contain a secret.
func (s *Store) send(ctx context.Context, t *target, id string, body []byte) (status int, header http.Header,
	err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.endpoint(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, errors.New("its address is invalid")
	}
	now := time.Now()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "nomograph/"+s.version)
	r.Header.Set(webhook.HeaderID, id)
	r.Header.Set(webhook.HeaderTimestamp, fmt.Sprint(now.Unix()))
	if t.secret != "" {
		signature, err := webhook.Sign(t.secret, id, now, body)
		if err != nil {
			return 0, nil, err
		}
		r.Header.Set(webhook.HeaderSignature, signature)
	}
	if t.token != "" {
		r.Header.Set("Authorization", "Bearer "+t.token)
	}
	response, err := s.client.Do(r)
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	switch {
	case response.StatusCode == http.StatusGone:
		err = errGone
	case response.StatusCode/100 != 2:
		err = fmt.Errorf("HTTP %d", response.StatusCode)
	}
	return response.StatusCode, response.Header, err
}

// endpoint returns the address of a request. ntfy takes JSON at the address of its server, without the topic.
func (t *target) endpoint() string {
	if t.Format != "ntfy" {
		return t.url
	}
	at, err := url.Parse(t.url)
	if err != nil {
		return t.url
	}
	at.Path = at.Path[:strings.LastIndex(at.Path, "/")+1]
	return at.String()
}
