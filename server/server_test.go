package server_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/server"
)

// timeout is far longer than any step takes, even on a busy machine.
const timeout = 2 * time.Minute

// serving is a server on a free port. Its route /echo returns the request and its caller.
type serving struct {
	*server.Server
	address string
	stop    context.CancelFunc
	ended   chan error
}

func serve(t *testing.T, o server.Options, routes func(*server.Server)) *serving {
	t.Helper()
	listener := graphtest.Must(server.Listen(t.Context(), "127.0.0.1:0"))(t)
	if o.Authenticate == nil {
		o.Authenticate = func(r *http.Request) (caller.Caller, error) {
			if r.Header.Get("Authorization") != "Bearer ada" {
				return caller.Caller{}, apperr.New(apperr.Unauthenticated, "The request has no token")
			}
			return caller.Caller{Name: "ada", Authenticated: true}, nil
		}
	}
	if o.Address == "" {
		o.Address = listener.Addr().String()
	}
	o.Log = zerolog.Nop()
	s := &serving{Server: server.New(o), address: listener.Addr().String(), ended: make(chan error, 1)}
	s.Handle("/echo", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			server.Refuse(w, r, server.BodyError(err))
			return
		}
		server.Answer(w, http.StatusOK, map[string]any{"caller": caller.From(r.Context()).Name, "bytes": len(body),
			"request": server.RequestID(r.Context())})
	}))
	s.Handle("/broken", http.HandlerFunc(func(http.ResponseWriter,
		*http.Request) {
		panic("the handler is broken: nmg_secret")
	}))
	if routes != nil {
		routes(s.Server)
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go func() { s.ended <- s.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		select {
		case <-s.ended:
		case <-time.After(timeout):
			t.Error("the server does not stop")
		}
	})
	return s
}

// ask sends a request with headers, including Host, and returns status, headers and the decoded JSON.
func (s *serving) ask(t *testing.T, method, path, body string, headers map[string]string) (reply, map[string]any) {
	t.Helper()
	r := graphtest.Must(http.NewRequestWithContext(t.Context(), method, "http://"+s.address+path,
		strings.NewReader(body)))(t)
	for name, value := range headers {
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	graphtest.OK(t, err)
	defer answer.Body.Close()
	text := graphtest.Must(io.ReadAll(answer.Body))(t)
	var content map[string]any
	_ = json.Unmarshal(text, &content) // some responses have no body
	return reply{answer.StatusCode, answer.Header}, content
}

type reply struct {
	StatusCode int
	Header     http.Header
}

var ada = map[string]string{"Authorization": "Bearer ada"}

func with(headers map[string]string, more ...string) map[string]string {
	out := map[string]string{}
	for name, value := range headers {
		out[name] = value
	}
	for i := 0; i < len(more); i += 2 {
		out[more[i]] = more[i+1]
	}
	return out
}

func TestServer_Unauthenticated_ReachesNoTransport(t *testing.T) {
	s := serve(t, server.Options{Challenge: func(*http.Request, error) string { return `Bearer realm="x"` }}, nil)
	answer, body := s.ask(t, "POST", "/echo", "abc", ada)
	if answer.StatusCode != http.StatusOK || body["caller"] != "ada" || body["bytes"] != 3.0 ||
		body["request"] != answer.Header.Get("X-Request-Id") {
		t.Errorf(`got %d %v, want StatusCode=%v, caller=ada, bytes=3.0, request=answer.Header.Get("X-Request-Id")`,
			answer.StatusCode, body, http.StatusOK)
	}
	answer, body = s.ask(t, "POST", "/echo", "abc", nil)
	if answer.StatusCode != http.StatusUnauthorized || body["error"] != "unauthenticated" || body["status"] != 401.0 ||
		answer.Header.Get("WWW-Authenticate") != `Bearer realm="x"` ||
		answer.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf(`got %d %v %v, want StatusCode=%v, error=unauthenticated, status=401.0, WWW-Authenticate="Bearer realm="x"", Content-Type="application/problem+json"`, answer.StatusCode, body, answer.Header, http.StatusUnauthorized)
	}
	if answer, body = s.ask(t, "GET", "/nowhere", "", ada); answer.StatusCode != http.StatusNotFound ||
		body["error"] != "not_found" {
		t.Errorf("got %d %v, want StatusCode=%v, error=not_found", answer.StatusCode, body, http.StatusNotFound)
	}
	if answer, body = s.ask(t, "POST", "/broken", "", ada); answer.StatusCode != http.StatusInternalServerError ||
		body["error"] != "internal_error" || strings.Contains(fmt.Sprint(body), "nmg_secret") {
		t.Errorf("got %d %v, want StatusCode=%v, error=internal_error, body without nmg_secret", answer.StatusCode,
			body, http.StatusInternalServerError)
	}
	if answer, _ = s.ask(t, "GET", "/echo", "", with(ada, "X-Request-Id",
		"mine-1")); answer.Header.Get("X-Request-Id") != "mine-1" {
		t.Errorf("a request's own id became %q", answer.Header.Get("X-Request-Id"))
	}
	if answer, _ = s.ask(t, "GET", "/echo", "", with(ada, "X-Request-Id",
		"a b")); answer.Header.Get("X-Request-Id") == "a b" {
		t.Error("an invalid id was accepted")
	}
}

