package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"nomograph/graph/graphtest"
)

func TestExitCodes_EachError_HasItsCode(t *testing.T) {
	g := withPacks(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'twice', value: 1}), (:SYS_Threshold {name: 'twice', value: 2}), (:SYS_Threshold {name: 'hollow'})", nil)
	session(t, g.Environ(t), `
$ threshold get claim_promotion_confidence --value
= 0.9
$ threshold get claim_promotion_confidence --scope ancient_person --value
= 0.75
$ threshold get no_such_thing --default 150 --value
= 150
$ threshold get no_such_thing --value # 3
err SYS_Threshold node 'no_such_thing' not found
$ threshold get claim_promotion_confidenc # 3
err Did you mean 'claim_promotion_confidence'
$ threshold get twice --default 3 # 1
err 2 SYS_Threshold nodes are called 'twice'
$ threshold get hollow --value # 1
err has no field
$ threshold get hollow --default 3 # 1
err holds a null and the default is a number
$ threshold get claim_promotion_confidence --default high # 1
err the default is a string
$ NEO4J_URI=bolt://127.0.0.1:1 threshold get x --default 1 # 4
err No Neo4j answers
$ threshold get # 2
err NAME is missing
$ threshold get a b # 2
err one argument too many
$ threshold get a --nope # 2
err unknown flag: --nope
$ threshold gte a # 2
err did you mean get
$ nonsense # 2
err unknown command
$ policy nonsense --help # 2
err unknown command
$ nonsense --help # 2
err unknown command
$ hook claude-code --help
$ export a b # 2
err accepts at most 1 arg(s), received 2
$ doctor now # 2
err Run 'nomograph doctor --help' for usage
$ threshold list -o xml # 2
err --output is one of text, wide, json, yaml, csv, tsv, markdown, name
$ threshold list --limit many # 2
err --limit must be a whole number, not text
$ threshold set claim_promotion_confidence 0.9 # 2
err --reason TEXT is required
$ policy list --active --has-facet-key --field facet_key
= CLASSIFICATION
= GENEALOGICAL
= PATRONAGE
= TEMPORAL
$ policy apply nosuchpack # 3
err Shipped: autonomy, chrystallum, core
$ policy apply ./nosuchfile.yaml # 3
err Cannot read
$ policy apply # 2
err name a shipped pack
$ policy apply core chrystallum
out core 1.5.3: 25 unchanged
$ env --table D10
out export NOMOGRAPH_T_CLAIM_PROMOTION_CONFIDENCE=0.9\n
$ env claim_promotion_confidence
= export CLAIM_PROMOTION_CONFIDENCE=0.9
$ env --table D99 # 3
= false
err belongs to decision table 'D99'
$ call get_policy '{}' # 2
err name is required
$ call no_tool '{}' # 3
err not found
$ federation list --status planned --field name
out CHRR
$ subject list --limit 1 --field total
= 8
$ version --field version
$ install # 2
err name one client
$ engine backup # 2
err name one FILE
$ engine backup graph.dump # 2
err NEO4J_URI names another database
$ engine restore graph.dump # 2
err NEO4J_URI names another database
$ policy get NoTemporalFacet -o yaml
out facet_key: TEMPORAL\n
$ threshold list --table D12
out NAME 
out crosslink_ratio_split
$ policy get none -o json # 3
err "error": "not_found"`)
	var list struct {
		Policies []map[string]any
		Total    int
	}
	stdout, _, _ := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "policy", "list", "-o", "json")
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list.Policies) != list.Total || list.Total < 20 {
		t.Errorf("policy list: %v, %d of %d", err, len(list.Policies), list.Total)
	}
}

func TestPolicyApply_BrokenPack_NamesTheLine(t *testing.T) {
	g := withPacks(t)
	before := fingerprint(t, g)
	session(t, g.Environ(t), `
$ policy apply - # 2
< pack: mine
< version: 1.0.0
< thresholds:
<   - name: good
<     value: 1
<   - name: bad
err -:6:5: thresholds[1]: value is required`)
	graphtest.Equal(t, fingerprint(t, g), before, "the graph")
}

