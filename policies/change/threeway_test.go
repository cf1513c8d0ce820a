package change_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/policies/change"
	"nomograph/tools/toolstest"
)

// onePolicy returns a pack with one policy; properties is the inside of a YAML map.
func onePolicy(properties string) string {
	return "pack: mine\nversion: 1.0.0\npolicies:\n- {name: p, " + properties + "}\n"
}

func TestApply_PackAndGraphChanged_MergesThreeWay(t *testing.T) {
	tests := map[string]struct {
		base      string // the pack that was applied first
		live      string // Cypher that edits p afterwards
		next      string // the pack that is applied next
		overwrite bool
		want      string // final properties without name, uid and schema_version
		actions   string
		from, to  string // values of the first recorded change
	}{
		"nobody changed anything": {"a: 1", "", "a: 1", false, "map[a:1]", "[]", "", ""},
		"the pack changed": {"a: 1", "", "a: 2", false, "map[a:2]", "[update]", "map[a:1]",
			"map[a:2]"},
		"the graph changed": {"a: 1", "SET p.a = 5", "a: 1", false, "map[a:5]", "[drift]",
			"map[a:5]", "map[a:1]"},
		"the graph changed, overwritten": {"a: 1", "SET p.a = 5", "a: 1", true, "map[a:1]", "[update]",
			"map[a:5]", "map[a:1]"},
		"both changed": {"a: 1", "SET p.a = 5", "a: 2", false, "map[a:2]", "[update]",
			"map[a:5]", "map[a:2]"},
		"both changed to the same": {"a: 1", "SET p.a = 2", "a: 2", false, "map[a:2]", "[]", "", ""},
		"each changed another property": {"a: 1, b: 1", "SET p.a = 5", "a: 1, b: 2", false, "map[a:5 b:2]",
			"[drift update]", "map[b:1]", "map[b:2]"},
		"the pack changed the type": {"a: 1", "", "a: 1.0", false, "map[a:1.0]", "[update]", "map[a:1]",
			"map[a:1.0]"},
		"the graph changed the type": {"a: 1", "SET p.a = '1'", "a: 1", false, "map[a:'1']", "[drift]",
			"map[a:'1']", "map[a:1]"},
		"the pack removed a property": {"a: 1, b: 1", "", "a: 1", false, "map[a:1]", "[update]", "map[b:1]",
			"map[b:<nil>]"},
		"the pack added a property": {"a: 1", "", "a: 1, b: 2", false, "map[a:1 b:2]", "[update]",
			"map[b:<nil>]", "map[b:2]"},
		"the pack added what is there": {"a: 1", "SET p.b = 2", "a: 1, b: 2", false, "map[a:1 b:2]", "[]",
			"", ""},
		"the graph removed a property": {"a: 1, b: 1", "REMOVE p.b", "a: 1, b: 1", false, "map[a:1]",
			"[drift]", "map[b:<nil>]", "map[b:1]"},
		"the graph removed one, overwritten": {"a: 1, b: 1", "REMOVE p.b", "a: 1, b: 1", true, "map[a:1 b:1]",
			"[update]", "map[b:<nil>]", "map[b:1]"},
		"the graph added a property": {"a: 1", "SET p.mine = true", "a: 1", false, "map[a:1 mine:true]",
			"[drift]", "map[mine:true]", "map[mine:<nil>]"},
		"the graph added one, the pack changed": {"a: 1", "SET p.mine = true", "a: 2", false, "map[a:2 mine:true]",
			"[drift update]", "map[a:1]", "map[a:2]"},
		"an annotation is never overwritten": {"a: 1", "SET p.mine = true", "a: 1", true, "map[a:1 mine:true]",
			"[drift]", "map[mine:true]", "map[mine:<nil>]"},
		"the graph switched a rule off": {`requires: "true"`, "SET p.mode = 'off'", `requires: "true"`, false,
			"map[mode:'off' requires:'true']", "[drift]", "map[mode:'off']", "map[mode:<nil>]"},
		"the graph switched one off, overwritten": {`requires: "true"`, "SET p.mode = 'off'", `requires: "true"`, true,
			"map[requires:'true']", "[update]", "map[mode:'off']", "map[mode:<nil>]"},
		"the graph narrowed a rule, overwritten": {`requires: "true"`,
			"SET p.scope = ['x'], p.actions = ['y'], p.domain_scope = 'z'", `requires: "true"`, true,
			"map[requires:'true']", "[update]",
			"map[actions:['y'] domain_scope:'z' scope:['x']]", "map[actions:<nil> domain_scope:<nil> scope:<nil>]"},
		"the graph added what the pattern reads, overwritten": {`forbids_pattern: MATCH (x:X) WHERE x.n > $rule.least RETURN x.n AS n`, "SET p.least = 9", `forbids_pattern: MATCH (x:X) WHERE x.n > $rule.least RETURN x.n AS n`, true,
			"map[forbids_pattern:'MATCH (x:X) WHERE x.n > $rule.least RETURN x.n AS n']", "[update]", "map[least:9]",
			"map[least:<nil>]"},
		"a list changed in the graph": {"a: [x, y]", "SET p.a = ['x']", "a: [x, y]", false, "map[a:['x']]", "[drift]",
			"map[a:['x']]", "map[a:['x' 'y']]"},
		"a date came into the graph": {"a: x", "SET p.a = date('2026-01-01')", "a: x", false, "map[a:2026-01-01]",
			"[drift]", "map[a:'2026-01-01']", "map[a:'x']"},
	}
	g, env := toolstest.Open(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g.Exec(t, "MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock DETACH DELETE n", nil)
			toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(onePolicy(tt.base))})
			if tt.live != "" {
				g.Exec(t, "MATCH (p:SYS_Policy) "+tt.live, nil)
			}
			result := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(onePolicy(tt.next)),
				ApplyOptions: change.ApplyOptions{Overwrite: tt.overwrite}})
			if got := liveProperties(t, g); got != tt.want {
				t.Errorf("the graph has %s, want %s", got, tt.want)
			}
			kinds := []string{}
			for _, action := range toolstest.Actions(result) {
				kinds = append(kinds, strings.Fields(action)[0])
			}
			if fmt.Sprint(kinds) != tt.actions {
				t.Fatalf("did %v, want %s", kinds, tt.actions)
			}
			if len(kinds) > 0 {
				first := result.Packs[0].Changes[0]
				if from, to := typed(first.From), typed(first.To); from != tt.from || to != tt.to {
					t.Errorf("shows %s -> %s, want %s -> %s", from, to, tt.from, tt.to)
				}
			}
			again := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(onePolicy(tt.next))})
			for _, action := range toolstest.Actions(again) {
				if !strings.HasPrefix(action, "drift") {
					t.Errorf("applied again: %s", action)
				}
			}
			if got := liveProperties(t, g); got != tt.want {
				t.Errorf("applied again, the graph has %s, want %s", got, tt.want)
			}
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
			toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(onePolicy(tt.first))})
			g.Exec(t, "MATCH (p:SYS_Policy) "+tt.live, nil)
			toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(onePolicy(tt.second))})
			g.Exec(t, "MATCH (p:SYS_Policy) "+tt.later, nil)
			toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(onePolicy(tt.second))})
			if got := liveProperties(t, g); got != tt.want {
				t.Errorf("the pack did not change since, and the graph has %s, want %s", got, tt.want)
			}
		})
	}
}

