package check_test

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

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/internal/timeparse"
	"nomograph/policies/check"
	"nomograph/policies/live"
	"nomograph/tools/toolstest"
)

func ids(violations []check.Violation) []string {
	names := []string{}
	for _, o := range violations {
		names = append(names, o.GuardrailID)
	}
	return names
}

func confidence(c float64) *float64 { return &c }

func TestCheck_ActiveRules_AreEvaluated(t *testing.T) {
	g, env := toolstest.Open(t)
	const sure = `(:SYS_Threshold {name: 'bar', value: 0.5}), (:SYS_Policy {name: 'sure', active: true, applies_when: 'action.stakes >= high', requires: 'has(action.confidence) && action.confidence >= threshold("bar")'})`
	for _, row := range golden.Rows(t, "testdata/rules.txt") {
		t.Run(row[0], func(t *testing.T) {
			toolstest.Rules(t, g, strings.Replace(row[1], "SURE", sure, 1))
			action := check.ActionCheck{Description: "Move the database"}
			graphtest.OK(t, json.Unmarshal([]byte(row[2]), &action))
			v := graphtest.Must(env.Checks.Check(t.Context(), action))(t)
			got := fmt.Sprint(v.Answer(), " ", v.Evaluated)
			for _, list := range []struct {
				lead       string
				violations []check.Violation
			}{{": ", v.Violations}, {"; warns ", v.Warnings}, {"; shadow ", v.Shadow}} {
				if len(list.violations) > 0 {
					got += list.lead + strings.Join(ids(list.violations), " ")
				}
			}
			golden.Equal(t, fmt.Sprint(v), got, row[3])
			golden.Equal(t, "stored verdicts", len(g.Rows(t, "MATCH (v:Verdict {uid: $uid}) RETURN v",
				map[string]any{"uid": v.VerdictID})), 1)
		})
	}
}

func TestCheck_RuleCannotBeEvaluated_Denies(t *testing.T) {
	g, env := toolstest.Open(t)
	for _, row := range golden.Rows(t, "testdata/broken_rules.txt") {
		t.Run(row[0], func(t *testing.T) {
			properties := row[1]
			if !strings.HasPrefix(properties, "active: ") {
				properties = "active: true, " + properties
			}
			nodes := append([]string{"(:SYS_Policy {name: 'r', " + properties + "})"}, row[3:]...)
			toolstest.Rules(t, g, strings.Join(nodes, ", "))
			v := graphtest.Must(env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Stakes: "high"}))(t)
			if v.Allowed || len(v.Violations) == 0 {
				t.Fatalf("the action is allowed: %+v", v)
			}
			if o := v.Violations[0]; o.Result != "error" || !strings.Contains(o.Error, row[2]) || o.Message == "" {
				t.Errorf("got %+v, want an error with %q", o, row[2])
			}
		})
	}
	t.Run("a rule that warns, or is in shadow mode, does not deny", func(t *testing.T) {
		toolstest.Rules(t, g, `(:SYS_Policy {name: 'w', active: true, severity: 'warn', requires: '1/0 > 0'}), (:SYS_Policy {name: 's', active: true, mode: 'shadow', requires: '1/0 > 0'})`)
		v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x"})
		if err != nil || !v.Allowed || len(v.Warnings) != 1 || v.Warnings[0].Result != "error" || len(v.Shadow) != 1 {
			t.Errorf("got %+v %v, want Allowed=true, len(Warnings)=1, Result=error, len(Shadow)=1", v, err)
		}
	})
	t.Run("a rule that takes too long", func(t *testing.T) {
		toolstest.Rules(t, g, `(:SYS_Policy {name: 'slow', active: true, forbids_pattern: 'UNWIND range(1, 30000) AS a UNWIND range(1, 30000) AS b WITH a, b WHERE a * b = -1 RETURN a'}), (:SYS_Policy {name: 'z', active: true, requires: 'true'})`)
		// enough to read rules whose statement is planned, on a busy machine, too
		env.Checks.Settings.CheckTimeout = 3 * time.Second
		defer func() { env.Checks.Settings.CheckTimeout = time.Minute }()
		v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x"})
		if err != nil || v.Allowed || v.Violations[0].GuardrailID != "slow" || v.Violations[0].Result != "error" {
			t.Errorf("got %+v %v, want Allowed=false, GuardrailID=slow, Result=error", v, err)
		}
	})
}

