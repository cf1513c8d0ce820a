package mcp

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/tidwall/gjson"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/loopback"
	"nomograph/internal/uid"
	httpserver "nomograph/server"
	"nomograph/tools"
)

// Limits of open streams: of one server, and of one caller.
const maxStreams, maxCallerStreams = 3000, 1000

// heartbeat prevents proxies from closing an idle stream.
const heartbeat = 25 * time.Second

// HTTP serves MCP over Streamable HTTP, every revision on one path. Requests share no state, so each can reach another
// server. Up to 2025-11-25 a client gets a session id, which only names the client; a server remembers it only while a
// GET stream with that id is open, to which it sends the subscribed updates.
func (d *Server) HTTP() http.Handler {
	d.http.Do(func() {
		d.streamable = server.NewStreamableHTTPServer(d.mcp,
			server.WithSessionIdManagerResolver(sessionIDs{}),
			server.WithHeartbeatInterval(heartbeat),
			server.WithDisableLocalhostProtection(true), // Host was already checked for every transport
			server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler)),
		)
	})
	return http.HandlerFunc(d.serveHTTP)
}

func (d *Server) serveHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := context.WithValue(r.Context(), overHTTPKey{}, pagesOf(r))
	if id := r.Header.Get(server.HeaderKeySessionID); id != "" {
		ctx = withSessionClient(ctx, id)
		id = caller.Key(caller.From(ctx).Name) + "/" + id // the same id of another caller is another session
		ctx = context.WithValue(ctx, httpSessionKey{}, "mcp "+hashOf([]byte(id)))
		r = r.Clone(ctx)
		r.Header.Set(server.HeaderKeySessionID, id)
	}
	switch r.Method {
	case http.MethodGet:
		if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			w.Header().Set("Allow", "POST, GET")
			http.Error(w, "This is the MCP endpoint: POST a message, or GET with Accept: text/event-stream",
				http.StatusNotAcceptable)
			return
		}
		leave, err := d.streams.Enter(caller.From(ctx))
		if err != nil {
			httpserver.Refuse(w, r, err)
			return
		}
		defer leave()
		ctx, end := httpserver.LongLived(ctx)
		defer end()
		d.streamable.ServeHTTP(w, r.WithContext(ctx))
	case http.MethodPost:
		d.post(ctx, w, r)
	default: // includes DELETE: 405 means to the client that sessions end by themselves, since no server could know that an id has ended
		w.Header().Set("Allow", "POST, GET")
		http.Error(w, "MCP uses POST and GET", http.StatusMethodNotAllowed)
	}
}

func (d *Server) post(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	body, err := httpserver.ReadText(r)
	if err != nil {
		httpserver.Refuse(w, r, err)
		return
	}
	body = bytes.TrimSpace(body)
	if isBatch(body) {
		d.postBatch(ctx, w, r, body)
		return
	}
	if problem, code := problemOf(body); problem != "" {
		if answer := refusal(body, problem, code); answer != nil {
			httpserver.AnswerJSON(w, http.StatusBadRequest, answer)
			return
		}
		http.Error(w, problem, http.StatusBadRequest)
		return
	}
	body = forLibrary(body, 0)
	headAs(r.Header, body)
	failed := newFailures()
	ctx = withFailures(ctx, failed)
	out := &completing{ResponseWriter: w, failed: failed,
		modern: mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))}
	switch _, method, _ := request(body); mcp.MCPMethod(method) {
	case mcp.MethodToolsCall:
		if err := d.forbidden(ctx, body); httpserver.ScopeChallenge(r,
			err) != "" { // the client requests more rights from its provider and calls again
			httpserver.Refuse(w, r, err)
			return
		}
	case mcp.MethodInitialize:
		out.sessionID = newSessionID(body)
	case mcp.MethodSubscriptionsListen:
		leave, err := d.streams.Enter(caller.From(ctx))
		if err != nil {
			httpserver.Refuse(w, r, err)
			return
		}
		defer leave()
		lasting, end := httpserver.LongLived(ctx)
		defer end()
		ctx, out.lasting = lasting, true
	}
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	d.streamable.ServeHTTP(out, r)
	out.finish()
}

