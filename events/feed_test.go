package events_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/rs/zerolog"

	"nomograph/decisions"
	"nomograph/events"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/internal/uid"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/sessions"
	"nomograph/tools/toolstest"
)

// timeout is far longer than any step takes, even on a busy machine.
const timeout = 2 * time.Minute

func subscribe(t *testing.T, ctx context.Context, f *events.Feed, filter events.Filter,
	after string) *events.Subscription {
	t.Helper()
	s := graphtest.Must(attempt(ctx, f, filter, after))(t)
	t.Cleanup(s.Close)
	return s
}

func attempt(ctx context.Context, f *events.Feed, filter events.Filter, after string) (*events.Subscription, error) {
	types, err := filter.ChosenTypes()
	if err != nil {
		return nil, err
	}
	q := events.Query{Filter: filter, Types: types}
	if after != "" {
		p, err := events.ParsePosition(after)
		if err != nil {
			return nil, err
		}
		q.After = &p
	}
	return f.Subscribe(ctx, q)
}

func next(t *testing.T, s *events.Subscription) (*events.Event, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	e, position, err := s.Next(ctx)
	graphtest.OK(t, err)
	return e, position
}

// nothing asserts that no committed event is pending: a marker committed now must be the next event.
func nothing(t *testing.T, g *graphtest.Graph, s *events.Subscription) string {
	t.Helper()
	marker := uid.New()
	g.Exec(t, "CREATE (:CircuitReset {uid: $uid, at: datetime(), scope: 'marker', by: 'nobody'})",
		graph.Params{"uid": marker})
	e, position := next(t, s)
	if !strings.HasSuffix(e.ID, marker) {
		t.Errorf("got %s of %+v %+v, want the marker", e.Type, e.Verdict, e.Change)
	}
	return position
}

func TestFeed_Change_IsPublished(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'x', value: 1}), (:SYS_Policy {name: 'p', active: true, circuit_scope: 'deploys'})", nil)
	graphtest.Must(env.History.Sync(t.Context()))(t)
	s := subscribe(t, t.Context(), env.Feed, events.Filter{}, "")
	received := func(t *testing.T, want string) *events.Event {
		t.Helper()
		e, _ := next(t, s)
		if text, err := e.JSON(); e.Type != want || err != nil || !json.Valid(text) {
			t.Fatalf("got %s, want %s: %s %v", e.Type, want, text, err)
		}
		return e
	}
	t.Run("a threshold that was set", func(t *testing.T) {
		graphtest.Must(env.Change.SetThreshold(t.Context(),
			change.ThresholdChange{Name: "x", Value: policies.ValueOf(int64(2)), Reason: "tried",
				By: "ada"}))(t)
		e := received(t, events.ThresholdChanged)
		if c := e.Change; c.Of != "threshold" || c.Name != "x" || c.By != "ada" || c.Kind != "applied" ||
			fmt.Sprint(c.Changes["value"]) != "{1 2}" {
			t.Errorf(`got %+v, want Of=threshold, Name=x, By=ada, Kind=applied, value="{1 2}"`, c)
		}
	})
	t.Run("manual edits: changed, created, deleted", func(t *testing.T) {
		for i, edit := range []string{"MATCH (t:SYS_Threshold {name: 'x'}) SET t.value = 3",
			"CREATE (:SYS_Threshold {name: 'y', value: 1})", "MATCH (t:SYS_Threshold {name: 'y'}) DETACH DELETE t"} {
			g.Exec(t, edit, nil)
			e := received(t, events.ThresholdChanged)
			if c := e.Change; c.Kind != "observed" || c.Name != []string{"x", "y", "y"}[i] || (c.To == "") != (i == 2) {
				t.Errorf("%s: got %+v, want an observed change of the edited threshold", edit, c)
			}
		}
	})
	t.Run("a verdict", func(t *testing.T) {
		graphtest.Must(env.Checks.Check(t.Context(), check.ActionCheck{Description: "Deploy", Project: "acme/shop",
			AgentID: "bot"}))(t)
		if v := received(t, events.VerdictGiven).Verdict; !v.Allowed || v.Project != "acme/shop" ||
			v.Description != "Deploy" {
			t.Errorf("got %+v, want Allowed=true, Project=acme/shop, Description=Deploy", v)
		}
	})
	t.Run("a decision, its update and its review", func(t *testing.T) {
		d := toolstest.Record(t, env, decisions.Record{Decision: "Use Neo4j", Stakes: "high"})
		first, _ := next(t, s)
		second, _ := next(t, s)
		types := []string{first.Type, second.Type} // its verdict has an earlier time
		if slices.Sort(types); !slices.Equal(types, []string{events.DecisionRecorded, events.VerdictGiven}) {
			t.Errorf("got types %v, want a recorded decision and its verdict", types)
		}
		graphtest.Must(env.Decisions.Review(t.Context(),
			decisions.Outcome{ID: d.ID, Outcome: "success", Session: decisions.Session{By: "eve"}}))(t)
		if e := received(t, "decision.reviewed"); e.Review.Outcome != "success" || e.Review.By != "eve" ||
			e.Decision.ID != d.ID || e.Decision.Outcome != "success" {
			t.Errorf("got review %+v of %+v, want success by eve", e.Review, e.Decision)
		}
		graphtest.Must(env.Decisions.Retract(t.Context(),
			decisions.Retraction{ID: d.ID, Reason: "wrong window",
				Caller: decisions.Caller{Session: decisions.Session{By: "eve"}}}))(t)
		if e := received(t, "decision.updated"); e.Revision.Why != "wrong window" || !e.Decision.Retracted {
			t.Errorf("got revision %+v of %+v, want the retraction", e.Revision, e.Decision)
		}
	})
	nothing(t, g, s)
}

