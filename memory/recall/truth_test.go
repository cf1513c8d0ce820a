package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/memory/recall"
	"nomograph/tools"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// recalled returns the answer to a question, or fails the test.
func recalled(t *testing.T, env *tools.App, query string, limits recall.Limits) recall.Recalled {
	t.Helper()
	a, err := env.Recall.Recall(t.Context(), recall.RecallQuery{Query: query, Range: "long", Limits: limits})
	if err != nil {
		t.Fatalf("%s: got %v, want no error", query, err)
	}
	return a
}

// filler are chunks about something else.
var filler = []string{"User: How do the lamps work?\n\nAssistant: The bulbs are changed in spring.",
	"User: What about the shelves?\n\nAssistant: The stock is counted each quarter by two people.",
	"User: The build system is slow.\n\nAssistant: The system compiles everything twice.",
	"User: And the ticket system?\n\nAssistant: That system closes tickets after a week.",
	"User: Which file is broken?\n\nAssistant: The file of the settings.",
	"User: Is the mail system up?\n\nAssistant: The mail system is up again."}

func TestRecall_Conversations_NewestValueFirst(t *testing.T) {
	g, env := toolstest.Open(t)
	may := func(day int) time.Time { return time.Date(2024, 5, day, 9, 0, 0, 0, time.UTC) }
	for i, minutes := range []string{"5", "30", "90"} {
		addConversation(t, g, env, "acme/shop", "s-"+minutes, may(1+i),
			"User: For how long is a page kept?\n\nAssistant: The cache expires after "+minutes+" minutes.")
	}
	addConversation(t, g, env, "acme/shop", "s-fill", may(10), filler...)
	addConversation(t, g, env, "acme/shop", "s-auth", may(12),
		"User: How does the authentication system work?\n\nAssistant: The authentication of callers goes by tokens.",
		"User: Thank you.\n\nAssistant: You are welcome.",
		"User: Lunch?\n\nAssistant: Noodles.")
	within := recall.Limits{Project: "acme/shop"}

	t.Run("ValuesThatDiffer_NewestFirstOlderSuperseded", func(t *testing.T) {
		a := recalled(t, env, "when does the cache expire", within)
		if a.Count < 3 || !strings.Contains(a.Chunks[0].Text, "90 minutes") || len(a.Chunks[0].Superseded) > 0 {
			t.Fatalf("got %s, want the newest first", a)
		}
		dates := map[string]string{"5 minutes": "2024-05-02", "30 minutes": "2024-05-03"}
		for _, c := range a.Chunks[1:] {
			for value, date := range dates {
				if strings.Contains(c.Text, "after "+value) {
					if len(c.Superseded) != 1 || c.Superseded[0].At.Format(time.DateOnly) != date {
						t.Errorf("%s: got superseded %+v, want it on %s", value, c.Superseded, date)
					}
					delete(dates, value)
				}
			}
		}
		if len(dates) > 0 || !strings.Contains(a.String(), "[Superseded on May 2, 2024") {
			t.Errorf("got dates %v in %s, want none and a superseded note", dates, a)
		}
	})
	t.Run("ExplainOfAChange_ShowsHow", func(t *testing.T) {
		e, err := env.Recall.Explain(t.Context(), recall.ExplainQuery{Topic: "the expiry of the cache: when does the cache expire", Limits: within})
		if err != nil || len(e.Changes) != 1 || len(e.Changes[0]) != 3 || !e.Changes[0][0].InForce ||
			!strings.Contains(e.Changes[0][0].Text, "90") || e.Changes[0][2].InForce {
			t.Fatalf("got %v %+v, want len(Changes)=1, len(e.Changes[0])=3, InForce=true, Text with 90, InForce=false",
				err, e.Changes)
		}
		graphtest.Contains(t, e.String(), "[How it changed, the newest first]")
	})
	t.Run("Nonsense_FindsNothing", func(t *testing.T) {
		for _, query := range []string{"How do I file taxes in Denmark?", "zxqv wvut", "How can we use it?",
			"the capital of Mongolia", "can we use kubernetes for the rollout"} {
			for _, limits := range []recall.Limits{{}, within} {
				graphtest.Equal(t, recalled(t, env, query, limits).String(), recall.NothingFound, query)
				p, err := env.Recall.Predict(t.Context(), recall.PredictQuery{Context: query, Limits: limits})
				if err != nil || p.Count > 0 {
					t.Errorf("%q: got %v %s, want Count at most 0", query, err, p)
				}
			}
		}
	})
	t.Run("OneSubjectOverAllProjects_FindsLittleElse", func(t *testing.T) {
		a := recalled(t, env, "the authentication system", recall.Limits{})
		other := 0
		for _, c := range a.Chunks {
			if !strings.Contains(c.Text, "authentication") {
				other++
			}
		}
		if a.Count == 0 || !strings.Contains(a.Chunks[0].Text, "authentication") || other > 1 {
			t.Errorf("got %d others: %s, want nonzero Count, Text with authentication, other at most 1", other, a)
		}
		graphtest.Contains(t, a.String(), " | 100%]")
	})
	longAnswers(t, env, func(session, text string) { addConversation(t, g, env, "acme/long", session, may(20), text) })
	times(t, env, func(project, session string, at time.Time, texts ...string) {
		addConversation(t, g, env, project, session, at, texts...)
	},
		func(session, parent string) {
			g.Exec(t, "MATCH (s:Session {uid: $session}) SET s.parent = $parent",
				map[string]any{"session": session, "parent": parent})
		})
}

