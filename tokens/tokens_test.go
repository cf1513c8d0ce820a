package tokens

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/timeparse"
)

func wantFault(t *testing.T, err error, code apperr.Code) {
	t.Helper()
	graphtest.HasCode(t, err, code)
}

// following returns a register that follows the graph until the test ends.
func following(t *testing.T, store *Store) *Registry {
	t.Helper()
	r := NewRegistry(store, NewUsageCounter(store, zerolog.Nop()), zerolog.Nop())
	ctx, end := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { r.Follow(ctx); close(done) }()
	t.Cleanup(func() { end(); graphtest.Receive(t, "the register ends", done) })
	return r
}

// TestRegister_BeforeTokensAreRead_Waits looks up a name before the tokens were read, like the first request after a
// start.
func TestRegister_BeforeTokensAreRead_Waits(t *testing.T) {
	store := NewStore(graphtest.New(t).DB)
	graphtest.Must(store.Create(t.Context(), CreateRequest{Name: "release-bot", Permissions: []string{"read"},
		By: "me"}))(t)
	r := NewRegistry(store, NewUsageCounter(store, zerolog.Nop()), zerolog.Nop())
	asked := make(chan error, 1)
	go func() {
		taken, err := r.HasName(t.Context(), "release-bot")
		if err == nil && !taken {
			err = errors.New("got false, want true")
		}
		asked <- err
	}()
	graphtest.Until(t, "the request waits for the first reading",
		func() bool { return graphtest.Running("tokens.(*Registry).HasName(", "[select") > 0 })
	r.poll(t.Context())
	graphtest.OK(t, graphtest.Receive(t, "the request is answered", asked))
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := NewRegistry(store, NewUsageCounter(store, zerolog.Nop()), zerolog.Nop()).HasName(ctx, "release-bot")
	wantFault(t, err, apperr.Unavailable)
}

// TestAuthenticate_FirstReadNotEnded_GetsItsTime: a wrong token gets one answer, also right after the start of a cold
// database.
func TestAuthenticate_FirstReadNotEnded_GetsItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRegistry(NewStore(nil), NewUsageCounter(nil, zerolog.Nop()), zerolog.Nop())
		_ = r.counts.writing.Acquire(t.Context(), maxReaders) // the read waits
		for _, want := range []time.Duration{firstTime, pollTimeout} {
			started := time.Now()
			_, err := r.Authenticate(t.Context(), "nmg_wrong")
			wantFault(t, err, apperr.Unavailable)
			graphtest.Equal(t, time.Since(started), want, "an answer after")
			r.readOnce.Do(func() { close(r.read) })
		}
	})
}

// TestRegistry_TokenRevokedDuringAPoll_EndsAtTheNext: a poll that begins before a token is first used, and reads after
// it was revoked, cannot tell it from one that is created meanwhile.
func TestRegistry_TokenRevokedDuringAPoll_EndsAtTheNext(t *testing.T) {
	store := NewStore(graphtest.New(t).DB)
	r := NewRegistry(store, NewUsageCounter(store, zerolog.Nop()), zerolog.Nop())
	made := graphtest.Must(store.Create(t.Context(), CreateRequest{Name: "ada"}))(t)
	began := time.Now()
	at := began.Add(time.Second)
	r.now = func() time.Time { return at }
	grant := graphtest.Must(r.Authenticate(t.Context(), made.Token))(t)
	graphtest.Must(store.Revoke(t.Context(), RevokeRequest{Name: "ada"}))(t)
	for _, at = range []time.Time{began, began.Add(2 * time.Second)} {
		r.poll(t.Context())
	}
	select {
	case <-grant.Caller.Ended:
	default:
		t.Error("requests under the revoked token go on, want an end at the second poll")
	}
}

