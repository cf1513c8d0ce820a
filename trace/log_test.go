package trace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/trace"
)

func newLog(g *graphtest.Graph) *trace.Log { return trace.NewLog(g.DB, zerolog.Nop()) }

func thought(text string) trace.Event {
	return trace.Event{Type: "thought", Payload: map[string]any{"text": text}}
}

func appended(t *testing.T, l *trace.Log, who trace.SessionSelector, events ...trace.Event) trace.Receipt {
	t.Helper()
	return graphtest.Must(l.Append(t.Context(), who, events...))(t)
}

// intact fails the test if a session was changed; without names it verifies all sessions.
func intact(t *testing.T, l *trace.Log, sessions ...string) trace.Verification {
	t.Helper()
	v, err := l.Verify(t.Context(), trace.VerifyRequest{Sessions: sessions})
	if err != nil || v.Failed() {
		t.Fatalf("got %v %v, want v.Failed()=false", v, err)
	}
	return v
}

func texts(events []trace.Recorded) string {
	var all []string
	for _, e := range events {
		all = append(all, fmt.Sprint(e.Payload["text"]))
	}
	return strings.Join(all, " ")
}

func TestAppend_Events_AreChainedPerSession(t *testing.T) {
	g := graphtest.New(t)
	l := newLog(g)

	t.Run("an event is chained to the one before", func(t *testing.T) {
		who := trace.SessionSelector{Agent: "Ann", SessionID: "chained"}
		first := appended(t, l, who, thought("a"), trace.Event{Type: "query",
			Payload: map[string]any{"n": int64(3), "f": 1.0, "list": []any{"x", nil, true}}})
		second := appended(t, l, who, thought("c"))
		rows := g.Rows(t, "MATCH (s:Session {id: 'chained'})-[:RECORDED]->(e) RETURN e.seq AS seq, e.hash AS hash, e.prev_hash AS prev, e.payload AS payload, s.head AS head, s.count AS count, e.agent AS agent, s.agent AS owner ORDER BY e.seq", nil)
		if len(rows) != 3 || rows[1]["prev"] != rows[0]["hash"] || rows[2]["prev"] != rows[1]["hash"] ||
			rows[0]["head"] != rows[2]["hash"] || rows[0]["count"] != int64(3) {
			t.Errorf("got %v, want len(rows)=3, prev=%v, prev=%v, head=%v, count=3", rows, rows[0]["hash"],
				rows[1]["hash"], rows[2]["hash"])
		}
		if rows[0]["agent"] != "Ann" || rows[0]["owner"] != "ann" ||
			rows[1]["payload"] != `{"f":1.0,"list":["x",null,true],"n":3}` {
			t.Errorf(`got %v, want agent=Ann, owner=ann, payload="{"f":1.0,"list":["x",null,true],"n":3}"`, rows)
		}
		if second.Head != rows[2]["hash"] || second.Events[0].Seq != 2 || first.SessionUID != second.SessionUID ||
			second.SessionID != "chained" {
			t.Errorf("got %+v %+v, want Head=%v, Seq=2, first.SessionUID=%v, SessionID=chained", first, second,
				rows[2]["hash"], second.SessionUID)
		}
		if diff := cmp.Diff(map[string]any{"n": int64(3), "f": 1.0, "list": []any{"x", nil, true}},
			first.Events[1].Payload); diff != "" {
			t.Error(diff)
		}
		intact(t, l, "chained")
	})

	t.Run("the last writer knows the end of the chain, others read it", func(t *testing.T) {
		var sent []string
		db := graph.Open(graph.Options{URI: g.Endpoint.URI, Username: g.Endpoint.Username,
			Password: g.Endpoint.Password, Database: g.Endpoint.Database, Log: zerolog.Nop()})
		defer db.Close(context.Background())
		db.Watches = []graph.StatementObserver{func(ctx context.Context, statement string) (context.Context,
			func(error)) {
			sent = append(sent, strings.TrimPrefix(statement, "trace/"))
			return ctx, func(error) {}
		}}
		graphtest.Must(db.Connect(t.Context()))(t)
		one, other, who := trace.NewLog(db, zerolog.Nop()), newLog(g),
			trace.SessionSelector{Agent: "ann", Workspace: "known"}
		for _, c := range []struct{ meanwhile, want string }{{"", "sessions_open events_append"}, {"", "events_append"},
			{"append", "events_append sessions_open events_append"}, {"", "events_append"},
			{"MATCH (s:Session {workspace: 'known'}) SET s.count = '7', s.was = s.count",
				"events_append sessions_open"}, {"MATCH (s:Session {workspace: 'known'}) SET s.count = s.was",
				"sessions_open events_append"},
			{"MATCH (s:Session {workspace: 'known'}) SET s.ended_at = datetime()",
				"events_append sessions_open events_append"}, {"", "events_append"}} {
			switch c.meanwhile {
			case "":
			case "append":
				appended(t, other, who, thought("between"))
			default:
				g.Exec(t, c.meanwhile, nil)
			}
			sent = nil
			_, err := one.Append(t.Context(), who, thought("a"),
				trace.Event{Type: "action.reported", WithEvent: trace.WithEvent{Verdict: map[string]any{
					"properties": map[string]any{"uid": fmt.Sprint("known-", c.want, len(c.meanwhile), time.Now())},
					"objections": []any{}}}})
			if got := strings.Join(sent, " "); got != c.want || (err != nil) != strings.Contains(c.meanwhile, "'7'") {
				t.Errorf("after %q: %s, want %s: %v", c.meanwhile, got, c.want, err)
			}
		}
		rows := g.Rows(t, "MATCH (s:Session {workspace: 'known'}) WITH collect(s.count) AS counts MATCH (v:Verdict) WHERE v.uid STARTS WITH 'known-' RETURN counts, count(v) AS verdicts", nil)
		if len(rows) != 1 || rows[0]["verdicts"] != int64(7) || len(rows[0]["counts"].([]any)) != 2 {
			t.Errorf("got %v, want len(rows)=1, verdicts=7, len(counts)=2", rows)
		}
	})

	t.Run("an event whose answer was lost is stored once, with its links", func(t *testing.T) {
		p := graphtest.NewProxy(t, g)
		db := graph.Open(graph.Options{URI: "bolt://" + p.Address, Username: g.Endpoint.Username,
			Password: g.Endpoint.Password, Database: g.Endpoint.Database, Log: zerolog.Nop()})
		defer db.Close(context.Background())
		l, who := trace.NewLog(db, zerolog.Nop()), trace.SessionSelector{Agent: "ann", SessionID: "answer lost"}
		with := func(text string) trace.Event {
			e := thought(text)
			e.Verdict = map[string]any{"properties": map[string]any{"uid": "lost " + text}, "objections": []any{}}
			return e
		}
		stored := func() int64 {
			return g.Rows(t, "MATCH (e:TraceEvent)<-[:RECORDED]-(:Session {id: 'answer lost'}) RETURN count(e) AS n",
				nil)[0]["n"].(int64)
		}
		appended(t, l, who, with("a")) // from here on, the log knows the end of the session
		type given struct {
			receipt trace.Receipt
			err     error
		}
		answer := make(chan given, 1)
		p.Mute()
		go func() {
			receipt, err := l.Append(t.Context(), who, with("b"))
			answer <- given{receipt, err}
		}()
		graphtest.Until(t, "the server has carried it out", func() bool { return stored() >= 2 })
		p.Cut()
		got := graphtest.Receive(t, "the append ends", answer)
		if got.err != nil || len(got.receipt.Events) != 1 || got.receipt.Events[0].Seq != 1 {
			t.Fatalf("got %+v, want error=nil, len(Events)=1, Seq=1", got)
		}
		row := g.Rows(t, "MATCH (s:Session {id: 'answer lost'})-[:RECORDED]->(e {seq: 1}) RETURN e.uid AS uid, s.head AS head, COUNT { (v:Verdict) WHERE v.uid STARTS WITH 'lost ' } AS verdicts", nil)[0]
		if stored() != 2 || row["uid"] != got.receipt.Events[0].UID || row["head"] != got.receipt.Head ||
			row["verdicts"] != int64(2) {
			t.Errorf("got %d events, row %v, receipt %+v, want 2 events and the receipt's head", stored(), row,
				got.receipt)
		}
		p.Cut() // the lost event is written exactly once
		if next := appended(t, l, who, with("c")); next.Events[0].Seq != 2 || stored() != 3 {
			t.Errorf("%+v, %d events", next, stored())
		}
		intact(t, l, "answer lost")
	})

	t.Run("an event whose caller has given up is not stored", func(t *testing.T) {
		l, who := newLog(g), trace.SessionSelector{Agent: "ann", Workspace: "given up"}
		appended(t, l, who, thought("a"))
		blocked := func() int {
			return len(g.Rows(t, "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN status",
				nil))
		}
		add := func(ctx context.Context, text string) chan error {
			answer, event := make(chan error, 1), thought(text)
			event.Verdict = map[string]any{"properties": map[string]any{"uid": "given up " + text},
				"objections": []any{}}
			go func() {
				_, err := l.Append(ctx, who, event)
				answer <- err
			}()
			return answer
		}
		release := g.Hold(t, "MATCH (s:Session {workspace: 'given up'}) SET s.held = true")
		brief, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		if err := graphtest.Receive(t, "the write ends with its caller's time",
			add(brief, "while it was written")); err == nil {
			t.Error("an event of a locked session was stored, want an error")
		}
		graphtest.Until(t, "the server ends the transaction", func() bool { return blocked() == 0 })
		stays := add(t.Context(), "stays")
		graphtest.Until(t, "the event waits for the lock", func() bool { return blocked() > 0 })
		leaving, leave := context.WithCancel(t.Context())
		gone := add(leaving, "while it waited")
		l.AppendAsync(leaving, who, thought("without a caller"))
		leave()
		if err := graphtest.Receive(t, "the wait ends", gone); err == nil {
			t.Error("an event that waits was stored, want an error")
		}
		release()
		if err := graphtest.Receive(t, "the event is stored", stays); err != nil {
			t.Error(err)
		}
		l.Close(t.Context())
		rows := g.Rows(t, "MATCH (v:Verdict) WHERE v.uid STARTS WITH 'given up' RETURN v.uid AS uid", nil)
		if len(rows) != 1 || rows[0]["uid"] != "given up stays" {
			t.Errorf("got verdicts %v, want only that of the caller who stays", rows)
		}
		golden.Equal[any](t, "events", g.Rows(t, "MATCH (:Session {workspace: 'given up'})-[:RECORDED]->(e) RETURN count(e) AS n",
			nil)[0]["n"], int64(3))
	})

	t.Run("a session that is named and ambient keeps the order of calls", func(t *testing.T) {
		l, ambient := newLog(g), trace.SessionSelector{Agent: "ann", Workspace: "two names"}
		first := appended(t, l, ambient, thought("a"))
		ambient.SessionUID = first.SessionUID
		named := ambient
		named.SessionID = first.SessionID
		want := []string{"thought"}
		for i := range 20 {
			l.AppendAsync(t.Context(), named, trace.Event{Type: "approval.granted", Payload: map[string]any{}})
			check := trace.Event{Type: "check", Payload: map[string]any{}}
			check.Verdict = map[string]any{"properties": map[string]any{"uid": fmt.Sprint("two names ", i)},
				"objections": []any{}}
			appended(t, l, ambient, check)
			want = append(want, "approval.granted", "check")
		}
		var got []string
		for _, row := range g.Rows(t, "MATCH (:Session {uid: $uid})-[:RECORDED]->(e) RETURN e.type AS type ORDER BY e.seq", map[string]any{"uid": first.SessionUID}) {
			got = append(got, row["type"].(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})

	t.Run("64 callers on one session", func(t *testing.T) {
		many(t, 64, 20, l)
	})
	t.Run("two processes on one session", func(t *testing.T) {
		many(t, 16, 40, l, newLog(g))
	})

	t.Run("the ambient session belongs to an agent in a workspace", func(t *testing.T) {
		ann := appended(t, l, trace.SessionSelector{Agent: "ann", Workspace: "w"}, thought("a"))
		for name, other := range map[string]struct {
			who  trace.SessionSelector
			same bool
		}{
			"the same":         {trace.SessionSelector{Agent: "ann", Workspace: "w"}, true},
			"another spelling": {trace.SessionSelector{Agent: " Ann ", Workspace: "w"}, true},
			"its uid as a session id": {trace.SessionSelector{Agent: "ann", Workspace: "elsewhere",
				SessionID: ann.SessionUID}, true},
			"another agent":     {trace.SessionSelector{Agent: "bob", Workspace: "w"}, false},
			"another workspace": {trace.SessionSelector{Agent: "ann", Workspace: "w2"}, false},
			"a session id": {trace.SessionSelector{Agent: "ann", Workspace: "w", SessionID: "mine"},
				false},
			"nobody in no workspace":    {trace.SessionSelector{}, false},
			"somebody called like that": {trace.SessionSelector{Agent: "w", Workspace: "ann"}, false},
		} {
			golden.Equal(t, fmt.Sprint(name, " has the session of ann, ", ann.SessionUID),
				appended(t, newLog(g), other.who, thought("b")).SessionUID == ann.SessionUID, other.same)
		}
		if ann.SessionID != ann.SessionUID {
			t.Errorf("got %+v, want SessionID=%v", ann, ann.SessionUID)
		}
	})

	t.Run("spellings of one agent that come at once share a new session", func(t *testing.T) {
		l := newLog(g)
		for i := range 20 {
			l.AppendAsync(t.Context(), trace.SessionSelector{Agent: []string{"Spelled", "spelled"}[i%2]}, thought("a"))
		}
		l.Close(t.Context())
		if list, err := l.Sessions(t.Context(), trace.SessionFilter{AgentID: "spelled"}); err != nil ||
			len(list.Sessions) != 1 || list.Sessions[0].Events != 20 {
			t.Errorf("got %+v %v, want len(Sessions)=1, Events=20", list, err)
		}
	})

	t.Run("an ambient session ends by being idle or ended", func(t *testing.T) {
		who := trace.SessionSelector{Agent: "idle", Workspace: "w"}
		first := appended(t, l, who, thought("a"))
		g.Exec(t, "MATCH (s:Session {uid: $uid}) SET s.last_at = datetime() - duration('PT29M')",
			map[string]any{"uid": first.SessionUID})
		golden.Equal(t, "the session after 29 minutes", appended(t, l, who, thought("b")).SessionUID, first.SessionUID)
		g.Exec(t, "MATCH (s:Session {uid: $uid}) SET s.last_at = datetime() - duration('PT31M')",
			map[string]any{"uid": first.SessionUID})
		golden.Equal(t, "pending of a session that is over", graphtest.Must(l.Pending(t.Context(), who))(t).SessionUID,
			"")
		second := appended(t, l, who, thought("c"))
		if second.SessionUID == first.SessionUID {
			t.Error("31 minutes did not end it")
		}
		g.Exec(t, "MATCH (s:Session {uid: $uid}) SET s.ended_at = datetime()", map[string]any{"uid": second.SessionUID})
		if third := appended(t, l, who, thought("d")); third.SessionUID == first.SessionUID ||
			third.SessionUID == second.SessionUID {
			t.Error("an ended session goes on")
		}
	})

	t.Run("a session has one agent", func(t *testing.T) {
		appended(t, l, trace.SessionSelector{Agent: "ann", SessionID: "ann's"}, thought("mine"))
		var wait sync.WaitGroup
		errs := make([]error, 20)
		for i := range errs { // a group contains refused and accepted calls
			wait.Go(func() {
				_, errs[i] = l.Append(t.Context(), trace.SessionSelector{Agent: []string{"ann", "bob"}[i%2],
					SessionID: "ann's"}, thought("x"))
			})
		}
		wait.Wait()
		for i, err := range errs {
			if i%2 == 0 && err != nil || i%2 == 1 && (!apperr.Is(err, apperr.Conflict) ||
				!strings.Contains(err.Error(), "Leave `session_id` out")) {
				t.Errorf("caller %d: %v", i, err)
			}
		}
		if _, err := l.Pending(t.Context(), trace.SessionSelector{Agent: "bob", SessionID: "ann's"}); !apperr.Is(err,
			apperr.Conflict) {
			t.Errorf("pending: %v", err)
		}
		golden.Equal(t, "events", intact(t, l, "ann's").Events, 11)
	})

	t.Run("an event that cannot be stored does not fail others", func(t *testing.T) {
		appended(t, l, trace.SessionSelector{Agent: "ann", SessionID: "blocked"}, thought("a"))
		g.Exec(t, "MATCH (s:Session {id: 'blocked'}) CREATE (:TraceEvent {uid: 'by hand', session: s.uid, seq: s.count})", nil)
		var wait sync.WaitGroup
		for i := range 20 {
			wait.Go(func() {
				who := trace.SessionSelector{Agent: "ann", SessionID: []string{"blocked", "free"}[i%2]}
				if _, err := l.Append(t.Context(), who, thought("x")); (i%2 == 0) != apperr.Is(err, apperr.Conflict) {
					t.Errorf("%s: got %v, want (i%%2 == 0)=apperr.Is(err, apperr.Conflict)", who.SessionID, err)
				}
			})
		}
		wait.Wait()
		g.Exec(t, "MATCH (e:TraceEvent {uid: 'by hand'}) DELETE e", nil)
		golden.Equal(t, "events", intact(t, l, "blocked", "free").Events, 11)
	})

	t.Run("a locked session loses no event of others", func(t *testing.T) {
		l := newLog(g)
		l.SetWriteLimit(5 * time.Second)
		locked, free := trace.SessionSelector{Agent: "ann", SessionID: "held by another"},
			trace.SessionSelector{Agent: "ann", SessionID: "beside it"}
		appended(t, l, locked, thought("a"))
		appended(t, l, free, thought("a"))
		release := g.Hold(t, "MATCH (s:Session {id: 'held by another'}) SET s.held = true")
		for _, who := range []trace.SessionSelector{locked, locked, free, locked, free} {
			l.AppendAsync(t.Context(), who, thought("b"))
		}
		l.Close(t.Context())
		release()
		for id, want := range map[string]int64{"held by another": 1, "beside it": 3} {
			golden.Equal[any](t, id+": events", g.Rows(t, "MATCH (:Session {id: $id})-[:RECORDED]->(e) RETURN count(e) AS n",
				map[string]any{"id": id})[0]["n"], want)
		}
	})

	t.Run("events are stored in order, and Close waits for all", func(t *testing.T) {
		l, who := newLog(g), trace.SessionSelector{Agent: "ann", SessionID: "ordered"}
		want := ""
		for i := range 200 {
			l.AppendAsync(t.Context(), who, thought(fmt.Sprint(i)))
			want += fmt.Sprint(i) + " "
		}
		receipt := appended(t, l, who, thought("then"))
		if receipt.Events[0].Seq != 200 {
			t.Errorf("got %+v, want Seq=200", receipt)
		}
		l.AppendAsync(t.Context(), who, thought("last"))
		pending, err := l.Pending(t.Context(), who)
		if err != nil || texts(pending.Events) != want+"then last" || pending.SessionID != "ordered" {
			t.Errorf("got %s %v, want texts(pending.Events)=%v, SessionID=ordered", texts(pending.Events), err, want+
				"then last")
		}
		ctx, leave := context.WithCancel(t.Context())
		l.AppendAsync(ctx, who, thought("and away"))
		leave() // ends the context of all calls, as at the end of a program
		l.Close(t.Context())
		golden.Equal(t, "events", intact(t, newLog(g), "ordered").Events, 203)
	})

	t.Run("pending events belong to no decision", func(t *testing.T) {
		who := trace.SessionSelector{Agent: "ann", SessionID: "pending"}
		if d, err := l.Pending(t.Context(), who); err != nil || d.SessionUID != "" || len(d.Events) > 0 {
			t.Errorf(`got %+v %v, want SessionUID="", no Events`, d, err)
		}
		receipt := appended(t, l, who, thought("a"), thought("b"), thought("c"))
		g.Exec(t, "MATCH (s:Session {id: 'pending'}) SET s.consumed = 1 CREATE (:Decision {uid: 'd1', id: '00000001'})",
			nil)
		later := thought("later")
		later.Decision = "d1"
		for step := range int64(3) {
			golden.Equal(t, "step", appended(t, l, who, later).Events[0].Step, step+1)
		}
		lost := thought("lost")
		lost.Decision = "no such decision"
		golden.Equal(t, "step", appended(t, l, who, lost).Events[0].Step, 0)
		d, err := l.Pending(t.Context(), who)
		if err != nil || texts(d.Events) != "b c lost" || d.Events[0].UID != receipt.Events[1].UID ||
			!d.Events[0].At.Equal(receipt.Events[1].At) {
			t.Errorf(`got %s %v, want texts(d.Events)="b c lost", UID=%v, d.Events[0].At.Equal(receipt.Events[1].At)=true`, texts(d.Events), err, receipt.Events[1].UID)
		}
		g.Exec(t, "MATCH (s:Session {id: 'pending'}) SET s.consumed = s.count", nil)
		if d, err = l.Pending(t.Context(), who); err != nil || d.SessionUID == "" || len(d.Events) > 0 {
			t.Errorf("got %+v %v, want a SessionUID, no Events", d, err)
		}
	})

	t.Run("secrets are masked before they are hashed and kept", func(t *testing.T) {
		const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
		receipt := appended(t, l, trace.SessionSelector{Agent: "agent " + secret, Workspace: secret,
			SessionID: "secrets"},
			trace.Event{Type: "thought", Payload: map[string]any{"text": "it is " + secret, "password": "hunter2",
				"nested": []any{map[string]any{secret: 1}}}})
		result, err := json.Marshal([]any{g.Rows(t, "MATCH (s:Session {id: 'secrets'})-[:RECORDED]->(e) MATCH (a:Agent {key: s.agent}) RETURN properties(s), properties(e), properties(a)", nil), receipt})
		if err != nil || strings.Contains(string(result), secret) || strings.Contains(string(result), "hunter2") ||
			!strings.Contains(string(result), "[redacted]") {
			t.Errorf("got %s %v, want result without %v, result without hunter2, result with [redacted]", result, err,
				secret)
		}
		intact(t, l, "secrets")
	})

	t.Run("payloads that are too long or not JSON", func(t *testing.T) {
		receipt := appended(t, l, trace.SessionSelector{Agent: "ann", SessionID: "long"},
			thought(strings.Repeat("ä", 1<<20)))
		if text := receipt.Events[0].Payload["text"].(string); len(text) > 64<<10 ||
			!strings.HasSuffix(text, "of 2097152 bytes]") {
			t.Errorf("got %d bytes ending in %s, want at most 64 KiB and a note of the full length", len(text),
				text[len(text)-50:])
		}
		for name, who := range map[string]trace.SessionSelector{"agent": {Agent: strings.Repeat("a", 201)},
			"session":   {SessionID: strings.Repeat("a", 201)},
			"workspace": {Workspace: strings.Repeat("a", 1001)}, "secret": {SessionID: "password=hunter2hunter2"}} {
			if _, err := l.Append(t.Context(), who, thought("a")); !apperr.Is(err, apperr.Validation) {
				t.Errorf("%s: got %v, want %s", name, err, apperr.Validation)
			}
		}
		if _, err := l.Append(t.Context(), trace.SessionSelector{},
			trace.Event{Payload: map[string]any{"f": func() {}}}); !apperr.Is(err, apperr.Validation) {
			t.Error(err)
		}
		intact(t, l, "long")
	})

	t.Run("time does not go back", func(t *testing.T) {
		who := trace.SessionSelector{Agent: "ann", SessionID: "future"}
		first := appended(t, l, who, thought("a"))
		g.Exec(t, "MATCH (e:TraceEvent {uid: $uid}) SET e.at = datetime('2999-01-01T00:00:00Z')",
			map[string]any{"uid": first.Events[0].UID})
		golden.Equal(t, "year", appended(t, newLog(g), who, thought("b")).Events[0].At.Year(), 2999)
		g.Exec(t, "MATCH (s:Session {id: 'future'}) OPTIONAL MATCH (s)-[:RECORDED]->(e) DETACH DELETE s, e", nil)
	})

	t.Run("lists", func(t *testing.T) { lists(t, g, l) })

	if v := intact(t, l); v.Sessions < 10 || v.Events < 2000 {
		t.Errorf("got %+v, want Sessions at least 10, Events at least 2000", v)
	}
}

// many appends to one session through each of the logs concurrently, as processes would, while the session is verified.
func many(t *testing.T, callers, calls int, logs ...*trace.Log) {
	who := trace.SessionSelector{Agent: "many", Workspace: t.Name()}
	first := appended(t, logs[0], who, thought("first"))
	var wait sync.WaitGroup
	for _, l := range logs {
		for range callers {
			wait.Go(func() {
				last := int64(0)
				for i := range calls {
					receipt, err := l.Append(t.Context(), who, thought(fmt.Sprint(i)))
					if err != nil {
						t.Error(err)
						return
					}
					if receipt.SessionUID != first.SessionUID || receipt.Events[0].Seq <= last {
						t.Errorf("%+v after %d", receipt, last)
					}
					last = receipt.Events[0].Seq
				}
			})
		}
	}
	intact(t, logs[0], first.SessionUID)
	wait.Wait()
	golden.Equal(t, "events left", intact(t, logs[0], first.SessionUID).Events, int64(len(logs)*callers*calls+1))
}

func lists(t *testing.T, g *graphtest.Graph, l *trace.Log) {
	for i := range 7 {
		appended(t, l, trace.SessionSelector{Agent: "Lister", SessionID: fmt.Sprintf("list-%d", i)}, thought("a"),
			thought("b"), thought("c"))
	}
	g.Exec(t, "MATCH (s:Session {agent: 'lister'}) SET s.last_at = datetime()", nil) // all sessions have the same time
	for _, agent := range []string{"LISTER", ""} {
		filter, seen := trace.SessionFilter{AgentID: agent, Limit: 3}, map[string]bool{}
		for page := 0; ; page++ {
			list, err := l.Sessions(t.Context(), filter)
			if err != nil || len(list.Sessions) > 3 {
				t.Fatalf("got %+v %v, want len(Sessions) at most 3", list, err)
			}
			for i, s := range list.Sessions {
				if seen[s.SessionID] || s.Events == 0 || s.Head == "" || i > 0 &&
					s.LastAt.After(list.Sessions[i-1].LastAt) {
					t.Errorf("got %+v, want seen[s.SessionID]=false, nonzero Events, non-empty Head, not i > 0 && s.LastAt.After(list.Sessions[i-1].LastAt)", s)
				}
				seen[s.SessionID] = true
			}
			if filter.Cursor = list.NextCursor; filter.Cursor == "" {
				break
			}
		}
		all := int64(7)
		if agent == "" {
			all = g.Rows(t, "MATCH (s:Session) RETURN count(s) AS n", nil)[0]["n"].(int64)
		}
		if int64(len(seen)) != all {
			t.Errorf("%q: %d of %d", agent, len(seen), all)
		}
	}
	page, err := l.Session(t.Context(), trace.SessionQuery{SessionID: "list-0", Limit: 2})
	if err != nil || len(page.Events) != 2 || page.Events[1].Payload["text"] != "b" || page.Session.Events != 3 {
		t.Fatalf("got %+v %v, want len(page.Events)=2, text=b, page.Session.Events=3", page, err)
	}
	page, err = l.Session(t.Context(), trace.SessionQuery{SessionID: page.Session.UID, Cursor: page.NextCursor})
	if err != nil || len(page.Events) != 1 || page.Events[0].Payload["text"] != "c" || page.NextCursor != "" {
		t.Errorf(`got %+v %v, want len(Events)=1, text=c, NextCursor=""`, page, err)
	}
	if _, err := l.Session(t.Context(), trace.SessionQuery{SessionID: "nowhere"}); !apperr.Is(err, apperr.NotFound) {
		t.Error(err)
	}
	if _, err := l.Session(t.Context(), trace.SessionQuery{SessionID: "list-0", Cursor: "x"}); !apperr.Is(err,
		apperr.Validation) {
		t.Error(err)
	}
	if _, err := l.Sessions(t.Context(), trace.SessionFilter{Cursor: "x"}); !apperr.Is(err, apperr.Validation) {
		t.Error(err)
	}
}
