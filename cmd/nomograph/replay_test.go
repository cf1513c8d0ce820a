package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

func TestPolicyReplay_ExportedActs_AreReplayedWithoutADatabase(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'bar', value: 0.5}), (:SYS_Policy {name: 'sure', active: true, requires: 'action.confidence >= threshold("bar")'})`, nil)
	bare := graphtest.BareEnviron(t)
	run := func(environ []string, stdin string, args ...string) (string, string, int) {
		return graphtest.Run(t, environ, strings.NewReader(stdin), graphtest.Binary(t), args...)
	}
	const secret = "ghp_0123456789abcdefghij0123456789abcdef"
	file := filepath.Join(t.TempDir(), "acts.jsonl")
	connected := session(t, append(g.Environ(t), "SECRET="+secret, "FILE="+file), `
$ policy check "Deploy with $SECRET" --confidence 0.6
$ policy check 'Move the data' --confidence 0.8
$ policy check 'Rename it' --confidence 0.9
$ policy replay --export $FILE -o json
out "verdicts": 3
out "rules": 1`)
	acts, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(acts), secret) || !strings.Contains(string(acts), "Move the data") {
		t.Errorf("got the acts %s, %v, want them without a secret", acts, err)
	}
	graphtest.Equal(t, graphtest.Must(os.Stat(file))(t).Mode().Perm(), 0o600, "permissions")
	session(t, connected, `
$ policy replay --export $FILE -o json # 1
err already exists
$ policy replay --export $FILE -o json --overwrite
out "verdicts": 3`)
	for _, tt := range []struct {
		name, stdin string
		args        []string
		code        int
	}{
		{"a file", "", []string{"--acts", file}, 0},
		{"standard input", string(acts), []string{"--acts", "-"}, 0},
		{"a condition that holds", "", []string{"--acts", file, "--fail-on", "blocked > 0"}, 1},
		{"a condition that does not hold", "", []string{"--acts", file, "--fail-on", "blocked > 1"}, 0},
	} {
		out, output, code := run(bare, tt.stdin, append([]string{"policy", "replay", "--set", "bar=0.7", "-o", "json"},
			tt.args...)...)
		var r struct {
			Acts    int
			Blocked struct{ Acts int }
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != tt.code || r.Acts != 3 || r.Blocked.Acts != 1 {
			t.Errorf("%s: exit %d, %v: %s%s", tt.name, code, err, out, output)
		}
	}
	session(t, append(bare, "FILE="+file), `
$ policy replay --acts $FILE --export $FILE # 2
err use one of them
$ policy replay --acts $FILE.none # 3
err Cannot read
$ policy replay --acts $FILE --fail-on nonsense # 2
err fail`)
	if _, output, code := run(bare, string(acts[:len(acts)/2]), "policy", "replay", "--acts", "-"); code == 0 {
		t.Errorf("a torn file was replayed: %s", output)
	}
}