func TestServer_ForeignHost_IsRefusedOnEveryRoute(t *testing.T) {
	s := serve(t, server.Options{Hosts: []string{"nomograph.example.org", "*.inside.example.org",
		"other.example.org:8443"}}, nil)
	_, port, _ := net.SplitHostPort(s.address)
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:" + port: 200, "127.0.0.1:" + port: 200, "[::1]:9": 200, "127.8.8.8": 200,
		"localhost.":            200,
		"nomograph.example.org": 200, "Nomograph.Example.org:443": 200, "a.inside.example.org": 200,
		"other.example.org:8443": 200,
		"evil.example.org":       403, "inside.example.org": 403, "other.example.org": 403,
		"127.0.0.1.evil.example.org": 403,
		"localhost.evil.org":         403, "1.2.3.4": 403,
	} {
		for _, path := range []string{"/echo", "/healthz", "/readyz", "/nowhere"} {
			answer, body := s.ask(t, "GET", path, "", with(ada, "Host", host))
			graphtest.Equal(t, answer.StatusCode == http.StatusForbidden, want == http.StatusForbidden, fmt.Sprint(host, path, ": ", body))
		}
	}
}

func TestServer_ForeignOrigin_IsRefusedOnEveryRoute(t *testing.T) {
	s := serve(t, server.Options{Origins: []string{"https://app.example.org"}}, nil)
	for origin, want := range map[string]int{"http://" + s.address: 200, "http://localhost:3000": 403,
		"https://app.example.org":  200,
		"https://evil.example.org": 403, "https://app.example.org.evil.org": 403, "null": 403,
		"http://app.example.org": 403} {
		for _, path := range []string{"/echo", "/healthz"} {
			answer, _ := s.ask(t, "POST", path, "{}", with(ada, "Origin", origin))
			if path == "/healthz" && want == 200 {
				continue // GET only
			}
			graphtest.Equal(t, answer.StatusCode, want, fmt.Sprint(path, " from ", origin))
			graphtest.Equal(t, answer.Header.Get("Access-Control-Allow-Origin") != "",
				origin == "https://app.example.org", origin)
		}
	}
	answer, _ := s.ask(t, "OPTIONS", "/echo", "",
		map[string]string{"Origin": "https://app.example.org", "Access-Control-Request-Method": "POST"})
	if answer.StatusCode != http.StatusNoContent ||
		!strings.Contains(answer.Header.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("preflight: %d %v", answer.StatusCode, answer.Header)
	}
	plain := serve(t, server.Options{}, nil)
	if answer, _ = plain.ask(t, "GET", "/echo", "", ada); answer.Header.Get("Access-Control-Allow-Origin") != "" ||
		answer.Header.Get("Vary") != "" {
		t.Error("CORS is on without being configured")
	}
}