func TestCheck_Denied_NamesReasons(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Threshold {name: 'bar', value: 0.5}), (:SYS_Threshold {name: 'bar_shop', value: 0.9, domain_scope: 'shop'}),
		(:SYS_Policy {name: 'sure', active: true, applies_when: 'action.stakes >= high',
		  requires: 'has(action.context.ticket) && action.confidence >= threshold("bar", action.category) && action.confidence < 1.0',
		  message: 'A bar of {threshold("bar")}, not {action.confidence}; ticket {action.context.ticket}; {no.such.thing} {x}', alternatives: ['wait', 'ask']}),
		(:SYS_Policy {name: 'found', active: true, severity: 'warn', forbids_pattern: 'MATCH (t:SYS_Threshold) WHERE t.value > 0.8 AND $agent = "ada" AND $project IS NULL AND $action.stakes_level = 3 RETURN t.name AS name, t.value AS value'})`)
	action := check.ActionCheck{Description: "Move it", Stakes: "high", Category: "shop", Confidence: confidence(0.7),
		AgentID: "ada"}
	v := graphtest.Must(env.Checks.Check(t.Context(), action))(t)
	if len(v.Violations) != 1 || len(v.Warnings) != 1 || v.Evaluated != 2 || v.AgentID != "ada" ||
		len(v.Revision) != 64 || v.At.IsZero() {
		t.Fatalf("got %+v, want len(Violations)=1, len(Warnings)=1, Evaluated=2, AgentID=ada, len(Revision)=64, v.At.IsZero()=false", v)
	}
	o := v.Violations[0]
	golden.Equal(t, "message", o.Message, "A bar of 0.5, not 0.7; ticket (absent); {no.such.thing} {x}")
	if want := []string{"has(action.context.ticket)", `action.confidence >= 0.9`}; !slices.Equal(o.WouldPass, want) {
		t.Errorf("would pass: %q", o.WouldPass)
	}
	if o.Values["action.confidence"] != 0.7 || o.Values["action.stakes"] != "high" ||
		o.Values["action.context.ticket"] != nil || len(o.Values) != 4 {
		t.Errorf("values: %v", o.Values)
	}
	policy, err := env.Live.Policy(t.Context(), live.PolicyQuery{Name: "sure"})
	if err != nil || policy.Reading.Version != o.Version || !slices.Equal(o.Alternatives, []string{"wait", "ask"}) {
		t.Errorf("version %s, alternatives %v, read %v %v", o.Version, o.Alternatives, policy, err)
	}
	if found := v.Warnings[0].Found; len(found) != 1 || found[0]["name"] != "bar_shop" || found[0]["value"] != 0.9 {
		t.Errorf("found: %v", found)
	}
	t.Run("a changed threshold takes effect immediately", func(t *testing.T) {
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 'bar_shop'}) SET t.value = 0.6", nil)
		after, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Stakes: "high",
			Category: "shop", Confidence: confidence(0.7), Context: graph.Parameters{"ticket": "T-1"}})
		if err != nil || !after.Allowed || after.Revision == v.Revision {
			t.Errorf("got %+v %v, want Allowed=true, Revision other than %v", after, err, v.Revision)
		}
	})
	t.Run("facts that belong outside of context are noted", func(t *testing.T) {
		v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x",
			Context: graph.Parameters{"stakes": "low", "category": "c"}})
		if err != nil || len(v.Notes) != 2 || !strings.Contains(v.Notes[1], "context.stakes") {
			t.Errorf("got %v %v, want len(Notes)=2, Notes[1] with context.stakes", v.Notes, err)
		}
	})
}

// TestExplain_With_ChangesFactsAndStoresNothing tries changed facts of a denied action.
func TestExplain_With_ChangesFactsAndStoresNothing(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'sure', active: true, requires: 'has(action.context.ticket) && action.confidence >= 0.8 && has(action.context.kept)'})`)
	given, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "Move it", Confidence: confidence(0.3),
		Context: graph.Parameters{"kept": int64(1)}})
	if err != nil || given.Allowed {
		t.Fatal(given, err)
	}
	for _, try := range []struct {
		with check.Changes
		want []string // conditions that would still have to hold
	}{
		{check.Changes{Confidence: confidence(0.9), Context: graph.Parameters{"ticket": "T-1"}}, nil},
		{check.Changes{Confidence: confidence(0.9)}, []string{"has(action.context.ticket)"}},
		{check.Changes{Confidence: confidence(0.9), Context: graph.Parameters{"ticket": "T-1", "kept": nil}},
			[]string{"has(action.context.kept)"}},
		{check.Changes{}, []string{"has(action.context.ticket)", "action.confidence >= 0.8"}},
	} {
		e, err := env.Checks.Explain(t.Context(), check.VerdictQuery{ID: given.VerdictID, With: &try.with})
		if err != nil {
			t.Fatal(try.with, err)
		}
		var got []string
		for _, v := range e.Today.Violations {
			got = append(got, v.WouldPass...)
		}
		if e.Today.Allowed != (try.want == nil) || !slices.Equal(got, try.want) || e.Allowed ||
			strings.Contains(string(e.Action), "0.9") {
			t.Errorf("with %+v: allowed %t, want %q, got %q, action %s", try.with, e.Today.Allowed, try.want, got,
				e.Action)
		}
	}
	if _, err := env.Checks.Explain(t.Context(),
		check.VerdictQuery{ID: given.VerdictID, With: &check.Changes{Stakes: "huge"}}); !apperr.Is(err,
		apperr.Validation) {
		t.Errorf("invalid stakes: got %v, want error %s", err, apperr.Validation)
	}
	golden.Equal(t, "stored verdicts", toolstest.Count(t, g, "MATCH (v:Verdict) RETURN count(v)"), 1)
}

