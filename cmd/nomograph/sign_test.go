package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

const teamPack = "pack: team\nversion: 1.0.0\nthresholds:\n  - name: lines_max\n    value: 400.0\n"

// keyAndPack writes a key and a pack, and returns both paths and the setting that trusts the key.
func keyAndPack(t *testing.T, environ []string) (key, pack, setting string) {
	t.Helper()
	dir := t.TempDir()
	key, pack = filepath.Join(dir, "team.key"), filepath.Join(dir, "team.yaml")
	if err := os.WriteFile(pack, []byte(teamPack), 0o644); err != nil {
		t.Fatal(err)
	}
	setting, stderr, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), "policy", "keygen",
		strings.TrimSuffix(key, ".key"), "--field", "setting")
	if code != 0 || !strings.HasPrefix(setting, "NOMOGRAPH_PACK_KEYS=") {
		t.Fatalf("keygen: exit %d, %s%s", code, setting, stderr)
	}
	return key, pack, strings.TrimSpace(setting)
}

func TestPackSign_NoGraph_SignsAndVerifies(t *testing.T) {
	environ := graphtest.BareEnviron(t)
	key, pack, setting := keyAndPack(t, environ)
	public := strings.TrimSuffix(key, ".key") + ".pub"
	secret, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(key); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the private key has the mode %v (%v)", info.Mode(), err)
	}
	_, otherPack, otherSetting := keyAndPack(t, environ)
	trusting := append(environ, setting)
	write := func(path, text string) func() {
		return func() {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	keep := func() {}
	steps := []struct {
		before  func()
		environ []string
		args    []string
		code    int
		says    string
	}{
		{keep, environ, []string{"keygen", strings.TrimSuffix(key, ".key")}, 1, "team.key already exists"},
		{keep, environ, []string{"keygen", filepath.Join(filepath.Dir(key), "none", "x")}, 2, "Cannot write"},
		{keep, environ, []string{"keygen"}, 2, "NAME is missing"},
		{keep, environ, []string{"verify", pack, "--key", public}, 1, "team.yaml is not signed"},
		{keep, environ, []string{"sign", pack}, 2, "--key is missing"},
		{keep, environ, []string{"sign", "--key", key}, 2, "FILE is missing"},
		{keep, environ, []string{"sign", pack, "--key", public}, 2, "type PUBLIC KEY"},
		{keep, environ, []string{"sign", pack, "--key", key + "s"}, 3, "Cannot read"},
		{keep, environ, []string{"sign", pack, otherPack + "s", "--key", key}, 3, "Cannot read"},
		{keep, environ, []string{"verify", pack, "--key", public}, 1,
			"team.yaml is not signed"}, // the earlier sign command failed, and signs all packs or none
		{keep, environ, []string{"sign", pack, "--key", key}, 0, pack + ".sig\n"},
		{keep, environ, []string{"verify", pack, "--key", public}, 0, "team.yaml: signed by a trusted key"},
		{keep, trusting, []string{"verify", pack}, 0, "signed by a trusted key"},
		{keep, environ, []string{"verify", pack}, 2, "No key is configured"},
		{keep, append(environ, otherSetting), []string{"verify", pack}, 1, "unknown key or another text"},
		{keep, trusting, []string{"verify", pack, otherPack}, 1, "is not signed"},
		{keep, append(environ, "NOMOGRAPH_PACK_KEYS=,"), []string{"verify", pack}, 2, "must name at least one"},
		{keep, environ, []string{"verify", pack, "--key", key}, 2, "contains a private key"},
		{write(pack, strings.ReplaceAll(teamPack, "\n", "\r\n")), trusting, []string{"verify", pack}, 1,
			"covers line ends"},
		{write(pack, teamPack), trusting, []string{"verify", pack}, 0, "signed"},
		{write(pack+".sig", "not base64\n"), trusting, []string{"verify", pack}, 1, "is not the base64"},
		{write(pack+".sig", strings.Repeat("\xff", 9000)), trusting, []string{"verify", pack}, 1, "is not the base64"},
		{keep, trusting, []string{"verify", pack + "s"}, 3, "Cannot read"},
	}
	for _, step := range steps {
		step.before()
		stdout, stderr, code := graphtest.Run(t, step.environ, nil, graphtest.Binary(t),
			append([]string{"policy"}, step.args...)...)
		if code != step.code || !strings.Contains(stdout+stderr, step.says) {
			t.Errorf("%v: exit %d, want %d and %q\n%s%s", step.args, code, step.code, step.says, stdout, stderr)
		}
		if strings.Contains(stdout+stderr, strings.Split(string(secret), "\n")[1]) {
			t.Errorf("%v shows the private key", step.args)
		}
	}
	if again, err := os.ReadFile(key); err != nil || string(again) != string(secret) {
		t.Errorf("the key was overwritten (%v)", err)
	}
}

func TestPolicyApply_TrustedKeys_RequireSignatures(t *testing.T) {
	g := withPacks(t)
	key, pack, setting := keyAndPack(t, g.Environ(t))
	environ := append(g.Environ(t), setting)
	policy := func(environ []string, args ...string) (string, int) {
		t.Helper()
		stdout, stderr, code := graphtest.Run(t, environ, strings.NewReader(teamPack), graphtest.Binary(t), args...)
		return stdout + stderr, code
	}
	before := fingerprint(t, g)
	broken := append(g.Environ(t), "NOMOGRAPH_PACK_KEYS="+key)
	for _, tt := range []struct {
		environ []string
		args    []string
		code    int
		says    string
	}{
		{environ, []string{"policy", "apply", pack}, 1, "team.yaml is not signed"},
		{environ, []string{"policy", "apply", pack, "--dry-run"}, 1, "team.yaml is not signed"},
		{environ, []string{"policy", "apply", "-"}, 1, "nomograph policy sign FILE --key"},
		{environ, []string{"policy", "apply", "core"}, 0, " unchanged"},
		{broken, []string{"policy", "apply", pack}, 2, "contains a private key"},
		{broken, []string{"policy", "apply", "core"}, 2, "contains a private key"},
		{broken, []string{"threshold", "get", "claim_promotion_confidence", "--value"}, 0,
			"0.9"}, // reading still works
	} {
		if output, code := policy(tt.environ, tt.args...); code != tt.code || !strings.Contains(output, tt.says) {
			t.Errorf("%v: exit %d, want %d and %q\n%s", tt.args, code, tt.code, tt.says, output)
		}
	}
	if fingerprint(t, g) != before {
		t.Fatal("a pack was applied")
	}
	if output, code := policy(environ, "policy", "sign", pack, "--key", key); code != 0 {
		t.Fatal(output)
	}
	if output, code := policy(environ, "policy", "apply", pack); code != 0 ||
		!strings.Contains(output, "team 1.0.0: 1 created") {
		t.Errorf("exit %d, %s", code, output)
	}
	signature, err := os.ReadFile(pack + ".sig")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{teamPack: 0, teamPack + "# more\n": 1} {
		arguments, err := json.Marshal(map[string]any{"packs": []any{map[string]any{"name": "team.yaml", "text": text,
			"signature": string(signature)}}})
		if err != nil {
			t.Fatal(err)
		}
		if output, code := policy(environ, "call", "apply_packs", string(arguments)); code != want {
			t.Errorf("called with the signature: exit %d, want %d, %s", code, want, output)
		}
	}

	if output, code := policy(environ, "policy", "export", "team"); code != 0 || output != teamPack {
		t.Errorf("exported, exit %d: %s", code, output)
	}
	g.Exec(t, "MATCH (t:SYS_Threshold {name: 'lines_max'}) SET t.value = 500.0, t.since = date('2024-01-31')", nil)
	if output, code := policy(environ, "policy", "export", "team"); code != 0 ||
		!strings.HasPrefix(output, strings.Replace(teamPack, "400", "500", 1)) ||
		!strings.Contains(output, "note: thresholds 'lines_max': since is left out") {
		t.Errorf("exported, exit %d: %s", code, output)
	}
	if output, code := policy(environ, "policy", "export", "nothing"); code != 3 ||
		!strings.Contains(output, "Use chrystallum, core, team") {
		t.Errorf("exit %d: %s", code, output)
	}
	if output, code := policy(environ, "__complete", "policy", "export", "c"); code != 0 ||
		!strings.HasPrefix(output, "chrystallum\t") || !strings.Contains(output, "\ncore\t") {
		t.Errorf("completion: exit %d: %s", code, output)
	}
}
