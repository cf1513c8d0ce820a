package server_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server"
)

// strangers opens many connections, sends the given bytes on each, and leaves them open.
func (s *serving) strangers(t *testing.T, many int, send string) []net.Conn {
	t.Helper()
	var all []net.Conn
	for range many {
		c := graphtest.Must(net.Dial("tcp", s.address))(t)
		t.Cleanup(func() { _ = c.Close() })
		_, _ = io.WriteString(c, send) // the server may have closed it for a newer connection
		all = append(all, c)
	}
	return all
}

// bearer authenticates a request by its token, which is the caller's name.
func bearer(r *http.Request) (caller.Caller, error) {
	if name := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); name != "" {
		return caller.Caller{Name: name, Authenticated: true}, nil
	}
	return caller.Caller{}, apperr.New(apperr.Unauthenticated, "The request has no token")
}

// fresh sends a request as a caller over a new connection, which stays open.
func (s *serving) fresh(t *testing.T, who string) (*http.Client, int) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}, Timeout: timeout}
	t.Cleanup(client.CloseIdleConnections)
	return client, s.over(t, client, who)
}

func (s *serving) over(t *testing.T, client *http.Client, who string) int {
	t.Helper()
	return s.to(t, client, "http://", who)
}

func (s *serving) to(t *testing.T, client *http.Client, scheme, who string) int {
	t.Helper()
	var headers []string
	if who != "" {
		headers = []string{"Authorization", "Bearer " + who}
	}
	status, _, _ := graphtest.Send(t, client, http.MethodPost, scheme+s.address+"/echo", "x", headers...)
	return status
}

// TestConnections_UnauthenticatedFlood_LeavesRoomForCallers opens more unauthenticated connections than the server
// accepts, in each way that keeps a connection open.
func TestConnections_UnauthenticatedFlood_LeavesRoomForCallers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	for name, send := range map[string]string{
		"silent":         "",
		"half a head":    "GET /echo HTTP/1.1\r\nHost: local",
		"half a body":    "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf",
		"kept alive":     "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"a wrong token":  "GET /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic x\r\n\r\n",
		"HTTP/2 preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, server.Options{Connections: 2000, AddressConnections: 5000,
				Authenticate: func(r *http.Request) (caller.Caller, error) {
					if r.Header.Get("Authorization") == "Basic x" {
						return caller.Caller{}, apperr.New(apperr.Unauthenticated, "The token is not valid")
					}
					return bearer(r)
				}}, nil)
			early, status := s.fresh(t, "ada")
			if status != http.StatusOK {
				t.Fatalf("before: %d", status)
			}
			s.strangers(t, 2050, send)
			if anonymous, _ := s.Open(); anonymous > 500 {
				t.Errorf("%d connections of strangers are open", anonymous)
			}
			for range 10 {
				if _, status := s.fresh(t, "bob"); status != http.StatusOK {
					t.Errorf("a newcomer with a token: %d", status)
				}
			}
			graphtest.Equal(t, s.over(t, early, "ada"), http.StatusOK, "an earlier connection")
			if _, authenticated := s.Open(); authenticated != 11 {
				t.Errorf("%d connections are authenticated, want 11", authenticated)
			}
		})
	}
}

func TestConnections_OneAddress_IsLimitedToItsShare(t *testing.T) {
	s := serve(t, server.Options{Connections: 400, AddressConnections: 10, Authenticate: bearer}, nil)
	all := s.strangers(t, 30, "")
	for i, c := range all[:20] { // the oldest connections
		_ = c.SetReadDeadline(time.Now().Add(timeout))
		if _, err := c.Read(make([]byte, 1)); err == nil || isTimeout(err) {
			t.Errorf("connection %d stays: %v", i, err)
		}
	}
	if anonymous, _ := s.Open(); anonymous != 10 {
		t.Errorf("%d are open, want 10", anonymous)
	}
	for _, c := range all[20:] { // the newest connections are served
		_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
		_ = c.SetReadDeadline(time.Now().Add(timeout))
		if line, err := bufio.NewReader(c).ReadString('\n'); !strings.Contains(line, "200") {
			t.Errorf("got %q, %v, want with 200", line, err)
		}
	}
}

