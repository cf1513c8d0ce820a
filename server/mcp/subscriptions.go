package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"nomograph/internal/apperr"
	"nomograph/policies/live"
)

const (
	// acknowledgeDelay is the delay from the start of a subscriptions/listen stream to its first update: the
	// acknowledgement must come first, is sent right after the hook, and no event signals that.
	acknowledgeDelay = 100 * time.Millisecond
	// resendDelay is the delay after a client's queue was full.
	resendDelay = 200 * time.Millisecond
)

// subscriptions notify clients of changed resources. The library answers the requests. Up to 2025-11-25 a session
// subscribes and unsubscribes; from 2026-07-28 a subscription lasts as long as its request.
type subscriptions struct {
	server *Server

	mu   sync.Mutex
	ends map[string]map[string]context.CancelFunc // by session and address
	open map[string]bool                          // sessions that can receive updates
}

const (
	// streamTimeout is how long a subscription over HTTP waits for its stream.
	streamTimeout = time.Minute
	// maxSubscriptions is the limit of one session or one stream.
	maxSubscriptions = 1000
)

func (d *Server) newSubscriptions() *subscriptions {
	return &subscriptions{server: d, ends: map[string]map[string]context.CancelFunc{}, open: map[string]bool{}}
}

func (s *subscriptions) hooks() *server.Hooks {
	hooks := &server.Hooks{}
	hooks.AddOnRequestInitialization(s.refuse)
	hooks.AddOnError(s.server.recordError)
	hooks.AddAfterListTools(s.server.permittedTools)
	hooks.AddAfterListResources(listedCards)
	hooks.AddAfterReadResource(keepStatic)
	hooks.AddAfterListPrompts(s.server.permittedPrompts)
	hooks.AddAfterSubscribe(func(ctx context.Context, _ any, m *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		s.subscribe(ctx, m.Params.URI)
	})
	hooks.AddAfterUnsubscribe(func(ctx context.Context, _ any, m *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		if session := server.ClientSessionFromContext(ctx); session != nil {
			s.end(session.SessionID(), m.Params.URI)
		}
	})
	hooks.AddOnRegisterSession(func(_ context.Context,
		session server.ClientSession) {
		s.addSession(session.SessionID())
	})
	hooks.AddOnUnregisterSession(func(_ context.Context, session server.ClientSession) { s.leave(session.SessionID()) })
	hooks.AddBeforeSubscriptionsListen(func(ctx context.Context, id any, m *mcp.SubscriptionsListenRequest) {
		s.listen(ctx, id, m.Params.Notifications.ResourceSubscriptions)
	})
	return hooks
}

// refuse is called before every request, because only there the library allows refusing a subscription on every
// transport. An address that cannot be read cannot be subscribed to.
func (s *subscriptions) refuse(ctx context.Context, id any, message any) error {
	raw, _ := message.(json.RawMessage)
	if !bytes.Contains(raw, []byte(`subscri`)) { // most requests
		return nil
	}
	var request struct {
		Method string
		Params struct {
			URI           string
			Notifications mcp.SubscriptionFilter
			Meta          struct {
				Revision string `json:"io.modelcontextprotocol/protocolVersion"`
			} `json:"_meta"`
		}
	}
	var addresses []string
	if json.Unmarshal(raw, &request) == nil { // the library reports invalid JSON
		switch mcp.MCPMethod(request.Method) {
		case mcp.MethodResourcesSubscribe:
			if !mcp.IsModernProtocol(request.Params.Meta.Revision) { // older revisions lack the method, as the library reports
				addresses = []string{request.Params.URI}
			}
		case mcp.MethodSubscriptionsListen:
			addresses = request.Params.Notifications.ResourceSubscriptions
		}
	}
	if many := len(addresses) + s.count(ctx, len(addresses)); many > maxSubscriptions {
		err := apperr.Newf(apperr.Validation, "The limit of %d subscriptions is reached", maxSubscriptions).
			WithHint("Unsubscribe from resources that you do not need")
		s.server.recordFailure(ctx, id, mcp.MCPMethod(request.Method), addresses[0], err)
		return err
	}
	for _, uri := range addresses {
		if err := s.subscribable(ctx, uri); err != nil {
			s.server.recordFailure(ctx, id, mcp.MCPMethod(request.Method), uri, err)
			return err
		}
	}
	return nil
}

func (s *subscriptions) subscribable(ctx context.Context, uri string) error {
	if r, _, err := s.server.resourceAt(uri); err == nil && !r.Watched {
		return apperr.Newf(apperr.Validation, "Cannot subscribe to %q", uri).
			WithHint("Subscribe to policies and thresholds; read this resource again when you need it")
	}
	if _, err := s.server.read(ctx, uri); err != nil {
		return apperr.From(err)
	}
	return nil
}

