package agents_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/agents"
	"nomograph/decisions"
	"nomograph/events"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// peer returns the context of a caller from another server; projects, if given, limit it.
func peer(ctx context.Context, name string, projects ...string) context.Context {
	return caller.With(ctx, caller.Caller{Name: name, Authenticated: true,
		Permissions: []caller.Permission{caller.Federate, caller.Announce}, Projects: projects})
}

func record(t *testing.T, env *tools.App, d decisions.Record) string {
	t.Helper()
	d.Category, d.Confidence = "architecture", 0.8
	if d.By == "" {
		d.By = "ada"
	}
	out, err := env.Decisions.Record(t.Context(), d)
	if err != nil || !out.Success {
		t.Fatal(out, err)
	}
	return out.ID
}

func ids(found agents.SearchResult) []string {
	var all []string
	for _, d := range found.Decisions {
		all = append(all, d.ID)
	}
	slices.Sort(all)
	return all
}

// secret is in every field of a decision that must not be shared.
const secret = "quokka"

func TestAgents_UnsharedDecision_IsNotSent(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, env := toolstest.Open(t)
	say := func(text, visibility, project string, with ...string) string {
		return record(t, env, decisions.Record{Decision: text + "\nthe second line: " + secret,
			ExtraFields: decisions.ExtraFields{Context: secret, Pattern: secret, Tags: []string{secret},
				Feature: secret,
				Reasons: []decisions.Reason{{Type: "analysis", Text: secret}}, Project: project, Visibility: visibility,
				SharedWith: with}})
	}
	all := map[string]string{
		"private": say("Migrate the database of the shop by copying", "private", "acme/shop"),
		"project": say("Migrate the database of the bank by copying", "project", "acme/bank"),
		"shared":  say("Migrate the database of the club by copying", "shared", "acme/club"),
		"loose":   say("Migrate the database of nobody by copying", "shared", ""),
		"named":   say("Migrate the database of the zoo by copying", "private", "acme/zoo", " Bob "),
	}
	for _, id := range all {
		graphtest.Must(env.Decisions.Review(t.Context(),
			decisions.Outcome{ID: id, Outcome: "failure", ActualResult: secret, Lessons: secret, Notes: secret,
				Session: decisions.Session{By: "ada"}}))(t)
	}
	toolstest.WaitForWorkers(t, g)
	g.Exec(t, "CALL db.awaitIndexes()", nil)
	search := func(ctx context.Context, q agents.Query) agents.SearchResult {
		t.Helper()
		q.Query, q.Limit = "migrate a database by copying", 50
		found := graphtest.Must(env.Agents.Search(ctx, q))(t)
		text, err := json.Marshal(found)
		if err != nil || strings.Contains(string(text), secret) {
			t.Errorf("the shared part: got %s, %v, want string(text) without %q", text, err, secret)
		}
		return found
	}
	for name, tt := range map[string]struct {
		ctx  context.Context
		want []string
	}{
		"anybody":      {peer(t.Context(), "eve"), []string{"shared", "loose"}},
		"who is named": {peer(t.Context(), "BOB"), []string{"shared", "loose", "named"}},
		"who claims the name": {caller.With(t.Context(),
			caller.Caller{Name: "bob", Permissions: []caller.Permission{caller.Federate}}),
			[]string{"shared", "loose"}},
		"a member of the bank": {peer(t.Context(), "eve", "acme/bank"), []string{"project"}},
		"a member, who is named": {peer(t.Context(), "bob", "acme/bank", "acme/club"),
			[]string{"project", "shared", "named"}},
		"a member of no project": {caller.With(t.Context(),
			caller.Caller{Name: "eve", Authenticated: true, Projects: []string{}}), nil},
		"its owner": {peer(t.Context(), "ada"),
			[]string{"private", "project", "shared", "loose", "named"}},
		"the process of the user": {t.Context(), []string{"shared", "loose"}},
	} {
		var want []string
		for _, key := range tt.want {
			want = append(want, all[key])
		}
		slices.Sort(want)
		for _, mode := range []string{"", "keyword", "hybrid"} {
			if got := ids(search(tt.ctx, agents.Query{RetrievalMode: mode})); !slices.Equal(got, want) {
				t.Errorf("%s finds %v by %q, want %v (%v)", name, got, mode, want, all)
			}
		}
	}
	found := search(peer(t.Context(), "eve"), agents.Query{Filters: &agents.Filters{Outcome: []string{"failure"},
		Stakes: []string{"medium"}}})
	if len(found.Decisions) != 2 || found.Total != 2 || found.Decisions[0].Outcome != "failure" ||
		found.Decisions[0].Distance <= 0 || found.Decisions[0].Distance > 1 || found.Decisions[0].Date.IsZero() {
		t.Errorf("got %+v, want len(Decisions)=2, Total=2, Outcome=failure, Distance more than 0, Distance at most 1, found.Decisions[0].Date.IsZero()=false", found)
	}
	say("Migrate the database of the club by copying", "shared", "acme/club")
	plain := record(t, env, decisions.Record{Decision: "Migrate the database of the club by copying",
		ExtraFields: decisions.ExtraFields{Visibility: "shared", Project: "acme/club"}})
	toolstest.WaitForWorkers(t, g)
	if found, err := env.Agents.Search(peer(t.Context(), "eve"),
		agents.Query{Query: secret, RetrievalMode: "keyword", Limit: 50}); err != nil || len(found.Decisions) != 0 {
		t.Errorf("a search by an unshared word: got %+v %v, want len(Decisions)=0", found.Decisions, err)
	}
	announced, err := env.Agents.Search(peer(t.Context(), "eve"),
		agents.Query{Query: "the database of a " + secret, Limit: 50})
	if err != nil || len(announced.Decisions) != 4 {
		t.Fatalf("got %+v %v, want len(Decisions)=4", announced, err)
	}
	for _, d := range announced.Decisions { // embeddings place texts with and without the word equally close
		if d.Title == "Migrate the database of the club by copying" &&
			d.Distance != announced.Decisions[slices.IndexFunc(announced.Decisions,
				func(d agents.Shared) bool { return d.ID == plain })].Distance {
			t.Errorf("%+v", announced.Decisions)
		}
	}
	env.Agents.Settings.MaxResults = 1
	if found := search(peer(t.Context(), "eve"), agents.Query{}); len(found.Decisions) != 1 {
		t.Errorf("with limit 1: got %+v, want len(Decisions)=1", found)
	}
	env.Agents.Settings = agents.DefaultSettings()
	env.Agents.Settings.MinScore = 0.99
	if found := search(peer(t.Context(), "eve"), agents.Query{}); len(found.Decisions) != 0 {
		t.Errorf("a distant decision: got %+v, want len(Decisions)=0", found)
	}
	graphtest.Must(env.Decisions.Update(t.Context(),
		decisions.Update{ID: all["named"], SharedWith: []string{}, Session: decisions.Session{By: "ada"}}))(t)
	env.Agents.Settings = agents.DefaultSettings()
	if got := ids(search(peer(t.Context(), "bob"), agents.Query{})); len(got) != 4 ||
		slices.Contains(got, all["named"]) {
		t.Errorf("after the sharing ended, bob finds %v", got)
	}
}

