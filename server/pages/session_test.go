package pages_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/server"
	"nomograph/server/auth"
	"nomograph/server/events"
	"nomograph/server/pages"
	"nomograph/tokens"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// served starts one of several servers with tokens on one graph. Servers with the same key share sessions.
func served(t *testing.T, g *graphtest.Graph, key []byte, origins ...string) *site {
	t.Helper()
	env := toolstest.OpenWithoutEmbedder(t, toolstest.Reopen(t, g))
	counts := tokens.NewUsageCounter(env.Tokens, zerolog.Nop())
	register := tokens.NewRegistry(env.Tokens, counts, zerolog.Nop())
	callers := graphtest.Must(auth.New(auth.Options{Address: "127.0.0.1:0", Required: true, Register: register,
		Counts: counts,
		Static: []auth.Static{{Name: "ada", Secret: "the-secret-of-ada", Permissions: caller.Permissions}}}))(t)
	h := server.New(server.Options{Address: "127.0.0.1:0", Origins: origins, Authenticate: callers.Authenticate,
		Log: zerolog.Nop()})
	pages.New(env.Runner(), pages.Options{Operations: tools.Catalog, Key: key, Authenticate: callers.Authenticate,
		Sessions: register, Live: events.New(env.Runner()), Log: zerolog.Nop()}).Serve(h)
	listening := httptest.NewServer(h.Handler())
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { register.Follow(ctx); close(done) }()
	t.Cleanup(func() {
		stop()
		graphtest.Receive(t, "the register ends", done)
		listening.Close()
	})
	return &site{graph: g, env: env, url: listening.URL, key: key}
}

// cookie returns the session cookie of a client as a header value.
func (s *site) cookie(t *testing.T, client *http.Client) string {
	t.Helper()
	at, err := url.Parse(s.url)
	if err != nil || len(client.Jar.Cookies(at)) != 1 {
		t.Fatal(err, client.Jar.Cookies(at))
	}
	return client.Jar.Cookies(at)[0].Value
}

// with returns a client with the cookie of another client, as a server on another port of the same host receives it.
func (s *site) with(t *testing.T, value string) *http.Client {
	t.Helper()
	at := graphtest.Must(url.Parse(s.url))(t)
	jar := graphtest.Must(cookiejar.New(nil))(t)
	jar.SetCookies(at, []*http.Cookie{{Name: "nomograph-" + at.Port(), Value: value}})
	return onward(&http.Client{Jar: jar})
}

// live opens an event stream like a page does. It returns the first line and a channel that is closed when the stream
// ends.
func (s *site) live(t *testing.T, client *http.Client, headers ...string) (status int, ended chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r := graphtest.Must(http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/live?type=breaker", nil))(t)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := client.Do(r) //nolint:bodyclose // the goroutine that reads the stream closes the body
	graphtest.OK(t, err)
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		defer answer.Body.Close()
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		}
	}()
	return answer.StatusCode, ended
}

func gone(t *testing.T, what string, ended chan struct{}) {
	t.Helper()
	select {
	case <-ended:
	case <-time.After(timeout):
		t.Fatalf("%s did not end", what)
	}
}

// TestSignOut_Session_EndsEverywhere checks every server, copies of the cookie, and open streams.
func TestSignOut_Session_EndsEverywhere(t *testing.T) {
	g := graphtest.New(t)
	key := pages.NewKey()
	here, there := served(t, g, key), served(t, g, key)
	client, other := here.signedIn(t, "the-secret-of-ada"), here.signedIn(t, "the-secret-of-ada")
	copied, copiedThere := here.with(t, here.cookie(t, client)), there.with(t, here.cookie(t, client))
	for name, one := range map[string]struct {
		s      *site
		client *http.Client
	}{"here": {here, copied}, "there": {there, copiedThere}} {
		if status, _, text := one.s.as(t, one.client, "GET", one.s.url+"/", ""); status != 200 ||
			!strings.Contains(text, "Sign out") {
			t.Fatalf("before, a copy of the cookie %s: %d %s", name, status, text)
		}
	}
	_, streamHere := here.live(t, copied)
	_, streamThere := there.live(t, copiedThere)
	_, streamOfOther := here.live(t, other)
	if status, _, text := here.as(t, onward(client), "POST", here.url+"/signout", ""); status != 303 {
		t.Fatalf("signing out: %d %s", status, text)
	}
	if status, header, _ := here.as(t, copied, "GET", here.url+"/", ""); status != 303 ||
		!strings.HasPrefix(header.Get("Location"), "/signin") {
		t.Errorf("a copy of the cookie at the same server: %d %v", status, header)
	}
	secret := pages.SecretOf(t, key, copied, here.url)
	if status, _, text := here.as(t, copied, "POST", here.url+"/",
		url.Values{"secret": {secret}, "act": {"approve"}}.Encode(), "Origin", here.url); status != 401 {
		t.Errorf("a form with a copy of the cookie: %d %s", status, text)
	}
	gone(t, "a stream at the same server", streamHere)
	gone(t, "a stream at another server", streamThere) // the other server knows of the sign-out by then
	if status, _, _ := there.as(t, copiedThere, "GET", there.url+"/", ""); status != 303 {
		t.Errorf("a copy of the cookie at another server: %d", status)
	}
	late := served(t, g, key)
	if status, _, _ := late.as(t, late.with(t, here.cookie(t, copied)), "GET", late.url+"/", ""); status != 303 {
		t.Errorf("a copy of the cookie at a server that began later: %d", status)
	}
	if status, _, text := here.as(t, other, "GET", here.url+"/", ""); status != 200 ||
		!strings.Contains(text, "Sign out") {
		t.Errorf("another session of the same token: %d", status)
	}
	select {
	case <-streamOfOther:
		t.Error("a stream of another session has ended")
	default:
	}
	if rows := g.Rows(t, "MATCH (s:SignOut) RETURN s.hash AS hash", nil); len(rows) != 1 ||
		strings.Contains(here.cookie(t, copied), rows[0]["hash"].(string)) {
		t.Errorf("the stored session: got %v, want len(rows)=1, here.cookie(t, copied) without %q", rows,
			rows[0]["hash"].(string))
	}
}