// TestConnections_OneCaller_IsLimitedToItsShare limits a caller to a quarter of all connections. Connections beyond
// that are served but may be closed for others.
func TestConnections_OneCaller_IsLimitedToItsShare(t *testing.T) {
	s := serve(t, server.Options{Connections: 80, Authenticate: bearer}, nil)
	for range 30 {
		if _, status := s.fresh(t, "ada"); status != http.StatusOK {
			t.Errorf("ada: %d", status)
		}
	}
	if anonymous, authenticated := s.Open(); authenticated != 20 || anonymous != 10 {
		t.Errorf("%d of hers are authenticated and %d are not, want 20 and 10", authenticated, anonymous)
	}
	for i := range 60 {
		if _, status := s.fresh(t, fmt.Sprint("caller ", i)); status != http.StatusOK {
			t.Errorf("caller %d: %d", i, status)
		}
	}
	if anonymous, authenticated := s.Open(); authenticated != 60 || anonymous > 20 {
		t.Errorf("%d are authenticated and %d are not, want 60 and 20 at most", authenticated, anonymous)
	}
}

func TestConnections_IdleUnauthenticated_IsClosed(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	s := serve(t, server.Options{Authenticate: bearer}, func(s *server.Server) { s.Forget(2 * time.Second) })
	client, _ := s.fresh(t, "ada")
	for name, send := range map[string]string{"HTTP/1.1": "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"} {
		c := s.strangers(t, 1, send)[0]
		_ = c.SetReadDeadline(time.Now().Add(timeout))
		if _, err := io.Copy(io.Discard, c); isTimeout(err) {
			t.Errorf("%s: the connection was not closed", name)
		}
	}
	if _, authenticated := s.Open(); authenticated != 1 {
		t.Error("the connection of a caller was closed too")
	}
	graphtest.Equal(t, s.over(t, client, "ada"), http.StatusOK, "a caller")
}

// TestConnections_EveryProtocol_Counts checks that a request authenticates the connection below TLS and HTTP/2,
// and that closing it frees its place.
func TestConnections_EveryProtocol_Counts(t *testing.T) {
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certify(t, certificate, key, "counted")
	plain, secure := serve(t, server.Options{Authenticate: bearer}, nil),
		serve(t, server.Options{Authenticate: bearer, Certificate: certificate, Key: key}, nil)
	for name, tt := range map[string]struct {
		s         *serving
		scheme    string
		protocols func(*http.Protocols)
	}{
		"HTTP/1.1":            {plain, "http://", func(p *http.Protocols) { p.SetHTTP1(true) }},
		"HTTP/2 without TLS":  {plain, "http://", func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }},
		"HTTP/1.1 within TLS": {secure, "https://", func(p *http.Protocols) { p.SetHTTP1(true) }},
		"HTTP/2 within TLS":   {secure, "https://", func(p *http.Protocols) { p.SetHTTP2(true) }},
	} {
		transport := &http.Transport{Protocols: new(http.Protocols),
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // a self-signed certificate of this test
		tt.protocols(transport.Protocols)
		client := &http.Client{Transport: transport, Timeout: timeout}
		if status := tt.s.to(t, client, tt.scheme, "ada"); status != http.StatusOK {
			t.Fatalf("%s: got %d, want %v", name, status, http.StatusOK)
		}
		if anonymous, authenticated := tt.s.Open(); anonymous != 0 || authenticated != 1 {
			t.Errorf("over %s %d are anonymous and %d authenticated, want 0 and 1", name, anonymous, authenticated)
		}
		client.CloseIdleConnections()
		for deadline := time.Now().Add(timeout); ; time.Sleep(time.Millisecond) {
			if anonymous, authenticated := tt.s.Open(); anonymous+authenticated == 0 {
				break
			} else if time.Now().After(deadline) {
				t.Fatalf("over %s %d and %d stay", name, anonymous, authenticated)
			}
		}
	}
}

func TestStreams_BeyondTheLimit_AreRefused(t *testing.T) {
	streams := server.NewStreams(3, 2)
	ada, bob := caller.Caller{Name: "Ada"}, caller.Caller{Name: "bob"}
	leave := graphtest.Must(streams.Enter(ada))(t)
	graphtest.Must(streams.Enter(caller.Caller{Name: "ada"}))(t)
	if _, err := streams.Enter(ada); !apperr.Is(err, apperr.RateLimited) {
		t.Errorf("the third stream of a caller: got %v, want error %s", err, apperr.RateLimited)
	}
	if _, err := streams.Enter(bob); err != nil {
		t.Error(err)
	}
	if _, err := streams.Enter(bob); !apperr.Is(err, apperr.RateLimited) {
		t.Errorf("the fourth stream: got %v, want error %s", err, apperr.RateLimited)
	}
	leave()
	if _, err := streams.Enter(ada); err != nil {
		t.Errorf("after one stream ended: got %v, want no error", err)
	}
}

func isTimeout(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout() || errors.Is(err, context.DeadlineExceeded)
}