func TestExplain_RulesChangedLater_ShowsRulesOfVerdict(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Threshold {name: 'bar', value: 0.5}), (:SYS_Policy {name: 'sure', active: true, requires: 'action.confidence >= threshold("bar")'}), (:SYS_Policy {name: 'w', active: true, severity: 'warn', requires: '"a" in action.tags'})`)
	action := check.ActionCheck{Description: "Move it", Confidence: confidence(0.3), Tags: []string{"b"},
		Project: "acme/shop", AgentID: "ada", Context: graph.Parameters{"n": int64(1)}}
	given := graphtest.Must(env.Checks.Check(t.Context(), action))(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'sure', active: true, requires: 'true'})`)
	e := graphtest.Must(env.Checks.Explain(t.Context(), check.VerdictQuery{ID: given.VerdictID, Replay: true}))(t)
	before, _ := json.Marshal(given)
	after, _ := json.Marshal(e.Verdict)
	golden.Equal(t, "the verdict explained", string(before), string(after))
	if e.Today == nil || !e.Today.Allowed || e.Today.Evaluated != 1 ||
		!slices.Equal(e.ChangedSince, []string{"sure", "w"}) && !slices.Equal(e.ChangedSince, []string{"w", "sure"}) {
		t.Errorf("today %+v, changed %v", e.Today, e.ChangedSince)
	}
	var cached check.ActionCheck
	if err := json.Unmarshal(e.Action, &cached); err != nil || cached.Description != action.Description ||
		*cached.Confidence != 0.3 || cached.Context["n"] != int64(1) {
		t.Errorf("got %+v %v, want cached.Description=%v, Confidence=0.3, n=1", cached, err, action.Description)
	}
	applied := g.Rows(t, "MATCH (v:Verdict)-[a:APPLIED]->(p:SYS_PolicyVersion) RETURN p.name AS name, a.result AS result ORDER BY name", nil)
	if len(applied) != 2 || applied[0]["name"] != "sure" || applied[0]["result"] != "violated" {
		t.Errorf("applied: %v", applied)
	}
	included := g.Rows(t, "MATCH (:SYS_Revision {hash: $hash})-[:INCLUDES]->(v) RETURN labels(v) AS labels, v.name AS name ORDER BY name", map[string]any{"hash": given.Revision})
	if len(included) != 3 || included[0]["name"] != "bar" {
		t.Errorf("included: %v", included)
	}
	t.Run("each rule of today", func(t *testing.T) {
		toolstest.Rules(t, g, `(:SYS_Threshold {name: 'bar', value: 0.2}), (:SYS_Policy {name: 'holds', active: true, requires: 'action.confidence >= threshold("bar")'}),
			(:SYS_Policy {name: 'idle', active: true, applies_when: '"z" in action.tags', requires: 'false'}), (:SYS_Policy {name: 'no', active: true, mode: 'shadow', requires: 'action.confidence > 0.9'}),
			(:SYS_Policy {name: 'broken', active: true, severity: 'warn', requires: 'threshold("none") > 1.0'}),
			(:SYS_Policy {name: 'permits', active: true, severity: 'allow', requires: 'action.confidence < 0.4'}), (:SYS_Policy {name: 'permits not', active: true, severity: 'allow', requires: 'action.confidence > 0.9'}),
			(:SYS_Policy {name: 'permits broken', active: true, severity: 'allow', requires: 'threshold("none") > 1.0'})`)
		e := graphtest.Must(env.Checks.Explain(t.Context(), check.VerdictQuery{ID: given.VerdictID, Replay: true}))(t)
		results := map[string]string{}
		for _, r := range e.Rules {
			results[r.GuardrailID] = r.Result
			if r.GuardrailID == "holds" && (r.Values["action.confidence"] != 0.3 || r.Thresholds["bar"].Value != 0.2) {
				t.Errorf("it saw %v, %v", r.Values, r.Thresholds)
			}
		}
		if diff := cmp.Diff(map[string]string{"holds": "holds", "idle": "not_applied", "no": "violated",
			"broken": "error", "permits": "holds", "permits not": "violated", "permits broken": "error"},
			results); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("an unknown verdict", func(t *testing.T) {
		if _, err := env.Checks.Explain(t.Context(), check.VerdictQuery{ID: "nope"}); !apperr.Is(err, apperr.NotFound) {
			t.Errorf("got %v, want %s", err, apperr.NotFound)
		}
	})
	t.Run("an id that is the beginning of another", func(t *testing.T) {
		g.Exec(t, "MATCH (v:Verdict {uid: $uid}) CREATE (w:Verdict) SET w = v {.*, uid: v.uid + '0'}",
			map[string]any{"uid": given.VerdictID})
		golden.Equal(t, "verdict id", graphtest.Must(env.Checks.Explain(t.Context(),
			check.VerdictQuery{ID: given.VerdictID}))(t).VerdictID, given.VerdictID)
	})
	t.Run("the policy and threshold as of the verdict", func(t *testing.T) {
		node, err := env.Live.Threshold(t.Context(),
			live.ThresholdQuery{Name: "bar", AsOf: given.At.Format(time.RFC3339Nano)})
		if err != nil || node.Properties["value"] != 0.5 {
			t.Errorf("got %v %v, want value=0.5", node, err)
		}
		policy, err := env.Live.Policy(t.Context(), live.PolicyQuery{Name: "sure", AsOf: given.Revision[:12]})
		if err != nil || policy.Reading.Version != given.Violations[0].Version {
			t.Errorf("got %v %v, want Version=%v", policy, err, given.Violations[0].Version)
		}
	})
}

func TestVerdicts_Old_AreListedAndPruned(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'no', active: true, applies_when: 'agent == "bad"', requires: 'false'})`)
	var all []string
	for i := range 12 {
		agent := []string{"good", "bad"}[i%2]
		v := graphtest.Must(env.Checks.Check(t.Context(),
			check.ActionCheck{Description: fmt.Sprint("action ", i), AgentID: agent,
				Project: fmt.Sprint("p", i%3)}))(t)
		all = append(all, v.VerdictID)
	}
	slices.Reverse(all)
	no := false
	tests := map[string]struct {
		filter check.VerdictFilter
		want   int
	}{
		"all":                {check.VerdictFilter{}, 12},
		"of an agent":        {check.VerdictFilter{AgentID: "bad"}, 6},
		"denials":            {check.VerdictFilter{Allowed: &no}, 6},
		"of a rule":          {check.VerdictFilter{Rule: "no"}, 6},
		"of no such rule":    {check.VerdictFilter{Rule: "none"}, 0},
		"of a project":       {check.VerdictFilter{Project: "p0"}, 4},
		"of both":            {check.VerdictFilter{Rule: "no", Project: "p0"}, 2},
		"before they began":  {check.VerdictFilter{Range: timeparse.Range{DateBefore: "2020-01-01"}}, 0},
		"after they began":   {check.VerdictFilter{Range: timeparse.Range{DateAfter: "2020-01-01"}}, 12},
		"before the far day": {check.VerdictFilter{Range: timeparse.Range{DateBefore: "2999-01-01T00:00:00Z"}}, 12},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, limit := range []int{1, 5, 100} {
				var got []string
				filter := tt.filter
				for {
					filter.Limit = limit
					list := graphtest.Must(env.Checks.Verdicts(t.Context(), filter))(t)
					for _, v := range list.Verdicts {
						got = append(got, v.VerdictID)
					}
					if filter.Cursor = list.NextCursor; filter.Cursor == "" {
						break
					}
				}
				want := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return !slices.Contains(got, id) })
				if len(got) != tt.want || !slices.Equal(got, want) {
					t.Errorf("in pages of %d: %d verdicts, want %d, newest first", limit, len(got), tt.want)
				}
			}
		})
	}
	t.Run("an invalid time", func(t *testing.T) {
		if _, err := env.Checks.Verdicts(t.Context(),
			check.VerdictFilter{Range: timeparse.Range{DateAfter: "some day"}}); !apperr.Is(err, apperr.Validation) {
			t.Errorf("got %v, want %s", err, apperr.Validation)
		}
	})
	t.Run("two concurrent deletions count once", func(t *testing.T) {
		g.Exec(t, "UNWIND range(1, 4000) AS i CREATE (:Verdict {uid: 'old' + i, at: datetime() - duration('P800D'), allowed: true})", nil)
		env.Checks.Settings.AllowedRetention = 700 * 24 * time.Hour
		if dry, err := env.Checks.Prune(t.Context(), check.PruneRequest{}); err != nil || !dry.DryRun ||
			dry.Allowed != 4000 || !strings.Contains(dry.Note, "confirm 4000") {
			t.Errorf("without arguments: got %+v %v, want a dry run that counts 4000", dry, err)
		}
		for _, confirm := range []*int64{nil, new(int64(3999)), new(int64(4001))} {
			if _, err := env.Checks.Prune(t.Context(), check.PruneRequest{DryRun: new(false),
				Confirm: confirm}); !apperr.Is(err, apperr.Conflict) {
				t.Errorf("deleting 4000 without their number gives %v, want conflict", err)
			}
		}
		golden.Equal[any](t, "verdicts left of 4000 before anything is confirmed",
			g.Rows(t, "MATCH (v:Verdict) WHERE v.uid STARTS WITH 'old' RETURN count(v) AS n",
				nil)[0]["n"], int64(4000))
		errs := make(chan error, 2)
		for range 2 {
			go func() {
				errs <- env.Checks.DeleteExpired(t.Context())
			}()
		}
		for range 2 {
			if err := graphtest.Receive(t, "a pruning ends", errs); err != nil {
				t.Error(err)
			}
		}
		golden.Equal[any](t, "the tally of 4000", g.Rows(t, "MATCH (t:VerdictTally) RETURN sum(t.allowed) AS n",
			nil)[0]["n"], int64(4000))
		g.Exec(t, "MATCH (t:VerdictTally) DELETE t", nil)
	})
	t.Run("old verdicts are deleted and counted", func(t *testing.T) {
		g.Exec(t, "MATCH (v:Verdict) WHERE v.agent = 'good' SET v.at = v.at - duration('P100D')", nil)
		g.Exec(t, "MATCH (v:Verdict) WHERE v.agent = 'bad' SET v.at = v.at - duration('P400D')", nil)
		g.Exec(t, "MATCH (v:Verdict {uid: $uid}) CREATE (v)-[:JUDGED]->(:Decision {id: 'd'})",
			map[string]any{"uid": all[1]})
		env.Checks.Settings.AllowedRetention = 90 * 24 * time.Hour
		for _, dry := range []bool{true, false} {
			pruned, err := env.Checks.Prune(t.Context(), check.PruneRequest{DryRun: &dry})
			if err != nil || pruned.Allowed != 5 || pruned.Denied != 0 {
				t.Fatalf("got %+v %v, want Allowed=5, Denied=0", pruned, err)
			}
		}
		left := g.Rows(t, "MATCH (v:Verdict) RETURN count(v) AS left", nil)[0]["left"]
		tally := g.Rows(t, "MATCH (t:VerdictTally) RETURN sum(t.allowed) AS allowed, sum(t.denied) AS denied", nil)[0]
		if left != int64(7) || tally["allowed"] != int64(5) || tally["denied"] != int64(0) {
			t.Errorf("%v left, counted %v", left, tally)
		}
	})
}

// TestCheck_MalformedNodes_StillAnswers uses nodes as other programs may write them: a number as name, and unknown
// links.
func TestCheck_MalformedNodes_StillAnswers(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 7, active: true, mode: 'shadow', severity: 'warn', requires: 'true'}),
		(p:SYS_Policy {name: 'p', active: true, requires: 'threshold("t") > 5'})-[:FEEDS_INTO]->(x:Thing {name: 'x'}),
		(h:SYS_Threshold {name: 't', value: 1})-[:GOVERNED_BY]->(:SYS_DecisionTable {table_id: 'D1'})`)
	v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x"})
	if err != nil || v.Allowed || len(v.Violations) != 1 {
		t.Fatalf("got %+v %v, want Allowed=false, len(Violations)=1", v, err)
	}
	cached := g.Rows(t, `MATCH (head:SYS_Lock {name: 'rules'}) OPTIONAL MATCH (:Verdict)-[a:APPLIED]->(:SYS_PolicyVersion {name: 'p'})
		RETURN head.revision AS revision, count(a) AS applied`, nil)[0]
	if cached["revision"] != v.Revision || cached["applied"] != int64(1) {
		t.Errorf("the rule set does not settle: %v, the verdict says %s", cached, v.Revision)
	}
	threshold, err := env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "t"})
	if err != nil || threshold.Reading.Version != v.Violations[0].Thresholds["t"].Version {
		t.Errorf("got %v, %v, want the version of %v", threshold.Reading, err, v.Violations[0].Thresholds)
	}
}

