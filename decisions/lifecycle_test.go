package decisions_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

func TestRecord_EveryField_IsReturned(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Stage{Graph: g, App: env, Names: map[string]string{"secret": "ghp_" + strings.Repeat("a1B2", 9)}}.
		Play(t, "testdata/calls/lifecycle.txt")
	if strings.Contains(decisions.NothingRecorded, "_") {
		t.Errorf("%q names a tool", decisions.NothingRecorded)
	}

	t.Run("an id that is taken is drawn again", func(t *testing.T) {
		drawn := toolstest.App(t, g.DB)
		ids := []string{"abcd0001", "abcd0001", "abcd0003"}
		drawn.Decisions.NewID = func() string { id := ids[0]; ids = ids[1:]; return id }
		if out := toolstest.Record(t, drawn, decisions.Record{Decision: "Three",
			Confidence: 0.7}); out.ID != "abcd0003" {
			t.Errorf("got %s, want abcd0003", out.ID)
		}
		ids = []string{"abcd0001", "abcd0004"}
		if out := toolstest.Record(t, drawn, decisions.Record{Decision: "Four", Confidence: 0.7,
			ExtraFields: decisions.ExtraFields{RequestKey: "with a key"}}); out.ID != "abcd0004" {
			t.Errorf("with a request key: got %s, want abcd0004", out.ID)
		}
	})
}

// errorOf returns the error of a call.
func errorOf[T any](_ T, err error) error { return err }

func TestRecord_SameRequestKey_RecordsOnce(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Stage{Graph: g, App: env}.Play(t, "testdata/calls/keys.txt")
	var ids sync.Map
	many := []*tools.App{env, toolstest.App(t, g.DB)}
	succeeded, errs := toolstest.Concurrently(20, func(i int) error {
		out, err := many[i%2].Decisions.Record(t.Context(),
			decisions.Record{Decision: "All at once", Category: "process", Confidence: 0.7,
				ExtraFields: decisions.ExtraFields{RequestKey: "k2", By: "ada"}})
		ids.Store(out.ID, true)
		return err
	})
	distinct := 0
	ids.Range(func(any, any) bool { distinct++; return true })
	rows := g.Rows(t, "MATCH (d:Decision {decision: 'All at once'}) WHERE d.request_key IS NOT NULL RETURN count(d) AS n", nil)
	if succeeded != 20 || distinct != 1 || rows[0]["n"] != int64(1) {
		t.Errorf("%d succeeded, %d ids, %v decisions: %v", succeeded, distinct, rows[0]["n"], errs)
	}
}

func TestRecord_Blocked_StoresTheVerdict(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyShipped(t, g, "core")
	toolstest.Stage{Graph: g, App: env}.Play(t, "testdata/calls/blocked.txt")
}

// TestRecord_FailingStatement_WritesNothing makes a statement fail in the middle, on a duplicate uid.
func TestRecord_FailingStatement_WritesNothing(t *testing.T) {
	g, env := toolstest.Open(t)
	out := toolstest.Record(t, env, decisions.Record{Decision: "Stay as you are", Confidence: 0.7,
		ExtraFields: decisions.ExtraFields{Tags: []string{"a"},
			Reasons: []decisions.Reason{{Type: "analysis", Text: "r"}}}})
	for _, err := range []error{
		errorOf(env.Decisions.Update(t.Context(), decisions.Update{ID: out.ID, Confidence: new(0.6),
			Session: decisions.Session{By: "x"}})),
		errorOf(env.Decisions.Review(t.Context(), decisions.Outcome{ID: out.ID, Outcome: "partial",
			Session: decisions.Session{By: "x"}})),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before := graphOf(t, g)
	broken := toolstest.App(t, g.DB)
	for label, write := range map[string]func() error{
		"Decision": func() error {
			return errorOf(broken.Decisions.Record(t.Context(),
				decisions.Record{Decision: "New", Category: "process", Confidence: 0.7,
					ExtraFields: decisions.ExtraFields{Tags: []string{"b"}, By: "somebody new",
						Reasons: []decisions.Reason{{Type: "analysis", Text: "one"}}}}))
		},
		"Revision": func() error {
			return errorOf(broken.Decisions.Update(t.Context(),
				decisions.Update{ID: out.ID, Decision: "Changed", Tags: []string{"b"}, Reasons: []decisions.Reason{},
					Session: decisions.Session{By: "x"}}))
		},
		"Review": func() error {
			return errorOf(broken.Decisions.Review(t.Context(),
				decisions.Outcome{ID: out.ID, Outcome: "success", Session: decisions.Session{By: "x"}}))
		},
	} {
		taken := g.Rows(t, "MATCH (n:"+label+") RETURN n.uid AS uid", nil)[0]["uid"].(string)
		broken.Decisions.NewUID = func() string { return taken }
		if err := write(); err == nil {
			t.Errorf("a %s was written with a uid that is taken", label)
		}
		if after := graphOf(t, g); after != before {
			t.Errorf("%s: the graph was\n%s\nand is\n%s", label, before, after)
		}
	}
}

// graphOf returns decisions and their links as one text, without sessions and vectors, which are written in the
// background.
func graphOf(t *testing.T, g *graphtest.Graph) string {
	t.Helper()
	raw := graphtest.Must(json.Marshal(g.Rows(t, `MATCH (n:Decision|Reason|Tag|Pattern|Project|Review|Revision|Verdict)
		OPTIONAL MATCH (n)-[r]->(m:Decision|Reason|Tag|Pattern|Project|Review|Revision)
		WITH n, type(r) AS r, properties(r) AS p, m.uid AS m ORDER BY r, m
		RETURN [l IN labels(n) WHERE NOT l IN ['Unindexed', 'Uncounted']] AS l, n {.*, counted_as: null} AS n, collect([r, p, m]) AS r ORDER BY n.uid`, nil)))(t)
	return string(raw)
}