func TestToken_CreateRotateRevoke_TakesEffect(t *testing.T) {
	g := graphtest.New(t)
	store := NewStore(g.DB)
	here, there := following(t, store), following(t, store) // two servers

	made := graphtest.Must(store.Create(t.Context(),
		CreateRequest{Name: " release-bot ", Permissions: []string{"decide", "Read"},
			Projects: []string{"Acme/Shop", "acme/shop"}, Rate: 100, By: "me"}))(t)
	if !strings.HasPrefix(made.Token, "nmg_") || len(made.Token) != len("nmg_")+43 ||
		strings.Join(made.Permissions, ",") != "read,decide" || len(made.Projects) != 1 {
		t.Errorf("made %+v", made)
	}
	for _, row := range g.Rows(t, "MATCH (t:Token)-[:OF]->(a:Agent) RETURN properties(t) AS p, a.name AS agent", nil) {
		p := row["p"].(map[string]any)
		graphtest.Values(t, "agent, hash, created_by", row["agent"], "release-bot", p["hash"], Hash(made.Token),
			p["created_by"], "me")
		for name, value := range p {
			if text, ok := value.(string); ok && strings.Contains(text, made.Token[10:]) {
				t.Errorf("%s has the secret", name)
			}
		}
	}
	for _, server := range []*Registry{here, there} { // immediately, without waiting for a poll
		grant, err := server.Authenticate(t.Context(), made.Token)
		if err != nil || grant.Caller.Name != "release-bot" || !grant.Caller.Authenticated ||
			!grant.Caller.May(caller.Decide) || grant.Caller.May(caller.Govern) ||
			!grant.Caller.Sees("ACME/shop") || grant.Caller.Sees("acme/other") {
			t.Fatalf(`got %+v %v, want Name=release-bot, Authenticated=true, grant.Caller.May(caller.Decide)=true, grant.Caller.May(caller.Govern)=false, grant.Caller.Sees("ACME/shop")=true, grant.Caller.Sees("acme/other")=false`, grant, err)
		}
	}
	_, err := here.Authenticate(t.Context(), made.Token+"x")
	wantFault(t, err, apperr.Unauthenticated)
	_, err = store.Create(t.Context(), CreateRequest{Name: "Release-Bot"})
	wantFault(t, err, apperr.Conflict)

	rotated, err := store.Rotate(t.Context(), RotateRequest{Name: "release-bot", Overlap: "1h", By: "me"})
	if err != nil || rotated.Token == made.Token || rotated.Expiring != 1 ||
		time.Until(rotated.OldExpiresAt) > time.Hour || time.Until(rotated.OldExpiresAt) < 50*time.Minute {
		t.Fatalf("got %+v %v %v, want Token other than %v, Expiring=1, time.Until(rotated.OldExpiresAt) at most %v, time.Until(rotated.OldExpiresAt) at least %v", rotated, err, errors.Unwrap(err), made.Token, time.Hour, 50*time.Minute)
	}
	for _, secret := range []string{made.Token, rotated.Token} {
		grant := graphtest.Must(there.Authenticate(t.Context(), secret))(t)
		graphtest.Values(t, "Name, Limited", grant.Caller.Name, "release-bot", grant.Caller.Limited(), true)
	}
	g.Exec(t, `UNWIND ['2020-01-02', '2020-01-01'] AS day UNWIND range(1, 3) AS i CREATE (:TokenUsage {key: 'release-bot', name: 'RELEASE-bot', day: day, operation: 'o' + i, calls: 1, denials: 0, refusals: 0, bytes: 0})`, nil)
	g.Exec(t, `CREATE (:TokenUsage {key: 'other', name: 'other', day: '2026-01-01', operation: 'o', calls: 1, denials: 0, refusals: 0, bytes: 0})`, nil)
	list := graphtest.Must(store.Tokens(t.Context(), Query{}))(t)
	graphtest.Values(t, "Total, RotatedFrom, InForce, LastUsed", list.Total, 2, list.Tokens[0].RotatedFrom, made.UID,
		list.Tokens[1].InForce, true, list.Tokens[0].LastUsed, "2020-01-02")

	old := graphtest.Must(here.Authenticate(t.Context(), made.Token))(t)
	now, err := store.Rotate(t.Context(), RotateRequest{Name: "release-bot", Overlap: "0s"})
	if err != nil || now.Expiring != 2 {
		t.Fatalf("got %+v %v, want Expiring=2", now, err)
	}
	graphtest.Until(t, "the old secrets are refused", func() bool {
		_, one := here.Authenticate(t.Context(), made.Token)
		_, two := there.Authenticate(t.Context(), rotated.Token)
		return apperr.Is(one, apperr.Unauthenticated) && apperr.Is(two, apperr.Unauthenticated)
	})
	graphtest.Until(t, "running calls with the old secret end", func() bool {
		select {
		case <-old.Caller.Ended:
			return true
		default:
			return false
		}
	})
	revoked, err := store.Revoke(t.Context(), RevokeRequest{Name: "RELEASE-bot", Reason: "left", By: "me"})
	if err != nil || len(revoked.Revoked) != 1 || revoked.Revoked[0] != now.UID {
		t.Fatalf("got %+v %v, want len(Revoked)=1, Revoked[0]=%v", revoked, err, now.UID)
	}
	graphtest.Until(t, "the revoked token is refused", func() bool {
		_, one := here.Authenticate(t.Context(), now.Token)
		_, two := there.Authenticate(t.Context(), now.Token)
		return apperr.Is(one, apperr.Unauthenticated) && apperr.Is(two, apperr.Unauthenticated)
	})
	_, err = store.Revoke(t.Context(), RevokeRequest{Name: "release-bot"})
	wantFault(t, err, apperr.NotFound)
	_, err = store.Rotate(t.Context(), RotateRequest{Name: "release-bot"})
	wantFault(t, err, apperr.NotFound)
	if again, err := store.Create(t.Context(), CreateRequest{Name: "release-bot", Expires: "2s"}); err != nil {
		t.Error(err)
	} else {
		graphtest.Must(here.Authenticate(t.Context(), again.Token))(t)
		graphtest.Until(t, "the token that has ended is refused", func() bool {
			_, err := here.Authenticate(t.Context(), again.Token)
			return apperr.Is(err, apperr.Unauthenticated)
		})
	}
	graphtest.Equal(t, graphtest.Must(store.Tokens(t.Context(), Query{All: true}))(t).Total, 4, "Total")
}