// verdict writes a verdict with a time in the past.
func verdict(t *testing.T, run func(query string, p graph.Params), uid string, ago time.Duration, more graph.Params) {
	t.Helper()
	run("CREATE (v:Verdict {uid: $uid, at: datetime() - duration({milliseconds: $ago}), allowed: true, agent: 'bot', stakes: 'low'}) SET v += $more",
		graph.Params{"uid": uid, "ago": ago.Milliseconds(), "more": more})
}

func TestFeed_ConcurrentWriters_DeliverEachEventOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, env := toolstest.Open(t)
	another := graph.Open(graph.Options{URI: g.Endpoint.URI, Username: g.Endpoint.Username,
		Password: g.Endpoint.Password, Database: g.Endpoint.Database, Log: zerolog.Nop()})
	t.Cleanup(func() { _ = another.Close(context.Background()) })
	servers := []*events.Feed{env.Feed, events.New(another, toolstest.App(t, another).History, zerolog.Nop())}
	direct := func(query string, p graph.Params) { g.Exec(t, query, p) }

	t.Run("late commits reach subscribers here and at another server", func(t *testing.T) {
		filter := events.Filter{Types: []string{"verdict", "breaker"}}
		stays := subscribe(t, t.Context(), servers[0], filter, "")
		goes := subscribe(t, t.Context(), servers[0], filter, "")
		session := g.Driver.NewSession(t.Context(), neo4j.SessionConfig{DatabaseName: g.Endpoint.Database})
		defer func() { _ = session.Close(context.Background()) }()
		tx := graphtest.Must(session.BeginTransaction(t.Context()))(t)
		verdict(t, func(query string, p graph.Params) {
			graphtest.Must(tx.Run(t.Context(), query, p))(t)
		}, "late", 30*time.Second, nil)
		verdict(t, direct, "early", 40*time.Second, nil) // older, and known already
		next(t, stays)
		next(t, goes)
		verdict(t, direct, "new", 0, nil)
		next(t, stays)
		e, position := next(t, goes)
		if !strings.HasSuffix(e.ID, "/new") {
			t.Fatalf("got %s, want ending with /new", e.ID)
		}
		goes.Close()
		graphtest.OK(t, tx.Commit(t.Context()))
		if e, _ := next(t, stays); !strings.HasSuffix(e.ID, "/late") {
			t.Errorf("open feed: got %s, want /late", e.ID)
		}
		again := subscribe(t, t.Context(), servers[1], filter, position)
		if e, position = next(t, again); !strings.HasSuffix(e.ID, "/late") {
			t.Errorf("resumed feed: got %s, want /late", e.ID)
		}
		again.Close()
		again = subscribe(t, t.Context(), servers[0], filter, position)
		position = nothing(t, g, again)
		nothing(t, g, subscribe(t, t.Context(), servers[1], filter, position))
		bare, _, _ := strings.Cut(position, "~") // event id without the known events around it
		unmarked := subscribe(t, t.Context(), servers[1], filter, bare)
		next(t, unmarked) // the earlier marker
		nothing(t, g, unmarked)
	})

	t.Run("while many write and a subscriber changes servers", func(t *testing.T) {
		const writers, each = 4, 30
		filter := events.Filter{Types: []string{"verdict"}, Project: "acme/shop"}
		s := subscribe(t, t.Context(), servers[0], filter, "")
		position := s.Position()
		wrote := make(chan error, writers)
		for w := range writers {
			go func() {
				random := rand.New(rand.NewPCG(uint64(w), 7))
				session := g.Driver.NewSession(context.Background(),
					neo4j.SessionConfig{DatabaseName: g.Endpoint.Database})
				defer func() { _ = session.Close(context.Background()) }()
				for i := range each {
					_, err := session.ExecuteWrite(context.Background(),
						func(tx neo4j.ManagedTransaction) (any, error) {
							_, err := tx.Run(context.Background(), "CREATE (:Verdict {uid: $uid, at: datetime(), allowed: true, agent: 'bot', stakes: 'low', project: $project})",
								graph.Params{"uid": fmt.Sprintf("%d-%d", w, i),
									"project": []string{"acme/shop", "other"}[i%5/4]})
							time.Sleep(time.Duration(random.IntN(40)) * time.Millisecond) // committed with that delay
							return nil, err
						})
					if err != nil {
						wrote <- err
						return
					}
				}
				wrote <- nil
			}()
		}
		received := map[string]int{}
		random := rand.New(rand.NewPCG(1, 2))
		for len(received) < writers*each*4/5 {
			for range random.IntN(7) {
				ctx, cancel := context.WithTimeout(t.Context(), timeout)
				e, p, err := s.Next(ctx)
				cancel()
				if err != nil {
					t.Fatalf("got %v after %d events, want no error", err, len(received))
				}
				received[e.ID]++
				position = p
				if len(received) == writers*each*4/5 {
					break
				}
			}
			s.Close()
			s = subscribe(t, t.Context(), servers[random.IntN(2)], filter, position)
		}
		for range writers {
			graphtest.OK(t, graphtest.Receive(t, "a writer ends", wrote))
		}
		for id, times := range received {
			if times > 1 {
				t.Errorf("got %s %d times, want once", id, times)
			}
		}
	})

	t.Run("more events than one statement returns, and invalid positions", func(t *testing.T) {
		filter := events.Filter{Types: []string{"verdict"}, AgentID: "bulk"}
		s := subscribe(t, t.Context(), servers[0], filter, "")
		position := s.Position()
		const many = 5000
		g.Exec(t, "UNWIND range(1, $many) AS i CREATE (:Verdict {uid: 'bulk' + i, at: datetime(), allowed: true, agent: 'bulk'})", graph.Params{"many": many})
		var err error
		for received := 0; err == nil; received++ { // a subscriber that reads nothing until its queue is full
			for started := time.Now(); s.Waiting() < 1024 && time.Since(started) < timeout; {
				time.Sleep(10 * time.Millisecond)
			}
			_, position, err = advance(t, s, position)
		}
		if !errors.Is(err, events.ErrSlow) {
			t.Errorf("it ends with %v", err)
		}
		s = subscribe(t, t.Context(), servers[1], filter, position)
		seen := map[string]bool{}
		for range many {
			e, p := next(t, s)
			seen[e.ID], position = true, p
		}
		golden.Equal(t, "different values", len(seen), many)
		for text, code := range map[string]apperr.Code{"7": apperr.Validation, "now/x": apperr.Validation, position +
			"x": apperr.Validation,
			"2020-01-01T00:00:00Z/x": apperr.NotFound} {
			if _, err := attempt(t.Context(), servers[0], filter, text); !apperr.Is(err, code) {
				t.Errorf("%s gives %v", text, err)
			}
		}
		if _, err := attempt(t.Context(), servers[0], events.Filter{Types: []string{"threshold", "weather"}},
			""); !apperr.Is(err, apperr.Validation) {
			t.Errorf("an unknown type gives %v", err)
		}
	})
}

