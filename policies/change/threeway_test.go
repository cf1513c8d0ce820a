package change_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/tools/toolstest"
)

// onePolicy returns a pack with one policy; properties is the inside of a YAML map.
func onePolicy(properties string) string {
	return "pack: mine\nversion: 1.0.0\npolicies:\n- {name: p, " + properties + "}\n"
}

// TestApply_PackAndGraphChanged_MergesThreeWay merges every row of testdata/merges.yaml.
func TestApply_PackAndGraphChanged_MergesThreeWay(t *testing.T) {
	type merge struct {
		Name, Applied, Edit, Next, Graph, Actions, From, To string
		Overwrite                                           bool
	}
	g, env := toolstest.Open(t)
	for _, tt := range toolstest.Rows[merge](t, "testdata/merges.yaml") {
		t.Run(tt.Name, func(t *testing.T) {
			g.Exec(t, "MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock DETACH DELETE n", nil)
			toolstest.ApplyText(t, env, onePolicy(tt.Applied))
			if tt.Edit != "" {
				g.Exec(t, "MATCH (p:SYS_Policy) "+tt.Edit, nil)
			}
			result := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(onePolicy(tt.Next)),
				ApplyOptions: change.ApplyOptions{Overwrite: tt.Overwrite}})
			golden.Equal(t, "the graph", liveProperties(t, g), tt.Graph)
			kinds := []string{}
			for _, action := range toolstest.Actions(result) {
				kinds = append(kinds, strings.Fields(action)[0])
			}
			if fmt.Sprint(kinds) != tt.Actions {
				t.Fatalf("did %v, want %s", kinds, tt.Actions)
			}
			if len(kinds) > 0 {
				first := result.Packs[0].Changes[0]
				if from, to := typed(first.From), typed(first.To); from != tt.From || to != tt.To {
					t.Errorf("shows %s -> %s, want %s -> %s", from, to, tt.From, tt.To)
				}
			}
			again := toolstest.ApplyText(t, env, onePolicy(tt.Next))
			for _, action := range toolstest.Actions(again) {
				if !strings.HasPrefix(action, "drift") {
					t.Errorf("applied again: %s", action)
				}
			}
			golden.Equal(t, "applied again, the graph", liveProperties(t, g), tt.Graph)
		})
	}
}

func TestApply_AfterMerge_ComparesWithMergedState(t *testing.T) {
	tests := map[string]struct{ first, live, second, later, want string }{
		"a value":                      {"a: 1", "SET p.a = 2", "a: 2", "SET p.a = 3", "map[a:3]"},
		"a property gone from both":    {"a: 1, b: 1", "REMOVE p.b", "a: 1", "SET p.b = 7", "map[a:1 b:7]"},
		"a property that both came to": {"a: 1", "SET p.b = 2", "a: 1, b: 2", "SET p.b = 3", "map[a:1 b:3]"},
	}
	g, env := toolstest.Open(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g.Exec(t, "MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock DETACH DELETE n", nil)
			toolstest.ApplyText(t, env, onePolicy(tt.first))
			g.Exec(t, "MATCH (p:SYS_Policy) "+tt.live, nil)
			toolstest.ApplyText(t, env, onePolicy(tt.second))
			g.Exec(t, "MATCH (p:SYS_Policy) "+tt.later, nil)
			toolstest.ApplyText(t, env, onePolicy(tt.second))
			golden.Equal(t, "the graph after the pack stayed the same", liveProperties(t, g), tt.want)
		})
	}
}

func TestPlan_Drift_IsReportedNotRecorded(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, onePolicy("priority: 1, active: true"))
	g.Exec(t, "MATCH (p:SYS_Policy) SET p.priority = 9", nil)
	before := toolstest.Fingerprint(t, g)
	result := toolstest.ApplyText(t, env, onePolicy("priority: 1, active: true"))
	want := "mine 1.0.0: 1 kept as changed in the graph, 0 unchanged\n  policy p: kept as changed in the graph (--overwrite resets it)\n    priority: 9 here, 1 in the pack\n"
	golden.Equal(t, "summary", result.Summary, want)
	golden.Equal(t, "the graph after drift", toolstest.Fingerprint(t, g), before)
}

func TestApply_NewVersionWithoutChanges_RecordsVersion(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack), By: "ana"})
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(strings.Replace(toolstest.SmallPack,
		"version: 1.0.0", "version: 1.0.1", 1)), By: "ben"})
	rows := g.Rows(t, "MATCH (p:SYS_Pack) RETURN p.version AS version, p.applied_by AS by", nil)
	golden.Equal(t, "rows", fmt.Sprint(rows), "[map[by:ben version:1.0.1]]")
}

// liveProperties returns the properties of the only policy, without its name and internal properties.
func liveProperties(t *testing.T, g *graphtest.Graph) string {
	t.Helper()
	rows := g.Rows(t, "MATCH (p:SYS_Policy) RETURN properties(p) AS properties", nil)
	if len(rows) != 1 {
		t.Fatalf("%d policies", len(rows))
	}
	properties := rows[0]["properties"].(map[string]any)
	delete(properties, "name")
	delete(properties, "uid")
	delete(properties, "schema_version")
	return typed(properties)
}

// typed is like fmt.Sprint but distinguishes strings and floats from integers.
func typed(properties map[string]any) string {
	shown := map[string]any{}
	for key, value := range properties {
		switch v := value.(type) {
		case string:
			shown[key] = "'" + v + "'"
		case float64:
			shown[key] = fmt.Sprintf("%.1f", v)
		case []any:
			shown[key] = "['" + strings.ReplaceAll(strings.Trim(fmt.Sprint(v), "[]"), " ", "' '") + "']"
		default:
			shown[key] = v
		}
	}
	return fmt.Sprint(shown)
}