func TestCheck_RuleDisabledByHand_RecordsChange(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'r', active: true, requires: 'false'})`)
	for i, step := range []struct {
		set     string
		allowed bool
	}{{"", false}, {"SET p.active = false", true}, {"SET p.active = true", false}, {"REMOVE p.requires", true}} {
		if step.set != "" {
			g.Exec(t, "MATCH (p:SYS_Policy) "+step.set, nil)
		}
		v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x"})
		if err != nil || v.Allowed != step.allowed {
			t.Fatalf("%s: got %+v %v, want Allowed=%v", step.set, v, err, step.allowed)
		}
		then, err := env.Live.Policy(t.Context(), live.PolicyQuery{Name: "r", AsOf: v.At.Format(time.RFC3339Nano)})
		if active := then.Properties["active"] == true && then.Properties["requires"] != nil; err != nil ||
			active == step.allowed {
			t.Errorf("%s: as of the verdict the policy is %v, %v", step.set, then.Properties, err)
		}
		golden.Equal(t, fmt.Sprint(step.set, ": changes"), len(toolstest.History(t, env, "policy", "r")), i+1)
	}
}

// TestCheck_ConcurrentCallsOnNewRules_RecordOnce: manually created rules are recorded once by concurrent checks.
func TestCheck_ConcurrentCallsOnNewRules_RecordOnce(t *testing.T) {
	const rules, callers = 20, 32
	g, env := toolstest.Open(t)
	g.Exec(t, `UNWIND range(1, $rules) AS i CREATE (:SYS_Policy {name: 'r' + i, active: true, requires: 'action.category != "odd"'})`, map[string]any{"rules": rules})
	var together sync.WaitGroup
	for i := range callers {
		together.Go(func() {
			category := []string{"even", "odd"}[i%2]
			v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Category: category})
			if err != nil || v.Allowed != (category == "even") || v.Evaluated != rules {
				t.Errorf("%s: got %+v %v, want Allowed=%v, Evaluated=%v", category, v, apperr.From(err),
					category == "even", rules)
			}
		})
	}
	together.Wait()
	golden.Equal(t, "recorded changes", toolstest.Count(t, g,
		"MATCH (:SYS_Policy)-[:CHANGED]->(c:SYS_Change {kind: 'observed'}) RETURN count(c)"), rules)
}

func TestCheck_Secrets_AreMaskedEverywhere(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'r', active: true, requires: 'action.params.password == "" && action.description == "" && action.context.note == "" && agent == "" && project == "" && session == "" && action.name == "" && action.category == "" && action.tags == []', message: 'You said {action.params.password} and {action.context.note}'})`)
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	action := check.ActionCheck{Description: "Push with " + secret, Name: "n " + secret, Category: "c " + secret,
		Tags: []string{secret}, Project: "p/" + secret, AgentID: "a " + secret, SessionID: secret,
		Params:  graph.Parameters{"password": "hunter-two-" + secret},
		Context: graph.Parameters{"note": "see " + secret, "nested": map[string]any{"api_key": "s3cr3t-value"}}}
	for _, retention := range []check.InputRetention{"", check.RetainFull, check.RetainRedacted, check.RetainHash} {
		t.Run(string(retention), func(t *testing.T) {
			env.Checks.Settings.Retention = retention
			v := graphtest.Must(env.Checks.Check(t.Context(), action))(t)
			e := graphtest.Must(env.Checks.Explain(t.Context(), check.VerdictQuery{ID: v.VerdictID}))(t)
			answer, _ := json.Marshal(v)
			explained, _ := json.Marshal(e)
			node := fmt.Sprint(g.Rows(t, "MATCH (v:Verdict {uid: $uid}) RETURN properties(v) AS p",
				map[string]any{"uid": v.VerdictID}))
			for where, text := range map[string]string{"the answer": string(answer),
				"the explanation": string(explained), "the graph": node} {
				for _, part := range []string{secret, "hunter-two", "s3cr3t"} {
					if strings.Contains(text, part) {
						t.Errorf("%s holds %q: %s", where, part, text)
					}
				}
				if retention == check.RetainHash || retention == check.RetainRedacted {
					if strings.Contains(text, "Push with") || strings.Contains(text, "see ") {
						t.Errorf("%s: got %s, want no text of the advice", where, text)
					}
				}
			}
			if len(e.InputsHash) != 64 || (e.Action == nil) != (retention == check.RetainHash) {
				t.Errorf("retention %s: got hash %q, action %s", retention, e.InputsHash, e.Action)
			}
			_, err := env.Checks.Explain(t.Context(), check.VerdictQuery{ID: v.VerdictID, Replay: true})
			golden.Equal(t, fmt.Sprint("replayed (", err, ")"), retention == "" || retention == check.RetainFull,
				(err == nil))
		})
	}
}