// The intent and the similar decision are those of the CSTP design.
func TestAnnounce_ExampleOfTheDesign_SuggestsFromRelevantDecisionsOnly(t *testing.T) {
	g, env := toolstest.Open(t)
	id := record(t, env, decisions.Record{Decision: "Deployed auth service v2.1"})
	for _, other := range []string{"Write the changelog by hand", "Water the plants in the office every Monday",
		"Print invoices at night"} {
		record(t, env, decisions.Record{Decision: other})
	}
	graphtest.Must(env.Decisions.Review(t.Context(),
		decisions.Outcome{ID: id, Outcome: "success", Lessons: "Required 30-min rollback window",
			Session: decisions.Session{By: "ada"}}))(t)
	toolstest.WaitForWorkers(t, g)
	got, err := env.Agents.Announce(t.Context(),
		agents.AnnounceRequest{Announcement: agents.Announcement{Intent: "Deploy authentication service to production",
			Context: "PR #42 approved, all tests passing", Category: "architecture", Stakes: "high",
			Confidence: new(0.85), By: "emerson"}})
	if err != nil || len(got.SimilarDecisions) != 1 || got.SimilarDecisions[0].ID != id ||
		!strings.Contains(strings.Join(got.Suggestions, "\n"), "Required 30-min rollback window") {
		t.Errorf("got %+v %v, want only %s and its lesson as a suggestion", got, err, id)
	}
	successor := record(t, env, decisions.Record{Decision: "Deployed auth service v2.2"})
	g.Exec(t, "MATCH (n:Decision {id: $n}), (o:Decision {id: $o}) CREATE (n)-[:SUPERSEDES {weight: 1.0}]->(o)",
		map[string]any{"n": successor, "o": id})
	toolstest.WaitForWorkers(t, g)
	got, err = env.Agents.Announce(t.Context(), agents.AnnounceRequest{Announcement: agents.Announcement{Intent: "Deploy authentication service to production", By: "emerson"}})
	if err != nil || len(got.SimilarDecisions) != 2 || got.SimilarDecisions[0].ID != successor ||
		got.SimilarDecisions[1].Notes != "superseded by "+successor+": Required 30-min rollback window" {
		t.Errorf("got %+v %v, want %s first and a note with %s", got, err, successor, id)
	}
}

