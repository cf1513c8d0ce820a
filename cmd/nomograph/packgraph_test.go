package main_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"nomograph/graph/graphtest"
)

// TestPolicyTest_Cases_LeaveTheGraphUnchanged: policy test does not connect to the graph, with or without an engine
// for the cases.
func TestPolicyTest_Cases_LeaveTheGraphUnchanged(t *testing.T) {
	users := graphtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer users.Close()
	var calls atomic.Int32
	go func() {
		for {
			c, err := users.Accept()
			if err != nil {
				return
			}
			calls.Add(1)
			_ = c.Close()
		}
	}()
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:Left {over: true})", nil)
	engine := t.TempDir()
	folder := "scratch"
	if g.Engine.Version != "" {
		folder += "-" + g.Engine.Version
	}
	if err := os.Symlink(g.Engine.Dir, filepath.Join(engine, folder)); err != nil { // the engine that already runs
		t.Skip(err)
	}
	environ := append(graphtest.BareEnviron(t), "NOMOGRAPH_ENGINE_DIR="+engine)
	run := func(environ []string) (stdout, stderr string, code int) {
		t.Helper()
		return graphtest.Run(t, environ, nil, graphtest.Binary(t), "policy", "test", "core")
	}
	for _, environ := range [][]string{environ, append(environ, "NEO4J_URI=bolt://"+users.Addr().String(),
		"NEO4J_PASSWORD=x")} {
		stdout, stderr, code := run(environ)
		if code != 0 || !strings.HasPrefix(stdout, "core ") || !strings.Contains(stdout, "9 of 9 rules applied\n") ||
			strings.Contains(stdout, "left out") || strings.Contains(stdout, "not evaluated") {
			t.Errorf("exit %d\n%s%s", code, stdout, stderr)
		}
	}
	graphtest.Equal(t, len(g.Rows(t, "MATCH (n:Left) RETURN n", nil)), 0, "nodes of test cases in their graph")
	stdout, stderr, code := run(append(graphtest.BareEnviron(t), "NEO4J_HOME="+t.TempDir(), "NEO4J_URI=bolt://"+
		users.Addr().String(), "NEO4J_PASSWORD=x"))
	if code != 4 || stdout != "" || !strings.Contains(stderr, "Or set `--without-graph`") {
		t.Errorf("without an engine: exit %d\n%s%s", code, stdout, stderr)
	}
	graphtest.Equal(t, calls.Load(), 0, "queries of the user's database")
	if files, _ := os.ReadDir(engine); len(files) != 1 {
		t.Errorf("the user's engine has %v", files)
	}
}