// postBatch answers the messages of a batch one after the other. Clients of the revision that has batches send no
// header with their revision.
func (d *Server) postBatch(ctx context.Context, w http.ResponseWriter, r *http.Request, body []byte) {
	messages, answers := batch(body, cmp.Or(r.Header.Get(mcp.HeaderProtocolVersion), batchRevision))
	switch {
	case len(answers) == 1:
		httpserver.AnswerJSON(w, http.StatusBadRequest, answers[0])
		return
	case answers != nil:
		httpserver.AnswerJSON(w, http.StatusBadRequest, list(answers))
		return
	}
	for i, message := range messages {
		if i > 0 { // each message counts against the caller's limits
			if err := caller.ChargeItem(ctx); err != nil {
				if answer := refusal(message, apperr.From(err).Error(), mcp.INTERNAL_ERROR); answer != nil {
					answers = append(answers, answer)
				}
				continue
			}
		}
		if problem, code := invalidInBatch(message); problem != "" {
			if answer := refusal(message, problem, code); answer != nil {
				answers = append(answers, answer)
			}
			continue
		}
		one := r.Clone(ctx)
		one.Body = io.NopCloser(bytes.NewReader(message))
		out := httpserver.NewRecorded()
		d.post(ctx, out, one)
		if answer := answerIn(out); answer != nil {
			answers = append(answers, answer)
		} else if out.Status >= http.StatusBadRequest && gjson.GetBytes(message, "id").
			Exists() { // concerns the request as a whole
			maps.Copy(w.Header(), out.Header())
			w.WriteHeader(out.Status)
			_, _ = w.Write(out.Bytes())
			return
		}
	}
	if len(answers) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	httpserver.AnswerJSON(w, http.StatusOK, list(answers))
}

// answerIn returns the answer of JSON-RPC to a message of a batch, also from a stream; nil if there is none.
func answerIn(out *httpserver.Recorded) []byte {
	events := [][]byte{out.Bytes()}
	if isEventStream(out.Header()) {
		events = bytes.Split(out.Bytes(), []byte("\n\n"))
	}
	for _, event := range events {
		if isEventStream(out.Header()) {
			event = eventData(event)
		}
		if event = bytes.TrimSpace(event); gjson.GetBytes(event, "jsonrpc").Exists() && !isNotification(event) {
			return event
		}
	}
	return nil
}

// forbidden returns why the caller may not use the called tool.
func (d *Server) forbidden(ctx context.Context, call []byte) error {
	o, ok := tools.Find(d.options.Operations, gjson.GetBytes(call, "params.name").Str)
	if !ok { // the library reports it
		return nil
	}
	return o.Permitted(caller.From(ctx))
}

// newSessionID returns a session id for a revision before 2026-07-28. It contains the client's name and whether it
// shows cards, so that every server knows both.
func newSessionID(initialize []byte) string {
	name := gjson.GetBytes(initialize, "params.clientInfo.name").Str
	id := uid.Random()
	if areCards(gjson.GetBytes(initialize, "params.capabilities.extensions").Map()[appsExtension].Value()) {
		id += cardsMark
	}
	return id + "." + url.QueryEscape(name[:min(len(name), 100)])
}

// overHTTPKey is the context key of a call over HTTP. Its value is the URL of the pages.
type overHTTPKey struct{}

// overHTTP reports whether a call came over HTTP.
func overHTTP(ctx context.Context) bool {
	_, is := ctx.Value(overHTTPKey{}).(string)
	return is
}

// pagesOf returns the base URL of the pages, which the server of a request serves too. Only on loopback, a client
// reaches a server without TLS.
func pagesOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if r.TLS == nil && loopback.Is(host) {
		return "http://" + r.Host
	}
	return "https://" + r.Host
}

// httpSessionKey is the context key of the MCP session's name in the graph.
type httpSessionKey struct{}

type sessionClientKey struct{}

type sessionCardsKey struct{}

// cardsMark ends the random part of the session id of a client that shows cards.
const cardsMark = "-cards"

func withSessionClient(ctx context.Context, sessionID string) context.Context {
	before, escaped, _ := strings.Cut(sessionID, ".")
	if strings.HasSuffix(before, cardsMark) {
		ctx = context.WithValue(ctx, sessionCardsKey{}, true)
	}
	if name, err := url.QueryUnescape(escaped); err == nil && name != "" && len(sessionID) <= maxSessionIDLength {
		return context.WithValue(ctx, sessionClientKey{}, name)
	}
	return ctx
}