// TestServer_OtherPort_IsAnotherOrigin also covers servers without authentication. A page on another port of this
// machine has another origin.
func TestServer_OtherPort_IsAnotherOrigin(t *testing.T) {
	s := serve(t, server.Options{Hosts: []string{"nomograph.example.org", "[2001:db8::1]"},
		Authenticate: func(*http.Request) (caller.Caller, error) { return caller.Caller{Trusted: true}, nil }}, nil)
	_, port, _ := net.SplitHostPort(s.address)
	here := strings.NewReplacer("ADDRESS", s.address, "PORT", port)
	for _, row := range golden.Rows(t, "testdata/origins.txt") {
		host, origin := here.Replace(row[1]), here.Replace(row[2])
		headers := with(nil, append([]string{"Host", host}, strings.Fields(row[3])...)...)
		if origin != "" {
			headers["Origin"] = origin
		}
		for _, method := range []string{"GET", "POST"} {
			want := row[0]
			if method == "POST" && headers["Sec-Fetch-Mode"] == "navigate" {
				want = "403" // a form on another site
			}
			if answer, _ := s.ask(t, method, "/echo", "", headers); strconv.Itoa(answer.StatusCode) != want {
				t.Errorf("%s of %v: got %d, want %s", method, row, answer.StatusCode, want)
			}
		}
	}
}

func TestServer_LargeBody_IsRefused(t *testing.T) {
	s := serve(t, server.Options{}, nil)
	if answer, text := s.ask(t, "POST", "/echo", strings.Repeat("x", 8<<20), ada); answer.StatusCode != http.StatusOK ||
		text["bytes"] != float64(8<<20) {
		t.Errorf("got %d %v, want StatusCode=%v, bytes=%v", answer.StatusCode, text, http.StatusOK, 8<<20)
	}
	if answer, text := s.ask(t, "POST", "/echo", strings.Repeat("x", 8<<20+1),
		ada); answer.StatusCode != http.StatusRequestEntityTooLarge || text["error"] != "validation_error" {
		t.Errorf("got %d %v, want StatusCode=%v, error=validation_error", answer.StatusCode, text,
			http.StatusRequestEntityTooLarge)
	}
	t.Run("a body of unknown length", func(t *testing.T) {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.address+"/echo",
			io.LimitReader(endless{}, 9<<20))
		r.Header.Set("Authorization", "Bearer ada")
		answer, err := http.DefaultClient.Do(r)
		graphtest.OK(t, err)
		defer answer.Body.Close()
		graphtest.Equal(t, answer.StatusCode, http.StatusRequestEntityTooLarge, "status code")
	})
	t.Run("a compressed body", func(t *testing.T) {
		for _, headers := range []map[string]string{ada, nil} { // also for unauthenticated callers
			answer, text := s.ask(t, "POST", "/echo", "\x1f\x8b", with(headers, "Content-Encoding", "gzip"))
			if answer.StatusCode != http.StatusUnsupportedMediaType || text["error"] != "validation_error" {
				t.Errorf("got %d %v, want StatusCode=%v, error=validation_error", answer.StatusCode, text,
					http.StatusUnsupportedMediaType)
			}
		}
		if answer, _ := s.ask(t, "POST", "/echo", "x",
			with(ada, "Content-Encoding", "identity")); answer.StatusCode != http.StatusOK {
			t.Errorf("not compressed: %d", answer.StatusCode)
		}
	})
	t.Run("bodies above the shared limit", func(t *testing.T) {
		const many = 24 // number of bodies of 8 MB: one and a half times the shared limit
		var wait sync.WaitGroup
		held, busy := make(chan struct{}), make(chan *http.Response, many)
		for range many {
			wait.Go(func() {
				body, writer := io.Pipe()
				go func() {
					_, _ = writer.Write(bytes.Repeat([]byte("x"), 8<<20-10))
					<-held
					_ = writer.Close()
				}()
				r, _ := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://"+s.address+"/echo",
					body)
				r.Header.Set("Authorization", "Bearer ada")
				answer, err := http.DefaultClient.Do(r)
				if err == nil {
					_ = answer.Body.Close()
					busy <- answer
				}
			})
		}
		select { // the first refusal arrives while others are still in progress
		case first := <-busy:
			if first.StatusCode != http.StatusServiceUnavailable || first.Header.Get("Retry-After") == "" {
				t.Errorf("got %d %v, want StatusCode=%v, non-empty Retry-After", first.StatusCode, first.Header,
					http.StatusServiceUnavailable)
			}
		case <-time.After(timeout):
			t.Error("no body was refused")
		}
		if answer, _ := s.ask(t, "POST", "/echo", "small", ada); answer.StatusCode != http.StatusOK {
			t.Errorf("a small request at the same time: got %d, want StatusCode=%v", answer.StatusCode, http.StatusOK)
		}
		close(held)
		wait.Wait()
		if answer, _ := s.ask(t, "POST", "/echo", strings.Repeat("x", 1<<20), ada); answer.StatusCode != http.StatusOK {
			t.Errorf("afterwards: %d", answer.StatusCode)
		}
	})
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestServer_MalformedRequest_IsAnswered(t *testing.T) {
	s := serve(t, server.Options{}, nil)
	for sent, want := range map[string]string{
		"nonsense\r\n\r\n":              "400",
		"GET /healthz HTTP/1.1\r\n\r\n": "400", // without a Host
		"GET /healthz HTTP/1.0\r\n\r\n": "403",
		"GET /healthz HTTP/1.1\r\nHost: localhost\r\nA: " + strings.Repeat("x", 80<<10) +
			"\r\n\r\n": "431",
		"POST /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ada\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n": "400",
		"POST /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ada\r\nContent-Length: -5\r\n\r\n":                                    "400",
		"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n":                                                                          "400",
	} {
		c := graphtest.Must(net.Dial("tcp", s.address))(t)
		_ = c.SetDeadline(time.Now().Add(timeout))
		go func() { _, _ = io.WriteString(c, sent) }()
		line, _ := bufio.NewReader(c).ReadString('\n')
		graphtest.Contains(t, line, " "+want+" ")
		_ = c.Close()
	}
	t.Run("half of a body, then a closed connection", func(t *testing.T) {
		c := graphtest.Must(net.Dial("tcp", s.address))(t)
		_ = c.SetDeadline(time.Now().Add(timeout))
		_, _ = io.WriteString(c, "POST /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ada\r\nContent-Length: 100\r\n\r\nhalf")
		_ = c.(*net.TCPConn).CloseWrite()
		if line, err := bufio.NewReader(c).ReadString('\n'); err == nil && !strings.Contains(line, " 400 ") {
			t.Errorf(`got %q, want not err == nil && !strings.Contains(line, " 400 ")`, line)
		}
		_ = c.Close()
	})
	if answer, _ := s.ask(t, "GET", "/healthz", "", nil); answer.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %d", answer.StatusCode)
	}
}

