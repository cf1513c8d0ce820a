package events_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/server"
	"nomograph/server/auth"
	"nomograph/server/events"
	"nomograph/tokens"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// timeout is far longer than any step takes, even on a busy machine.
const timeout = 2 * time.Minute

// running is a server on a graph, wired as in the program.
type running struct {
	t    *testing.T
	url  string
	env  *tools.App
	stop context.CancelFunc
}

func run(t *testing.T, g *graphtest.Graph) *running {
	t.Helper()
	env := toolstest.OpenWithoutEmbedder(t, toolstest.Reopen(t, g))
	listener := graphtest.Must(server.Listen(t.Context(), "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	counts := tokens.NewUsageCounter(env.Tokens, zerolog.Nop())
	register := tokens.NewRegistry(env.Tokens, counts, zerolog.Nop())
	static := []auth.Static{
		{Name: "reader", Secret: "the-secret-of-reader", Permissions: []caller.Permission{caller.Read}},
		{Name: "ada", Secret: "the-secret-of-ada", Permissions: caller.Permissions, Projects: []string{"acme/shop"}},
		{Name: "writer", Secret: "the-secret-of-writer", Permissions: []caller.Permission{caller.Decide}},
	}
	callers := graphtest.Must(auth.New(auth.Options{Address: address, Required: true, Static: static,
		Register: register,
		Counts:   counts}))(t)
	s := server.New(server.Options{Address: address, Authenticate: callers.Authenticate, Challenge: callers.Challenge,
		Within: callers.Counted, Log: zerolog.Nop()})
	events.New(env.Runner()).Serve(s)
	done := make(chan struct{}, 2)
	go func() { _ = s.Serve(ctx, listener); done <- struct{}{} }()
	go func() { register.Follow(ctx); done <- struct{}{} }()
	r := &running{t, "http://" + address, env, stop}
	t.Cleanup(func() {
		stop()
		for range 2 {
			graphtest.Receive(t, "the server ends", done)
		}
	})
	return r
}

// received is one event of a stream.
type received struct {
	id, event, data, retry string
}

// open opens a stream. The channel receives its events and is closed at its end.
func (r *running) open(token, query, after string) (int, http.Header, chan received) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r.t.Cleanup(cancel)
	request := graphtest.Must(http.NewRequestWithContext(ctx, http.MethodGet, r.url+events.Path+query, nil))(r.t)
	request.Header.Set("Authorization", "Bearer "+token)
	if after != "" {
		request.Header.Set("Last-Event-ID", after)
	}
	answer, err := http.DefaultClient.Do(request) //nolint:bodyclose // the goroutine that reads the stream closes the body
	graphtest.OK(r.t, err)
	out := make(chan received, 10000)
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		out <- received{data: string(text)}
		return answer.StatusCode, answer.Header, out
	}
	go func() {
		defer close(out)
		defer answer.Body.Close()
		var now received
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				now.id = value
			case "event":
				now.event = value
			case "data":
				now.data = value
			case "retry":
				now.retry = value
			case "":
				out <- now
				now = received{}
			}
		}
	}()
	return answer.StatusCode, answer.Header, out
}

func (r *running) stream(token, query, after string) chan received {
	r.t.Helper()
	status, _, stream := r.open(token, query, after)
	if status != http.StatusOK {
		r.t.Fatalf("got %d %s, want status=%v", status, graphtest.Receive(r.t, "the refusal comes", stream).data,
			http.StatusOK)
	}
	return stream
}

func (r *running) next(stream chan received) received {
	r.t.Helper()
	select {
	case e, open := <-stream:
		if !open {
			r.t.Fatal("the stream ended")
		}
		return e
	case <-time.After(timeout):
		r.t.Fatal("no event arrived")
	}
	return received{}
}

// ends waits for the end of a stream.
func (r *running) ends(stream chan received) {
	r.t.Helper()
	for deadline := time.After(timeout); ; {
		select {
		case _, open := <-stream:
			if !open {
				return
			}
		case <-deadline:
			r.t.Fatal("the stream did not end")
		}
	}
}

const reset = "CREATE (:CircuitReset {uid: $uid, at: datetime(), scope: $uid, by: 'ada'})"

