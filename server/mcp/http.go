package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"nomograph/internal/caller"
	"nomograph/internal/uid"
	doors "nomograph/server"
	"nomograph/tools"
)

// Streams that are open at one server, and of one caller.
const maxStreams, maxCallerStreams = 3000, 1000

// heartbeat keeps proxies from closing a stream that has nothing to tell.
const heartbeat = 25 * time.Second

// HTTP serves MCP over Streamable HTTP, every revision on one path. Nothing of a conversation is kept between requests, so that each
// may come to another server. Up to 2025-11-25 a client gets a session id, which says who the client is and no more; a server
// knows of it only while a GET stream of that id is open, to which it sends what the client subscribed to.
func (d *Door) HTTP() http.Handler {
	d.http.Do(func() {
		d.streamable = server.NewStreamableHTTPServer(d.mcp,
			server.WithSessionIdManagerResolver(sessionIDs{}),
			server.WithHeartbeatInterval(heartbeat),
			server.WithDisableLocalhostProtection(true), // Host was looked at before, for every door
			server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler)),
		)
	})
	return http.HandlerFunc(d.serveHTTP)
}

func (d *Door) serveHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := context.WithValue(r.Context(), overHTTPKey{}, true)
	if id := r.Header.Get(server.HeaderKeySessionID); id != "" {
		ctx = withSessionClient(ctx, id)
		id = caller.Key(caller.From(ctx).Name) + "/" + id // an id that another caller knows is another session
		ctx = context.WithValue(ctx, httpSessionKey{}, "mcp "+hashed([]byte(id)))
		r = r.Clone(ctx)
		r.Header.Set(server.HeaderKeySessionID, id)
	}
	switch r.Method {
	case http.MethodGet:
		if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			w.Header().Set("Allow", "POST, GET")
			http.Error(w, "MCP is spoken here: POST a message, or GET with Accept: text/event-stream", http.StatusNotAcceptable)
			return
		}
		leave, err := d.streams.Enter(caller.From(ctx))
		if err != nil {
			doors.Refuse(w, r, err)
			return
		}
		defer leave()
		ctx, end := doors.Lasting(ctx)
		defer end()
		d.streamable.ServeHTTP(w, r.WithContext(ctx))
	case http.MethodPost:
		d.post(ctx, w, r)
	default: // DELETE too, by which a client hears that sessions end by themselves: no server could know of an id that it is over
		w.Header().Set("Allow", "POST, GET")
		http.Error(w, "MCP is spoken with POST and GET", http.StatusMethodNotAllowed)
	}
}

func (d *Door) post(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		doors.Refuse(w, r, doors.BodyFault(err))
		return
	}
	body = bytes.TrimSpace(body)
	if problem := ambiguous(body); problem != "" {
		answer := &bytes.Buffer{}
		if err := refuse(answer, body, problem); err == nil && answer.Len() > 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write(answer.Bytes())
			return
		}
		http.Error(w, problem, http.StatusBadRequest)
		return
	}
	failed := &failures{byID: map[string]mcp.JSONRPCErrorDetails{}}
	ctx = withFailures(ctx, failed)
	out := &completing{ResponseWriter: w, failed: failed, modern: mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))}
	switch _, method, _ := request(body); mcp.MCPMethod(method) {
	case mcp.MethodToolsCall:
		if err := d.refused(ctx, body); doors.More(r, err) != "" { // the client asks its provider for more, and comes again
			doors.Refuse(w, r, err)
			return
		}
	case mcp.MethodInitialize:
		out.sessionID = newSessionID(body)
	case mcp.MethodSubscriptionsListen:
		leave, err := d.streams.Enter(caller.From(ctx))
		if err != nil {
			doors.Refuse(w, r, err)
			return
		}
		defer leave()
		lasting, end := doors.Lasting(ctx)
		defer end()
		ctx = lasting
	}
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	d.streamable.ServeHTTP(out, r)
	out.finish()
}

// refused says why the caller may not use the tool that a message calls.
func (d *Door) refused(ctx context.Context, call []byte) error {
	var said struct{ Params struct{ Name string } }
	if err := json.Unmarshal(call, &said); err != nil { // the library says what is wrong with it
		return nil //nolint:nilerr // see above
	}
	o, known := tools.Find(d.options.Operations, said.Params.Name)
	if !known {
		return nil
	}
	return o.Permitted(caller.From(ctx))
}

// newSessionID names a conversation of a revision before 2026-07-28. The client's own name stands in it, so that every server knows
// as whom it acts where nothing else says so.
func newSessionID(initialize []byte) string {
	var said struct {
		Params struct{ ClientInfo struct{ Name string } }
	}
	_ = json.Unmarshal(initialize, &said) // else the library says what is wrong with it
	name := said.Params.ClientInfo.Name
	return uid.Random() + "." + url.QueryEscape(name[:min(len(name), 100)])
}

type overHTTPKey struct{}

// overHTTP tells whether a call came over HTTP.
func overHTTP(ctx context.Context) bool {
	is, _ := ctx.Value(overHTTPKey{}).(bool)
	return is
}

// httpSessionKey is for the name that the MCP session of a request has in the graph.
type httpSessionKey struct{}

type sessionClientKey struct{}

func withSessionClient(ctx context.Context, sessionID string) context.Context {
	_, escaped, _ := strings.Cut(sessionID, ".")
	if name, err := url.QueryUnescape(escaped); err == nil && name != "" && len(sessionID) <= maxSessionIDLength {
		return context.WithValue(ctx, sessionClientKey{}, name)
	}
	return ctx
}