// TestServer_SlowRequest_IsEnded covers slow headers and slow bodies.
func TestServer_SlowRequest_IsEnded(t *testing.T) {
	s := serve(t, server.Options{}, func(s *server.Server) { s.Hurry(time.Second) })
	const half = "Content-Length: 100\r\n\r\nhalf"
	var all sync.WaitGroup
	for sent, want := range map[string]string{
		// incomplete headers
		"POST /echo HTTP/1.1\r\nHost: localhost\r\nA":                                    "",
		"POST /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ada\r\n" + half: "408",
		"POST /echo HTTP/1.1\r\nHost: localhost\r\n" +
			half: "401", // the body is slow, and the handler does not read it
		"POST /echo HTTP/1.1\r\nHost: evil.example.org\r\n" + half:                               "403",
		"POST /broken HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ada\r\n" + half:       "500",
		"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha": "404",
	} {
		all.Go(func() {
			c, err := net.Dial("tcp", s.address)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(timeout))
			_, _ = io.WriteString(c, sent)
			reader := bufio.NewReader(c)
			line, err := reader.ReadString('\n')
			if errors.Is(err, os.ErrDeadlineExceeded) || !strings.Contains(line, want) {
				t.Errorf("%q: got %q, %v, want errors.Is(err, os.ErrDeadlineExceeded)=false, line with %q", sent, line,
					err, want)
			}
			if _, err := io.Copy(io.Discard, reader); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%q: the connection was not closed", sent)
			}
		})
	}
	all.Wait()
}

