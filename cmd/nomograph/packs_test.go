package main_test

import (
	"os"
	"path/filepath"
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
		graphtest.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// TestPolicyTest_NoDatabase_Runs: no database answers at the configured address.
func TestPolicyTest_NoDatabase_Runs(t *testing.T) {
	session(t, append(away(t), "DIR="+writePacks(t)), `
$ policy test $DIR/good.yaml
out team 1.0.0: 1 of 1 cases passed\n
$ policy test core --without-graph
out cases passed; 10 left out (without a graph)\n
$ policy test $DIR/bad.yaml # 1
out FAIL $DIR/bad.yaml:13:5: below the bar: allowed: expected true, got false
$ policy test $DIR/bad.yaml --field junit # 1
out <testsuites name="nomograph policy test" tests="2" failures="1"
$ policy test $DIR/bad.yaml -o json # 1
out "failures": 1
$ policy test $DIR/good.yaml --min-coverage 50
out coverage 50 %
$ policy test $DIR/good.yaml --min-coverage 50.5 # 1
out FAIL coverage is 50 %, and at least 50.5 %
$ policy test $DIR/good.yaml --min-coverage 101 # 2
err --min-coverage must
$ policy test $DIR/torn.yaml # 2
err $DIR/torn.yaml:6:5: 'r': requires
$ policy test nosuchpack # 3
err Shipped: autonomy, chrystallum, core
$ policy test # 2
err name a shipped pack
$ policy validate core $DIR/good.yaml
out team 1.0.0: 1 policy (1 guardrail), 1 threshold, 0 tables with 0 rows, 1 case\n
$ policy validate $DIR/good.yaml $DIR/torn.yaml # 2
err $DIR/torn.yaml:6:5: 'r': requires
$ policy validate nosuchpack # 3
err No shipped pack is called 'nosuchpack'
$ policy validate "$DIR/none-*.yaml" # 3
err file not found
$ policy diff core # 4
err No Neo4j answers
$ policy diff $DIR/torn.yaml # 2
err $DIR/torn.yaml:6:5`)
}

func TestPolicyDiff_Pack_ChangesNothing(t *testing.T) {
	g := withPacks(t)
	pack := filepath.Join(writePacks(t), "good.yaml")
	environ, before := append(g.Environ(t), "PACK="+pack), fingerprint(t, g)
	session(t, environ, `
$ policy diff $PACK
out team 1.0.0: 2 to create, 0 unchanged\n
out   policy confident: to create\n`)
	graphtest.Equal(t, fingerprint(t, g), before, "the graph")
	session(t, environ, `
$ policy apply $PACK
$ policy diff $PACK
= team 1.0.0: 2 unchanged`)
	g.Exec(t, "MATCH (n:SYS_Threshold {name: 'bar'}) SET n.value = 0.7", nil)
	before = fingerprint(t, g)
	session(t, environ, `
$ policy diff $PACK
out value: 0.7 here, 0.5 in the pack
$ policy diff $PACK --overwrite -o json
out "dry_run": true
out "action": "update"
out "name": "bar"
not "action": "create"`)
	rows := g.Rows(t, "MATCH (n:SYS_Threshold {name: 'bar'}) RETURN n.value AS value", nil)
	if after := fingerprint(t, g); after != before || rows[0]["value"] != 0.7 {
		t.Errorf("the graph changed: %s, then %s, %v", before, after, rows)
	}
}

func TestPackDrift_ModeSwitchedAndRuleDeleted_ShownEverywhere(t *testing.T) {
	g := withPacks(t)
	environ := append(g.Environ(t), "PACK="+filepath.Join(writePacks(t), "good.yaml"))
	session(t, environ, `
$ policy apply $PACK
$ policy mode confident shadow --reason 'on trial'
$ policy diff $PACK
out mode: shadow here, (none) in the pack
$ pack list
out policy confident was changed in the graph
$ doctor
out policy confident of team
$ policy apply $PACK --overwrite
$ policy get confident -o json
out "effect": "block"`)
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'confident'}) DETACH DELETE p", nil)
	session(t, environ, `
$ policy diff $PACK
out policy confident: deleted in the graph
$ pack list
out policy confident was deleted in the graph
$ doctor
out policy confident (deleted) of team
$ policy apply $PACK
$ history list policy confident
out found removed from the graph
$ policy apply $PACK --overwrite
$ policy get confident -o json
out "effect": "block"`)
}
