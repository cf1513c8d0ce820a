// Package server is the HTTP server of all network transports: routes, middleware, health, and a graceful shutdown. A
// transport is an http.Handler in a subfolder; it reads the caller with caller.From and does not authenticate.
package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/semaphore"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
)

// Limits of one request, of one connection, and of all connections.
const (
	headerTime   = 10 * time.Second
	idleTime     = 2 * time.Minute // time that a connection may idle between two requests
	maxHeader    = 32 << 10        // bytes
	shutdownTime = 30 * time.Second
)

// Options configure a server.
type Options struct {
	Address string   // host:port to listen on
	Hosts   []string // further host names of the server, besides loopback and the address itself
	Origins []string // origins of web pages that may call the server; "*" means any
	// Connections limits open connections; AddressConnections limits the unauthenticated ones of one address. 0 means
	// the default.
	Connections, AddressConnections int
	// Certificate and Key are PEM files, which are read again after a change; empty: no TLS.
	Certificate, Key string
	// Authenticate authenticates a request. It returns unauthenticated, rate_limited or unavailable.
	Authenticate func(*http.Request) (caller.Caller, error)
	// Challenge returns the WWW-Authenticate header of a 401 or 403, "" for none.
	Challenge func(r *http.Request, err error) string
	// Within wraps each transport, inside of the authentication; may be nil.
	Within func(handler http.Handler) http.Handler
	// Ready returns the reason why the server cannot answer, nil if it can.
	Ready   func(context.Context) error
	Version string
	Log     zerolog.Logger
}

// Server is an HTTP server with its transports.
type Server struct {
	options      Options
	mux          *http.ServeMux
	memory       *semaphore.Weighted // memory of bodies that are being received or processed
	open         *connections
	stopping     context.Context // ends when the server stops
	stop         context.CancelFunc
	started      time.Time
	checks       []func(*http.Request) bool
	forms        map[string]func(*apperr.Error) any // form of errors, by path
	refusals     []func(http.ResponseWriter, *http.Request, *apperr.Error) bool
	long         map[string]int64 // maximum size of a body in bytes, by path; others have maxBody
	notFoundPage http.Handler     // page for people at unknown addresses; may be nil

	headerTime, bodyTime time.Duration // timeouts for receiving the parts of a request
	stalled              time.Duration // how long a client may read nothing of an answer
}

// New returns a server with the health routes and no transport.
func New(o Options) *Server {
	s := &Server{options: o, mux: http.NewServeMux(), memory: semaphore.NewWeighted(maxBodies),
		open: newConnections(cmp.Or(o.Connections, DefaultConnections),
			cmp.Or(o.AddressConnections, DefaultAddressConnections)), started: time.Now(),
		forms: map[string]func(*apperr.Error) any{}, long: map[string]int64{},
		headerTime: headerTime, bodyTime: bodyTime, stalled: maxStall}
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.addHealth()
	s.Public("/", http.HandlerFunc(s.notFound))
	return s
}

// Handle adds a transport at a pattern of net/http's mux. It receives authenticated requests only.
func (s *Server) Handle(pattern string, handler http.Handler) {
	s.mux.Handle(pattern, s.RequireCaller(handler, s.challenge))
}

// FailsClosed registers requests whose sender acts on the answer: an error of such a request always says that the
// action is not allowed. It is called before the server starts.
func (s *Server) FailsClosed(is func(*http.Request) bool) { s.checks = append(s.checks, is) }

// Refusals registers the form of errors for a path, instead of RFC 9457. It is called before the server starts.
func (s *Server) Refusals(path string, form func(*apperr.Error) any) { s.forms[path] = form }

// LongBodies allows longer bodies at a path, in bytes. It is called before the server starts.
func (s *Server) LongBodies(path string, limit int64) { s.long[path] = limit }

// Refuses registers an answer to requests that are refused, instead of RFC 9457; it returns false for other requests.
// It is called before the server starts.
func (s *Server) Refuses(answer func(http.ResponseWriter, *http.Request, *apperr.Error) bool) {
	s.refusals = append(s.refusals, answer)
}

// Public adds a handler without authentication; Host and Origin are still checked.
func (s *Server) Public(pattern string, handler http.Handler) {
	s.mux.Handle(pattern, handler)
}

// Serve serves until the context ends. Then it accepts no more connections, ends streams, and gives running requests
// half a minute.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	life := context.WithValue(context.WithoutCancel(ctx), stoppingKey{}, s.stopping)
	h := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: s.headerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader,
		BaseContext:    func(net.Listener) context.Context { return life }, ConnState: s.open.stateChanged,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, connOf(c))
		}, ErrorLog: StandardLog(s.options.Log, "http")}
	h.Protocols = new(http.Protocols) // gRPC uses HTTP/2, with or without TLS
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
		timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		err := h.Shutdown(timed)
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

// Listen opens a listener. Its error says what to do if the address is in use.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, apperr.Newf(apperr.Unavailable, "Cannot listen on %s: %v", address, err).
			WithHint("Another server may use it. Choose another address with --http HOST:PORT").Because(err)
	}
	return listener, nil
}

type stoppingKey struct{}

// LongLived returns the context of a long answer, such as a stream: it ends with the request, when the server stops,
// and when the caller's access is revoked.
func LongLived(ctx context.Context) (context.Context, context.CancelFunc) {
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

// NotFoundPage sets the page that people see at an unknown address. Programs get an error. It is called before the
// server starts.
func (s *Server) NotFoundPage(page http.Handler) { s.notFoundPage = page }

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	if s.notFoundPage != nil && ForPerson(r) {
		s.notFoundPage.ServeHTTP(w, r)
		return
	}
	Refuse(w, r, NotFoundAt(r))
}

// NotFoundAt returns the error for an unknown address.
func NotFoundAt(r *http.Request) *apperr.Error {
	return apperr.Newf(apperr.NotFound, "%s not found", r.URL.Path).
		WithHint("Use /mcp for MCP; see docs/guides/server.md for all routes")
}

// StandardLog returns a standard logger that writes to a zerolog logger.
func StandardLog(to zerolog.Logger, from string) *log.Logger {
	return log.New(to.With().Str("from", from).Logger(), "", 0)
}