func TestCheck_Unavailable_IsNotAllowed(t *testing.T) {
	_, env := toolstest.Open(t)
	refused := func(t *testing.T, err error, code apperr.Code) {
		t.Helper()
		f := apperr.From(err)
		if f == nil || f.Code != code || f.Hint == "" {
			t.Fatalf("got %v, want %s with a hint", err, code)
		}
		text, _ := json.Marshal(f)
		golden.Contains(t, "the answer", string(text), `"allowed":false`)
	}
	t.Run("too much context", func(t *testing.T) {
		_, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x",
			Context: graph.Parameters{"all": strings.Repeat("x", 1<<20)}})
		refused(t, err, apperr.Validation)
	})
	t.Run("invalid stakes and confidence", func(t *testing.T) {
		_, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Stakes: "extreme"})
		refused(t, err, apperr.Validation)
		_, err = env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Confidence: confidence(1.2)})
		refused(t, err, apperr.Validation)
	})
	t.Run("no database", func(t *testing.T) {
		_, err := toolstest.App(t, toolstest.Unavailable(t)).Checks.Check(t.Context(),
			check.ActionCheck{Description: "x"})
		refused(t, err, apperr.Unavailable)
	})
	t.Run("the caller leaves", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := env.Checks.Check(ctx, check.ActionCheck{Description: "x"})
		refused(t, err, apperr.Unavailable)
	})
}