// advance receives an event if there is one.
func advance(t *testing.T, s *events.Subscription, before string) (*events.Event, string, error) {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	e, position, err := s.Next(ctx)
	if err != nil {
		return nil, before, err
	}
	return e, position, nil
}

func TestSubscribe_RestrictedCaller_GetsVisibleEvents(t *testing.T) {
	g, env := toolstest.Open(t)
	write := func() {
		g.Exec(t, `CREATE (:Verdict {uid: 'v1', at: datetime(), allowed: true, agent: 'Ada', project: 'acme/shop', stakes: 'low', category: 'security'}),
			(:Verdict {uid: 'v2', at: datetime(), allowed: false, agent: 'bob', project: 'acme/other', stakes: 'high', objections: ['r1']}),
			(:Decision {uid: 'd1', id: 'aaaaaaa1', decision: 'Shown', created_at: datetime(), project: 'Acme/Shop', agent: 'bob', visibility: 'project', category: 'security', stakes: 'high'}),
			(:Decision {uid: 'd2', id: 'aaaaaaa2', decision: 'Private', created_at: datetime(), project: 'acme/shop', agent: 'bob', visibility: 'private', stakes: 'low'})
				-[:HAS_REVIEW]->(:Review {uid: 'r1', at: datetime(), by: 'ada', outcome: 'success', number: 1}),
			(:Decision {uid: 'd3', id: 'aaaaaaa3', decision: 'Own', created_at: datetime(), project: 'acme/shop', agent: 'ada', visibility: 'private', stakes: 'low'}),
			(:Decision {uid: 'd4', id: 'aaaaaaa4', decision: 'Of nothing', created_at: datetime(), agent: 'ada', visibility: 'shared', stakes: 'low'}),
			(:Review {uid: 'orphan', at: datetime()}), (:Decision {uid: 'd5', id: 'aaaaaaa5', decision: 'To come', created_at: datetime() + duration('P1D'), agent: 'ada'}),
			(:CircuitReset {uid: 'c1', at: datetime(), by: 'ada', scope: 'deploys'}), (:SYS_Change {uid: 'n1', at: datetime(), label: 'SYS_Policy', name: 'p', kind: 'applied', by: 'ada', why: ''})`, nil)
	}
	limited := caller.With(t.Context(), caller.Caller{Name: "ada", Authenticated: true, Permissions: caller.Permissions,
		Projects: []string{"acme/shop"}})
	yes, no := true, false
	tests := []struct {
		name   string
		ctx    context.Context
		filter events.Filter
		want   string
	}{
		{"everything", t.Context(), events.Filter{}, "c1 d1 d2 d3 d4 n1 r1 v1 v2"},
		{"one type", t.Context(), events.Filter{Types: []string{"decision.reviewed"}}, "r1"},
		{"types that begin so", t.Context(), events.Filter{Types: []string{"decision", "policy"}}, "d1 d2 d3 d4 n1 r1"},
		{"a project, however it is written", t.Context(), events.Filter{Project: "ACME/shop"}, "d1 d2 d3 r1 v1"},
		{"an agent", t.Context(), events.Filter{AgentID: "ada"}, "c1 d3 d4 n1 r1 v1"},
		{"a category", t.Context(), events.Filter{Category: "security"}, "d1 v1"},
		{"stakes", t.Context(), events.Filter{Stakes: []string{"high", "critical"}}, "d1 v2"},
		{"allowed", t.Context(), events.Filter{Allowed: &yes}, "v1"},
		{"denied", t.Context(), events.Filter{Allowed: &no}, "v2"},
		{"a rule", t.Context(), events.Filter{Rule: "r1"}, "v2"},
		{"a name", t.Context(), events.Filter{Name: "p"}, "n1"},
		{"a breaker", t.Context(), events.Filter{Name: "deploys"}, "c1"},
		{"an outcome", t.Context(), events.Filter{Outcome: "success"}, "r1"},
		{"two conditions", t.Context(), events.Filter{Project: "acme/shop", Stakes: []string{"low"}}, "d2 d3 r1 v1"},
		{"a caller who sees one project", limited, events.Filter{}, "c1 d1 d3 n1 v1"},
		{"a caller who asks for another", limited, events.Filter{Project: "acme/other"}, ""},
	}
	var subscriptions []*events.Subscription
	begin := time.Now().UTC().Add(-time.Minute).Format(time.RFC3339Nano) + "/"
	for _, tt := range tests {
		subscriptions = append(subscriptions, subscribe(t, tt.ctx, env.Feed, tt.filter, ""))
	}
	write()
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for how, s := range map[string]*events.Subscription{"live": subscriptions[i],
				"afterwards": subscribe(t, tt.ctx, env.Feed, tt.filter, begin)} {
				var got []string
				for len(got) < len(strings.Fields(tt.want)) {
					e, _ := next(t, s)
					_, uid, _ := strings.Cut(e.ID, "/")
					got = append(got, uid)
				}
				if slices.Sort(got); strings.Join(got, " ") != tt.want {
					t.Errorf("%s: got %v, want %s", how, got, tt.want)
				}
				wait, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				if e, _, err := s.Next(wait); err == nil {
					t.Errorf("%s: got extra event %s", how, e.ID)
				}
				cancel()
			}
		})
	}
}

