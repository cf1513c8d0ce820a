package client_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nomograph/client"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
)

// requestedDelay records the requests to a server that answers each attempt with the next response, then repeats the
// last.
type requestedDelay struct {
	mu       sync.Mutex // a response may be read before its handler ends
	requests []*http.Request
	bodies   []string
	answers  []func(w http.ResponseWriter)
}

func (a *requestedDelay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a.mu.Lock()
	a.requests, a.bodies = append(a.requests, r), append(a.bodies, string(body))
	answer := a.answers[min(len(a.requests), len(a.answers))-1]
	a.mu.Unlock()
	answer(w)
}

func (a *requestedDelay) sent() []*http.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.requests)
}

func with(status int, text string, headers ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

func cut(w http.ResponseWriter) { panic(http.ErrAbortHandler) }

func serve(t *testing.T, answers ...func(http.ResponseWriter)) (*requestedDelay, string) {
	t.Helper()
	a := &requestedDelay{answers: answers}
	s := httptest.NewServer(a)
	t.Cleanup(s.Close)
	return a, s.URL
}

func newClient(t *testing.T, o client.Options) *client.Client {
	t.Helper()
	c := graphtest.Must(client.New(o))(t)
	return c
}

const problem = `{"type": "urn:nomograph:problem:not_found", "status": 404, "error": "not_found", "message": "SYS_Threshold node 'x' not found", "hint": "Did you mean 'y'?", "id": "1", "details": {"nearest": ["y"]}}`

func TestCall_Operation_ReturnsTheAnswer(t *testing.T) {
	a, url := serve(t, with(200, `{"value": 3}`+"\n"))
	c := newClient(t, client.Options{URL: url + "/mcp/", Token: "nmg_secret", Agent: "ada"})
	answer, err := c.Call(t.Context(), client.Call{Operation: "get_threshold",
		Arguments: json.RawMessage(`{"name": "x"}`)})
	if err != nil || string(answer) != `{"value": 3}` {
		t.Fatalf(`got %s %v, want {"value": 3}`, answer, err)
	}
	r := a.requests[0]
	if r.Method != http.MethodPost || r.URL.Path != "/api/v1/tools/get_threshold" || a.bodies[0] != `{"name": "x"}` ||
		r.Header.Get("Authorization") != "Bearer nmg_secret" ||
		r.Header.Get("X-Nomograph-Agent") != "" || r.Header.Get("Idempotency-Key") != "" {
		t.Errorf(`got %s %s %v %s, want Method=%v, Path="/api/v1/tools/get_threshold", a.bodies[0]="{"name": "x"}", Authorization="Bearer nmg_secret", empty X-Nomograph-Agent, empty Idempotency-Key`, r.Method, r.URL, r.Header, a.bodies[0], http.MethodPost)
	}
	if _, err := newClient(t, client.Options{URL: url, Agent: "ada lovelace"}).
		Call(t.Context(), client.Call{Operation: "x"}); err != nil ||
		a.requests[1].Header.Get("X-Nomograph-Agent") != "ada+lovelace" {
		t.Errorf(`got %v %v, want X-Nomograph-Agent="ada+lovelace"`, err, a.requests[1].Header)
	}
}

func TestCall_OperationFails_ReturnsItsError(t *testing.T) {
	for name, tt := range map[string]struct {
		answer  func(http.ResponseWriter)
		token   string
		code    apperr.Code
		message string
	}{
		"a problem": {with(404, problem), "", apperr.NotFound,
			"SYS_Threshold node 'x' not found. Did you mean 'y'?"},
		"no token": {with(401,
			`{"error": "unauthenticated", "message": "The request has no token", "id": "1"}`), "",
			apperr.Unauthenticated, "NOMOGRAPH_TOKEN"},
		"a wrong one": {with(401,
			`{"error": "unauthenticated", "message": "The token is not valid", "hint": "revoked", "id": "1"}`), "x",
			apperr.Unauthenticated, "not valid. revoked"},
		"a page of a proxy":           {with(502, "<html>Bad gateway"), "", apperr.Unavailable, "502 Bad Gateway"},
		"another server":              {with(404, "nothing here"), "", apperr.Unavailable, "404"},
		"a proxy that lets nobody in": {with(403, "no"), "", apperr.PermissionDenied, "403"},
		"a way elsewhere": {with(307, "", "Location", "https://elsewhere.example.org/"), "x",
			apperr.Unavailable, "redirects elsewhere"},
		"an answer that is a page": {with(200, "<html>Sign in"), "", apperr.Unavailable,
			"not a Nomograph answer"},
		"an answer that breaks off": {with(200, `{"a": 1}`, "Content-Length", "100"), "", apperr.Unavailable,
			"Cannot reach"},
		"a connection that is cut": {cut, "", apperr.Unavailable, "Cannot reach"},
		"what may have been done already": {with(503, `{"error": "unavailable", "message": "away", "id": "1"}`,
			"Retry-After", "0"), "", apperr.Unavailable, "away"},
	} {
		a, url := serve(t, tt.answer)
		_, err := newClient(t, client.Options{URL: url, Token: tt.token}).
			Call(t.Context(), client.Call{Operation: "set_threshold"})
		if !apperr.Is(err, tt.code) || !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%s: got %v, want %s, error with %v", name, err, tt.code, tt.message)
		}
		graphtest.Len(t, a.sent(), 1, name, "the token was sent", "times")
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	if _, err := newClient(t, client.Options{URL: gone.URL, Wait: time.Millisecond}).
		Call(t.Context(), client.Call{Operation: "x"}); !apperr.Is(err, apperr.Unavailable) ||
		!strings.Contains(err.Error(), "connection refused") || !strings.Contains(err.Error(), "NOMOGRAPH_URL") {
		t.Errorf(`got %v, want %s, error with "connection refused", error with NOMOGRAPH_URL`, err, apperr.Unavailable)
	}
	waiting := make(chan struct{})
	_, url := serve(t, func(http.ResponseWriter) { <-waiting })
	defer close(waiting)
	if _, err := newClient(t, client.Options{URL: url, Timeout: time.Millisecond}).
		Call(t.Context(), client.Call{Operation: "x", Repeatable: true}); !apperr.Is(err, apperr.Unavailable) ||
		!strings.Contains(err.Error(), "within 1ms") {
		t.Errorf(`got %v, want %s, error with "within 1ms"`, err, apperr.Unavailable)
	}
}

func TestCall_Repeatable_IsRetried(t *testing.T) {
	away := with(503, `{"error": "unavailable", "message": "away", "id": "1"}`, "Retry-After", "0")
	for name, tt := range map[string]struct {
		call client.Call
		by   func(http.ResponseWriter)
		sent int
	}{
		"a reading":                    {client.Call{Operation: "x", Repeatable: true}, cut, 3},
		"one of a server that is away": {client.Call{Operation: "x", Repeatable: true}, away, 3},
		"what has a key":               {client.Call{Operation: "x", Keyed: true}, cut, 3},
		"a change":                     {client.Call{Operation: "x"}, cut, 1},
		"what was not begun": {client.Call{Operation: "x"},
			with(429, `{"error": "rate_limited", "message": "often", "id": "1"}`, "Retry-After", "0"), 3},
		"what is to wait for a day": {client.Call{Operation: "x", Repeatable: true},
			with(429, `{"error": "rate_limited", "message": "often", "id": "1"}`, "Retry-After", "86400"), 1},
		"what is refused": {client.Call{Operation: "x", Repeatable: true}, with(404, problem), 1},
	} {
		a, url := serve(t, tt.by, tt.by, with(200, `{}`))
		_, err := newClient(t, client.Options{URL: url, Wait: time.Millisecond}).Call(t.Context(), tt.call)
		sent := a.sent()
		if len(sent) != tt.sent || (err == nil) != (tt.sent == 3) {
			t.Errorf("%s: sent %d times, %v", name, len(sent), err)
		}
		if first, last := sent[0].Header.Get("Idempotency-Key"),
			sent[len(sent)-1].Header.Get("Idempotency-Key"); first != last || (first != "") != tt.call.Keyed {
			t.Errorf("%s: the keys are %q and %q", name, first, last)
		}
	}
}

func TestCall_PlainHTTPToAnotherMachine_SendsNoToken(t *testing.T) {
	for url, ok := range map[string]bool{
		"http://127.0.0.1:9991": true, "http://localhost:9991/mcp": true, "http://[::1]:9991": true,
		"https://nomograph.example.org/team": true,
		"http://nomograph.example.org":       false, "http://192.0.2.1:9991": false,
		"http://localhost.example.org": false,
		"":                             false, "nomograph.example.org": false, "127.0.0.1:9991": false,
		"bolt://127.0.0.1:7687":              false,
		"https://ada:nmg_secret@example.org": false, "https://example.org/?token=nmg_secret": false, "https://": false,
		"http://a b": false,
	} {
		_, err := client.New(client.Options{URL: url, Token: "nmg_secret"})
		if (err == nil) != ok || err != nil && (!apperr.Is(err, apperr.Validation) ||
			strings.Contains(err.Error(), "nmg_secret")) {
			t.Errorf(`%s: got %v, want (err == nil)=%v, not err != nil && (!apperr.Is(err, apperr.Validation) || strings.Contains(err.Error(), "nmg_secret"))`, url, err, ok)
		}
	}
	for _, o := range []client.Options{{URL: "http://192.0.2.1:9991"},
		{URL: "http://192.0.2.1:9991", Token: "nmg_secret", AllowHTTP: true}} {
		if _, err := client.New(o); err != nil {
			t.Errorf("%+v: got %v, want no error", o, err)
		}
	}
	if _, err := client.New(client.Options{URL: "https://example.org", Token: "nmg_secret\n"}); !apperr.Is(err,
		apperr.Validation) || strings.Contains(err.Error(), "nmg_secret") {
		t.Errorf("a token with a line end: %v", err)
	}
}

func TestCall_OwnCertificateAuthority_IsTrusted(t *testing.T) {
	a := &requestedDelay{answers: []func(http.ResponseWriter){with(200, `{}`)}}
	s := httptest.NewTLSServer(a)
	defer s.Close()
	s.Config.ErrorLog = nil
	file := filepath.Join(t.TempDir(), "ca.pem")
	graphtest.OK(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}),
		0o600))
	call := client.Call{Operation: "x", Repeatable: true}
	if _, err := newClient(t, client.Options{URL: s.URL, Token: "nmg_secret"}).
		Call(t.Context(), call); !apperr.Is(err, apperr.Unavailable) || !strings.Contains(err.Error(), "--ca-file") ||
		len(a.sent()) > 0 {
		t.Errorf("unknown: %v, sent %d", err, len(a.sent()))
	}
	graphtest.Must(newClient(t, client.Options{URL: s.URL, Token: "nmg_secret", CAFile: file}).
		Call(t.Context(), call))(t)
	for _, wrong := range []string{file + "none", os.Args[0]} {
		graphtest.Fails(client.New(client.Options{URL: s.URL, CAFile: wrong}))(t, apperr.Validation, wrong)
	}
}