func TestServer_Stop_FinishesCallsAndEndsStreams(t *testing.T) {
	started, streaming, finish := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s := serve(t, server.Options{}, func(s *server.Server) {
		s.Handle("/slow", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(started)
			<-finish
			server.Answer(w, http.StatusOK, map[string]any{"done": true})
		}))
		s.Handle("/stream", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, end := server.LongLived(r.Context())
			defer end()
			_, _ = io.WriteString(w, "begun\n")
			w.(http.Flusher).Flush()
			close(streaming)
			<-ctx.Done()
		}))
	})
	open := func(path string) chan string {
		got := make(chan string, 1)
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.address+path, nil)
		r.Header.Set("Authorization", "Bearer ada")
		go func() {
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				got <- err.Error()
				return
			}
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			got <- fmt.Sprint(string(text), err)
		}()
		return got
	}
	slow := open("/slow")
	stream := open("/stream")
	graphtest.Receive(t, "the call begins", started)
	graphtest.Receive(t, "the stream begins", streaming)
	s.stop()
	if body := graphtest.Receive(t, "the stream ends", stream); !strings.HasPrefix(body, "begun\n") {
		t.Errorf("got %q of the stream, want what was sent before the stop", body)
	}
	for started := time.Now(); ; time.Sleep(time.Millisecond) { // the server ends streams first
		c, err := net.Dial("tcp", s.address)
		if err != nil {
			break
		}
		_ = c.Close()
		if time.Since(started) > timeout {
			t.Fatal("the server still accepts connections")
		}
	}
	close(finish)
	graphtest.Contains(t, graphtest.Receive(t, "the call ends", slow), `"done":true`)
	if err := graphtest.Receive(t, "the server ends", s.ended); err != nil {
		t.Errorf("got the end %v", err)
	}
	s.ended <- nil
}

func TestServer_RevokedPermission_EndsTheStream(t *testing.T) {
	ended := make(chan struct{})
	s := serve(t, server.Options{Authenticate: func(*http.Request) (caller.Caller, error) {
		return caller.Caller{Name: "ada", Authenticated: true, Ended: ended}, nil
	}}, func(s *server.Server) {
		s.Handle("/stream", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, end := server.LongLived(r.Context())
			defer end()
			w.(http.Flusher).Flush()
			close(ended)
			<-ctx.Done()
		}))
	})
	if answer, _ := s.ask(t, "GET", "/stream", "", nil); answer.StatusCode != http.StatusOK {
		t.Errorf("got %d, want %v", answer.StatusCode, http.StatusOK)
	}
}

func TestServer_Readiness_RevealsNothing(t *testing.T) {
	var fails error
	s := serve(t, server.Options{Version: "1.2.3", Ready: func(context.Context) error { return fails }}, nil)
	if answer, body := s.ask(t, "GET", "/readyz", "", nil); answer.StatusCode != http.StatusOK ||
		body["status"] != "ready" {
		t.Errorf("got %d %v, want StatusCode=%v, status=ready", answer.StatusCode, body, http.StatusOK)
	}
	fails = apperr.New(apperr.Unavailable, "No Neo4j answers at bolt://10.0.0.1:7687")
	answer, body := s.ask(t, "GET", "/readyz", "", nil)
	if answer.StatusCode != http.StatusServiceUnavailable || strings.Contains(fmt.Sprint(body), "10.0.0.1") ||
		answer.Header.Get("Retry-After") == "" {
		t.Errorf("got %d %v, want StatusCode=%v, fmt.Sprint(body) without 10.0.0.1, non-empty Retry-After",
			answer.StatusCode, body, http.StatusServiceUnavailable)
	}
	if answer, body := s.ask(t, "GET", "/healthz", "", nil); answer.StatusCode != http.StatusOK ||
		body["status"] != "healthy" || body["version"] != "1.2.3" {
		t.Errorf("got %d %v, want StatusCode=%v, status=healthy, version=1.2.3", answer.StatusCode, body, http.StatusOK)
	}
}