func TestRecall_SupersededDecision_IsBelowItsSuccessor(t *testing.T) {
	g, env := toolstest.Open(t)
	addConversation(t, g, env, "acme/shop", "s-fill", time.Date(2024, 5, 10, 9, 0, 0, 0, time.UTC), filler...)
	for _, chain := range [][]string{
		{"Keep user sessions in Redis with a TTL of one hour", "Store the logins in PostgreSQL instead"},
		{"Use a table as the queue for parcels", "Queue parcels with RabbitMQ", "Kafka takes over"},
	} {
		ids := make([]string, len(chain))
		for i, text := range chain {
			made := graphtest.Must(env.Decisions.Record(t.Context(),
				decisions.Record{Decision: text, Confidence: 0.9, Category: "architecture", Stakes: "medium",
					ExtraFields: decisions.ExtraFields{Project: "acme/shop", AgentID: "Ada"}}))(t)
			if ids[i] = made.ID; i > 0 {
				g.Exec(t, "MATCH (n:Decision {id: $n}), (o:Decision {id: $o}) CREATE (n)-[:SUPERSEDES {weight: 1.0}]->(o)", map[string]any{"n": ids[i], "o": ids[i-1]})
			}
		}
		graphtest.OK(t, env.Memory.CatchUp(t.Context()))
		graphtest.OK(t, env.Chunks.Drain(t.Context()))
		indexed(t, g, "acme/shop")
		question, within := chain[0], recall.Limits{Project: "acme/shop"}
		r := recalled(t, env, question, within)
		s, err := env.Recall.Search(t.Context(), recall.SearchQuery{Query: question, Limits: within})
		p, err2 := env.Recall.Predict(t.Context(), recall.PredictQuery{Context: question, Limits: within})
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for name, answer := range map[string]recall.Answer{"recall": r.Answer, "search": s.Answer,
			"predict": p.Answer} {
			var order []string
			for _, c := range answer.Chunks {
				for _, text := range chain {
					if strings.Contains(c.Text, text) {
						order = append([]string{text}, order...)
					}
				}
			}
			if !slices.Equal(order, chain) {
				t.Errorf("%s: got %q from last to first, want %q in %s", name, order, chain,
					recall.Recalled{Answer: answer})
			}
		}
	}
}