func TestEvents_Subscription_DeliversInOrder(t *testing.T) {
	g := graphtest.New(t)
	here, there := run(t, g), run(t, g)
	happens := func(uids ...string) {
		for _, uid := range uids {
			g.Exec(t, reset, map[string]any{"uid": uid})
		}
	}

	t.Run("another server continues a stream", func(t *testing.T) {
		status, header, stream := here.open("the-secret-of-reader", "?type=breaker", "")
		if status != 200 || header.Get("Content-Type") != "text/event-stream" ||
			header.Get("Cache-Control") != "no-store" {
			t.Fatalf(`got %d %v, want status=200, Content-Type="text/event-stream", Cache-Control=no-store`, status,
				header)
		}
		first := here.next(stream)
		if first.retry == "" || first.id == "" || first.event != "" {
			t.Errorf("got the first event %+v", first)
		}
		happens("one", "two")
		one, two := here.next(stream), here.next(stream)
		var body struct {
			ID, Type string
			Reset    struct{ Scope, By string }
		}
		if err := json.Unmarshal([]byte(one.data), &body); err != nil || one.event != "breaker.reset" ||
			body.Type != one.event || body.Reset.Scope != "one" ||
			!strings.HasPrefix(one.id, body.ID) {
			t.Errorf("got %+v (%v), want event=breaker.reset, Type=%v, Scope=one, id that starts with %q", one, err,
				one.event, body.ID)
		}
		here.stop()
		here.ends(stream)
		happens("three")
		for _, after := range map[string]string{"as the last one said": two.id,
			"by the event alone": strings.Split(two.id, "~")[0]} {
			again := there.stream("the-secret-of-reader", "?type=breaker", after)
			there.next(again)
			graphtest.Contains(t, there.next(again).data, `"three"`)
		}
		again := there.stream("the-secret-of-reader", "?type=breaker.reset&last_event_id="+first.id,
			"") // a client that received no event and cannot send headers
		there.next(again)
		for _, want := range []string{"one", "two", "three"} {
			graphtest.Contains(t, there.next(again).data, want)
		}
	})

	t.Run("a WebSocket delivers the same events", func(t *testing.T) {
		stream := there.stream("the-secret-of-reader", "?name=socket", "")
		there.next(stream)
		address := strings.Replace(there.url, "http", "ws", 1) + events.Path + "?name=socket"
		//nolint:bodyclose // the library closes it
		conn, _, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{
			HTTPHeader: http.Header{"Authorization": {"Bearer the-secret-of-reader"}}})
		graphtest.OK(t, err)
		defer func() { _ = conn.CloseNow() }()
		read := func() (m struct {
			ID, Event string
			Data      json.RawMessage
		}) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			_, text, err := conn.Read(ctx)
			if err == nil {
				err = json.Unmarshal(text, &m)
			}
			graphtest.OK(t, err)
			return m
		}
		if m := read(); m.Event != "heartbeat" || m.ID == "" {
			t.Errorf("got the first event %+v", m)
		}
		happens("socket")
		e, m := there.next(stream), read()
		if m.Event != e.event || string(m.Data) != e.data ||
			strings.Split(m.ID, "~")[0] != strings.Split(e.id, "~")[0] {
			t.Errorf(`got %+v, and in a stream %+v, want Event=%v, string(m.Data)=%v, strings.Split(m.ID, "~")[0]=strings.Split(e.id, "~")[0]`, m, e, e.event, e.data)
		}
	})

	t.Run("events in the form of OpenFeature's providers", func(t *testing.T) {
		g.Exec(t, "CREATE (:SYS_Threshold {name: 'x', value: 1})", nil)
		stream := there.stream("the-secret-of-reader", strings.TrimPrefix(events.ForOFREP, events.Path), "")
		there.next(stream)
		happens("no flag")
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 'x'}) SET t.value = 2", nil)
		if e := there.next(stream); e.event != "message" || e.data != `{"type":"refetchEvaluation"}` {
			t.Errorf(`got %+v, want event=message, data="{"type":"refetchEvaluation"}"`, e)
		}
	})

	t.Run("invalid requests are rejected", func(t *testing.T) {
		for _, row := range golden.Rows(t, "testdata/refused.txt") {
			query := strings.Replace(row[4], "LONG", strings.Repeat("x", 3000), 1)
			status, _, answer := there.open(row[2], query, row[3])
			var body struct{ Error apperr.Code }
			if err := json.Unmarshal([]byte(graphtest.Receive(t, "the refusal comes", answer).data),
				&body); err != nil || strconv.Itoa(status) != row[0] || string(body.Error) != row[1] {
				t.Errorf("%v: %d %s, %v", row, status, body.Error, err)
			}
		}
	})
}