// subscribe returns once later changes will be reported.
func (s *subscriptions) subscribe(ctx context.Context, uri string) {
	session := server.ClientSessionFromContext(ctx)
	if session == nil { // a message that no client sent
		return
	}
	id := session.SessionID()
	if id == "" { // over HTTP, without the id of a stream
		return
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	if !s.add(id, uri, end) {
		end()
		return
	}
	if overHTTP(ctx) {
		time.AfterFunc(streamTimeout, func() {
			if !s.listens(id) {
				s.end(id, uri)
			}
		})
	}
	known := s.follow(life, uri, 0, func() error {
		err := s.server.mcp.SendNotificationToSpecificClient(id, mcp.MethodNotificationResourceUpdated,
			map[string]any{"uri": uri})
		if errors.Is(err, server.ErrSessionNotFound) { // the session ended meanwhile
			s.end(id, uri)
		}
		return err
	})
	await(ctx, known)
}

// count returns the number of subscriptions of a session, including the requested ones.
func (s *subscriptions) count(ctx context.Context, more int) int {
	session := server.ClientSessionFromContext(ctx)
	if session == nil || more != 1 {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ends[session.SessionID()])
}

// add stores how to end a subscription, unless it exists already.
func (s *subscriptions) add(session, uri string, end context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends[session] == nil {
		s.ends[session] = map[string]context.CancelFunc{}
	}
	if s.ends[session][uri] != nil {
		return false
	}
	s.ends[session][uri] = end
	return true
}

func (s *subscriptions) end(session, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if end := s.ends[session][uri]; end != nil {
		end()
		if delete(s.ends[session], uri); len(s.ends[session]) == 0 {
			delete(s.ends, session)
		}
	}
}

// addSession records that a session can receive updates.
func (s *subscriptions) addSession(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[session] = true
}

func (s *subscriptions) listens(session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[session]
}

// leave ends all subscriptions of a session.
func (s *subscriptions) leave(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, session)
	for _, end := range s.ends[session] {
		end()
	}
	delete(s.ends, session)
}

// listen serves the stream of one subscriptions/listen request until ctx ends. Every update carries the request's id,
// by which the client identifies its stream.
func (s *subscriptions) listen(ctx context.Context, id any, addresses []string) {
	session := server.ClientSessionFromContext(ctx)
	if session == nil {
		return
	}
	known := map[string]<-chan struct{}{}
	for _, uri := range addresses {
		if known[uri] != nil {
			continue
		}
		update := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
			Method: mcp.MethodNotificationResourceUpdated,
			Params: mcp.NotificationParams{Meta: map[string]any{mcp.MetaKeySubscriptionID: id},
				AdditionalFields: map[string]any{"uri": uri}},
		}}
		known[uri] = s.follow(ctx, uri, acknowledgeDelay, func() error {
			select {
			case session.NotificationChannel() <- update:
				return nil
			default:
				return server.ErrNotificationChannelBlocked
			}
		})
	}
	for _, one := range known {
		await(ctx, one)
	}
}

// follow calls send after each change of a resource, until life ends. It closes known when the state is known from
// which changes are detected.
func (s *subscriptions) follow(life context.Context, uri string, first time.Duration,
	send func() error) (known chan struct{}) {
	known = make(chan struct{})
	r, name, err := s.server.resourceAt(uri)
	if err != nil { // the subscription was refused already
		close(known)
		return known
	}
	if r.Events != nil {
		go s.followEvents(life, known, uri, first, send)
		return known
	}
	changes, cancel, err := s.server.runner.Watch(life, live.Watched{Kind: r.Names, Name: name})
	if err != nil {
		close(known)
		return known
	}
	go func() {
		defer cancel()
		before, _ := observation(life, changes)
		close(known)
		pause(life, first)
		for {
			now, open := observation(life, changes)
			switch {
			case !open:
				return
			case !now.Away && !now.Same(before): // a short outage is not a change
				before = now
				deliver(life, send)
			}
		}
	}()
	return known
}

func await(ctx context.Context, known <-chan struct{}) {
	select {
	case <-known:
	case <-ctx.Done():
	}
}

// observation waits for the next observation; there is none after life has ended.
func observation(life context.Context, changes <-chan live.Observation) (live.Observation, bool) {
	select {
	case o := <-changes:
		return o, true
	case <-life.Done():
		return live.Observation{}, false
	}
}

// deliver retries until an update was accepted: a slow client must still learn of the change.
func deliver(life context.Context, send func() error) {
	for life.Err() == nil && send() != nil {
		pause(life, resendDelay)
	}
}

func pause(life context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-life.Done():
	}
}
