package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

func TestExitCodes_EachError_HasItsCode(t *testing.T) {
	g := withPacks(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'twice', value: 1}), (:SYS_Threshold {name: 'twice', value: 2}), (:SYS_Threshold {name: 'hollow'})", nil)
	environ := g.Environ(t)
	away := append(graphtest.BareEnviron(t), "NEO4J_URI=bolt://127.0.0.1:1")
	cases := []struct {
		args    string
		environ []string
		code    int
		stdout  string
		stderr  string
	}{
		{"threshold get claim_promotion_confidence --value", environ, 0, "0.9\n", ""},
		{"threshold get claim_promotion_confidence --scope ancient_person --value", environ, 0, "0.75\n", ""},
		{"threshold get no_such_thing --default 150 --value", environ, 0, "150\n", ""},
		{"threshold get no_such_thing --value", environ, 3, "", "SYS_Threshold node 'no_such_thing' not found"},
		{"threshold get claim_promotion_confidenc", environ, 3, "", "Did you mean 'claim_promotion_confidence'"},
		{"threshold get twice --default 3", environ, 1, "", "2 SYS_Threshold nodes are called 'twice'"},
		{"threshold get hollow --value", environ, 1, "", "has no field"},
		{"threshold get hollow --default 3", environ, 1, "", "holds a null and the default is a number"},
		{"threshold get claim_promotion_confidence --default high", environ, 1, "", "the default is a string"},
		{"threshold get x --default 1", away, 4, "", "No Neo4j answers"},
		{"threshold get", environ, 2, "", "NAME is missing"},
		{"threshold get a b", environ, 2, "", "one argument too many"},
		{"threshold get a --nope", environ, 2, "", "unknown flag: --nope"},
		{"threshold gte a", environ, 2, "", "did you mean get"},
		{"nonsense", environ, 2, "", "unknown command"},
		{"policy nonsense --help", environ, 2, "", "unknown command"},
		{"nonsense --help", environ, 2, "", "unknown command"},
		{"hook claude-code --help", environ, 0, "", ""},
		{"export a b", environ, 2, "", "accepts at most 1 arg(s), received 2"},
		{"doctor now", environ, 2, "", "Run 'nomograph doctor --help' for usage"},
		{"threshold list -o xml", environ, 2, "", "--output is one of text, wide, json, yaml, csv, tsv, markdown, name"},
		{"threshold list --limit many", environ, 2, "", "--limit must be a whole number, not text"},
		{"threshold set claim_promotion_confidence 0.9", environ, 2, "", "--reason TEXT is required"},
		{"policy list --active --has-facet-key --field facet_key", environ, 0,
			"CLASSIFICATION\nGENEALOGICAL\nPATRONAGE\nTEMPORAL\n", ""},
		{"policy apply nosuchpack", environ, 3, "", "Shipped: autonomy, chrystallum, core"},
		{"policy apply ./nosuchfile.yaml", environ, 3, "", "Cannot read"},
		{"policy apply", environ, 2, "", "name a shipped pack"},
		{"policy apply core chrystallum", environ, 0, "core 1.5.3: 25 unchanged", ""},
		{"env --table D10", environ, 0, "export NOMOGRAPH_T_CLAIM_PROMOTION_CONFIDENCE=0.9\n", ""},
		{"env claim_promotion_confidence", environ, 0, "export CLAIM_PROMOTION_CONFIDENCE=0.9\n", ""},
		{"env --table D99", environ, 3, "", "belongs to decision table 'D99'"},
		{"call get_policy {}", environ, 2, "", "name is required"},
		{"call no_tool {}", environ, 3, "", "not found"},
		{"federation list --status planned --field name", environ, 0, "CHRR", ""},
		{"subject list --limit 1 --field total", environ, 0, "8\n", ""},
		{"version --field version", environ, 0, "", ""},
		{"install", environ, 2, "", "name one client"},
		{"engine backup", environ, 2, "", "name one FILE"},
		{"engine backup graph.dump", environ, 2, "", "NEO4J_URI names another database"},
		{"engine restore graph.dump", environ, 2, "", "NEO4J_URI names another database"},
	}
	for _, c := range cases {
		t.Run(c.args, func(t *testing.T) {
			stdout, stderr, code := graphtest.Run(t, c.environ, nil, graphtest.Binary(t), strings.Fields(c.args)...)
			if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
				t.Errorf("exit %d (want %d)\nstdout: %s\nstderr: %s", code, c.code, stdout, stderr)
			}
			if c.code != 0 && stdout != "" && stdout != "false\n" { // env lets eval fail
				t.Errorf("a failure writes to stdout: %s", stdout)
			}
		})
	}
}

func TestOutput_EveryFormat_IsWritten(t *testing.T) {
	g := withPacks(t)
	run := func(args ...string) string {
		t.Helper()
		stdout, stderr, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), args...)
		if code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, stderr)
		}
		return stdout
	}
	var list struct {
		Policies []map[string]any
		Total    int
	}
	if err := json.Unmarshal([]byte(run("policy", "list", "-o", "json")), &list); err != nil ||
		len(list.Policies) != list.Total || list.Total < 20 {
		t.Errorf("json: %v, %d of %d", err, len(list.Policies), list.Total)
	}
	if text := run("policy", "get", "NoTemporalFacet", "-o", "yaml"); !strings.Contains(text, "facet_key: TEMPORAL\n") {
		t.Errorf("yaml: %s", text)
	}
	if text := run("threshold", "list", "--table", "D12"); !strings.HasPrefix(text, "NAME") ||
		!strings.Contains(text, "crosslink_ratio_split") {
		t.Errorf("table: %s", text)
	}
	stdout, stderr, _ := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "policy", "get", "none", "-o", "json")
	var f map[string]any
	if err := json.Unmarshal([]byte(stderr), &f); err != nil || f["error"] != "not_found" || stdout != "" {
		t.Errorf("an error with -o json: %v, %s", err, stderr)
	}
}