func TestFeed_LastSubscriberLeaves_ReaderStops(t *testing.T) {
	env := toolstest.App(t, toolstest.Unavailable(t))
	if _, err := attempt(t.Context(), env.Feed, events.Filter{}, ""); !apperr.Is(err, apperr.Unavailable) ||
		!env.Feed.Idle() {
		t.Errorf("without a database: %v", err)
	}
	_, env = toolstest.Open(t)
	var subscriptions []*events.Subscription
	for range 100 {
		subscriptions = append(subscriptions, subscribe(t, t.Context(), env.Feed, events.Filter{}, ""))
	}
	for _, s := range subscriptions {
		if env.Feed.Idle() {
			t.Fatal("the reader ends before its last subscriber")
		}
		s.Close()
		s.Close()
	}
	if !env.Feed.Idle() {
		t.Error("the reader outlives its subscribers")
	}
	nothingLeft := subscribe(t, t.Context(), env.Feed, events.Filter{}, "")
	graphtest.Must(env.Checks.Check(t.Context(), check.ActionCheck{Description: "again"}))(t)
	next(t, nothingLeft)
}

// TestFeed_ApprovalsAndSessions_ArePublished: approval requests and answers go to every subscriber that may see them,
// sessions only to those that request them.
func TestFeed_ApprovalsAndSessions_ArePublished(t *testing.T) {
	_, env := toolstest.Open(t)
	all := subscribe(t, t.Context(), env.Feed, events.Filter{Types: []string{"approval", "link"}}, "")
	started := graphtest.Must(env.Sessions.Start(t.Context(),
		sessions.Start{Goal: "Launch", Caller: sessions.Caller{By: "ann"}}))(t)
	session := subscribe(t, t.Context(), env.Feed,
		events.Filter{Types: []string{"session"}, Session: started.SessionID}, "")
	if types, err := (events.Filter{}).ChosenTypes(); err != nil ||
		slices.ContainsFunc(types, func(t events.Type) bool { return t.Asked }) {
		t.Errorf("unasked: %v %v", types, err)
	}
	if types, err := (events.Filter{Session: started.SessionID}).ChosenTypes(); err != nil ||
		!slices.ContainsFunc(types, func(t events.Type) bool { return t.Name == "session.event" }) {
		t.Errorf("filter by session: got types %v, %v, want session.event included", types, err)
	}
	out := graphtest.Must(env.Sessions.Report(t.Context(),
		sessions.Report{Action: "rocket.launch", Caller: sessions.Caller{By: "ann"}}))(t)
	if e, _ := next(t, all); e.Type != events.ApprovalAsked || e.Approval.ApprovalID != out.ApprovalID ||
		e.Approval.Action != "rocket.launch" {
		t.Errorf("got %s %+v, want Type=%v, ApprovalID=%v, Action=rocket.launch", e.Type, e.Approval,
			events.ApprovalAsked, out.ApprovalID)
	}
	graphtest.Must(env.Sessions.Approve(t.Context(),
		sessions.Grant{Answer: sessions.Answer{ApprovalID: out.ApprovalID, Reason: "go", By: "mia"}}))(t)
	e, _ := next(t, all)
	if text, err := e.JSON(); err != nil || e.Type != events.ApprovalAnswered || e.Approval.State != "approved" ||
		e.Approval.AnsweredBy != "mia" || !json.Valid(text) {
		t.Errorf("got %s, %s, %v, want an approval by mia", e.Type, text, err)
	}
	graphtest.Must(env.Sessions.End(t.Context(), sessions.End{Caller: sessions.Caller{By: "ann"}}))(t)
	for _, want := range []string{"session.event action.reported", "session.event approval.granted",
		"session.ended session.ended"} {
		if e, _ := next(t, session); e.Type+" "+e.Session.Type != want || e.Session.SessionID != started.SessionID ||
			e.Session.Hash == "" {
			t.Errorf("got %s %+v, want %s", e.Type, e.Session, want)
		}
	}
	one := toolstest.Record(t, env, decisions.Record{Decision: "One thing", Confidence: 0.5})
	other := toolstest.Record(t, env, decisions.Record{Decision: "Another matter", Confidence: 0.5,
		ExtraFields: decisions.ExtraFields{By: "bob"}})
	toolstest.Link(t, env, one.ID, "depends_on", other.ID)
	if e, _ := next(t, all); e.Type != "link.changed" ||
		*e.Link != (events.Link{Kind: "made", SourceID: one.ID, TargetID: other.ID, EdgeType: "depends_on", Weight: 1,
			By: "tester"}) {
		t.Errorf("got %s %+v, want the new link", e.Type, e.Link)
	}
}
