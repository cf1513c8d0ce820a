package change_test

import (
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/history"
	"nomograph/policies/live"
	"nomograph/tools/toolstest"
)

const switched = "pack: team\nversion: 1.0.0\npolicies:\n- {name: r, active: true, requires: 'false'}\n- {name: promise, active: true}\nthresholds:\n- {name: bar, value: 0.5, min: 0.1, max: 0.9}\n"

// TestSetPolicy_ActiveAndMode_AreChanged: the change has a reason, is in the history, can be reverted, and survives
// applying the pack again.
func TestSetPolicy_ActiveAndMode_AreChanged(t *testing.T) {
	_, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, switched)
	denied := func(want bool) {
		t.Helper()
		if v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x"}); err != nil ||
			v.Allowed == want {
			t.Errorf("%+v %v, want denied %v", v, err, want)
		}
	}
	mode := func(mode, effect string) {
		t.Helper()
		if c, err := env.Change.SetPolicyMode(t.Context(),
			change.PolicyModeChange{Name: "r", Mode: mode, Reason: "trial", By: "ana"}); err != nil || !c.Changed ||
			c.Effect != effect {
			t.Errorf("got %+v %v, want Changed=true, Effect=%v", c, err, effect)
		}
	}
	denied(true)
	mode("shadow", "shadow")
	denied(false)
	mode("off", "off")
	mode("enforce", "block")
	denied(true)
	off, err := env.Change.SwitchPolicy(t.Context(), change.PolicySwitch{Name: "r", Reason: "the launch", By: "ana"},
		false)
	if err != nil || !off.Changed || off.Effect != "off" {
		t.Fatalf("got %+v %v, want Changed=true, Effect=off", off, err)
	}
	denied(false)
	if again, err := env.Change.SwitchPolicy(t.Context(), change.PolicySwitch{Name: "r", Reason: "again"},
		false); err != nil || again.Changed || again.FromVersion != off.ToVersion {
		t.Errorf("got %+v %v, want Changed=false, FromVersion=%v", again, err, off.ToVersion)
	}
	if result := toolstest.ApplyText(t, env, switched); len(result.Packs[0].Changes) != 1 ||
		result.Packs[0].Changes[0].Action != "drift" {
		t.Errorf("applied again: %+v", result.Packs)
	}
	denied(false)
	entries, err := env.History.Entries(t.Context(),
		history.Query{Subject: policies.Subject{Kind: "policy", Name: "r"}})
	if err != nil || len(entries.Entries) != 5 || entries.Entries[0].Why != "the launch" ||
		entries.Entries[0].By != "ana" || entries.Entries[0].Kind != "applied" {
		t.Errorf(`got %+v %v, want len(Entries)=5, Why="the launch", By=ana, Kind=applied`, entries, err)
	}
	if _, err := env.Change.Revert(t.Context(), change.RevertRequest{Subject: policies.Subject{Kind: "policy",
		Name: "r"}, To: off.FromVersion, Reason: "launched"}); err != nil {
		t.Error(err)
	}
	denied(true)
	_, err = env.Change.SetPolicyMode(t.Context(),
		change.PolicyModeChange{Name: "promise", Mode: "shadow", Reason: "x"})
	toolstest.ErrorWithCode(t, err, apperr.Conflict)
	_, err = env.Change.SwitchPolicy(t.Context(), change.PolicySwitch{Name: "none", Reason: "x"}, true)
	toolstest.ErrorWithCode(t, err, apperr.NotFound)
}

