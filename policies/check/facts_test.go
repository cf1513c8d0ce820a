package check_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/internal/terminal"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
	"nomograph/tools/views"
)

// factsOf returns the stored facts of a verdict.
func factsOf(t *testing.T, s *check.Store, id string) check.Facts {
	t.Helper()
	e, err := s.Explain(t.Context(), check.VerdictQuery{ID: id})
	if err != nil || e.Facts == nil {
		t.Fatalf("got facts %v, error %v", e.Facts, err)
	}
	return *e.Facts
}

func checked(t *testing.T, s *check.Store, c check.ActionCheck) check.Verdict {
	t.Helper()
	v := graphtest.Must(s.Check(t.Context(), c))(t)
	return v
}

func TestVerdictFacts_ApplicableRules_AreStoredWithResults(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'a-passes', active: true, requires: 'true'}), (:SYS_Policy {name: 'b-blocks', active: true, requires: 'false'}),
		(:SYS_Policy {name: 'c-warns', active: true, severity: 'warn', requires: 'false'}), (:SYS_Policy {name: 'd-shadow', active: true, mode: 'shadow', requires: 'false'}),
		(:SYS_Policy {name: 'e-idle', active: true, applies_when: 'action.stakes >= critical', requires: 'false'}), (:SYS_Policy {name: 'f-broken', active: true, severity: 'warn', requires: 'threshold("none") > 1.0'})`)
	v := checked(t, env.Checks, check.ActionCheck{Description: "Move it", Model: " opus-9 ", AgentID: "ada"})
	f := factsOf(t, env.Checks, v.VerdictID)
	want := []check.AppliedRule{{Rule: "a-passes", Result: "passed"}, {Rule: "b-blocks", Result: "violated"},
		{Rule: "c-warns", Result: "violated"},
		{Rule: "d-shadow", Result: "violated"}, {Rule: "f-broken", Result: "error"}}
	if diff := cmp.Diff(want, f.Applied); diff != "" {
		t.Error(diff)
	}
	if f.Model != "opus-9" || len(f.Masked) != 0 || f.Consensus != nil {
		t.Errorf("got %+v, want the model, nothing masked and no consensus", f)
	}
}

func TestVerdictFacts_OlderVerdict_AreUnknown(t *testing.T) {
	g, env := toolstest.Open(t)
	v := checked(t, env.Checks, check.ActionCheck{Description: "Move it"})
	g.Exec(t, "MATCH (v:Verdict) SET v.schema_version = 1", nil)
	e, err := env.Checks.Explain(t.Context(), check.VerdictQuery{ID: v.VerdictID})
	if err != nil || e.Facts != nil {
		t.Errorf("got facts %+v, error %v, want none", e.Facts, err)
	}
}

func TestVerdictFacts_MaskedValues_AreListedByPath(t *testing.T) {
	const secret = "password=hunter2hunter2"
	action := check.ActionCheck{Description: "Log in", Name: "db.login",
		Params:  graph.Parameters{"url": secret, "port": int64(1), "list": []any{"x", secret}},
		Context: graph.Parameters{"deep": map[string]any{"note": secret}}, AgentID: "ada"}
	for retention, want := range map[check.InputRetention][]string{
		check.RetainFull:     {"action.context.deep.note", "action.params.list[1]", "action.params.url"},
		check.RetainRedacted: {"action.context", "action.description", "action.params", "action.reasons"},
		check.RetainHash:     {"action"},
	} {
		t.Run(string(retention), func(t *testing.T) {
			g, env := toolstest.Open(t)
			toolstest.Rules(t, g, "(:Other)")
			env.Checks.Settings.Retention = retention
			v := checked(t, env.Checks, action)
			if diff := cmp.Diff(want, factsOf(t, env.Checks, v.VerdictID).Masked); diff != "" {
				t.Error(diff)
			}
			golden.Equal(t, "nodes with the secret", toolstest.Count(t, g,
				"MATCH (v:Verdict) WHERE any(text IN v.masked + [v.inputs, v.description, v.results] WHERE text CONTAINS 'hunter2') RETURN count(v)"), 0)
		})
	}
}

func TestVerdictFacts_ActionKey_IdentifiesTheAct(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, "(:Other)")
	key := func(c check.ActionCheck) string {
		return factsOf(t, env.Checks, checked(t, env.Checks, c).VerdictID).ActionKey
	}
	push := check.ActionCheck{Description: "Push", Name: "git.push", Category: "tooling",
		Params: graph.Parameters{"branch": "main"}}
	retry := push
	retry.Description, retry.Confidence, retry.Stakes, retry.Name = "Push once more", confidence(0.9), "high",
		"Git.Push"
	other := push
	other.Params = graph.Parameters{"branch": "dev"}
	if a, b, c := key(push), key(retry), key(other); a != b || a == c {
		t.Errorf("got %s for an act, %s for its retry and %s for another act, want a=%v, a other than %v", a, b, c, b,
			c)
	}
	checkedBefore := key(check.ActionCheck{Description: "Use Postgres", Category: "tooling"})
	if checkedBefore == key(check.ActionCheck{Description: "Use MySQL", Category: "tooling"}) {
		t.Error("two acts that have only descriptions share a key")
	}
	out := toolstest.Record(t, env, decisions.Record{Decision: "Use Postgres", Category: "tooling", Confidence: 0.9})
	golden.Equal(t, "key for the recording", factsOf(t, env.Checks, out.VerdictID).ActionKey, checkedBefore)
}

func TestVerdictFacts_NoConsensusFound_IsStoredAsEmpty(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'agreed', active: true, requires: 'has(action.consensus)'})`)
	v := checked(t, env.Checks, check.ActionCheck{Description: "Move it"})
	golden.Equal(t, "consensus", string(factsOf(t, env.Checks, v.VerdictID).Consensus), "{}")
}

func TestVerdict_ForcedWithAReasonLikeAnApproval_IsMarkedForced(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'no', active: true, requires: 'false'})`)
	out := toolstest.Record(t, env, decisions.Record{Decision: "Move it", Category: "tooling", Confidence: 0.9,
		ExtraFields: decisions.ExtraFields{ForceReason: "approval of Ann"}})
	e, err := env.Checks.Explain(t.Context(), check.VerdictQuery{ID: out.VerdictID})
	if err != nil || e.OverriddenBy != check.ByForce {
		t.Fatalf("got overridden_by %q, error %v, want force", e.OverriddenBy, err)
	}
	if text, _ := views.Text(e, terminal.Page{}); !strings.Contains(text, "by force: approval of Ann") ||
		strings.Contains(text, "a person approved") {
		t.Errorf(`got %s, want text with "by force: approval of Ann", text without "a person approved"`, text)
	}
	if raw, _ := json.Marshal(e); !strings.Contains(string(raw), `"overridden_by":"force"`) {
		t.Errorf(`got %s, want string(raw) with ""overridden_by":"force""`, raw)
	}
}
