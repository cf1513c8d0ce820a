package change_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/live"
	"nomograph/tools/toolstest"
)

func TestSetThreshold_NewValue_KeepsHistory(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'drift', value: 0.2, unit: 'ratio', decision_table: 'D13', last_reviewed: date('2026-02-25')})", nil)
	before := graphtest.Must(env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "drift"}))(t)
	for i, value := range []float64{0.3, 0.25, 0.2} {
		changed := graphtest.Must(env.Change.SetThreshold(t.Context(),
			change.ThresholdChange{Name: "drift", Value: policies.ValueOf(value), Reason: fmt.Sprint("try ", i),
				By: "ana"}))(t)
		after := graphtest.Must(env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "drift"}))(t)
		if !changed.Changed || changed.Name != "drift" || changed.From.Any() != before.Properties["value"] ||
			changed.To.Any() != value ||
			changed.FromVersion != before.Reading.Version || changed.ToVersion != after.Reading.Version ||
			after.Properties["value"] != value {
			t.Errorf("%+v: %v became %v", changed, before, after)
		}
		if len(after.Properties) != len(before.Properties) || after.Properties["unit"] != "ratio" {
			t.Errorf("more than the value changed: %v", after.Properties)
		}
		before = after
	}

	rows := g.Rows(t, `MATCH (:SYS_Threshold {name: 'drift'})-[:CHANGED]->(c:SYS_Change) RETURN c ORDER BY c.at, c.uid`,
		nil)
	if len(rows) != 4 {
		t.Fatalf("%d changes", len(rows))
	}
	chain := toolstest.Changes(t, g, "SYS_Threshold", "drift")
	if chain[0]["kind"] != "observed" || chain[0]["from"] != nil || chain[0]["to"] != chain[1]["from"] {
		t.Errorf("got %v, want the previous value recorded first, as observed", chain[0])
	}
	chain = chain[1:]
	for i, c := range chain {
		if c["kind"] != "applied" || c["by"] != "ana" || c["why"] != fmt.Sprint("try ", i) ||
			c["label"] != "SYS_Threshold" || c["schema_version"] != int64(1) || len(fmt.Sprint(c["uid"])) != 36 {
			t.Errorf("change %d: %v", i, c)
		}
		if i > 0 && c["from"] != chain[i-1]["to"] {
			t.Errorf("change %d begins at %v, the one before ended at %v", i, c["from"], chain[i-1]["to"])
		}
	}
	golden.Equal(t, "the version of the old value", chain[2]["to"], chain[0]["from"])
	versions := g.Rows(t, "MATCH (:SYS_Threshold {name: 'drift'})-[:HAS_VERSION]->(v:SYS_ThresholdVersion) RETURN v.hash AS hash, v.properties AS properties, v.name AS name", nil)
	golden.Equal(t, "versions of three contents", len(versions), 3)
	for _, v := range versions {
		if v["name"] != "drift" || !json.Valid([]byte(v["properties"].(string))) ||
			!strings.Contains(v["properties"].(string), `"unit":"ratio"`) {
			t.Errorf("version: %v", v)
		}
	}
}

func TestSetThreshold_SameValue_IsRefused(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'whole', value: 3}), (:SYS_Threshold {name: 'float', value: 3.0}), (:SYS_Threshold {name: 'text', value: 'x'})", nil)
	before := toolstest.Fingerprint(t, g)
	for name, value := range map[string]any{"whole": int64(3), "float": int64(3), "text": "x"} {
		_, err := env.Change.SetThreshold(t.Context(),
			change.ThresholdChange{Name: name, Value: policies.ValueOf(value), Reason: "again"})
		if !apperr.Is(err, apperr.Validation) || !strings.Contains(err.Error(), "already has the value") {
			t.Errorf("%s: got %v, want a validation_error that says so", name, err)
		}
	}
	golden.Equal(t, "the graph", toolstest.Fingerprint(t, g), before)
}

func TestSetThreshold_EachType_AcceptsOnlyItsValues(t *testing.T) {
	g, env := toolstest.Open(t)
	type setting struct {
		Name, Stored, Value, Becomes, Message string
		ChangeType                            bool `yaml:"change_type"`
	}
	for _, tt := range toolstest.Rows[setting](t, "testdata/values.yaml") {
		t.Run(tt.Name, func(t *testing.T) {
			g.Exec(t, "MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock DETACH DELETE n;\nCREATE (:SYS_Threshold {name: 't', value: "+tt.Stored+"})", nil)
			var value policies.Value
			graphtest.OK(t, json.Unmarshal([]byte(tt.Value), &value))
			before := toolstest.Fingerprint(t, g)
			_, err := env.Change.SetThreshold(t.Context(),
				change.ThresholdChange{Name: "t", Value: value, Reason: "r", ChangeType: tt.ChangeType})
			if tt.Message != "" {
				golden.Equal(t, "message", toolstest.ErrorWithCode(t, err, apperr.Validation).Message, tt.Message)
				golden.Equal(t, "the graph after a refused value", toolstest.Fingerprint(t, g), before)
				return
			}
			graphtest.OK(t, err)
			row := g.Rows(t, "MATCH (t:SYS_Threshold) RETURN t.value AS got, "+tt.Becomes+" AS want", nil)[0]
			golden.Equal(t, "stored", row["got"], row["want"])
		})
	}
}