// TestBounds_AnyChange_AreEnforced tries every operation that changes a value.
func TestBounds_AnyChange_AreEnforced(t *testing.T) {
	g, env := toolstest.Open(t)
	minimum, limit := 1.0, 50.0
	create := change.ThresholdCreation{Name: "percent", Value: policies.ValueOf(int64(25)), Unit: "percent",
		Rationale: "a quarter", Min: &minimum, Max: &limit, By: "ana", Reason: "new"}
	node, err := env.Change.CreateThreshold(t.Context(), create)
	if err != nil || node.Properties["value"] != int64(25) {
		t.Fatalf("got %+v %v, want value=25", node, err)
	}
	read, err := env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "percent"})
	if err != nil || read.Reading.Version != node.Reading.Version || read.Properties["max"] != 50.0 {
		t.Errorf("got %+v %v, want Version=%v, max=50.0", read, err, node.Reading.Version)
	}
	_, err = env.Change.CreateThreshold(t.Context(), create)
	toolstest.ErrorWithCode(t, err, apperr.Conflict)
	create.Scope, create.Value = "payments", policies.ValueOf(int64(5))
	if _, err := env.Change.CreateThreshold(t.Context(), create); err != nil {
		t.Error(err)
	}
	if scoped, err := env.Live.Threshold(t.Context(),
		live.ThresholdQuery{Name: "percent", Scope: "payments"}); err != nil ||
		scoped.Properties["value"] != int64(5) || scoped.Reading.Source != "scoped" {
		t.Errorf("got %+v %v, want value=5, Source=scoped", scoped, err)
	}
	refused := func(err error, says string) {
		t.Helper()
		golden.Contains(t, "the message", toolstest.ErrorWithCode(t, err, apperr.Validation).Message, says)
	}
	create.Name, create.Value = "wide", policies.ValueOf(int64(51))
	_, err = env.Change.CreateThreshold(t.Context(), create)
	refused(err, "value 51 is above max 50")
	create.Value = policies.ValueOf("half")
	_, err = env.Change.CreateThreshold(t.Context(), create)
	refused(err, "min and max require a number")
	create.Min, create.Max, create.Value = &limit, &minimum, policies.ValueOf(int64(5))
	_, err = env.Change.CreateThreshold(t.Context(), create)
	refused(err, "min 50 is more than max 1")
	set := func(name string, value any) error {
		_, err := env.Change.SetThreshold(t.Context(),
			change.ThresholdChange{Name: name, Value: policies.ValueOf(value), Reason: "x", ChangeType: true})
		return err
	}
	refused(set("percent", int64(0)), "value 0 is below min 1")
	refused(set("percent", "much"), "min and max require a number")
	if err := set("percent", int64(50)); err != nil {
		t.Error(err)
	}

	toolstest.ApplyText(t, env, switched)
	_, err = env.Change.Apply(t.Context(), change.ApplyRequest{Packs: toolstest.Packs(strings.Replace(switched,
		"value: 0.5", "value: 0.95", 1))})
	refused(err, "value 0.95 is above max 0.9")
	before := graphtest.Must(env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "bar"}))(t)
	if err := set("bar", 0.8); err != nil {
		t.Error(err)
	}
	_, err = env.Change.Apply(t.Context(), change.ApplyRequest{Packs: toolstest.Packs(strings.Replace(switched,
		"max: 0.9", "max: 0.7", 1))}) // the stored value 0.8 would exceed the new max
	refused(err, "value 0.8 is above max 0.7")
	g.Exec(t, "MATCH (t:SYS_Threshold {name: 'bar'}) SET t.min = 0.6", nil)
	_, err = env.Change.Revert(t.Context(), change.RevertRequest{Subject: policies.Subject{Kind: "threshold",
		Name: "bar"}, To: before.Reading.Version, Reason: "x"})
	refused(err, "value 0.5 is below min 0.6")
	g.Exec(t, "MATCH (t:SYS_Threshold {name: 'bar'}) SET t.value = 0.5 MERGE (n:SYS_Threshold {name: 'odd'}) SET n.value = 1, n.min = 'low' MERGE (m:SYS_Threshold {name: 'nan'}) SET m.value = 0.0 / 0.0", nil)
	findings, err := env.Lint.Graph(t.Context())
	var got []string
	for _, f := range findings {
		got = append(got, f.Severity+" "+f.Check+" "+f.Subject)
	}
	for _, name := range []string{"bar", "odd", "nan"} {
		if err != nil || !slices.Contains(got, "error threshold-out-of-bounds threshold "+name) {
			t.Errorf("lint: %v %v", got, err)
		}
	}
}