func TestCreate_InvalidRequest_IsRefused(t *testing.T) {
	store := NewStore(graphtest.New(t).DB)
	for _, c := range []CreateRequest{{Name: " "}, {Name: "x", Permissions: []string{"write"}},
		{Name: "x", Expires: "soon"}, {Name: "x", Expires: "-1h"}, {Name: "x", Projects: []string{" "}},
		{Name: "ghp_" + strings.Repeat("a1B2", 9)}} {
		_, err := store.Create(t.Context(), c)
		wantFault(t, err, apperr.Validation)
	}
	graphtest.Equal(t, strings.Join(graphtest.Must(store.Create(t.Context(), CreateRequest{Name: "x"}))(t).Permissions,
		","), "read", "Permissions")
}

// TestToken_EditedByHand_GrantsNothingMore: a property of an unexpected type in a token's node grants no permission.
func TestToken_EditedByHand_GrantsNothingMore(t *testing.T) {
	g := graphtest.New(t)
	store := NewStore(g.DB)
	made := graphtest.Must(store.Create(t.Context(), CreateRequest{Name: "x", Projects: []string{"a/b"}}))(t)
	g.Exec(t, "MATCH (t:Token) SET t.projects = 'all', t.permissions = 'admin'", nil)
	r := NewRegistry(store, NewUsageCounter(store, zerolog.Nop()), zerolog.Nop())
	grant := graphtest.Must(r.Authenticate(t.Context(), made.Token))(t)
	if grant.Caller.May(caller.Read) || grant.Caller.May(caller.Admin) || grant.Caller.Sees("a/b") ||
		!grant.Caller.Limited() {
		t.Errorf(`got %+v, want grant.Caller.May(caller.Read)=false, grant.Caller.May(caller.Admin)=false, grant.Caller.Sees("a/b")=false, grant.Caller.Limited()=true`, grant.Caller)
	}
	for _, edit := range []string{"budget = 5000.0", "budget = 'many'", "rate = 'often'", "rate = 0", "rate = -1.0"} {
		one := graphtest.Must(store.Create(t.Context(), CreateRequest{Name: "y", Permissions: []string{"read"}}))(t)
		g.Exec(t, "MATCH (t:Token {name: 'y'}) SET t."+edit, nil)
		if grant := graphtest.Must(r.Authenticate(t.Context(), one.Token))(t); grant.Caller.May(caller.Read) {
			t.Errorf("%s: got %+v, want grant.Caller.May(caller.Read)=false", edit, grant.Caller)
		}
		g.Exec(t, "MATCH (t:Token {name: 'y'}) DETACH DELETE t", nil)
	}
	for _, edit := range []string{"expires_at = '2030-01-01'", "expires_at = localdatetime('2030-01-01T00:00:00')",
		"name = 7"} { // the other tokens remain valid
		one := graphtest.Must(store.Create(t.Context(), CreateRequest{Name: "z"}))(t)
		g.Exec(t, "MATCH (t:Token {name: 'z'}) SET t."+edit, nil)
		_, err := r.Authenticate(t.Context(), one.Token)
		wantFault(t, err, apperr.Unauthenticated)
		fresh := NewRegistry(store, NewUsageCounter(store, zerolog.Nop()), zerolog.Nop())
		if fresh.poll(t.Context()); len(fresh.grants) != 1 {
			t.Errorf("%s: %d tokens are known", edit, len(fresh.grants))
		}
		g.Exec(t, "MATCH (t:Token {uid: $uid}) DETACH DELETE t", map[string]any{"uid": one.UID})
	}
	g.Exec(t, "MATCH (t:Token) DETACH DELETE t", nil)
	r.poll(t.Context())
	_, err := r.Authenticate(t.Context(), made.Token)
	wantFault(t, err, apperr.Unauthenticated)
}

