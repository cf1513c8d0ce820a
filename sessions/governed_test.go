package sessions_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/sessions"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

const kitchen = `
atlas_version: "1.0"
atlas_id: kitchen
version: 1.0.0
name: Kitchen
domains: [cooking]
context_blocks:
  - {context_id: kitchen-rules, name: Rules, content: Wash your hands, inject_mode: always, priority: 100}
  - {context_id: bread, name: Baking bread, content: "Flour, water, salt and yeast rest for a night before they are baked", keywords: [bread, yeast], also_inject: [oven]}
  - {context_id: oven, name: The oven, content: It heats for twenty minutes}
  - {context_id: soup, name: Making soup, content: "Vegetables are boiled in water with salt", keywords: [soup]}
  - {context_id: poison, name: Poisons, content: "Bread with ergot is poison and so is water from the well", inject_mode: on_demand}
  - {context_id: fire, name: In a fire, content: "Close the oven and leave the room", inject_mode: risk_based, risk_tiers: [high, critical]}
  - {context_id: knives, name: Knives, content: Cut away from yourself, inject_mode: on_demand, inject_when: ["knife.*"]}
`

const garden = `
atlas_version: "1.0"
atlas_id: garden
version: 1.0.0
name: Garden
domains: [plants]
context_blocks:
  - {context_id: garden-rules, name: Rules of the garden, content: Water in the evening, inject_mode: always}
  - {context_id: yeast, name: Yeast against slugs, content: "Yeast and water in a cup stop slugs", keywords: [slugs]}
`

func names(contexts []sessions.Context) []string {
	ids := []string{}
	for _, c := range contexts {
		ids = append(ids, c.ContextID)
	}
	return ids
}

// TestSession_NoAtlas_IsReported: the error names the missing atlas, not its contexts.
func TestSession_NoAtlas_IsReported(t *testing.T) {
	_, env := toolstest.Open(t)
	ann := sessions.Caller{By: "Ann"}
	session := graphtest.Must(env.Sessions.Start(t.Context(), sessions.Start{Goal: "Water the plants", Caller: ann}))(t)
	delivered := graphtest.Must(env.Sessions.Request(t.Context(),
		sessions.Request{Need: "how much water", Caller: ann}))(t)
	found := graphtest.Must(env.Sessions.SearchContexts(t.Context(), sessions.SearchQuery{Query: "water"}))(t)
	for _, notes := range [][]string{session.Notes, delivered.Notes, found.Notes} {
		if len(notes) != 1 || !strings.HasPrefix(notes[0], "No atlas has been loaded yet") {
			t.Errorf(`got %q, want len(notes)=1, notes[0] starting with "No atlas has been loaded yet"`, notes)
		}
	}
}