// TestSignOut_NoDatabase_IsReported checks that a failed sign-out is reported as failed.
func TestSignOut_NoDatabase_IsReported(t *testing.T) {
	g := graphtest.New(t)
	proxy := graphtest.NewProxy(t, g)
	db := graph.Open(graph.Options{URI: "bolt://" + proxy.Address, Username: g.Endpoint.Username,
		Password: g.Endpoint.Password, Log: zerolog.Nop()})
	t.Cleanup(func() { _ = db.Close(t.Context()) })
	s := serve(t, g, toolstest.OpenWithoutEmbedder(t, db),
		map[string]caller.Caller{"nmg_ada": {Name: "ada", Authenticated: true, Permissions: caller.Permissions}})
	client := s.signedIn(t, "nmg_ada")
	proxy.StopListening()
	proxy.Cut()
	if status, header, text := s.as(t, client, "POST", s.url+"/signout", ""); status != 503 ||
		header.Get("Set-Cookie") != "" || !strings.Contains(text, "still signed in") {
		t.Errorf(`got %d %v %s, want status=503, empty Set-Cookie, text with "still signed in"`, status, header, text)
	}
}

// TestPages_OtherPort_GetsNoEvents opens the event stream with a signed-in person's cookie from other origins.
// Browsers send that cookie to every port of a host.
func TestPages_OtherPort_GetsNoEvents(t *testing.T) {
	g := graphtest.New(t)
	s := served(t, g, pages.NewKey(), "http://127.0.0.1:3000")
	client := s.signedIn(t, "the-secret-of-ada")
	cookie := "nomograph-" + s.url[strings.LastIndex(s.url, ":")+1:] + "=" + s.cookie(t, client)
	socket := func(headers ...string) int {
		t.Helper()
		h := http.Header{"Cookie": {cookie}}
		for i := 0; i < len(headers); i += 2 {
			h.Set(headers[i], headers[i+1])
		}
		conn, answer, err := websocket.Dial(t.Context(), strings.Replace(s.url, "http", "ws", 1)+"/live",
			&websocket.DialOptions{HTTPHeader: h})
		if err == nil {
			_ = conn.CloseNow()
		}
		if answer == nil {
			t.Fatal(err)
		}
		if answer.Body != nil {
			_ = answer.Body.Close()
		}
		return answer.StatusCode
	}
	at := strings.NewReplacer("OWN", s.url, "LOCALHOST", strings.Replace(s.url, "127.0.0.1", "localhost", 1),
		"HTTPS", strings.Replace(s.url, "http", "https", 1), ": ", ", ")
	for _, row := range golden.Rows(t, "testdata/sockets.txt") {
		headers := slices.DeleteFunc(strings.Split(at.Replace(row[2]), ", "), func(s string) bool { return s == "" })
		want := row[0]
		graphtest.Equal(t, strconv.Itoa(socket(headers...)), want, "a socket of "+row[1])
		if want == "101" {
			want = "200"
		}
		if status, _ := s.live(t, s.with(t, s.cookie(t, client)), headers...); strconv.Itoa(status) != want {
			t.Errorf("a stream of %s: %d, want %s", row[1], status, want)
		}
	}
}

func TestSignIn_LargeForm_IsRefused(t *testing.T) {
	g := graphtest.New(t)
	s := serve(t, g, toolstest.App(t, g.DB), map[string]caller.Caller{})
	form := url.Values{"token": {strings.Repeat("x", 1<<20)}}.Encode()
	if status, _, text := s.as(t, s.client(t), "POST", s.url+"/signin",
		form); status != http.StatusRequestEntityTooLarge || !strings.Contains(text, "64 kB") {
		t.Errorf(`got %d %s, want status=%v, text with "64 kB"`, status, text, http.StatusRequestEntityTooLarge)
	}
}
