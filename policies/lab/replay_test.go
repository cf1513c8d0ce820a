package lab_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/internal/timeparse"
	"nomograph/policies/check"
	"nomograph/policies/lab"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

const bar = `(:SYS_Threshold {name: 'bar', value: 0.5, unit: 'ratio'}), (:SYS_Policy {name: 'sure', active: true, requires: 'has(action.confidence) && action.confidence >= threshold("bar")'})`

func sure(c float64) *float64 { return &c }

func replayed(t *testing.T, env *tools.App, q lab.Request) lab.Replay {
	t.Helper()
	r := graphtest.Must(env.Lab.Replay(t.Context(), q))(t)
	return r
}

func checked(t *testing.T, env *tools.App, c check.ActionCheck) check.Verdict {
	t.Helper()
	v := graphtest.Must(env.Checks.Check(t.Context(), c))(t)
	return v
}

// history records six actions with a threshold of 0.5: four decisions, one denied action that was retried, and one
// denied action.
func history(t *testing.T, env *tools.App) {
	t.Helper()
	for _, d := range []struct {
		text       string
		confidence float64
		outcome    string
	}{{"Move the queue", 0.55, "success"}, {"Move the cache", 0.55, "failure"}, {"Move the log", 0.6, ""},
		{"Move the mail", 0.9, "success"}} {
		made := toolstest.Record(t, env, decisions.Record{Decision: d.text, Confidence: d.confidence,
			Category: "process", Stakes: "high"})
		if d.outcome != "" {
			toolstest.Review(t, env, made.ID, d.outcome)
		}
	}
	for _, confidence := range []float64{0.4, 0.5} {
		checked(t, env, check.ActionCheck{Description: "Deploy it", Name: "deploy", Confidence: sure(confidence),
			SessionID: "s1", AgentID: "bo"})
	}
	checked(t, env, check.ActionCheck{Description: "Drop it", Name: "drop", Confidence: sure(0.35), SessionID: "s1",
		AgentID: "bo", Stakes: "critical"})
}

func TestReplay_HigherThreshold_CountsFlipsByOutcome(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar)
	history(t, env)
	toolstest.WaitForWorkers(t, g)
	before := toolstest.Fingerprint(t, g)
	r := replayed(t, env, lab.Request{Change: lab.Change{Set: graph.Parameters{"bar": 0.7}},
		FailOn: []string{"blocked_successes > 0"}})
	golden.Equal(t, "the graph after a replay", toolstest.Fingerprint(t, g), before)
	if r.Verdicts != 7 || r.Acts != 6 || r.Today.Allowed != 5 || r.Today.Denied != 1 || r.Changed.Denied != 5 ||
		r.Freed.Acts != 0 {
		t.Errorf("got %+v, want Verdicts=7, Acts=6, Allowed=5, Denied=1, Denied=5, Acts=0", r)
	}
	want := lab.Outcomes{Success: 1, Failure: 1, Unreviewed: 2}
	if r.Blocked.Acts != 4 || r.Blocked.Outcomes != want || r.Blocked.Exact != 4 || len(r.Blocked.Examples) != 4 ||
		r.Blocked.ByRule[0].Name != "sure" {
		t.Errorf("got %+v, want Acts=4, Outcomes=%v, Exact=4, len(Examples)=4, Name=sure", r.Blocked, want)
	}
	if e := r.Blocked.Examples[0]; e.Outcome != "failure" && e.Outcome != "success" || e.DecisionID == "" {
		t.Errorf("got %+v as the most important example, want a reviewed act", e)
	}
	if r.Retries.Acts != 1 || r.Retries.Changes[0].Change != "confidence 0.4 → 0.5" {
		t.Errorf(`got %+v, want Acts=1, Change="confidence 0.4 → 0.5"`, r.Retries)
	}
	if r.Estimate.Precision.Of != 2 || r.Estimate.Recall.Of != 1 || r.Estimate.PrecisionBounds.Low != 0.25 ||
		r.Estimate.PrecisionBounds.High != 0.75 || r.Estimate.Unreviewed != 2 {
		t.Errorf("got %+v, want Of=2, Of=1, Low=0.25, High=0.75, Unreviewed=2", r.Estimate)
	}
	if r.Reviews.Inside != (lab.ReviewRate{Acts: 4, Reviewed: 2}) ||
		r.Reviews.Outside != (lab.ReviewRate{Acts: 1, Reviewed: 1}) {
		t.Errorf("got %+v, want Inside=%v, Outside=%v", r.Reviews, (lab.ReviewRate{Acts: 4, Reviewed: 2}),
			(lab.ReviewRate{Acts: 1, Reviewed: 1}))
	}
	if !r.Failed() || !strings.Contains(r.Summary, "1 failure stopped, 1 success blocked, 2 unknown") ||
		!strings.Contains(r.Summary, "FAILED: `blocked_successes > 0`") {
		t.Errorf(`got %s, want r.Failed()=true, Summary with "1 failure stopped, 1 success blocked, 2 unknown", Summary with %q`, r.Summary, "FAILED: `blocked_successes > 0`")
	}
}