func fingerprint(t *testing.T, g *graphtest.Graph) string {
	t.Helper()
	rows := g.Rows(t, "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN count(DISTINCT n) AS nodes, count(r) AS links", nil)
	text := graphtest.Must(json.Marshal(rows))(t)
	return string(text)
}

func TestInstall_ExistingFile_IsKeptAndIdempotent(t *testing.T) {
	c := newClone(t)
	path := filepath.Join(c.home, ".cursor", "mcp.json")
	c.write(t, path, `{"mcpServers": {"other": {"command": "x", "args": ["1"]}}, "theme": "dark"}`, 0o644)
	c.session(t, "$ install cursor")
	var config struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
		Theme string
	}
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &config) != nil {
		t.Fatalf("%v: %s", err, text)
	}
	ours := config.MCPServers["nomograph"]
	if config.Theme != "dark" || config.MCPServers["other"].Command != "x" || !filepath.IsAbs(ours.Command) ||
		!slices.Equal(ours.Args, []string{"serve"}) {
		t.Errorf("the file is %s", text)
	}
	c.session(t, "$ install cursor\nout already")
	if again, _ := os.ReadFile(path); string(again) != string(text) {
		t.Errorf("the second time it writes %s", again)
	}
	for _, name := range []string{"claude-code", "claude-desktop", "vscode", "openclaw"} {
		c.session(t, "$ install "+name+" --show\nout serve\nout nomograph")
	}
}

func TestDoctor_Problems_AreFound(t *testing.T) {
	g := withPacks(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'double'}), (:SYS_Policy {name: 'double'})", nil)
	stdout, _, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "doctor", "-o", "json")
	var found struct {
		Healthy  bool
		Findings []struct{ Check, Result, Detail, Hint string }
	}
	if err := json.Unmarshal([]byte(stdout), &found); err != nil {
		t.Fatalf("got %v: %s, want no error", err, stdout)
	}
	results := map[string]string{}
	for _, f := range found.Findings {
		results[f.Check] = f.Result
		if f.Result != "ok" && f.Hint == "" {
			t.Errorf("%s has no hint", f.Check)
		}
	}
	if code != 1 || found.Healthy || results["names"] != "fail" || results["database"] != "ok" ||
		results["schema"] != "ok" {
		t.Errorf("exit %d: %s", code, stdout)
	}
	session(t, away(t), `
$ NEO4J_PASSWORD=s3cret-of-mine doctor # 1
out No Neo4j answers
not s3cret-of-mine`)
}

func TestSettings_SeveralSources_StrongestWins(t *testing.T) {
	c, file := newClone(t), filepath.Join(t.TempDir(), "config.yaml")
	c.environ = append(c.environ, "FILE="+file)
	c.write(t, file, "neo4j:\n  uri: bolt://127.0.0.1:2\n", 0o600)
	c.session(t, "$ threshold list --config $FILE # 4\nerr 127.0.0.1:2")
	c.write(t, filepath.Join(filepath.Dir(file), ".env"), "NEO4J_URI=bolt://127.0.0.1:3\n", 0o600)
	c.session(t, `
$ threshold list --config $FILE # 4
err 127.0.0.1:3
$ NEO4J_URI=bolt://127.0.0.1:4 threshold list --config $FILE # 4
err 127.0.0.1:4
$ NEO4J_URI=bolt://127.0.0.1:4 threshold list --config $FILE --uri bolt://127.0.0.1:5 # 4
err 127.0.0.1:5`)
	c.write(t, file, "neo4j:\n  ur: x\n", 0o600)
	c.session(t, "$ threshold list --config $FILE # 2\nerr line 2, column 3: \"neo4j.ur\" is not a setting")
	c.write(t, file, "neo4j:\n  password: s3cret-of-mine\n bad indent: [\n", 0o600)
	c.session(t, "$ threshold list --config $FILE # 2\nerr line\nnot s3cret-of-mine")
}