func TestServer_QuietHTTP2Answer_GoesOn(t *testing.T) {
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certify(t, certificate, key, "quiet")
	const stallTimeout = 400 * time.Millisecond
	s := serve(t, server.Options{Certificate: certificate, Key: key,
		Authenticate: func(*http.Request) (caller.Caller, error) { return caller.Caller{}, nil }},
		func(s *server.Server) {
			s.Stall(stallTimeout)
			s.Handle("/quiet", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for _, part := range []string{"one ", "two"} {
					_, _ = w.Write([]byte(part))
					_ = http.NewResponseController(w).Flush()
					select {
					case <-time.After(3 * stallTimeout):
					case <-r.Context().Done():
						return
					}
				}
			}))
		})
	client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // a self-signed certificate of this test
	answer, err := client.Get("https://" + s.address + "/quiet")
	graphtest.OK(t, err)
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "one two" || answer.ProtoMajor != 2 {
		t.Errorf("HTTP/%d: %q, %v", answer.ProtoMajor, text, err)
	}
}

func TestServer_RenewedCertificate_NeedsNoRestart(t *testing.T) {
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certify(t, certificate, key, "first")
	s := serve(t, server.Options{Certificate: certificate, Key: key}, nil)
	name := func() string {
		c, err := tls.Dial("tcp", s.address, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // the test looks at the certificate itself
		graphtest.OK(t, err)
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	if got := name(); got != "first" {
		t.Fatalf("got the certificate of %q, want first", got)
	}
	graphtest.OK(t, os.WriteFile(certificate, []byte("half"), 0o600))
	graphtest.Equal(t, name(), "first", "after a broken certificate")
	certify(t, certificate, key, "second")
	for deadline := time.Now().Add(timeout); name() != "second"; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the old certificate is still used")
		}
	}
	missing := server.New(server.Options{Certificate: filepath.Join(dir, "none"), Key: key, Log: zerolog.Nop()})
	listener := graphtest.Must(server.Listen(t.Context(), "127.0.0.1:0"))(t)
	defer listener.Close()
	if err := missing.Serve(t.Context(), listener); !apperr.Is(err, apperr.Validation) {
		t.Errorf("a missing certificate: %v", err)
	}
	if _, err := server.Listen(t.Context(), s.address); !apperr.Is(err, apperr.Unavailable) {
		t.Errorf("an address in use: got %v, want error %s", err, apperr.Unavailable)
	}
}

// certify writes a self-signed certificate for a name.
func certify(t *testing.T, certificate, key, name string) {
	t.Helper()
	private := graphtest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	raw := graphtest.Must(x509.CreateCertificate(rand.Reader, &template, &template, &private.PublicKey, private))(t)
	rawKey := graphtest.Must(x509.MarshalECPrivateKey(private))(t)
	for path, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: raw},
		key: {Type: "EC PRIVATE KEY", Bytes: rawKey}} {
		graphtest.OK(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
}

func TestMetrics_LimitedCaller_IsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		caller caller.Caller
		status int
	}{
		"all projects": {caller.Caller{Name: "ada", Authenticated: true,
			Permissions: []caller.Permission{caller.Read}}, http.StatusOK},
		"admin": {caller.Caller{Name: "ada", Authenticated: true,
			Permissions: []caller.Permission{caller.Admin}}, http.StatusOK},
		"some projects": {caller.Caller{Name: "ada", Authenticated: true,
			Permissions: []caller.Permission{caller.Admin}, Projects: []string{"acme/shop"}}, http.StatusForbidden},
		"no project": {caller.Caller{Name: "ada", Authenticated: true, Permissions: []caller.Permission{caller.Read},
			Projects: []string{}}, http.StatusForbidden},
		"no read": {caller.Caller{Name: "ada", Authenticated: true,
			Permissions: []caller.Permission{caller.Decide, caller.Federate}}, http.StatusForbidden},
	} {
		s := serve(t, server.Options{Authenticate: func(*http.Request) (caller.Caller,
			error) {
			return tt.caller, nil
		}}, func(s *server.Server) { s.Handle("GET /metrics", server.NewMetrics().Handler()) })
		if answer, body := s.ask(t, "GET", "/metrics", "", nil); answer.StatusCode != tt.status {
			t.Errorf("%s: got %d %v, want %d", name, answer.StatusCode, body, tt.status)
		}
	}
}