func TestReplay_LowerThreshold_HasNoEstimate(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar)
	history(t, env)
	forced := graphtest.Must(env.Decisions.Record(t.Context(),
		decisions.Record{Decision: "Move the rest", Confidence: 0.3, Category: "process",
			ExtraFields: decisions.ExtraFields{By: "bo", ForceReason: "it is urgent"}}))(t)
	toolstest.Review(t, env, forced.ID, "failure")
	r := replayed(t, env, lab.Request{Change: lab.Change{Set: graph.Parameters{"bar": 0.2}}})
	if r.Freed.Acts != 2 || r.Freed.NotDone != 1 || r.Freed.Overridden != 1 || r.Freed.Outcomes.Failure != 1 ||
		r.Estimate != nil || r.Blocked.Acts != 0 {
		t.Errorf("got %+v, estimate %+v, want Acts=2, NotDone=1, Overridden=1, Failure=1, Estimate=nil, Acts=0",
			r.Freed, r.Estimate)
	}
	if e := r.Freed.Examples[0]; e.Overridden != "force" || e.Outcome != "failure" {
		t.Errorf("got %+v first, want the forced act", e)
	}
}

func TestReplay_ModesAndPacks_ChangeRules(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar+`, (:SYS_Policy {name: 'trial', active: true, mode: 'shadow', requires: 'action.stakes < critical'})`)
	history(t, env)
	if r := replayed(t, env, lab.Request{Change: lab.Change{Mode: graph.Parameters{"sure": "off"}}}); r.Freed.Acts != 1 || r.Blocked.Acts != 0 {
		t.Errorf("turned off: got %+v, want Acts=1, Acts=0", r)
	}
	g.Exec(t, "CREATE (:Marker {name: 'm'}), (:SYS_Policy {name: 'looks', active: true, mode: 'shadow', forbids_pattern: 'MATCH (m:Marker) RETURN m.name AS name'})", nil)
	if r := replayed(t, env, lab.Request{Change: lab.Change{Mode: graph.Parameters{"sure": "off"}}}); r.Rules[0].Rule != "looks" || r.Rules[0].Approximate+r.Rules[0].ObjectedToday != 0 || !strings.Contains(r.Summary, "'looks' reads the graph and denies nothing") {
		t.Errorf("an unchanged Cypher rule in shadow mode: got %+v, want that it was not evaluated", r.Rules)
	}
	if r := replayed(t, env, lab.Request{Change: lab.Change{Mode: graph.Parameters{"looks": "enforce"}}}); r.Blocked.Acts != 5 || r.Blocked.Approximate != 5 {
		t.Errorf("the Cypher rule enforced: got %+v, want five acts newly denied", r.Blocked)
	}
	g.Exec(t, "MATCH (n:Marker|SYS_Policy) WHERE n.name IN ['m', 'looks'] DETACH DELETE n", nil)
	if r := replayed(t, env, lab.Request{Change: lab.Change{Mode: graph.Parameters{"trial": "enforce",
		"sure": "off"}}}); r.Freed.Acts != 0 || r.Changed.Denied != 1 {
		t.Errorf("enforced: got %+v, want Acts=0, Denied=1", r)
	}
	pack := toolstest.Packs("pack: p\nversion: 1.0.0\npolicies:\n  - {name: sure, active: true, requires: \"has(action.confidence) && action.confidence >= threshold('bar')\"}\n  - {name: no-deploys, active: true, actions: [deploy], requires: \"threshold('most') > 1\"}\nthresholds:\n  - {name: most, value: 1, rationale: x}\n")
	r := replayed(t, env, lab.Request{Change: lab.Change{Packs: pack}})
	if r.Blocked.Acts != 1 || r.Blocked.ByRule[0].Name != "no-deploys" || r.Blocked.ByAgent[0].Name != "bo" {
		t.Errorf("a pack: got %+v, want Acts=1, Name=no-deploys, Name=bo", r.Blocked)
	}
	unstated := toolstest.Packs("pack: q\nversion: 1.0.0\npolicies:\n  - {name: trial, active: true, requires: \"action.stakes < critical\"}\n")
	if r := replayed(t, env, lab.Request{Change: lab.Change{Packs: unstated,
		Mode: graph.Parameters{"sure": "off"}}}); r.Freed.Acts != 0 || r.Changed.Denied != 1 {
		t.Errorf("a pack that does not name the mode: got %+v, want its rule enforced, as after applying it", r)
	}
	for _, c := range []struct {
		change lab.Change
		code   apperr.Code
		says   string
	}{
		{lab.Change{Set: graph.Parameters{"baar": 1.0}}, apperr.NotFound, "Did you mean bar?"},
		{lab.Change{Set: graph.Parameters{"bar": 1.5}}, apperr.Validation, ""},
		{lab.Change{Mode: graph.Parameters{"sur": "off"}}, apperr.NotFound, "Did you mean sure?"},
		{lab.Change{Mode: graph.Parameters{"sure": "on"}}, apperr.Validation, "enforce, shadow or off"},
	} {
		_, err := env.Lab.Replay(t.Context(), lab.Request{Change: c.change})
		golden.Contains(t, "the hint", toolstest.ErrorWithCode(t, err, c.code).Hint, c.says)
	}
}

