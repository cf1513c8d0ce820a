// Package examples_test runs the example scripts and checks that they follow the values in the graph.
package examples_test

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

const (
	lowerThreshold = `MATCH (t:SYS_Threshold {name: 'claim_promotion_confidence'}) SET t.value = 0.8`
	allowFacet     = `MATCH (p:SYS_Policy {name: 'NoTemporalFacet'}) SET p.active = false`
)

func chrystallum(t *testing.T) *graphtest.Graph {
	t.Helper()
	g := graphtest.New(t)
	toolstest.ApplyShipped(t, g, "chrystallum")
	return g
}

// TestPythonScript_ChangedThreshold_IsObeyed keeps one script and its server running while nodes change.
func TestPythonScript_ChangedThreshold_IsObeyed(t *testing.T) {
	g := chrystallum(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("LOUD: python3 is not installed, so its example is not tried")
	}
	script := graphtest.Must(filepath.Abs("promote.py"))(t)
	cmd := exec.Command(python, script)
	cmd.Env = g.Environ(t)
	stdin := graphtest.Must(cmd.StdinPipe())(t)
	stdout := graphtest.Must(cmd.StdoutPipe())(t)
	graphtest.OK(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	answers := bufio.NewScanner(stdout)
	ask := func(line, want string) {
		t.Helper()
		graphtest.Must(io.WriteString(stdin, line+"\n"))(t)
		if !answers.Scan() {
			t.Fatal("the script ended")
		}
		if got := answers.Text(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}

	ask("POLITICAL 0.85", "reject: 0.85 is below 0.9")
	ask("TEMPORAL 0.99", "reject: TEMPORAL is forbidden by NoTemporalFacet")
	g.Exec(t, lowerThreshold, nil)
	ask("POLITICAL 0.85", "promote: 0.85 reaches 0.8")
	g.Exec(t, allowFacet, nil)
	ask("TEMPORAL 0.99", "promote")
	ask("PATRONAGE 0.99", "reject: PATRONAGE is forbidden")

	graphtest.OK(t, stdin.Close())
	if err := cmd.Wait(); err != nil {
		t.Errorf("the script ends with %v", err)
	}
}

func TestShellScript_ChangedThreshold_IsObeyed(t *testing.T) {
	g := chrystallum(t)
	script := graphtest.Must(filepath.Abs("promote.sh"))(t)
	environ := g.Environ(t)
	ask := func(facet, confidence, want string) {
		t.Helper()
		stdout, stderr, code := graphtest.Run(t, environ, nil, "sh", script, facet, confidence)
		if code != 0 || !strings.HasPrefix(stdout, want) {
			t.Errorf("%s %s: %q (exit %d, %s), want %q", facet, confidence, stdout, code, stderr, want)
		}
	}
	ask("POLITICAL", "0.85", "reject: 0.85 is below 0.9")
	ask("TEMPORAL", "0.99", "reject: TEMPORAL is forbidden")
	g.Exec(t, lowerThreshold, nil)
	g.Exec(t, allowFacet, nil)
	ask("POLITICAL", "0.85", "promote: 0.85 reaches 0.8")
	ask("TEMPORAL", "0.99", "promote")
}

// TestScripts_NoGraph_PromoteNothing checks that scripts fail closed.
func TestScripts_NoGraph_PromoteNothing(t *testing.T) {
	environ := append(graphtest.BareEnviron(t), "NEO4J_URI=bolt://127.0.0.1:1", "NEO4J_PASSWORD=x")
	script := graphtest.Must(filepath.Abs("promote.sh"))(t)
	stdout, stderr, code := graphtest.Run(t, environ, nil, "sh", script, "POLITICAL", "0.95")
	if code != 4 || stdout != "" || !strings.Contains(stderr, "No Neo4j answers") {
		t.Errorf("exit %d, stdout %q, stderr %q; want 4, nothing, and what is wrong", code, stdout, stderr)
	}
}
