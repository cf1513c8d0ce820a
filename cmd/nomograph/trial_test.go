package main_test

import (
	"encoding/json"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

func TestPolicyTrial_ShadowPack_ShowsWhatItWouldHaveStopped(t *testing.T) {
	g := graphtest.New(t)
	environ := g.Environ(t)
	run := func(stdin string, args ...string) (string, string, int) {
		return graphtest.Run(t, environ, strings.NewReader(stdin), graphtest.Binary(t), args...)
	}
	if _, output, code := run("", "policy", "apply", "shell", "git"); code != 0 {
		t.Fatal(output)
	}
	for id, command := range map[string]string{"1": "rm -rf /", "2": "make test", "3": "git push -f origin main"} {
		if out, output, code := run(bash(command, id), "hook",
			"claude-code"); code != 0 { // in shadow mode, rules deny nothing
			t.Fatalf("%s: exit %d: %s%s", command, code, out, output)
		}
	}
	type replay struct {
		Acts    int
		Blocked struct{ Acts int }
	}
	for _, tt := range []struct {
		packs   string
		blocked int
	}{{"shell git", 2}, {"git", 1}, {"mcp", 0}} {
		out, output, code := run("", append(append([]string{"policy", "trial"}, strings.Fields(tt.packs)...), "-o",
			"json")...)
		var got replay
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 || got.Acts != 3 ||
			got.Blocked.Acts != tt.blocked {
			t.Errorf("%s: exit %d, %v: %+v %s%s", tt.packs, code, err, got, out, output)
		}
	}
	if out, output, code := run("", "policy", "trial", "shell"); code != 0 ||
		!strings.Contains(out, "shell-keeps-the-system") {
		t.Errorf("exit %d: %s%s", code, out, output)
	}
	if _, output, code := run("", "policy", "trial", "no-such-pack"); code == 0 ||
		!strings.Contains(output, "no-such-pack") {
		t.Errorf("exit %d: %s", code, output)
	}
	graphtest.Equal[any](t, g.Rows(t, "MATCH (p:SYS_Policy {mode: 'enforce'}) RETURN count(p) AS n",
		nil)[0]["n"], int64(0), "enforced rules")
}