func TestIntents_AskAndVote_ReachAnOutcome(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (:SYS_Policy {name: 'reviewed', active: true, severity: 'block', message: 'Production changes need a review', alternatives: ['Ask for a review'],
		applies_when: 'has(action.context.affectsProduction)', requires: 'has(action.context.reviewed)'})`, nil)
	ctx := t.Context()
	id := record(t, env, decisions.Record{Decision: "Deploy the authentication service at noon",
		ExtraFields: decisions.ExtraFields{Visibility: "shared"}})
	graphtest.Must(env.Decisions.Review(ctx, decisions.Outcome{ID: id, Outcome: "failure",
		Lessons: "Deploy while few are there", Session: decisions.Session{By: "ada"}}))(t)
	toolstest.WaitForWorkers(t, g)
	types := graphtest.Must(events.Filter{Types: []string{"intent"}}.ChosenTypes())(t)
	announced := graphtest.Must(env.Feed.Subscribe(ctx, events.Query{Types: types}))(t)
	defer announced.Close()
	next := func(want string) *events.Event {
		t.Helper()
		wait, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		e, _, err := announced.Next(wait)
		if err != nil || e.Type != want {
			t.Fatalf("%+v %v, want %s", e, err, want)
		}
		return e
	}
	a := agents.AnnounceRequest{Announcement: agents.Announcement{Intent: "Deploy the authentication service to production", Context: "PR #42 approved", Category: "architecture", Stakes: "high", Confidence: new(0.85), CorrelationID: "550e8400", By: "emerson"}}
	first := graphtest.Must(env.Agents.Announce(ctx, a))(t)
	if len(first.SimilarDecisions) != 1 || first.SimilarDecisions[0].ID != id ||
		first.SimilarDecisions[0].Notes != "Deploy while few are there" || !first.GuardrailStatus.Allowed ||
		first.Denied() ||
		!strings.Contains(strings.Join(first.Suggestions, "\n"), "Deploy while few are there") ||
		first.CorrelationID != "550e8400" || first.IntentID == "" {
		t.Errorf(`got %+v, want len(SimilarDecisions)=1, ID=%v, Notes="Deploy while few are there", Allowed=true, first.Denied()=false, strings.Join(first.Suggestions, "\n") with "Deploy while few are there", CorrelationID=550e8400, non-empty IntentID`, first, id)
	}
	if e := next("intent.announced"); e.Intent.ID != first.IntentID || e.Intent.AgentID != "emerson" ||
		*e.Intent.Allowed != true {
		t.Errorf("got %+v, want ID=%v, AgentID=emerson, Allowed=true", e.Intent, first.IntentID)
	}
	if e := next("intent.answered"); e.Vote.AgentID != "nomograph" || !e.Vote.Allowed || !e.Vote.Auto ||
		e.Intent.ID != first.IntentID {
		t.Errorf("got %+v, want AgentID=nomograph, Allowed=true, Auto=true, ID=%v", e.Vote, first.IntentID)
	}
	again, err := env.Agents.Announce(ctx, a)
	if err != nil || !again.Repeated || again.IntentID != first.IntentID {
		t.Errorf("got %+v %v, want Repeated=true, again.IntentID=%v", again, err, first.IntentID)
	}
	other := a
	other.Intent = "Something else"
	if _, err := env.Agents.Announce(ctx, other); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("another intent under the same id: %v", err)
	}
	away, err := env.Agents.Announce(peer(ctx, "claude-ops"),
		agents.AnnounceRequest{Announcement: agents.Announcement{Intent: a.Intent, CorrelationID: "550e8400",
			Facts: map[string]any{"affectsProduction": true}, By: "claude-ops"}})
	if err != nil || !away.Denied() || away.IntentID == first.IntentID || len(away.SimilarDecisions) != 1 ||
		away.SimilarDecisions[0].Notes != "" || strings.Contains(strings.Join(away.Suggestions, "\n"),
		"few are there") {
		t.Errorf("to another server: %+v %v", away, err)
	}
	if got := away.GuardrailStatus.Violations; len(got) != 1 || got[0].GuardrailID != "reviewed" ||
		got[0].Suggestion != "Ask for a review" || away.Suggestions[0] != "Ask for a review (reviewed)" {
		t.Errorf(`got %+v %v, want len(got)=1, GuardrailID=reviewed, Suggestion="Ask for a review", Suggestions[0]="Ask for a review (reviewed)"`, got, away.Suggestions)
	}
	next("intent.announced")
	next("intent.answered")

	if _, err := env.Agents.Answer(ctx, agents.VoteRequest{IntentID: "550e8400", Allowed: true,
		By: "bob"}); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("an id of two agents: %v", err)
	}
	for _, bad := range []agents.VoteRequest{{IntentID: first.IntentID, By: "bob"},
		{IntentID: first.IntentID, Allowed: true, By: "Emerson"}, {IntentID: "none", Allowed: true}} {
		if _, err := env.Agents.Answer(ctx, bad); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
	for _, allowed := range []bool{true, false} { // the second verdict replaces the first
		graphtest.Must(env.Agents.Answer(ctx, agents.VoteRequest{IntentID: first.IntentID, Allowed: allowed,
			Reasons: []string{"The freeze lasts until Monday"}, By: "bob"}))(t)
		if e := next("intent.answered"); e.Vote.AgentID != "bob" || e.Vote.Allowed != allowed {
			t.Errorf("got %+v, want AgentID=bob, Allowed=%v", e.Vote, allowed)
		}
	}
	shown, err := env.Agents.Intent(ctx, agents.IntentQuery{IntentID: first.IntentID})
	if err != nil || len(shown.Votes) != 3 || shown.Objections != 1 || shown.Intent.Context != "PR #42 approved" {
		t.Errorf(`got %+v %v, want len(Votes)=3, Objections=1, Context="PR #42 approved"`, shown, err)
	}
	page, err := env.Agents.Intents(ctx, agents.IntentsQuery{Limit: 1})
	if err != nil || len(page.Intents) != 1 || page.Intents[0].AgentID != "claude-ops" || page.NextCursor == "" {
		t.Fatalf("got %+v %v, want len(Intents)=1, AgentID=claude-ops, a NextCursor", page, err)
	}
	if page, err = env.Agents.Intents(ctx, agents.IntentsQuery{Cursor: page.NextCursor}); err != nil ||
		len(page.Intents) != 1 || page.Intents[0].AgentID != "emerson" || page.NextCursor != "" {
		t.Errorf(`got %+v %v, want len(Intents)=1, AgentID=emerson, NextCursor=""`, page, err)
	}
	if page, err = env.Agents.Intents(peer(ctx, "eve", "acme/shop"),
		agents.IntentsQuery{AgentID: "Emerson"}); err != nil || len(page.Intents) != 0 {
		t.Errorf("in a project that eve may not see: got %+v %v, want len(Intents)=0", page, err)
	}

	env.Agents.Settings.AutoRespond = false
	if silent, err := env.Agents.Announce(ctx, agents.AnnounceRequest{Announcement: agents.Announcement{Intent: "Wait for agents", By: "emerson"}}); err != nil || silent.GuardrailStatus != nil ||
		len(silent.SimilarDecisions)+len(silent.Suggestions) > 0 || silent.IntentID == "" ||
		silent.CorrelationID == "" {
		t.Errorf("without auto_respond: %+v %v", silent, err)
	}
	env.Agents.Settings = agents.DefaultSettings()
	env.Agents.Settings.StoreReceived = false
	if gone, err := env.Agents.Announce(ctx, agents.AnnounceRequest{Announcement: agents.Announcement{Intent: "Leave nothing", By: "emerson"}}); err != nil || gone.IntentID != "" || gone.GuardrailStatus == nil ||
		toolstest.Count(t, g, "MATCH (i:Intent {intent: 'Leave nothing'}) RETURN count(i)") != 0 {
		t.Errorf("without store_received: %+v %v", gone, err)
	}
}