// TestSession_Governed_FollowsItsAtlas runs a session: start, contexts, feedback, end, and verification of its trail.
func TestSession_Governed_FollowsItsAtlas(t *testing.T) {
	g, env := toolstest.Open(t)
	graphtest.Must(load(t, env, change.ApplyOptions{}, kitchen, garden))(t)
	graphtest.OK(t, env.Contexts.Drain(t.Context()))
	g.Exec(t, "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()", nil)
	ann := sessions.Caller{By: "Ann"}
	ask := func(t *testing.T, q sessions.Request) sessions.Given {
		t.Helper()
		if q.By == "" {
			q.By = "Ann"
		}
		delivered, err := env.Sessions.Request(t.Context(), q)
		if err != nil {
			t.Fatalf("%q: got %v: %v, want no error", q.Need, err, apperr.From(err).Unwrap())
		}
		for i, c := range delivered.MatchedContexts {
			if c.MatchScore < 0 || c.MatchScore > 1 || c.Content == "" || c.Version == "" || c.AtlasID == "" || i > 0 &&
				c.MatchScore > delivered.MatchedContexts[i-1].MatchScore {
				t.Errorf("%q: got %+v, want MatchScore at least 0, MatchScore at most 1, non-empty Content, non-empty Version, non-empty AtlasID, not i > 0 && c.MatchScore > delivered.MatchedContexts[i-1].MatchScore", q.Need, c)
			}
		}
		return delivered
	}

	t.Run("a request without a session gets contexts for its need", func(t *testing.T) {
		if delivered := ask(t, sessions.Request{Need: "how is bread baked with yeast"}); delivered.TraceID == "" ||
			delivered.SessionID == "" || !slices.Contains(names(delivered.MatchedContexts), "bread") ||
			slices.Contains(names(delivered.MatchedContexts), "yeast") {
			t.Errorf("without a session: %+v", delivered)
		}
	})
	started := graphtest.Must(env.Sessions.Start(t.Context(),
		sessions.Start{Goal: "Bake bread", AtlasHints: []string{"Cooking", "nosuch"}, RiskTier: "high",
			Caller: ann}))(t)
	t.Run("a start gives the contexts of its atlas and its risk tier", func(t *testing.T) {
		initial := names(started.InitialContext)
		if !slices.Equal(started.ActiveAtlases, []string{"kitchen"}) || len(started.Notes) == 0 ||
			!strings.Contains(started.Notes[0], "nosuch") || initial[0] != "kitchen-rules" ||
			!slices.Contains(initial, "fire") || !slices.Contains(initial, "bread") ||
			slices.Contains(initial, "garden-rules") || slices.Contains(initial, "poison") ||
			started.GenesisHash == "" {
			t.Errorf("got %+v, want ActiveAtlases=%v, nonzero len(Notes), started.Notes[0] with nosuch, initial[0]=kitchen-rules, initial with fire, initial with bread, initial without garden-rules, initial without poison, non-empty GenesisHash", started, []string{"kitchen"})
		}
	})

	bread := ask(t, sessions.Request{Need: "how is bread baked with yeast", Limit: 10})
	got := names(bread.MatchedContexts)
	t.Run("a need is given the contexts of the session's atlas, the best first", func(t *testing.T) {
		if got[0] == "yeast" || !slices.Contains(got, "bread") || !slices.Contains(got, "oven") ||
			slices.Contains(got, "yeast") || slices.Contains(got, "poison") || bread.SessionID != started.SessionID {
			t.Errorf("got %+v, want got[0] other than yeast, got with bread, got with oven, got without yeast, got without poison, SessionID=%v", bread, started.SessionID)
		}
	})
	t.Run("contexts that come with the search are those that are read", func(t *testing.T) {
		for _, need := range []string{"how is bread baked with yeast", "water", "how long does an oven heat",
			"soup of vegetables and bread"} { // a hint causes one more read of contexts
			once, more := ask(t, sessions.Request{Need: need, Limit: 10}).MatchedContexts,
				ask(t, sessions.Request{Need: need, Limit: 10, Hints: []string{""}}).MatchedContexts
			if len(once) == 0 || !reflect.DeepEqual(once, more) {
				t.Errorf("%q: got %v with the search and %v from reading, want equal", need, once, more)
			}
		}
	})
	t.Run("a need without a match gets nothing", func(t *testing.T) {
		if far := ask(t, sessions.Request{Need: "quantum chromodynamics of a lattice"}); len(far.MatchedContexts) > 0 ||
			len(far.Notes) != 1 {
			t.Errorf("a need that nothing is about: %+v", far)
		}
	})
	t.Run("a hint gives a context that is given on demand", func(t *testing.T) {
		if hinted := names(ask(t, sessions.Request{Need: "how is bread baked", Hints: []string{"POISON"},
			Limit: 10}).MatchedContexts); !slices.Contains(hinted, "poison") {
			t.Errorf("a hint: %v", hinted)
		}
	})
	t.Run("an action gives the contexts that name it", func(t *testing.T) {
		if acting := names(ask(t, sessions.Request{Need: "how is soup made", Action: "knife.sharpen",
			Limit: 10}).MatchedContexts); !slices.Contains(acting, "knives") {
			t.Errorf("an action: %v", acting)
		}
		if other := names(ask(t, sessions.Request{Need: "how is soup made", Action: "spoon.use",
			Limit: 10}).MatchedContexts); slices.Contains(other, "knives") {
			t.Errorf("another action: %v", other)
		}
	})
	t.Run("a limit holds", func(t *testing.T) {
		if small := ask(t, sessions.Request{Need: "how is bread baked with yeast",
			Limit: 1}); len(small.MatchedContexts) > 2 {
			t.Errorf("a limit: %+v", small)
		}
	})
	t.Run("the event of a request links the contexts that it gave", func(t *testing.T) {
		golden.Equal(t, "contexts linked to the event",
			toolstest.Count(t, g, "MATCH (e:TraceEvent {uid: '"+bread.TraceID+
				"', type: 'context.given'})-[:GAVE]->(:Context) RETURN count(*)"), len(got))
	})
	t.Run("a search finds contexts of every atlas", func(t *testing.T) {
		if found, err := env.Sessions.SearchContexts(t.Context(), sessions.SearchQuery{Query: "slugs"}); err != nil ||
			len(found.Contexts) == 0 || found.Contexts[0].ContextID != "yeast" {
			t.Errorf("got %+v %v, want nonzero len(Contexts), ContextID=yeast", found, err)
		}
	})

	say := func(t *testing.T, by, id string, helpful bool, why string) sessions.StoredFeedback {
		t.Helper()
		return graphtest.Must(env.Sessions.GiveFeedback(t.Context(),
			sessions.Feedback{ContextID: id, Helpful: helpful, Reason: why, Caller: sessions.Caller{By: by}}))(t)
	}
	t.Run("an agent has one vote for a context and a need", func(t *testing.T) {
		if first := say(t, "Ann", "bread", false, "It says no temperature"); first.Replaced ||
			first.Need != "how is bread baked with yeast" || first.TraceID == "" {
			t.Errorf(`got %+v, want Replaced=false, Need="how is bread baked with yeast", a TraceID`, first)
		}
		if again := say(t, "Ann", "bread", false, "It says no temperature"); !again.Replaced {
			t.Errorf("got %+v, want Replaced=true", again)
		}
		if unasked := say(t, "Bob", "bread", true, ""); unasked.Need != "" || unasked.Note == "" {
			t.Errorf(`got %+v, want Need="", a Note`, unasked)
		}
	})
	t.Run("a summary counts votes and reasons", func(t *testing.T) {
		answer, err := env.Sessions.FeedbackOn(t.Context(), sessions.FeedbackQuery{ContextID: "bread"})
		if err != nil || len(answer.Contexts) != 1 {
			t.Fatalf("got %+v %v, want len(Contexts)=1", answer, err)
		}
		if sum := answer.Contexts[0].Summary; sum.TotalRequests < 3 || sum.HelpfulCount != 1 ||
			sum.NotHelpfulCount != 1 || !slices.Equal(sum.CommonReasonsNotHelpful, []string{"It says no temperature"}) {
			t.Errorf(`got %+v, want TotalRequests at least 3, HelpfulCount=1, NotHelpfulCount=1, CommonReasonsNotHelpful=["It says no temperature"]`, sum)
		}
	})
	t.Run("votes against a context lower its score", func(t *testing.T) {
		score := func() float64 {
			for _, c := range ask(t, sessions.Request{Need: "how is bread baked with yeast",
				Limit: 10}).MatchedContexts {
				if c.ContextID == "bread" {
					return c.MatchScore
				}
			}
			return 0
		}
		before := score()
		for _, agent := range []string{"C", "D", "E", "F"} {
			say(t, agent, "bread", false, "It says no temperature")
		}
		if after := score(); after >= before || after <= 0 {
			t.Errorf("four voices against it: %v, and %v before", after, before)
		}
	})
	t.Run("a session of another agent, an unknown one and a running one are refused", func(t *testing.T) {
		toolstest.ErrorWithCode(t, errorOf(env.Sessions.Request(t.Context(), sessions.Request{Need: "x",
			Caller: sessions.Caller{By: "Bob", SessionID: started.SessionID}})), apperr.Conflict)
		toolstest.ErrorWithCode(t, errorOf(env.Sessions.Request(t.Context(), sessions.Request{Need: "x",
			Caller: sessions.Caller{By: "Ann", SessionID: "never"}})), apperr.NotFound)
		toolstest.ErrorWithCode(t, errorOf(env.Sessions.Start(t.Context(), sessions.Start{Goal: "again",
			Caller: sessions.Caller{By: "Ann", SessionID: started.SessionID}})), apperr.Conflict)
		toolstest.ErrorWithCode(t, errorOf(env.Sessions.GiveFeedback(t.Context(),
			sessions.Feedback{ContextID: "nosuch", Caller: ann})), apperr.NotFound)
	})

	t.Run("an end verifies the chain and happens once, and the trail has every event", func(t *testing.T) {
		ended, err := env.Sessions.End(t.Context(), sessions.End{Summary: "Bread is baked", Caller: ann})
		if err != nil || ended.SessionID != started.SessionID || !ended.ChainVerified || ended.EventCount < 8 ||
			ended.ContextsGiven == 0 || ended.FinalHash == "" {
			t.Errorf("got %+v %v, want SessionID=%v, ChainVerified=true, EventCount at least 8, nonzero ContextsGiven, non-empty FinalHash", ended, err, started.SessionID)
		}
		toolstest.ErrorWithCode(t, errorOf(env.Sessions.End(t.Context(),
			sessions.End{Caller: sessions.Caller{By: "Ann", SessionID: started.SessionID}})), apperr.Conflict)
		trail, err := env.Sessions.Trace(t.Context(),
			sessions.TraceQuery{Format: "jsonl", Caller: sessions.Caller{SessionID: started.SessionID, By: "Ann"}})
		if err != nil || !trail.ChainVerified || int64(strings.Count(trail.Lines, "\n")) != ended.EventCount ||
			!strings.Contains(trail.Lines, `"session.ended"`) {
			t.Errorf(`got %+v %v, want ChainVerified=true, int64(strings.Count(trail.Lines, "\n"))=%v, Lines with ""session.ended""`, trail, err, ended.EventCount)
		}
	})
	t.Run("a trail of another agent is refused, except to the owner of the process", func(t *testing.T) {
		others := sessions.TraceQuery{Caller: sessions.Caller{SessionID: started.SessionID, By: "Bob"}}
		golden.Equal(t, "session of an agent, read by the owner of its process",
			graphtest.Must(env.Sessions.Trace(t.Context(), others))(t).Session.AgentID, "ann")
		toolstest.ErrorWithCode(t, errorOf(env.Sessions.Trace(caller.With(t.Context(),
			caller.Caller{Name: "Bob", Permissions: []caller.Permission{caller.Read}}), others)), apperr.Conflict)
		others.AgentID = "Cid"
		toolstest.ErrorWithCode(t, errorOf(env.Sessions.Trace(t.Context(), others)), apperr.Conflict)
	})
	t.Run("all chains are intact", func(t *testing.T) {
		verified, err := env.Trace.Verify(t.Context(), trace.VerifyRequest{})
		if err != nil || !verified.Intact {
			t.Errorf("got %+v %v, want Intact=true", verified, err)
		}
	})
	t.Run("a search without an embedder, or while vectors are made, finds by words", func(t *testing.T) {
		plain := toolstest.OpenWithoutEmbedder(t, g.DB)
		if found, err := plain.Sessions.SearchContexts(t.Context(), sessions.SearchQuery{Query: "slugs"}); err != nil ||
			len(found.Contexts) == 0 || len(found.Notes) == 0 {
			t.Errorf("got %+v %v, want nonzero len(Contexts), nonzero len(Notes)", found, err)
		}
		graphtest.Must(load(t, env, change.ApplyOptions{},
			strings.Replace(garden, "stop slugs", "stop snails", 1)))(t)
		graphtest.OK(t, env.Contexts.Drain(t.Context()))
		golden.Equal(t, "contexts without vectors", toolstest.Count(t, g,
			"MATCH (c:Context)-[:CURRENT_VERSION]->(v) WHERE NOT EXISTS { (c)<-[:OF]-(:ContextEmbedding {version: v.hash}) } OR COUNT { (c)<-[:OF]-() } <> 1 RETURN count(c)"), 0)
	})
}