func longAnswers(t *testing.T, env *tools.App, say func(session, text string)) {
	within := recall.Limits{Project: "acme/long"}
	var answer strings.Builder
	for i := range 120 {
		fmt.Fprintf(&answer, "Step %d of the plan moves some rows of a table and checks what they add up to. ", i)
		if i%10 == 9 {
			answer.WriteString("\n\n")
		}
		if i == 77 {
			answer.WriteString("The ledger is frozen by a trigger while it runs. ")
		}
	}
	say("s-long", "User: How was the ledger migrated?\n\nAssistant: "+answer.String())
	flat := strings.Repeat("word after word goes by here and nothing ends ", 250)
	say("s-flat", "Assistant: "+flat+"then the xylophone calibration began at noon "+flat)
	t.Run("LongAnswer_ShowsItsBestPassages", func(t *testing.T) {
		a := recalled(t, env, "How was the ledger migrated?", within)
		if a.Count == 0 || !a.Chunks[0].Shortened ||
			!strings.Contains(a.Chunks[0].Text, "How was the ledger migrated") ||
			!strings.Contains(a.Chunks[0].Text, "frozen by a trigger") || a.Tokens < 800 {
			t.Errorf(`got %d tokens: %s, want nonzero Count, Shortened=true, Text with "How was the ledger migrated", Text with "frozen by a trigger", Tokens at least 800`, a.Tokens, a)
		}
	})
	t.Run("LongMessageWithoutParagraphs_IsCutAroundTheMatch", func(t *testing.T) {
		a := recalled(t, env, "xylophone calibration", within)
		if a.Count == 0 || !strings.Contains(a.Chunks[0].Text, "xylophone calibration") ||
			!strings.Contains(a.Chunks[0].Text, "[...]") {
			t.Errorf(`got %s, want nonzero Count, Text with "xylophone calibration", Text with "[...]"`, a)
		}
		limits := within
		limits.MaxTokens = 150
		if a := recalled(t, env, "xylophone calibration", limits); a.Count == 0 ||
			!strings.Contains(a.Chunks[0].Text, "xylophone calibration") {
			t.Errorf(`got %s, want nonzero Count, Text with "xylophone calibration"`, a)
		}
	})
}

func times(t *testing.T, env *tools.App, say func(project, session string, at time.Time, texts ...string),
	under func(session, parent string)) {
	now := time.Now()
	morning := now.Add(-3 * time.Hour)
	if morning.Day() != now.Day() {
		morning = now
	}
	say("acme/day", "d-main", now.Add(-26*time.Hour), "User: Paint the fence.\n\nAssistant: The fence is green.")
	say("acme/day", "d-sub", now.Add(-25*time.Hour), "User: Find brushes.\n\nAssistant: They are in the shed.")
	under("d-sub", "d-main")
	say("acme/day", "d-today", morning, "User: Mow the lawn.\n\nAssistant: The lawn is mown.")
	t.Run("Today_FindsWhatHappenedToday", func(t *testing.T) {
		for _, query := range []string{"what happened today", "today", "What did we do today?"} {
			for _, limits := range []recall.Limits{{}, {Project: "acme/day"}} {
				if a := recalled(t, env, query, limits); a.Count != 1 ||
					!strings.Contains(a.Chunks[0].Text, "lawn is mown") {
					t.Errorf(`%q in %q: got %s, want Count=1, Text with "lawn is mown"`, query, limits.Project, a)
				}
			}
		}
		if a := recalled(t, env, "what happened today",
			recall.Limits{Project: "acme/long"}); a.Count != 0 { // the session ended long ago
			t.Errorf("got %s, want nothing", a)
		}
	})
	t.Run("PreviousSession_IsNoSubagents", func(t *testing.T) {
		r, err := env.Recall.Reconstruct(t.Context(),
			recall.ReconstructQuery{Project: "acme/day", PreviousSession: true, CurrentSessionID: "d-today"})
		if err != nil || r.Count != 1 || r.Chunks[0].SessionID != "d-main" {
			t.Errorf("got %v %s, want Count=1, SessionID=d-main", err, r)
		}
	})
	say("acme/order", "o-a", time.Date(2024, 7, 1, 22, 0, 0, 0, time.UTC), "User: one\n\nAssistant: 22:00",
		"User: four\n\nAssistant: 23:00")
	say("acme/order", "o-b", time.Date(2024, 7, 1, 22, 10, 0, 0, time.UTC), "User: two\n\nAssistant: 22:10")
	say("acme/order", "o-c", time.Date(2024, 7, 1, 22, 20, 0, 0, time.UTC), "User: three\n\nAssistant: 22:20")
	t.Run("ReconstructOfATime_IsInOrder", func(t *testing.T) {
		r, err := env.Recall.Reconstruct(t.Context(), recall.ReconstructQuery{Project: "acme/order"})
		if err != nil || r.Count != 4 {
			t.Fatalf("got %v %s, want Count=4", err, r)
		}
		for i := range r.Chunks[1:] {
			if r.Chunks[i+1].At.Before(r.Chunks[i].At) {
				t.Errorf("%s before %s", r.Chunks[i].At, r.Chunks[i+1].At)
			}
		}
	})
}

