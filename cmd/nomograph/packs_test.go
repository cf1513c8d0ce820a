package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

const packWithCases = `pack: team
version: 1.0.0
thresholds:
  - {name: bar, value: 0.5}
policies:
  - name: confident
    active: true
    requires: has(action.confidence) && action.confidence >= threshold("bar")
tests:
  - name: at the bar
    action: {description: x, confidence: 0.5}
    expect: {allowed: true}
`

// writePacks returns a folder with three packs: all cases pass, the second case fails, and the file is broken.
func writePacks(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.yaml": packWithCases,
		"bad.yaml":  packWithCases + "  - name: below the bar\n    action: {description: x, confidence: 0.4}\n    expect: {allowed: true}\n",
		"torn.yaml": "pack: torn\nversion: 1.0.0\npolicies:\n  - name: r\n    active: true\n    requires: action.nosuch\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestPolicyTest_NoDatabase_Runs: no database answers at the configured address.
func TestPolicyTest_NoDatabase_Runs(t *testing.T) {
	dir := writePacks(t) + string(filepath.Separator)
	environ := append(graphtest.BareEnviron(t), "NEO4J_URI=bolt://127.0.0.1:1")
	cases := []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"policy test " + dir + "good.yaml", 0, "team 1.0.0: 1 of 1 cases passed\n", ""},
		{"policy test core --without-graph", 0, "cases passed; 10 left out (without a graph)\n", ""},
		{"policy test " + dir + "bad.yaml", 1, "FAIL " + dir +
			"bad.yaml:13:5: below the bar: allowed: expected true, got false", ""},
		{"policy test " + dir + "bad.yaml --field junit", 1,
			`<testsuites name="nomograph policy test" tests="2" failures="1"`, ""},
		{"policy test " + dir + "bad.yaml -o json", 1, `"failures": 1`, ""},
		{"policy test " + dir + "good.yaml --min-coverage 50", 0, "coverage 50 %", ""},
		{"policy test " + dir + "good.yaml --min-coverage 50.5", 1, "FAIL coverage is 50 %, and at least 50.5 %", ""},
		{"policy test " + dir + "good.yaml --min-coverage 101", 2, "", "--min-coverage must"},
		{"policy test " + dir + "torn.yaml", 2, "", dir + "torn.yaml:6:5: 'r': requires"},
		{"policy test nosuchpack", 3, "", "Shipped: autonomy, chrystallum, core"},
		{"policy test", 2, "", "name a shipped pack"},
		{"policy validate core " + dir + "good.yaml", 0,
			"team 1.0.0: 1 policy (1 guardrail), 1 threshold, 0 tables with 0 rows, 1 case\n", ""},
		{"policy validate " + dir + "good.yaml " + dir + "torn.yaml", 2, "", dir + "torn.yaml:6:5: 'r': requires"},
		{"policy validate nosuchpack", 3, "", "No shipped pack is called 'nosuchpack'"},
		{"policy validate " + dir + "none-*.yaml", 3, "", "file not found"},
		{"policy diff core", 4, "", "No Neo4j answers"},
		{"policy diff " + dir + "torn.yaml", 2, "", dir + "torn.yaml:6:5"},
	}
	for _, c := range cases {
		t.Run(strings.ReplaceAll(c.args, dir, ""), func(t *testing.T) {
			stdout, stderr, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), strings.Fields(c.args)...)
			if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
				t.Errorf("exit %d (want %d)\nstdout: %s\nstderr: %s", code, c.code, stdout, stderr)
			}
			if c.code > 1 && stdout != "" {
				t.Errorf("an error writes to stdout: %s", stdout)
			}
		})
	}
}

func TestPolicyDiff_Pack_ChangesNothing(t *testing.T) {
	g := withPacks(t)
	pack := filepath.Join(writePacks(t), "good.yaml")
	run := func(args ...string) string {
		t.Helper()
		stdout, stderr, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t),
			append([]string{"policy"}, args...)...)
		if code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, stderr)
		}
		return stdout
	}
	before := fingerprint(t, g)
	if got := run("diff", pack); !strings.HasPrefix(got, "team 1.0.0: 2 to create, 0 unchanged\n") ||
		!strings.Contains(got, "  policy confident: to create\n") {
		t.Errorf("a new pack: got %s, want got that starts with %q, got with %q", got,
			"team 1.0.0: 2 to create, 0 unchanged\n", " policy confident: to create\n")
	}
	if after := fingerprint(t, g); after != before {
		t.Errorf("the graph changed: %s, then %s", before, after)
	}
	run("apply", pack)
	if got := run("diff", pack); got != "team 1.0.0: 2 unchanged\n" {
		t.Errorf("an applied pack: got %s, want got=%v", got, "team 1.0.0: 2 unchanged\n")
	}
	g.Exec(t, "MATCH (n:SYS_Threshold {name: 'bar'}) SET n.value = 0.7", nil)
	if got := run("diff", pack); !strings.Contains(got, "value: 0.7 here, 0.5 in the pack") {
		t.Errorf(`a pack changed in the graph: got %s, want got with "value: 0.7 here, 0.5 in the pack"`, got)
	}
	before = fingerprint(t, g)
	var would struct {
		DryRun bool `json:"dry_run"`
		Packs  []struct {
			Changes []struct{ Action, Name string }
		}
	}
	if err := json.Unmarshal([]byte(run("diff", pack, "--overwrite", "-o", "json")), &would); err != nil {
		t.Fatal(err)
	}
	if len(would.Packs) != 1 || len(would.Packs[0].Changes) != 1 || would.Packs[0].Changes[0].Action != "update" ||
		would.Packs[0].Changes[0].Name != "bar" || !would.DryRun {
		t.Errorf("with --overwrite: %+v", would)
	}
	rows := g.Rows(t, "MATCH (n:SYS_Threshold {name: 'bar'}) RETURN n.value AS value", nil)
	if after := fingerprint(t, g); after != before || rows[0]["value"] != 0.7 {
		t.Errorf("the graph changed: %s, then %s, %v", before, after, rows)
	}
}

func TestPackDrift_ModeSwitchedAndRuleDeleted_ShownEverywhere(t *testing.T) {
	g := withPacks(t)
	pack := filepath.Join(writePacks(t), "good.yaml")
	run := func(args ...string) string {
		t.Helper()
		stdout, stderr, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), args...)
		if code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, stderr)
		}
		return stdout
	}
	shown := func(want string, args ...string) {
		t.Helper()
		if got := run(args...); !strings.Contains(got, want) {
			t.Errorf("%v: got\n%s\nwant %q in it", args, got, want)
		}
	}
	run("policy", "apply", pack)
	run("policy", "mode", "confident", "shadow", "--reason", "on trial")
	shown("mode: shadow here, (none) in the pack", "policy", "diff", pack)
	shown("policy confident was changed in the graph", "pack", "list")
	shown("policy confident of team", "doctor")
	run("policy", "apply", pack, "--overwrite")
	shown(`"effect": "block"`, "policy", "get", "confident", "-o", "json")

	g.Exec(t, "MATCH (p:SYS_Policy {name: 'confident'}) DETACH DELETE p", nil)
	shown("policy confident: deleted in the graph", "policy", "diff", pack)
	shown("policy confident was deleted in the graph", "pack", "list")
	shown("policy confident (deleted) of team", "doctor")
	run("policy", "apply", pack)
	shown("found removed from the graph", "history", "list", "policy", "confident")
	run("policy", "apply", pack, "--overwrite")
	shown(`"effect": "block"`, "policy", "get", "confident", "-o", "json")
}