func TestToken_RateAndBudget_AreEnforced(t *testing.T) {
	g := graphtest.New(t)
	store := NewStore(g.DB)
	counts := NewUsageCounter(store, zerolog.Nop())
	r := NewRegistry(store, counts, zerolog.Nop())
	quick := graphtest.Must(store.Create(t.Context(), CreateRequest{Name: "quick", Rate: 0.1}))(t)
	grant := graphtest.Must(r.Authenticate(t.Context(), quick.Token))(t)
	graphtest.OK(t, r.CountCall(grant))
	err := r.CountCall(grant)
	wantFault(t, err, apperr.RateLimited)
	if seconds := apperr.From(err).Details["retry_after_seconds"]; seconds.(int) < 5 || seconds.(int) > 10 {
		t.Errorf("try again in %v", seconds)
	}

	frugal := graphtest.Must(store.Create(t.Context(), CreateRequest{Name: "Frugal", Budget: 3}))(t)
	for range 3 {
		graphtest.OK(t, r.CountCall(graphtest.Must(r.Authenticate(t.Context(), frugal.Token))(t)))
		counts.Add(Use{Name: "Frugal", Operation: "get_threshold", Calls: 1, Bytes: 100, Denials: 1})
		counts.flush(t.Context()) // known to every server after a poll
		r.poll(t.Context())
	}
	wantFault(t, r.CountCall(graphtest.Must(r.Authenticate(t.Context(), frugal.Token))(t)), apperr.RateLimited)
	other := NewRegistry(store, NewUsageCounter(store, zerolog.Nop()), zerolog.Nop())
	other.poll(t.Context())
	wantFault(t, other.CountCall(graphtest.Must(other.Authenticate(t.Context(), frugal.Token))(t)), apperr.RateLimited)
	tomorrow := time.Now().Add(24 * time.Hour)
	r.now = func() time.Time { return tomorrow }
	r.poll(t.Context())
	graphtest.OK(t, r.CountCall(graphtest.Must(r.Authenticate(t.Context(), frugal.Token))(t)))

	usage := graphtest.Must(store.Usage(t.Context(), UsageQuery{Name: "frugal"}))(t)
	if len(usage.Usage) != 1 || usage.Usage[0] != (UsageRow{Name: "Frugal", Day: time.Now().UTC().Format(time.DateOnly),
		Operation: "get_threshold", Calls: 3, Denials: 3, Bytes: 300}) {
		t.Errorf(`got %+v, want len(Usage)=1, usage.Usage[0]=(UsageRow{Name: "Frugal", Day: time.Now().UTC().Format(time.DateOnly), Operation: "get_threshold", Calls: 3, Denials: 3, Bytes: 300})`, usage)
	}
	page := graphtest.Must(store.Usage(t.Context(), UsageQuery{Range: timeparse.Range{DateAfter: "2w"},
		Limit: 1}))(t)
	graphtest.Values(t, "Usage, NextCursor", len(page.Usage), 1, page.NextCursor, "")
}

