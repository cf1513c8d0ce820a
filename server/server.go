// Package server is the HTTP server of all network transports: routes, middleware, health, and a graceful shutdown. A
// transport is an http.Handler in a subfolder; it reads the caller with caller.From and does not authenticate.
package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/semaphore"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
)

// What one request, one connection and all of them together may take.
const (
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute // of a connection between two requests
	maxHeader  = 32 << 10        // bytes
	finishing  = 30 * time.Second
)

// Options say where to serve, and whom.
type Options struct {
	Address string   // host:port, as it is listened at
	Hosts   []string // names under which the server is reached, besides those of loopback and the address itself
	Origins []string // of web pages that may call it; "*" is any
	// Connections are open at the same time; AddressConnections of them may come from one address without anybody authenticated on them. 0 is the default of each.
	Connections, AddressConnections int
	// Certificate and Key are PEM files, which are read again when they change; empty: no TLS.
	Certificate, Key string
	// Settle tells who sends a request. It returns unauthenticated, rate_limited or unavailable.
	Settle func(*http.Request) (caller.Caller, error)
	// Challenge is what WWW-Authenticate says beside a 401 or 403, "" for nothing.
	Challenge func(r *http.Request, err error) string
	// Within surrounds each door, inside of what settled the caller; nil: nothing does.
	Within func(door http.Handler) http.Handler
	// Ready says what keeps the server from answering, nil for nothing.
	Ready   func(context.Context) error
	Version string
	Log     zerolog.Logger
}

// Server is an HTTP server with its doors.
type Server struct {
	options  Options
	mux      *http.ServeMux
	memory   *semaphore.Weighted // of bodies that are being read or worked on
	open     *connections
	stopping context.Context // ends when the server stops
	stop     context.CancelFunc
	begun    time.Time
	gates    []func(*http.Request) bool
	forms    map[string]func(*apperr.Error) any // of refusals, by path
	nowhere  http.Handler                       // answers a person at an address where there is nothing; nil: nobody does

	headerTime, bodyTime time.Duration // in which a request's parts must have come
	stalled              time.Duration // how long a client may take nothing of an answer
}

// New gives a server that has the routes of health and no door.
func New(o Options) *Server {
	s := &Server{options: o, mux: http.NewServeMux(), memory: semaphore.NewWeighted(maxBodies),
		open: newConnections(cmp.Or(o.Connections, DefaultConnections), cmp.Or(o.AddressConnections, DefaultAddressConnections)), begun: time.Now(), forms: map[string]func(*apperr.Error) any{},
		headerTime: headerTime, bodyTime: bodyTime, stalled: stalled}
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.addHealth()
	s.Public("/", http.HandlerFunc(s.nothingHere))
	return s
}

// Handle puts a door at a pattern of net/http's mux. It is only reached by callers who were let in.
func (s *Server) Handle(pattern string, door http.Handler) {
	s.mux.Handle(pattern, s.Known(door, s.challenge))
}

// Gate tells of requests whose sender acts on the answer: whatever refuses one, before or in its door, says that the action is not
// allowed. It is called before anything is served.
func (s *Server) Gate(is func(*http.Request) bool) { s.gates = append(s.gates, is) }

// Refusals has whatever refuses a request to a path, before or in its door, answered in a form of the door's own in the place of RFC 9457's. It
// is called before anything is served.
func (s *Server) Refusals(path string, form func(*apperr.Error) any) { s.forms[path] = form }

// Public puts a handler at a pattern that everybody may reach whom Host and Origin let through.
func (s *Server) Public(pattern string, handler http.Handler) {
	s.mux.Handle(pattern, handler)
}

// Serve serves until the context ends. Then it takes no more connections, ends streams, and gives what is under way half a minute.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	life := context.WithValue(context.WithoutCancel(ctx), stoppingKey{}, s.stopping)
	h := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: s.headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return life }, ConnState: s.open.changed,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, connOf(c))
		}, ErrorLog: StandardLog(s.options.Log, "http")}
	h.Protocols = new(http.Protocols) // gRPC comes over HTTP/2, within TLS or without
	h.Protocols.SetHTTP1(true)
	h.Protocols.SetHTTP2(true)
	h.Protocols.SetUnencryptedHTTP2(true)
	listener = &counted{listener, s.open}
	if s.options.Certificate != "" {
		keys, err := newKeyPair(s.options.Certificate, s.options.Key, s.options.Log)
		if err != nil {
			return err
		}
		h.TLSConfig = &tls.Config{GetCertificate: keys.get, MinVersion: tls.VersionTLS12}
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		s.stop()
		patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishing)
		defer cancel()
		err := h.Shutdown(patience)
		if err != nil {
			err = errors.Join(err, h.Close())
		}
		stopped <- err
	}()
	var err error
	if h.TLSConfig != nil {
		err = h.ServeTLS(listener, "", "")
	} else {
		err = h.Serve(listener)
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// Listen takes an address. Its fault says what to do where it is taken already.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, apperr.Newf(apperr.Unavailable, "The address %s cannot be served at: %v", address, err).
			WithHint("Another server may have it; --http HOST:PORT names another address").Because(err)
	}
	return listener, nil
}

type stoppingKey struct{}

// Lasting gives the context of an answer that goes on, such as a stream: it ends with the request, when the server stops, and when
// the caller is refused from now on.
func Lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	who := caller.From(ctx)
	ctx, cancel := context.WithCancel(ctx)
	if !who.Until.IsZero() {
		end := time.AfterFunc(time.Until(who.Until), cancel)
		context.AfterFunc(ctx, func() { end.Stop() })
	}
	if stopping, ok := ctx.Value(stoppingKey{}).(context.Context); ok { // without a goroutine, as there are many streams
		stay := context.AfterFunc(stopping, cancel)
		context.AfterFunc(ctx, func() { stay() })
	}
	if who.Ended != nil {
		go func() {
			select {
			case <-who.Ended:
			case <-ctx.Done():
			}
			cancel()
		}()
	}
	return ctx, cancel
}

// Nowhere has a page answer people who come to an address where there is nothing. Programs get an error all the same. It is called before
// anything is served.
func (s *Server) Nowhere(page http.Handler) { s.nowhere = page }

func (s *Server) nothingHere(w http.ResponseWriter, r *http.Request) {
	if s.nowhere != nil && ForPerson(r) {
		s.nowhere.ServeHTTP(w, r)
		return
	}
	Refuse(w, r, NothingAt(r))
}

// NothingAt is the error of an address where there is nothing.
func NothingAt(r *http.Request) *apperr.Error {
	return apperr.Newf(apperr.NotFound, "There is nothing at %s", r.URL.Path).WithHint("MCP is at /mcp; docs/guides/server.md lists the routes")
}
