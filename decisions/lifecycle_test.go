package decisions_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

func TestRecord_EveryField_IsReturned(t *testing.T) {
	g, env := toolstest.Open(t)

	t.Run("every parameter", func(t *testing.T) {
		var c struct {
			Asked decisions.Record
			Shown map[string]any
		}
		text, err := os.ReadFile("testdata/record.json")
		if err == nil {
			err = json.Unmarshal(text, &c)
		}
		if err != nil {
			t.Fatal(err)
		}
		out := toolstest.Record(t, env, c.Asked)
		d := toolstest.Get(t, env, out.ID)
		c.Shown["id"], c.Shown["uri"] = out.ID, out.URI
		for name, want := range c.Shown {
			if diff := cmp.Diff(want, d[name]); diff != "" {
				t.Errorf(`%s: got %s, want ""`, name, diff)
			}
		}
		if due := g.Rows(t, "MATCH (d:Decision {id: $id}) RETURN duration.inDays(d.created_at, d.review_by).days AS days", map[string]any{"id": out.ID}); due[0]["days"] != int64(14) {
			t.Errorf("review_in 2w gives %v", due)
		}
		shown := d["deliberation"].(map[string]any)
		steps, inputs := shown["steps"].([]any), shown["inputs"].([]any)
		if shown["total_duration_ms"] != 1234.0 || len(inputs) != 1 ||
			inputs[0].(map[string]any)["text"] != "a benchmark" || len(steps) != 1 ||
			steps[0].(map[string]any)["thought"] != "compare" || steps[0].(map[string]any)["type"] != "empirical" ||
			steps[0].(map[string]any)["conclusion"] != true {
			t.Errorf("deliberation: %v", shown)
		}
		verdicts := d["verdicts"].([]any)
		if len(verdicts) != 1 || verdicts[0].(map[string]any)["id"] != out.VerdictID ||
			verdicts[0].(map[string]any)["allowed"] != true {
			t.Errorf("verdicts: %v", verdicts)
		}
		for _, derived := range []string{"terms", "facets", "schema_version", "request_key"} {
			if d[derived] != nil {
				t.Errorf("%s is shown", derived)
			}
		}
	})

	t.Run("confidence 0 is 0", func(t *testing.T) {
		out := toolstest.Record(t, env, decisions.Record{Decision: "A guess", Confidence: 0, Stakes: "low"})
		if got := toolstest.Get(t, env, out.ID)["confidence"]; got != 0.0 {
			t.Errorf("got %v, want 0", got)
		}
	})

	t.Run("control characters and emoji", func(t *testing.T) {
		text := "Take \u0001\t🧭 \"quoted\" \\ and 漢字\r\nsecond line\u2028"
		out := toolstest.Record(t, env, decisions.Record{Decision: text, Confidence: 0.7,
			ExtraFields: decisions.ExtraFields{Tags: []string{"🧭"}}})
		if d := toolstest.Get(t, env, out.ID); d["decision"] != text || d["tags"].([]any)[0] != "🧭" {
			t.Errorf("it became %q", d["decision"])
		}
	})

	t.Run("secrets are masked", func(t *testing.T) {
		secret := "ghp_" + strings.Repeat("a1B2", 9)
		out := toolstest.Record(t, env, decisions.Record{Decision: "Keep the token " + secret, Confidence: 0.7,
			ExtraFields: decisions.ExtraFields{Context: "password=hunter2hunter2",
				Reasons: []decisions.Reason{{Type: "analysis", Text: "it is " + secret}}, Tags: []string{secret}}})
		graphtest.Must(env.Decisions.Update(t.Context(),
			decisions.Update{ID: out.ID, Context: "now " + secret, Why: secret,
				Session: decisions.Session{By: "x"}}))(t)
		graphtest.Must(env.Decisions.Review(t.Context(),
			decisions.Outcome{ID: out.ID, Outcome: "failure", Lessons: "do not leak " + secret,
				Session:      decisions.Session{By: "x"},
				AffectedKPIs: graph.Parameters{"token": secret}}))(t)
		got := graphtest.Must(env.Decisions.Get(t.Context(),
			decisions.GetQuery{ID: out.ID, Session: decisions.Session{By: "y"}}))(t)
		raw, _ := json.Marshal(got)
		everything, _ := json.Marshal(g.Rows(t, "MATCH (n) RETURN properties(n) AS p", nil))
		if strings.Contains(string(raw)+string(everything), secret) {
			t.Errorf("got the secret in %s", raw)
		}
	})

	t.Run("what the session did is attached in order", func(t *testing.T) {
		first := toolstest.Record(t, env, decisions.Record{Decision: "An older decision", Confidence: 0.7,
			ExtraFields: decisions.ExtraFields{SessionID: "deliberating", By: "bo"}})
		for _, step := range []func() error{
			func() error {
				_, err := env.Decisions.Get(t.Context(), decisions.GetQuery{ID: first.ID,
					Session: decisions.Session{SessionID: "deliberating", By: "bo"}})
				return err
			},
			func() error {
				_, err := env.Decisions.Get(t.Context(), decisions.GetQuery{ID: first.ID,
					Session: decisions.Session{SessionID: "elsewhere", By: "bo"}})
				return err
			},
		} {
			graphtest.OK(t, step())
		}
		second := toolstest.Record(t, env, decisions.Record{Decision: "A newer decision", Confidence: 0.7,
			ExtraFields: decisions.ExtraFields{SessionID: "deliberating", By: "bo",
				Deliberation: &decisions.Deliberation{Steps: []decisions.DeliberationStep{{Thought: "so be it"}}}}})
		steps := toolstest.Get(t, env, second.ID)["deliberation"].(map[string]any)["steps"].([]any)
		kinds := []string{}
		for _, step := range steps {
			kinds = append(kinds, fmt.Sprint(step.(map[string]any)["type"], " ", step.(map[string]any)["thought"]))
		}
		if want := []string{"analysis An older decision", "reasoning so be it"}; !slices.Equal(kinds, want) {
			t.Errorf("steps are %q, not %q", kinds, want)
		}
	})

	t.Run("an unknown id is answered with the nearest", func(t *testing.T) {
		out := toolstest.Record(t, env, decisions.Record{Decision: "Something", Confidence: 0.7})
		wrong := out.ID[:7] + map[bool]string{true: "0", false: "1"}[out.ID[7] != '0']
		for _, err := range []error{
			errorOf(env.Decisions.Get(t.Context(), decisions.GetQuery{ID: wrong})),
			errorOf(env.Decisions.Update(t.Context(), decisions.Update{ID: wrong, Decision: "x"})),
			errorOf(env.Decisions.Review(t.Context(), decisions.Outcome{ID: wrong, Outcome: "success"})),
		} {
			if f := apperr.From(err); f.Code != apperr.NotFound || !strings.Contains(f.Hint, out.ID) {
				t.Errorf("%v, hint %q", err, f.Hint)
			}
		}
	})

	t.Run("an ambiguous prefix is a conflict", func(t *testing.T) {
		ids := []string{"abcd0001", "abcd0002"}
		drawn := toolstest.App(t, g.DB)
		drawn.Decisions.NewID = func() string { id := ids[0]; ids = ids[1:]; return id }
		toolstest.Record(t, drawn, decisions.Record{Decision: "One", Confidence: 0.7})
		toolstest.Record(t, drawn, decisions.Record{Decision: "Two", Confidence: 0.7})
		_, err := env.Decisions.Get(t.Context(), decisions.GetQuery{ID: "abcd"})
		if f := apperr.From(err); f.Code != apperr.Conflict || f.Hint == "" {
			t.Errorf("got %v, want a conflict with a hint", err)
		}
		if d := toolstest.Get(t, env, "abcd0002"); d["decision"] != "Two" {
			t.Errorf("the whole id gives %v", d["decision"])
		}
		if d := toolstest.Get(t, env, "nomograph://decision/abcd0001"); d["decision"] != "One" {
			t.Errorf("the uri gives %v", d["decision"])
		}
	})

	t.Run("advice is the same over every transport, so it names no tool and no field", func(t *testing.T) {
		bare := toolstest.Record(t, env, decisions.Record{Decision: "So", Confidence: 0.7,
			ExtraFields: decisions.ExtraFields{By: "somebody who thinks nothing"}})
		advice := append(bare.Quality.Suggestions, decisions.NothingRecorded)
		if len(advice) < 10 {
			t.Errorf("an empty record is advised only %q", advice)
		}
		for _, text := range advice {
			if strings.Contains(text, "_") {
				t.Errorf("%q names a tool", text)
			}
		}
	})

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
	r := decisions.Record{Decision: "Retry me", Category: "process", Confidence: 0.7,
		ExtraFields: decisions.ExtraFields{RequestKey: "k1", By: "ada"}}
	first := toolstest.Record(t, env, r)
	if again := toolstest.Record(t, env, r); again.ID != first.ID || !again.Repeated ||
		!again.Timestamp.Equal(first.Timestamp) {
		t.Errorf("the second time: got %+v, want the first answer", again)
	}
	graphtest.Must(env.Decisions.Update(t.Context(),
		decisions.Update{ID: first.ID, Decision: "Retried", Session: decisions.Session{By: "ada"}}))(t)
	if again := toolstest.Record(t, env, r); again.ID != first.ID || !again.Repeated {
		t.Errorf("after an update: got %+v, want the first answer", again)
	}
	r.Decision = "Something else"
	if _, err := env.Decisions.Record(t.Context(), r); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("another decision under the key: %v", err)
	}
	r.Decision, r.Confidence = "Retry me", 0.8
	if _, err := env.Decisions.Record(t.Context(), r); !apperr.Is(err, apperr.Conflict) {
		t.Errorf("another confidence under the key: %v", err)
	}
	other := decisions.Record{Decision: "Retry me", Confidence: 0.7,
		ExtraFields: decisions.ExtraFields{RequestKey: "k1", By: "bo"}}
	if out := toolstest.Record(t, env, other); out.Repeated || out.ID == first.ID {
		t.Errorf("another agent's key is not mine: %+v", out)
	}
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
	r := decisions.Record{Decision: "Rewrite everything", Category: "architecture", Stakes: "high", Confidence: 0.2,
		ExtraFields: decisions.ExtraFields{By: "ada", Project: "owner/repo", Tags: []string{"bold"}}}
	out := graphtest.Must(env.Decisions.Record(t.Context(), r))(t)
	if out.Success || out.Allowed || !out.Denied() || out.ID != "" || len(out.Violations) != 1 ||
		out.Violations[0].GuardrailID != "no-high-stakes-low-confidence" {
		t.Errorf("got %+v, want a denial by one guardrail", out)
	}
	rows := g.Rows(t, "OPTIONAL MATCH (d:Decision) WITH count(d) AS d OPTIONAL MATCH (t:Tag) WITH d, count(t) AS t OPTIONAL MATCH (v:Verdict) RETURN d, t, collect(v.uid) AS v", nil)
	if rows[0]["d"] != int64(0) || rows[0]["t"] != int64(0) || !cmp.Equal(rows[0]["v"], []any{out.VerdictID}) {
		t.Errorf("written were %v", rows)
	}
	r.ForceReason = "the old one is gone, password=hunter2hunter2"
	forced := toolstest.Record(t, env, r)
	if forced.Allowed || forced.Denied() || !strings.Contains(forced.Forced, "the old one is gone") ||
		strings.Contains(forced.Forced, "hunter2") {
		t.Errorf("forced: got %+v, want a masked reason", forced)
	}
	verdicts := toolstest.Get(t, env, forced.ID)["verdicts"].([]any)
	if len(verdicts) != 1 || verdicts[0].(map[string]any)["allowed"] != false ||
		verdicts[0].(map[string]any)["forced"] != forced.Forced {
		t.Errorf("the verdict is %v", verdicts)
	}
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