// TestReplay_MaskedFacts_AreNotReplayable: rules read a masked value, so their result cannot be replayed.
func TestReplay_MaskedFacts_AreNotReplayable(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Threshold {name: 'length', value: 5}), (:SYS_Policy {name: 'short', active: true, applies_when: 'has(action.params.token)', requires: 'action.params.token.size() >= int(threshold("length"))'})`)
	checked(t, env, check.ActionCheck{Description: "Call",
		Params: graph.Parameters{"token": "ghp_0123456789abcdefghij0123456789abcdef"}})
	checked(t, env, check.ActionCheck{Description: "Call without", Params: graph.Parameters{"url": "x"}})
	r := replayed(t, env, lab.Request{Change: lab.Change{Set: graph.Parameters{"length": int64(500)}}})
	if r.Undetermined != 1 || r.Blocked.Acts != 0 || r.Rules[0].NotReplayable != 1 || r.Rules[0].Exact != 1 ||
		r.Changed.Undetermined != 1 {
		t.Errorf("got %+v, rules %+v, want Undetermined=1, Acts=0, NotReplayable=1, Exact=1", r, r.Rules)
	}
	if r := replayed(t, env, lab.Request{}); r.Undetermined != 0 || r.Same.NotComparable != 1 ||
		r.Same.Reproduced != 1 {
		t.Errorf("unchanged: got %+v, want Undetermined=0, NotComparable=1, Reproduced=1", r.Same)
	}
	// a manual edit
	g.Exec(t, `MATCH (v:Verdict {description: 'Call without'}) SET v.inputs = '{"description":"Call without","confidence":1.05}'`, nil)
	if r := replayed(t, env, lab.Request{Change: lab.Change{Set: graph.Parameters{"length": int64(500)}}}); r.Undetermined != 2 || r.Rules[0].NotReplayable != 2 {
		t.Errorf("an invalid action: got %+v, rules %+v, want two acts that cannot be replayed", r, r.Rules)
	}
	golden.Equal(t, "acts for an invalid action",
		graphtest.Must(env.Lab.Learn(t.Context(), lab.LearnRequest{}))(t).Acts, 0)
	g.Exec(t, `MATCH (v:Verdict {description: 'Call without'}) SET v.inputs = '{"description":"Call without","params":{"url":"x"}}' WITH 1 AS one MATCH (v:Verdict) SET v.schema_version = 1`, nil)
	if r := replayed(t, env, lab.Request{Change: lab.Change{Set: graph.Parameters{"length": int64(500)}}}); r.Rules[0].Exact != 0 || r.Blocked.Approximate != r.Blocked.Acts {
		t.Errorf("older verdicts: got %+v, want nothing exact", r.Rules)
	}
}

// generated returns random rules and a generator of random actions.
func generated(rng *rand.Rand) (rules string, action func() check.ActionCheck) {
	conditions := []string{`action.stakes >= high`, `has(action.confidence) && action.confidence >= threshold("low")`,
		`action.category == "process"`, `agent == "bo"`,
		`has(action.context.tests) && action.context.tests == true`, `action.confidence > threshold("high")`,
		`!("urgent" in action.tags)`, `action.description.contains("it")`,
		`has(action.params.token)`, `action.context.size < 100`, `project == "acme/shop"`,
		`action.commands.all(c, c != "rm")`, `now.getFullYear() > 2000`}
	nodes := []string{"(:SYS_Threshold {name: 'low', value: 0.3}), (:SYS_Threshold {name: 'high', value: 0.7})"}
	for i := range 12 {
		more := ""
		if rng.IntN(2) == 0 {
			more += ", applies_when: '" + conditions[rng.IntN(len(conditions))] + "'"
		}
		more += []string{"", "", ", mode: 'shadow'", ", severity: 'warn'", ", severity: 'approve'", ", mode: 'off'",
			", severity: 'allow'"}[rng.IntN(7)]
		more += []string{"", "", "", ", actions: ['deploy*']", ", scope: ['acme/*']"}[rng.IntN(5)]
		nodes = append(nodes, fmt.Sprintf("(:SYS_Policy {name: 'r%02d', active: true, requires: '%s'%s})", i,
			conditions[rng.IntN(len(conditions))], more))
	}
	one := func(texts ...string) string { return texts[rng.IntN(len(texts))] }
	return strings.Join(nodes, ", "), func() check.ActionCheck {
		c := check.ActionCheck{Description: one("Do it", "Deploy", "Read ghp_0123456789abcdefghij0123456789abcdef"),
			Category: one("", "process", "Process ", "tooling"), Stakes: one("", "low", "high", "critical"),
			Name: one("", "deploy", "deploy.now", "read"), Project: one("", "acme/shop", "other/x"),
			AgentID: one("bo", "Ada", ""), By: "cy", SessionID: one("", "s1", "s2"), Context: graph.Parameters{},
			Params: graph.Parameters{}}
		if rng.IntN(3) > 0 {
			c.Confidence = sure(float64(rng.IntN(11)) / 10)
		}
		if rng.IntN(2) == 0 {
			c.Context["tests"], c.Context["size"] = rng.IntN(2) == 0, rng.IntN(200)
		}
		if rng.IntN(3) == 0 {
			c.Params["token"] = "ghp_0123456789abcdefghij0123456789abcdef"
		}
		if rng.IntN(3) == 0 {
			c.Params["command"], c.Tags = one("rm -rf x", "ls"), []string{one("urgent", "x")}
		}
		return c
	}
}

// TestReplay_GeneratedRules_ReproduceAndAgreeWithExplain: unchanged rules reproduce every verdict of their revision.
// After a change, each exact result equals that of explain_verdict.
func TestReplay_GeneratedRules_ReproduceAndAgreeWithExplain(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, env := toolstest.Open(t)
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 7))
		rules, action := generated(rng)
		g.Exec(t, "MATCH (v:Verdict) DETACH DELETE v", nil)
		toolstest.Rules(t, g, rules)
		var ids []string
		for range 60 {
			ids = append(ids, checked(t, env, action()).VerdictID)
		}
		r := replayed(t, env, lab.Request{})
		if r.Verdicts != 60 || r.Blocked.Acts+r.Freed.Acts+r.Undetermined != 0 || r.Same.Verdicts != 60 ||
			r.Same.Different != 0 || r.Same.Reproduced < 10 || r.Since != (lab.Since{}) {
			t.Errorf("seed %d: got flips %d and %d, undetermined %d, %+v, %+v", seed, r.Blocked.Acts, r.Freed.Acts,
				r.Undetermined, r.Same, r.Since)
		}
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 'low'}) SET t.value = 0.6", nil)
		nodes := graphtest.Must(env.Checks.RuleNodes(t.Context(), nil))(t)
		set := check.NewCompiler(g.DB).Compile(nodes, time.Now())
		exact := 0
		for _, id := range ids {
			e := graphtest.Must(env.Checks.Explain(t.Context(), check.VerdictQuery{ID: id, Replay: true}))(t)
			if e.Today.Revision != set.Revision() {
				t.Fatalf("got revision %s, want %s", set.Revision(), e.Today.Revision)
			}
			summary := map[string]string{}
			for _, j := range e.Rules {
				summary[j.GuardrailID] = strings.Replace(j.Result, "holds", "passed", 1)
			}
			results := graphtest.Must(set.Replay(t.Context(), check.StoredAction{At: e.At, Agent: e.AgentID,
				Inputs: string(e.Action), InputsKept: check.RetainFull, Facts: e.Facts}.Read(), true, nil))(t)
			for i, rule := range set.Rules() {
				if results[i].Exactness == check.NotReplayable {
					continue
				}
				exact++
				golden.Equal(t, fmt.Sprint("seed ", seed, ", verdict ", id, ", rule ", rule.Name), results[i].Result,
					summary[rule.Name])
			}
		}
		if exact < 200 {
			t.Errorf("seed %d: only %d results were exact", seed, exact)
		}
	}
}

// TestReplay_RecordedHistory_IsReproducedUnderEachRevision: a replay with today's rules changes no answer. With the
// threshold of its time, each part of a history of checks, retries and recordings gets its recorded answers.
func TestReplay_RecordedHistory_IsReproducedUnderEachRevision(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar+`, (:SYS_Policy {name: 'trial', active: true, mode: 'shadow', requires: 'action.stakes < high'}),
		(:SYS_Policy {name: 'warns', active: true, severity: 'warn', applies_when: 'action.phase == "record"', requires: 'action.stakes < high'})`)
	rng := rand.New(rand.NewPCG(5, 33))
	type span struct {
		from, to string
		bar      float64
	}
	var spans []span
	now := func() string { return time.Now().UTC().Format(time.RFC3339Nano) }
	for revision, value := range []float64{0.5, 0.8, 0.3} {
		if revision > 0 {
			toolstest.Set(t, env, "bar", value)
		}
		from := now()
		for n := range 20 {
			confidence, session := float64(rng.IntN(11))/10, fmt.Sprintf("s%d-%d", revision, n%3)
			stakes := []string{"low", "medium", "high"}[rng.IntN(3)]
			switch n % 3 {
			case 0:
				checked(t, env, check.ActionCheck{Description: fmt.Sprintf("Move %d", n), Confidence: &confidence,
					Stakes: stakes, SessionID: session, AgentID: "bo"})
			case 1:
				for _, tried := range []float64{confidence / 2, confidence} {
					checked(t, env, check.ActionCheck{Description: fmt.Sprintf("Deploy %d", n), Name: "deploy",
						Params: graph.Parameters{"n": n}, Confidence: &tried, Stakes: stakes, SessionID: session,
						AgentID: "bo"})
				}
			default:
				force := ""
				if confidence < value {
					force = "no time"
				}
				toolstest.Record(t, env, decisions.Record{Decision: fmt.Sprintf("Record number %d of revision %d", n,
					revision), Confidence: confidence, Category: "process", Stakes: stakes,
					ExtraFields: decisions.ExtraFields{ForceReason: force}})
			}
		}
		spans = append(spans, span{from, now(), value})
	}
	whole := replayed(t, env, lab.Request{})
	if whole.Verdicts != 81 || whole.Blocked.Acts+whole.Freed.Acts+whole.Undetermined != 0 ||
		whole.Same != (lab.Same{Verdicts: 27, Reproduced: 27}) {
		t.Errorf("unchanged: got %d verdicts, flips %+v and %+v, %+v, want 81, none, and the 27 of today's revision reproduced", whole.Verdicts, whole.Blocked, whole.Freed, whole.Same)
	}
	denied := 0
	for _, s := range spans {
		r := replayed(t, env, lab.Request{Change: lab.Change{Set: graph.Parameters{"bar": s.bar}},
			Filter: lab.Filter{Range: timeparse.Range{DateAfter: s.from, DateBefore: s.to}}})
		costs := r.Given
		costs.Overridden = 0
		if r.Verdicts != 27 || r.Changed != costs || r.Rules[0].NotReplayable+r.Rules[0].Approximate != 0 {
			t.Errorf("a bar of %g: %d verdicts got %+v, want the answers at the time %+v", s.bar, r.Verdicts, r.Changed,
				costs)
		}
		denied += costs.Denied
	}
	if denied < 10 {
		t.Errorf("got only %d denied acts, too few for a test", denied)
	}
}

func TestReplayFile_Export_GivesTheSameAnswerWithoutADatabase(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar+`, (:Marker), (:SYS_Policy {name: 'cypher', active: true, applies_when: 'action.name == "drop"', forbids_pattern: 'MATCH (m:Marker) RETURN m.name AS name'})`)
	history(t, env)
	q := lab.Request{Change: lab.Change{Set: graph.Parameters{"bar": 0.7}}, SkipCypher: true}
	var file bytes.Buffer
	exported, err := env.Lab.Export(t.Context(), lab.Filter{}, &file)
	if err != nil || exported.Verdicts != 7 || exported.Rules != 2 {
		t.Fatalf("got %+v, %v, want Verdicts=7, Rules=2", exported, err)
	}
	text := file.String()
	r := graphtest.Must(lab.ReplayFile(t.Context(), q, &file))(t)
	if diff := cmp.Diff(replayed(t, env, q), r, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(lab.Replay{}, "To", "From",
		"Seconds", "Revision", "ChangedTo", "Same", "Summary")); diff != "" {
		t.Error(diff)
	}
	for name, bad := range map[string]string{"empty": "", "no header": `{"uid": "x"}`,
		"torn": strings.TrimSuffix(text, "}\n")} {
		if _, err := lab.ReplayFile(t.Context(), q, strings.NewReader(bad)); !apperr.Is(err, apperr.Validation) {
			t.Errorf("%s: got %v, want error %s", name, err, apperr.Validation)
		}
	}
}

func TestReplay_CanceledCaller_Stops(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar)
	history(t, env)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := env.Lab.Replay(ctx, lab.Request{}); err == nil {
		t.Error("got no error for a call that ended")
	}
}

// TestReplay_ManyVerdicts_AreReadInBatches: pages neither skip nor repeat verdicts with equal times.
func TestReplay_ManyVerdicts_AreReadInBatches(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar)
	inputs := graphtest.Must(json.Marshal(check.ActionCheck{Description: "Do it", Confidence: sure(0.6)}))(t)
	g.Exec(t, `UNWIND range(1, 2500) AS i CREATE (:Verdict {uid: 'v' + i, at: datetime('2026-01-01T00:00:00Z') + duration({minutes: i / 700}), allowed: true, agent: 'bo', stakes: 'high', inputs: $inputs, inputs_kept: 'full',
		revision: 'old', schema_version: 2, action_key: 'k' + i, masked: [], applied: ['sure'], applied_results: ['passed'], session: 's' + (i % 10), results: '{"violations":[]}'})`, map[string]any{"inputs": string(inputs)})
	r := replayed(t, env, lab.Request{Change: lab.Change{Set: graph.Parameters{"bar": 0.7}}})
	if r.Acts != 2500 || r.Blocked.Acts != 2500 || len(r.Blocked.Examples) != 10 {
		t.Errorf("got %d acts, %d blocked, want Acts=2500, len(Examples)=10", r.Acts, r.Blocked.Acts)
	}
}

// TestReplay_CircuitBreaker_IsEvaluatedAtTheTimeOfEachAct: checks before the failures passed, and those after them
// would also pass with a higher number of failures.
func TestReplay_CircuitBreaker_IsEvaluatedAtTheTimeOfEachAct(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Threshold {name: 'f', value: 2}), (:SYS_Threshold {name: 'h', value: 24})`)
	g.Exec(t, `CREATE (:SYS_Policy {name: 'stop', active: true, circuit_scope: 'stakes:high', circuit_failures: 'f',
		circuit_window_hours: 'h', circuit_cooldown_hours: 'h', forbids_pattern: $pattern})`,
		map[string]any{"pattern": cypher.CircuitState.Text()})
	act := func(stakes string) { checked(t, env, check.ActionCheck{Description: "Deploy it", Stakes: stakes}) }
	act("high")
	for _, text := range []string{"Move the queue", "Move the cache"} {
		made := toolstest.Record(t, env, decisions.Record{Decision: text, Confidence: 0.8, Stakes: "high"})
		toolstest.Review(t, env, made.ID, "failure")
	}
	act("high")
	act("low")
	r := replayed(t, env, lab.Request{Change: lab.Change{Set: graph.Parameters{"f": int64(3)}}})
	if r.Today.Denied != 1 || r.Freed.Acts != 1 || r.Blocked.Acts != 0 || r.Same.Different != 0 {
		t.Errorf("got %d denied, %d freed, %d blocked, %d different, want 1, 1, 0, 0",
			r.Today.Denied, r.Freed.Acts, r.Blocked.Acts, r.Same.Different)
	}
}