func TestSetThreshold_Name_IsFoundAsOnRead(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'confidence', value: 0.9}), (:SYS_Threshold {name: 'confidence_person', value: 0.75, domain_scope: 'person'}),
		(:SYS_Threshold {name: 'twice', value: 1}), (:SYS_Threshold {name: 'twice', value: 2})`, nil)
	set := func(name, scope string) error {
		_, err := env.Change.SetThreshold(t.Context(),
			change.ThresholdChange{Name: name, Scope: scope, Value: policies.ValueOf(0.5), Reason: "r"})
		return err
	}
	graphtest.OK(t, set("confidence", "person"))
	rows := g.Rows(t, "MATCH (t:SYS_Threshold) WHERE t.name STARTS WITH 'conf' RETURN t.name AS name, t.value AS value ORDER BY name", nil)
	golden.Equal(t, "rows", fmt.Sprint(rows), "[map[name:confidence value:0.9] map[name:confidence_person value:0.5]]")
	if chain := toolstest.Changes(t, g, "SYS_Threshold", "confidence_person"); len(chain) != 2 ||
		chain[1]["kind"] != "applied" {
		t.Errorf("history: %v", chain)
	}
	toolstest.ErrorWithCode(t, set("twice", ""), apperr.Conflict)
	got := toolstest.ErrorWithCode(t, set("confidense", ""), apperr.NotFound)
	if got.Message != "SYS_Threshold node 'confidense' not found" || !strings.Contains(got.Hint, "'confidence'") {
		t.Error(got.Error())
	}
	golden.Equal[any](t, "the sum after a conflict",
		g.Rows(t, "MATCH (t:SYS_Threshold {name: 'twice'}) RETURN sum(t.value) AS sum",
			nil)[0]["sum"], int64(3))
}

func TestSetThreshold_Concurrently_LeavesOneChain(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'hot', value: 0})", nil)
	const writers = 6
	errs := make(chan error, writers)
	for i := range writers {
		go func() {
			_, err := env.Change.SetThreshold(t.Context(),
				change.ThresholdChange{Name: "hot", Value: policies.ValueOf(int64(i + 1)), Reason: "race"})
			errs <- err
		}()
	}
	for range writers {
		if err := graphtest.Receive(t, "a writer ends", errs); err != nil {
			t.Error(err)
		}
	}
	// In any order, each change starts from the result of another; the first starts from the initial value.
	froms, tos := map[any]int{}, map[any]int{}
	for _, row := range g.Rows(t, "MATCH (c:SYS_Change {name: 'hot'}) RETURN c.from AS from, c.to AS to", nil) {
		froms[row["from"]]++
		tos[row["to"]]++
	}
	if len(froms) != writers+1 || len(tos) != writers+1 {
		t.Errorf("%d changes begin at %d versions and end at %d: the history forks", writers, len(froms), len(tos))
	}
}

func TestSetThreshold_OtherVersion_IsConflict(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'bar', value: 1})", nil)
	seen := graphtest.Must(env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "bar"}))(t)
	set := func(value int64, version string) (change.ThresholdChanged, error) {
		return env.Change.SetThreshold(t.Context(), change.ThresholdChange{Name: "bar", Value: policies.ValueOf(value),
			Reason: "x", IfVersion: version})
	}
	if done, err := set(2, seen.Reading.Version[:12]); err != nil || !done.Changed {
		t.Fatal(done, err)
	}
	_, err := set(3, seen.Reading.Version)
	if conflict := toolstest.ErrorWithCode(t, err, apperr.Conflict); conflict.Details[change.CurrentVersion] == "" ||
		conflict.Details[change.CurrentVersion] == seen.Reading.Version {
		t.Errorf("got %+v, want non-empty conflict.Details[change.CurrentVersion], conflict.Details[change.CurrentVersion] other than %v", conflict, seen.Reading.Version)
	}
	golden.Equal[any](t, "held values", g.Rows(t, "MATCH (t:SYS_Threshold {name: 'bar'}) RETURN t.value AS value",
		nil)[0]["value"], int64(2))
}