func TestRemember_Fact_IsRecalled(t *testing.T) {
	g, env := toolstest.Open(t)
	env.Remember() // a server does this in the background
	await := func() { g.Exec(t, "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()", nil) }
	reader := func(project string) caller.Caller {
		return caller.Caller{Name: "bob", Authenticated: true, Projects: []string{project},
			Permissions: []caller.Permission{caller.Read}}
	}
	toolstest.Stage{Graph: g, App: env, Callers: map[string]caller.Caller{"shop": reader("acme/shop"),
		"beta": reader("beta/shop")}}.Play(t, "testdata/calls/remember.txt")
	t.Run("ThoughtDecisionFact_AreFound", func(t *testing.T) { recordedAreFound(t, env) })
	t.Run("ChunksThatOnlyAsk_ComeLast", func(t *testing.T) {
		who := trace.SessionSelector{Agent: "Ada", Workspace: "acme/shop", SessionID: "asking"}
		const broker = "which broker carries the parcel events"
		ask := func(session, query string, n int) {
			for range n {
				graphtest.Must(env.Trace.Append(t.Context(), trace.SessionSelector{Agent: who.Agent,
					Workspace: who.Workspace, SessionID: session},
					trace.Event{Type: "query", Payload: map[string]any{"query": query}}))(t)
			}
		}
		ask("asking-1", broker, 3)
		ask("asking-2", broker, 2)
		unanswered := []string{"recette de crêpes", "東京の天気予報", "who won the cup in 1998", "سعر الذهب اليوم"}
		for i, query := range unanswered {
			ask(fmt.Sprint("unanswered-", i), query, 1+i)
		}
		graphtest.Must(env.Trace.Append(t.Context(), trace.SessionSelector{Agent: "Ada", Workspace: "acme/shop",
			SessionID: "thinking"}, trace.Event{Type: "thought",
			Payload: map[string]any{"text": "Parcel events go through NATS, our broker since spring, as Bob says"}}))(t)
		graphtest.OK(t, env.Memory.CatchUp(t.Context()))
		await()
		for _, query := range unanswered {
			graphtest.Equal(t, recalled(t, env, query, recall.Limits{}).String(), recall.NothingFound, query+
				", which was only asked before")
		}
		a := recalled(t, env, broker, recall.Limits{})
		asked := 0
		for i, c := range a.Chunks {
			if strings.Contains(c.Text, "Asked for precedents") {
				asked++
				if i == 0 || strings.Count(c.Text, "Asked for precedents") > 1 {
					t.Errorf(`%d: got %s, want nonzero i, strings.Count(c.Text, "Asked for precedents") at most 1`, i,
						c.Text)
				}
			}
		}
		if a.Count == 0 || !strings.Contains(a.Chunks[0].Text, "NATS") || asked > 1 {
			t.Errorf("got %d that were only asked: %s, want nonzero Count, Text with NATS, asked at most 1", asked, a)
		}
	})
}

// recordedAreFound records a thought, a decision and a fact, and waits until each is found.
func recordedAreFound(t *testing.T, env *tools.App) {
	for word, record := range map[string]struct{ operation, arguments string }{
		"thoughtful": {"record_thought", `{"text": "The thoughtful gauge leaks", "session_id": "soon"}`},
		"decisive":   {"log_decision", `{"decision": "Mend the decisive gauge", "category": "process", "stakes": "low", "confidence": 0.9, "session_id": "soon"}`},
		"factual":    {"remember", `{"text": "The factual gauge is mended"}`},
	} {
		o, _ := tools.Find(tools.Catalog, record.operation)
		if _, err := o.Run(t.Context(), env, []byte(record.arguments)); err != nil {
			t.Fatalf("%s: got %v, want no error", record.operation, err)
		}
		graphtest.Until(t, record.operation+" is found",
			func() bool { return recalled(t, env, word, recall.Limits{}).Count > 0 })
	}
}