func TestRemote_Stream_DeliversEvents(t *testing.T) {
	a, url := serve(t, with(200, "data: 1\n\n", "Content-Type", "text/event-stream"), with(404, problem))
	c := newClient(t, client.Options{URL: url + "/team/", Token: "x", Timeout: time.Nanosecond})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answer, err := c.Open(ctx, "/api/v1/events", map[string][]string{"kind": {"threshold"}},
		http.Header{"Last-Event-Id": {"7"}})
	graphtest.OK(t, err)
	text, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if r := a.requests[0]; err != nil || string(text) != "data: 1\n\n" ||
		r.URL.String() != "/team/api/v1/events?kind=threshold" || r.Header.Get("Last-Event-Id") != "7" ||
		r.Header.Get("Authorization") != "Bearer x" {
		t.Errorf(`got %q %v, %s %v, want string(text)=%v, String="/team/api/v1/events?kind=threshold", Last-Event-Id=7, Authorization="Bearer x"`, text, err, r.URL, r.Header, "data: 1\n\n")
	}
	if gone, err := c.Open(ctx, "/api/v1/events", nil, nil); !apperr.Is(err, apperr.NotFound) {
		if gone != nil {
			_ = gone.Body.Close()
		}
		t.Errorf("got %v, want error %s", err, apperr.NotFound)
	}
}

func TestCall_UnverifiedCertificate_OnlyFromOwnServer(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		_, _ = w.Write([]byte(`{"status":"healthy"}`))
	}))
	t.Cleanup(s.Close)
	for name, c := range map[string]struct {
		o    client.Options
		want bool
	}{
		"asked so":     {client.Options{URL: s.URL, Unverified: true}, true},
		"with a token": {client.Options{URL: s.URL, Unverified: true, Token: "nmg_secret"}, false},
		"not asked so": {client.Options{URL: s.URL}, false},
	} {
		cl := graphtest.Must(client.New(c.o))(t)
		answer, err := cl.Open(t.Context(), "/healthz", nil, nil)
		if err == nil {
			_ = answer.Body.Close()
		}
		graphtest.Equal(t, err == nil, c.want, name)
	}
}