func TestPolicyApply_BrokenPack_NamesTheLine(t *testing.T) {
	g := withPacks(t)
	before := fingerprint(t, g)
	pack := "pack: mine\nversion: 1.0.0\nthresholds:\n  - name: good\n    value: 1\n  - name: bad\n"
	stdout, stderr, code := graphtest.Run(t, g.Environ(t), strings.NewReader(pack), graphtest.Binary(t), "policy",
		"apply", "-")
	if code != 2 || stdout != "" || !strings.Contains(stderr, "-:6:5: thresholds[1]: value is required") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if after := fingerprint(t, g); after != before {
		t.Errorf("the graph changed: %s, then %s", before, after)
	}
}

func fingerprint(t *testing.T, g *graphtest.Graph) string {
	t.Helper()
	rows := g.Rows(t, "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN count(DISTINCT n) AS nodes, count(r) AS links", nil)
	text, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestInstall_ExistingFile_IsKeptAndIdempotent(t *testing.T) {
	environ := graphtest.BareEnviron(t)
	home := ""
	for _, line := range environ {
		if value, ok := strings.CutPrefix(line, "HOME="); ok {
			home = value
		}
	}
	path := filepath.Join(home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	before := `{"mcpServers": {"other": {"command": "x", "args": ["1"]}}, "theme": "dark"}`
	if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	install := func(args ...string) (string, string, int) {
		return graphtest.Run(t, environ, nil, graphtest.Binary(t), append([]string{"install"}, args...)...)
	}
	if _, stderr, code := install("cursor"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var config struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
		Theme string
	}
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &config) != nil {
		t.Fatalf("got %v: %s, want json.Unmarshal(text, &config)=nil", err, text)
	}
	ours := config.MCPServers["nomograph"]
	if config.Theme != "dark" || config.MCPServers["other"].Command != "x" || !filepath.IsAbs(ours.Command) ||
		len(ours.Args) != 1 || ours.Args[0] != "serve" {
		t.Errorf("the file is %s", text)
	}
	if stdout, _, _ := install("cursor"); !strings.Contains(stdout, "already") {
		t.Errorf("the second time: got %q, want stdout with already", stdout)
	}
	if again, _ := os.ReadFile(path); string(again) != string(text) {
		t.Errorf("the second time it writes %s", again)
	}
	for _, name := range []string{"claude-code", "claude-desktop", "vscode", "openclaw"} {
		if stdout, stderr, code := install(name, "--show"); code != 0 || !strings.Contains(stdout, "serve") ||
			!strings.Contains(stdout, "nomograph") {
			t.Errorf("%s: exit %d, %s%s", name, code, stdout, stderr)
		}
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
	away := append(graphtest.BareEnviron(t), "NEO4J_URI=bolt://127.0.0.1:1", "NEO4J_PASSWORD=s3cret-of-mine")
	stdout, stderr, code := graphtest.Run(t, away, nil, graphtest.Binary(t), "doctor")
	if code != 1 || !strings.Contains(stdout, "No Neo4j answers") || strings.Contains(stdout+stderr, "s3cret-of-mine") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

func TestSettings_SeveralSources_StrongestWins(t *testing.T) {
	environ := graphtest.BareEnviron(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	origin := func(environ []string, args ...string) string {
		t.Helper()
		cmd := exec.Command(graphtest.Binary(t), append([]string{"threshold", "list", "--config", file}, args...)...)
		cmd.Env, cmd.Dir = environ, t.TempDir()
		out, _ := cmd.CombinedOutput() // the command fails and its error names the address
		return string(out)
	}
	write(file, "neo4j:\n  uri: bolt://127.0.0.1:2\n")
	if got := origin(environ); !strings.Contains(got, "127.0.0.1:2") {
		t.Errorf("with a config file: got %s, want its address", got)
	}
	write(filepath.Join(dir, ".env"), "NEO4J_URI=bolt://127.0.0.1:3\n")
	if got := origin(environ); !strings.Contains(got, "127.0.0.1:3") {
		t.Errorf("with .env: got %s, want its address", got)
	}
	environ = append(environ, "NEO4J_URI=bolt://127.0.0.1:4")
	if got := origin(environ); !strings.Contains(got, "127.0.0.1:4") {
		t.Errorf("with the environment and .env: got %s, want the address of the environment", got)
	}
	if got := origin(environ, "--uri", "bolt://127.0.0.1:5"); !strings.Contains(got, "127.0.0.1:5") {
		t.Errorf("with a flag and the environment: got %s, want the address of the flag", got)
	}
	write(file, "neo4j:\n  ur: x\n")
	if got := origin(environ); !strings.Contains(got, `line 2, column 3: "neo4j.ur" is not a setting`) {
		t.Errorf("a misspelt setting: %s", got)
	}
	write(file, "neo4j:\n  password: s3cret-of-mine\n bad indent: [\n")
	if got := origin(environ); !strings.Contains(got, "line") || strings.Contains(got, "s3cret-of-mine") {
		t.Errorf("a broken file: %s", got)
	}
}
