package live_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/live"
	"nomograph/tools/toolstest"
)

// foreign creates nodes as other programs write them: the types of properties differ between nodes, and some properties
// are missing.
const foreign = `
CREATE (:SYS_Threshold {name: 'a_text', value: '0.9', unit: 'score', decision_table: null, system: 'true', last_reviewed: datetime('2026-03-02T10:15:30.5Z')});
CREATE (:SYS_Threshold {name: 'b_list', value: ['gold', 'green'], decision_table: ['D1', 'D2'], unit: 7, tags: [1, 2, 3]});
CREATE (:SYS_Threshold {name: 'c_times', value: duration('P1Y2DT3.5S'), day: date('-0044-03-15'), local: localdatetime('2026-03-02T10:15'), clock: time('10:15:00+01:00'),
	local_clock: localtime('10:15:00'), zoned: datetime('2026-03-02T10:15:30[Europe/Rome]'), days: [date('2026-01-01'), date('2026-01-02')]});
CREATE (:SYS_Threshold {name: 'd_nothing'});
CREATE (:SYS_Threshold {name: 'e_numbers', value: 9223372036854775807, small: -0.0, large: 1e300, floats: [0.5, 1.0]});
CREATE (:SYS_Threshold {value: 1});
CREATE (:SYS_Policy {name: 'Bare'});
CREATE (:SYS_Policy {name: 'Text', active: 'true', system: 'yes', priority: '1', description: ['one', 'two'], last_updated: datetime('2026-03-02T10:15:30+02:00')});
CREATE (:SYS_Policy {name: 'Tables', active: 1, decision_table: ['D8'], facet_key: ['A', 'B'], scope: 3});
CREATE (:SYS_Policy {description: 'has no name'})
`

func TestGet_NodesOfOthers_AreReadUnchanged(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, foreign, nil)
	for _, name := range []string{"a_text", "b_list", "c_times", "d_nothing", "e_numbers"} {
		node := graphtest.Must(env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: name}))(t)
		golden.Check(t, "testdata/foreign/"+name+".json", toolstest.Pretty(t, node))
	}
	for _, name := range []string{"Bare", "Text", "Tables"} {
		node := graphtest.Must(env.Live.Policy(t.Context(), live.PolicyQuery{Name: name}))(t)
		golden.Check(t, "testdata/foreign/"+name+".json", toolstest.Pretty(t, node))
	}

	t.Run("and listed as they are", func(t *testing.T) {
		thresholds := graphtest.Must(env.Live.Thresholds(t.Context(), live.ThresholdFilter{}))(t)
		golden.Check(t, "testdata/foreign/thresholds.json", toolstest.Pretty(t, thresholds))
		found := graphtest.Must(env.Live.Policies(t.Context(), live.PolicyFilter{}))(t)
		golden.Check(t, "testdata/foreign/policies.json", toolstest.Pretty(t, found))
	})
	t.Run("and filtered", func(t *testing.T) {
		yes := true
		for _, f := range []live.PolicyFilter{{Active: &yes}, {Text: "one"}, {DecisionTable: "D8"},
			{HasFacetKey: &yes}} {
			if _, err := env.Live.Policies(t.Context(), f); err != nil {
				t.Errorf("%+v: got %v, want no error", f, err)
			}
		}
		if active, _ := env.Live.Policies(t.Context(), live.PolicyFilter{Active: &yes}); active.Total != 0 {
			t.Errorf("text and numbers count as active: %+v", active)
		}
	})
}

func TestList_NameIsNotText_ListsAllNodes(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 7}), (:SYS_Policy {name: 'Named'}), (:SYS_Threshold {name: ['a'], value: 1}), (:SYS_Threshold {name: 'named', value: 1})", nil)
	for _, text := range []string{"", "named"} {
		found, err := env.Live.Policies(t.Context(), live.PolicyFilter{Text: text})
		if err != nil {
			t.Errorf("policies with %q: %v", text, err)
		} else if found.Total != len(found.Policies) {
			t.Errorf("policies with %q: %d of %d in one page", text, len(found.Policies), found.Total)
		}
		thresholds, err := env.Live.Thresholds(t.Context(), live.ThresholdFilter{Text: text})
		if err != nil {
			t.Errorf("thresholds with %q: %v", text, err)
		} else if thresholds.Total != len(thresholds.Thresholds) {
			t.Errorf("thresholds with %q: %d of %d in one page", text, len(thresholds.Thresholds), thresholds.Total)
		}
	}
	if err := readBy(t, env, "SYS_Policy", "Nmed", ""); err == nil || !strings.Contains(err.Error(), "'Named'") {
		t.Errorf("the nearest name: %v", err)
	}
	if _, err := env.Live.Duplicates(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestGet_NaNAndInfinity_AreRead(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'nan', value: 0.0 / 0.0}), (:SYS_Threshold {name: 'inf', value: 1.0 / 0.0})", nil)
	for _, name := range []string{"nan", "inf"} {
		node := graphtest.Must(env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: name}))(t)
		if _, err := json.Marshal(node); err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
		}
	}
	list := graphtest.Must(env.Live.Thresholds(t.Context(), live.ThresholdFilter{}))(t)
	if _, err := json.Marshal(list); err != nil {
		t.Error(err)
	}
}

func TestThreshold_Point_IsRead(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'place', value: point({longitude: 12.5, latitude: 41.9}), path: [point({x: 1, y: 2, z: 3})]})", nil)
	node := graphtest.Must(env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "place"}))(t)
	text, err := json.Marshal(node.Properties["value"])
	if err != nil || len(node.Reading.Version) != 64 {
		t.Errorf("got %s %v %v, want len(Version)=64", text, node.Reading, err)
	}
	golden.Contains(t, "the node", toolstest.Pretty(t, node), `"srid": 4326`, `"z": 3`)
	list, err := env.Live.Thresholds(t.Context(), live.ThresholdFilter{})
	if err != nil || fmt.Sprint(list.Thresholds[0].Value) != "map[srid:4326 x:12.5 y:41.9]" {
		t.Errorf(`got %v %v, want Value="map[srid:4326 x:12.5 y:41.9]"`, list, err)
	}
	if _, err := env.Change.SetThreshold(t.Context(),
		change.ThresholdChange{Name: "place", Value: policies.ValueOf("Rome"), Reason: "words",
			ChangeType: true}); err != nil {
		t.Error(err)
	}
	if _, err := env.Live.ExportThresholds(t.Context(), live.ExportQuery{}); err != nil {
		t.Error(err)
	}
}