// TestToken_SeveralServers_ShareRate: each server grants its share while the caller uses both.
func TestToken_SeveralServers_ShareRate(t *testing.T) {
	g := graphtest.New(t)
	store := NewStore(g.DB)
	wanderer := graphtest.Must(store.Create(t.Context(), CreateRequest{Name: "Wanderer", Rate: 10}))(t)
	settled := graphtest.Must(store.Create(t.Context(), CreateRequest{Name: "settled", Rate: 10}))(t)
	here, there := NewRegistry(store, NewUsageCounter(store, zerolog.Nop()), zerolog.Nop()),
		NewRegistry(store, NewUsageCounter(store, zerolog.Nop()), zerolog.Nop())
	gives := func(when string, r *Registry, secret string, want float64) {
		t.Helper()
		r.lastBookmark = "" // simulate a commit
		r.poll(t.Context())
		graphtest.Equal(t, float64(graphtest.Must(r.Authenticate(t.Context(), secret))(t).bucket.Limit()), want, when,
			"calls a second instead")
	}
	call := func(r *Registry, secret string) {
		t.Helper()
		graphtest.OK(t, r.CountCall(graphtest.Must(r.Authenticate(t.Context(), secret))(t)))
		r.counts.announce(t.Context())
	}
	call(here, wanderer.Token)
	call(here, settled.Token)
	gives("at one server", here, wanderer.Token, 10)
	call(there, wanderer.Token)
	gives("at two", here, wanderer.Token, 5)
	gives("at two", there, wanderer.Token, 5)
	gives("only here", here, settled.Token, 10)

	there.counts.releaseShares(t.Context())
	gives("the other has stopped", here, wanderer.Token, 10)
	call(there, wanderer.Token)
	gives("it is back", here, wanderer.Token, 5)
	g.Exec(t, "MATCH (s:SYS_Server {uid: $uid}) SET s.seen_at = datetime() - duration('PT1M')",
		map[string]any{"uid": there.counts.server})
	gives("the other was killed", here, wanderer.Token, 10)
	g.Exec(t, "MATCH (s:SYS_Server {uid: $uid}) SET s.seen_at = datetime() - duration('PT2H')",
		map[string]any{"uid": there.counts.server})
	here.counts.announced = time.Time{}
	here.counts.announce(t.Context())
	if rows := g.Rows(t, "MATCH (s:SYS_Server) RETURN s.keys AS keys", nil); len(rows) != 1 ||
		len(rows[0]["keys"].([]any)) != 2 {
		t.Errorf("got %v, want one server with 2 keys", rows)
	}
}

func TestCounts_DatabaseDown_AreStoredLater(t *testing.T) {
	away := graph.Open(graph.Options{URI: "bolt://127.0.0.1:1", Username: "neo4j", Password: "none",
		Log: zerolog.Nop()})
	t.Cleanup(func() { _ = away.Close(context.Background()) })
	g := graphtest.New(t)
	counts := NewUsageCounter(NewStore(away), zerolog.Nop())
	counts.Add(Use{Name: "a", Calls: 2})
	counts.flush(t.Context())
	counts.Add(Use{Name: "a", Calls: 1, Refusals: 1})
	counts.store = NewStore(g.DB)
	counts.flush(t.Context())
	counts.flush(t.Context())
	if usage := graphtest.Must(counts.store.Usage(t.Context(), UsageQuery{}))(t); len(usage.Usage) != 1 ||
		usage.Usage[0].Calls != 3 || usage.Usage[0].Refusals != 1 || usage.Usage[0].Operation != "-" {
		t.Errorf("got %+v, want len(Usage)=1, Calls=3, Refusals=1, Operation=-", usage)
	}

	r := NewRegistry(NewStore(away), counts, zerolog.Nop())
	_, err := r.Authenticate(t.Context(), "nmg_any")
	wantFault(t, err, apperr.Unavailable)
}