func TestEvents_RestrictedCaller_GetsVisibleEvents(t *testing.T) {
	g := graphtest.New(t)
	s := run(t, g)
	all, limited := s.stream("the-secret-of-reader", "", ""), s.stream("the-secret-of-ada", "", "")
	s.next(all)
	begin := s.next(limited).id
	g.Exec(t, `CREATE (:Verdict {uid: 'v1', at: datetime(), allowed: true, agent: 'bob', project: 'acme/shop', stakes: 'low'}),
		(:Verdict {uid: 'v2', at: datetime(), allowed: true, agent: 'bob', project: 'acme/other', stakes: 'low'}), (:CircuitReset {uid: 'c', at: datetime(), scope: 'deploys', by: 'bob'}),
		(:Decision {uid: 'd1', id: 'aaaaaaa1', decision: 'Shown', created_at: datetime(), project: 'acme/shop', agent: 'bob', visibility: 'project'}),
		(:Decision {uid: 'd2', id: 'aaaaaaa2', decision: 'Of others', created_at: datetime(), project: 'acme/other', agent: 'bob', visibility: 'shared'}),
		(:Decision {uid: 'd3', id: 'aaaaaaa3', decision: 'Private', created_at: datetime(), project: 'acme/shop', agent: 'bob', visibility: 'private'})<-[:JUDGED]-(:Verdict {uid: 'v3', at: datetime(), allowed: true, agent: 'bob', project: 'acme/shop', stakes: 'low'}),
		(:SYS_Change {uid: 'z', at: datetime() + duration({milliseconds: 1}), label: 'SYS_Policy', name: 'p', kind: 'applied', by: 'eve', why: ''})`, nil)
	uids := func(stream chan received) (uids []string) {
		for !slices.Contains(uids, "z") {
			_, uid, _ := strings.Cut(strings.Split(s.next(stream).id, "~")[0], "/")
			uids = append(uids, uid)
		}
		slices.Sort(uids)
		return uids
	}
	if got := uids(all); !slices.Equal(got, []string{"c", "d1", "d2", "d3", "v1", "v2", "v3", "z"}) {
		t.Errorf("a caller for all projects got %v, want got=%v", got,
			[]string{"c", "d1", "d2", "d3", "v1", "v2", "v3", "z"})
	}
	if got := uids(limited); !slices.Equal(got, []string{"d1", "v1", "z"}) {
		t.Errorf("a caller for one project got %v, want got=%v", got, []string{"d1", "v1", "z"})
	}
	again := s.stream("the-secret-of-ada", "", begin)
	s.next(again)
	if got := uids(again); !slices.Equal(got, []string{"d1", "v1", "z"}) {
		t.Errorf("afterwards the caller got %v, want got=%v", got, []string{"d1", "v1", "z"})
	}
}

func TestEvents_RevokedToken_EndsTheStream(t *testing.T) {
	g := graphtest.New(t)
	here, there := run(t, g), run(t, g)
	made := graphtest.Must(here.env.Tokens.Create(t.Context(), tokens.CreateRequest{Name: "eve"}))(t)
	stream, others := there.stream(made.Token, "", ""), there.stream("the-secret-of-reader", "?type=breaker", "")
	there.next(stream)
	there.next(others)
	graphtest.Must(here.env.Tokens.Revoke(t.Context(), tokens.RevokeRequest{Name: "eve"}))(t)
	there.ends(stream)
	if status, _, _ := there.open(made.Token, "", ""); status != http.StatusUnauthorized {
		t.Errorf("a revoked token: got %d, want status=%v", status, http.StatusUnauthorized)
	}
	g.Exec(t, reset, map[string]any{"uid": "after"})
	graphtest.Contains(t, there.next(others).data, "after")
}
