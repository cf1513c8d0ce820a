package server

import (
	"context"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/uid"
)

// Handler is what every request passes, in this order, before a route gets it. Callers are settled after that, by the routes that
// need one: see Known.
func (s *Server) Handler() http.Handler {
	var handler http.Handler = s.mux
	for _, pass := range []func(http.Handler) http.Handler{ // from the door outwards
		continued,   // the trace that a client is in
		s.bounded,   // body: bytes, memory
		s.ownOrigin, // Origin, and CORS where it is allowed
		s.ownHost,   // Host
		s.hurried,   // body: time
		s.recorded,  // request id, one line in the log, a panic is an answer
	} {
		handler = pass(handler)
	}
	return handler
}

// Known lets a request through to a door with its caller in the context; whom it does not let through, refuse answers.
func (s *Server) Known(door http.Handler, refuse func(http.ResponseWriter, *http.Request, error)) http.Handler {
	if s.options.Within != nil {
		door = s.options.Within(door)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := s.options.Settle(r)
		if err != nil {
			refuse(w, r, err)
			return
		}
		authenticate(r.Context(), who)
		if record, ok := r.Context().Value(recordKey{}).(*record); ok {
			record.caller, record.challenge = who.Name, s.options.Challenge
		}
		who.Again = func() error {
			_, err := s.options.Settle(r)
			return err
		}
		door.ServeHTTP(w, r.WithContext(caller.With(r.Context(), who)))
	})
}

// Recognized lets every request through to a public handler, with its caller in the context if it says who sends it.
func (s *Server) Recognized(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Authorization, X-API-Key")
		who, err := s.options.Settle(r)
		if err != nil {
			who = caller.Caller{} // nobody
		}
		handler.ServeHTTP(w, r.WithContext(caller.With(r.Context(), who)))
	})
}

// challenge refuses a caller who was not let in, and tells how to get in.
func (s *Server) challenge(w http.ResponseWriter, r *http.Request, err error) {
	if apperr.Is(err, apperr.Unauthenticated) && s.options.Challenge != nil {
		if challenge := s.options.Challenge(r, err); challenge != "" {
			w.Header().Set("WWW-Authenticate", challenge)
		}
	}
	Refuse(w, r, err)
}

// record is what is known of a request and its answer.
type record struct {
	id, caller string
	received   int64
	out        *writer
	challenge  func(*http.Request, error) string // of the server, for a caller who was let in
	gate       bool                              // whoever sends it acts on the answer
	form       func(*apperr.Error) any           // of refusals; nil: the usual one
}

type recordKey struct{}

// More is what WWW-Authenticate tells a caller who was let in, and is refused what it has no right to: with which scope it may come
// again. It is "" for a caller whose rights nobody gives anew.
func More(r *http.Request, err error) string {
	record, ok := r.Context().Value(recordKey{}).(*record)
	if !ok || record.challenge == nil || !apperr.Is(err, apperr.PermissionDenied) {
		return ""
	}
	return record.challenge(r, err)
}

// RequestID names the request that a context belongs to, "" outside of one. The answer has it as X-Request-Id.
func RequestID(ctx context.Context) string {
	if record, ok := ctx.Value(recordKey{}).(*record); ok {
		return record.id
	}
	return ""
}

// Bytes is how long the request that a context belongs to and its answer are by now.
func Bytes(ctx context.Context) int64 {
	if record, ok := ctx.Value(recordKey{}).(*record); ok {
		return max(record.received, 0) + record.out.bytes
	}
	return 0
}

const maxRequestIDLength = 128

// idOf takes the id that a client or a proxy gave, if it is one that may stand in a log.
func idOf(r *http.Request) string {
	given := r.Header.Get("X-Request-Id")
	if len(given) == 0 || len(given) > maxRequestIDLength {
		return uid.Random()
	}
	for _, c := range []byte(given) {
		if c <= ' ' || c > '~' {
			return uid.Random()
		}
	}
	return given
}

func (s *Server) recorded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		out := &writer{ResponseWriter: w, controller: http.NewResponseController(w), stalled: s.stalled, http2: r.ProtoMajor >= 2}
		noted := &record{id: idOf(r), received: r.ContentLength, out: out, form: s.forms[r.URL.Path], gate: slices.ContainsFunc(s.gates, func(is func(*http.Request) bool) bool { return is(r) })}
		r = r.WithContext(context.WithValue(r.Context(), recordKey{}, noted))
		h := out.Header()
		h.Set("X-Request-Id", noted.id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		defer func() {
			if broken := recover(); broken != nil && broken != http.ErrAbortHandler { //nolint:errorlint // a value that was thrown
				s.options.Log.Error().Str("request", noted.id).Interface("panic", broken).Bytes("stack", debug.Stack()).Msg("a request broke off")
				if out.status == 0 {
					Refuse(out, r, apperr.From(apperr.New(apperr.Internal, "Something went wrong inside Nomograph").WithHint("The log holds the cause under the request's id")))
				}
			}
			s.options.Log.Debug().Str("request", noted.id).Str("method", r.Method).Str("path", r.URL.Path).Int("status", out.status).
				Int64("bytes", out.bytes).Str("caller", noted.caller).Dur("took", time.Since(started)).Msg("request")
		}()
		next.ServeHTTP(out, r)
	})
}

// stalled is how long a client may usually take nothing of an answer.
const stalled = 30 * time.Second

// writer notes what was answered, and gives up on a client that takes nothing.
type writer struct {
	http.ResponseWriter
	controller *http.ResponseController
	status     int
	bytes      int64
	stalled    time.Duration
	http2      bool
}

func (w *writer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	defer w.bounded()()
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Flush is what a stream needs.
func (w *writer) Flush() {
	defer w.bounded()()
	_ = w.controller.Flush()
}

// bounded gives a reader who takes nothing no more than stalled. What it returns ends that: over HTTP/2 a deadline that passes resets the
// stream, also while nobody writes, and an operation that works for longer would be interrupted.
func (w *writer) bounded() (done func()) {
	_ = w.controller.SetWriteDeadline(time.Now().Add(w.stalled)) // not to be had in a test's recorder
	return func() {
		if w.http2 {
			_ = w.controller.SetWriteDeadline(time.Time{})
		}
	}
}

// Unwrap is for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