// replaceAll reads all tokens, as a poll does after a commit.
func (r *Registry) replaceAll(t *testing.T) {
	t.Helper()
	day := r.now().UTC().Format(time.DateOnly)
	started := r.now()
	found, _, err := r.inForce(t.Context(), nil, day, started)
	if err != nil {
		t.Error(err)
		return
	}
	r.replace(found, started, "", day)
}

// TestReplace_TokenNewerThanTheRead_Stays: a poll that started before a token was created must not end its requests.
func TestReplace_TokenNewerThanTheRead_Stays(t *testing.T) {
	store := NewStore(graphtest.New(t).DB)
	r := NewRegistry(store, NewUsageCounter(store, zerolog.Nop()), zerolog.Nop())
	started := r.now()
	found, _, err := r.inForce(t.Context(), nil, started.UTC().Format(time.DateOnly), started)
	if err != nil {
		t.Fatal(err)
	}
	made := graphtest.Must(store.Create(t.Context(), CreateRequest{Name: "late"}))(t)
	grant := graphtest.Must(r.Authenticate(t.Context(), made.Token))(t)
	r.replace(found, started, "", "")
	select {
	case <-grant.ended:
		t.Error("the requests of the new token were ended")
	default:
	}
	graphtest.Equal(t, graphtest.Must(r.Authenticate(t.Context(), made.Token))(t), grant,
		"the token was read again, the one in the cache")
	r.replace(map[string]*ActiveToken{}, r.now().Add(time.Second), "", "") // a later read without it
	<-grant.ended
}

// TestSpend_Concurrently_StaysWithinTheBudget: a call counts from its start and remains counted while counts are
// written.
func TestSpend_Concurrently_StaysWithinTheBudget(t *testing.T) {
	g := graphtest.New(t)
	store := NewStore(g.DB)
	counts := NewUsageCounter(store, zerolog.Nop())
	r := NewRegistry(store, counts, zerolog.Nop())
	made := graphtest.Must(store.Create(t.Context(), CreateRequest{Name: "Frugal", Budget: 10}))(t)
	graphtest.Must(r.Authenticate(t.Context(), made.Token))(t)
	var wait sync.WaitGroup
	var let atomic.Int64
	for i := range 40 {
		wait.Go(func() {
			if i%10 == 0 { // write and read counts between calls
				counts.flush(t.Context())
				r.replaceAll(t)
			}
			grant, err := r.Authenticate(t.Context(), made.Token)
			if err != nil {
				t.Error(err)
				return
			}
			if r.CountCall(grant) == nil {
				let.Add(1)
				counts.Add(Use{Name: "Frugal", Operation: "check_action", Calls: 1})
			}
		})
	}
	wait.Wait()
	graphtest.Equal(t, let.Load(), 10, "of 40 let")
	counts.flush(t.Context())
	other := NewRegistry(store, NewUsageCounter(store, zerolog.Nop()), zerolog.Nop())
	wantFault(t, other.CountCall(graphtest.Must(other.Authenticate(t.Context(), made.Token))(t)), apperr.RateLimited)
}

func TestCreate_NameOfAConfiguredToken_IsAConflict(t *testing.T) {
	store := NewStore(nil)
	store.Configured = []string{"mallory"}
	for _, name := range []string{"mallory", "MALLORY", " Mallory "} {
		_, err := store.Create(t.Context(), CreateRequest{Name: name})
		wantFault(t, err, apperr.Conflict)
	}
}
