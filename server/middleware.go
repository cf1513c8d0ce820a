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

// Handler is the middleware of every request, in order. Authentication follows in the routes that need it: see Known.
func (s *Server) Handler() http.Handler {
	var handler http.Handler = s.mux
	for _, pass := range []func(http.Handler) http.Handler{ // from the innermost outwards
		withTraceContext, // the client's trace
		s.limitBodySize,  // body: size, memory
		s.ownOrigin,      // Origin and CORS
		s.ownHost,        // Host
		s.limitBodyTime,  // body: time
		s.recorded,       // request id, log line, a panic becomes an answer
	} {
		handler = pass(handler)
	}
	return handler
}

// RequireCaller authenticates a request for a transport and puts the caller into the context; refuse answers requests
// that are not authenticated.
func (s *Server) RequireCaller(handler http.Handler,
	refuse func(http.ResponseWriter, *http.Request, error)) http.Handler {
	if s.options.Within != nil {
		handler = s.options.Within(handler)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := s.options.Authenticate(r)
		if err != nil {
			refuse(w, r, err)
			return
		}
		authenticate(r.Context(), who)
		if record, ok := r.Context().Value(recordKey{}).(*record); ok {
			record.caller, record.challenge = who.Name, s.options.Challenge
		}
		who.ChargeAgain = func() error {
			_, err := s.options.Authenticate(r)
			return err
		}
		handler.ServeHTTP(w, r.WithContext(caller.With(r.Context(), who)))
	})
}

// Recognized passes every request to a public handler, with the caller in the context if it authenticates.
func (s *Server) Recognized(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Authorization, X-API-Key")
		who, err := s.options.Authenticate(r)
		if err != nil {
			who = caller.Caller{} // unauthenticated
		}
		handler.ServeHTTP(w, r.WithContext(caller.With(r.Context(), who)))
	})
}

// challenge refuses an unauthenticated request and says how to authenticate.
func (s *Server) challenge(w http.ResponseWriter, r *http.Request, err error) {
	if apperr.Is(err, apperr.Unauthenticated) && s.options.Challenge != nil {
		if challenge := s.options.Challenge(r, err); challenge != "" {
			w.Header().Set("WWW-Authenticate", challenge)
		}
	}
	Refuse(w, r, err)
}

// record holds what is logged about a request and its answer.
type record struct {
	id, caller  string
	received    int64
	out         *writer
	challenge   func(*http.Request, error) string // Options.Challenge, for an authenticated caller
	failsClosed bool                              // the client acts on the answer
	form        func(*apperr.Error) any           // form of errors; nil for RFC 9457
	refusals    []func(http.ResponseWriter, *http.Request, *apperr.Error) bool
}

type recordKey struct{}

// ScopeChallenge returns the WWW-Authenticate header for an authenticated caller without a permission: the scope to
// request. It is "" for a caller who cannot get further rights.
func ScopeChallenge(r *http.Request, err error) string {
	record, ok := r.Context().Value(recordKey{}).(*record)
	if !ok || record.challenge == nil || !apperr.Is(err, apperr.PermissionDenied) {
		return ""
	}
	return record.challenge(r, err)
}

// RequestID returns the id of the request of a context, "" outside of a request. The answer has it as X-Request-Id.
func RequestID(ctx context.Context) string {
	if record, ok := ctx.Value(recordKey{}).(*record); ok {
		return record.id
	}
	return ""
}

// Bytes returns the size of the request of a context and of its answer so far.
func Bytes(ctx context.Context) int64 {
	if record, ok := ctx.Value(recordKey{}).(*record); ok {
		return max(record.received, 0) + record.out.bytes
	}
	return 0
}

const maxRequestIDLength = 128

// idOf accepts the request id of a client or a proxy if it is safe for a log.
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
		out := &writer{ResponseWriter: w, controller: http.NewResponseController(w), stalled: s.stalled,
			http2: r.ProtoMajor >= 2}
		noted := &record{id: idOf(r), received: r.ContentLength, out: out, form: s.forms[r.URL.Path],
			refusals: s.refusals, failsClosed: slices.ContainsFunc(s.checks,
				func(is func(*http.Request) bool) bool { return is(r) })}
		r = r.WithContext(context.WithValue(r.Context(), recordKey{}, noted))
		h := out.Header()
		h.Set("X-Request-Id", noted.id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		defer func() {
			if broken := recover(); broken != nil && broken != http.ErrAbortHandler { //nolint:errorlint // a panic
				s.options.Log.Error().Str("request", noted.id).Interface("panic", broken).Bytes("stack", debug.Stack()).
					Msg("request aborted")
				if out.status == 0 {
					Refuse(out, r, apperr.From(apperr.New(apperr.Internal, "Internal error").
						WithHint("Find the cause in the log under the request's id")))
				}
			}
			s.options.Log.Debug().Str("request", noted.id).Str("method", r.Method).Str("path", r.URL.Path).
				Int("status", out.status).
				Int64("bytes", out.bytes).Str("caller", noted.caller).Dur("took", time.Since(started)).Msg("request")
		}()
		next.ServeHTTP(out, r)
	})
}

// maxStall is how long a client may read nothing of an answer.
const maxStall = 30 * time.Second

// writer records the answer and gives up on a client that does not read.
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
	defer w.limitStall()()
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Flush sends buffered data, for streams.
func (w *writer) Flush() {
	defer w.limitStall()()
	_ = w.controller.Flush()
}

// limitStall limits how long a client may not read to stalled. The returned function ends the limit: over HTTP/2 an
// expired deadline resets the stream even while nobody writes, which would interrupt a long operation.
func (w *writer) limitStall() (done func()) {
	_ = w.controller.SetWriteDeadline(time.Now().Add(w.stalled)) // httptest's recorder has no deadlines
	return func() {
		if w.http2 {
			_ = w.controller.SetWriteDeadline(time.Time{})
		}
	}
}

// Unwrap lets http.ResponseController reach the wrapped writer.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