func TestPlan_Drift_IsReportedNotRecorded(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(onePolicy("priority: 1, active: true"))})
	g.Exec(t, "MATCH (p:SYS_Policy) SET p.priority = 9", nil)
	before := toolstest.Fingerprint(t, g)
	result := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(onePolicy("priority: 1, active: true"))})
	want := "mine 1.0.0: 1 kept as changed in the graph, 0 unchanged\n  policy p: kept as changed in the graph (--overwrite resets it)\n    priority: 9 here, 1 in the pack\n"
	if result.Summary != want {
		t.Errorf("summary\n%s\nwant\n%s", result.Summary, want)
	}
	if toolstest.Fingerprint(t, g) != before {
		t.Error("drift changed the graph")
	}
}

func TestApply_NewVersionWithoutChanges_RecordsVersion(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack), By: "ana"})
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(strings.Replace(toolstest.SmallPack,
		"version: 1.0.0", "version: 1.0.1", 1)), By: "ben"})
	rows := g.Rows(t, "MATCH (p:SYS_Pack) RETURN p.version AS version, p.applied_by AS by", nil)
	if fmt.Sprint(rows) != "[map[by:ben version:1.0.1]]" {
		t.Errorf(`got %v, want "[map[by:ben version:1.0.1]]"`, rows)
	}
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
