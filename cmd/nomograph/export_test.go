package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

func TestExport_Import_RestoresTheGraph(t *testing.T) {
	g := withPacks(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "all.jsonl")
	run := func(stdin string, args ...string) (stdout, stderr string, code int) {
		t.Helper()
		return graphtest.Run(t, g.Environ(t), strings.NewReader(stdin), graphtest.Binary(t), args...)
	}
	if stdout, stderr, code := run("", "export", file); code != 0 || !strings.Contains(stdout, "sha256") {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	text := graphtest.Must(os.ReadFile(file))(t)
	graphtest.Equal(t, graphtest.Must(os.Stat(file))(t).Mode().Perm(), 0o600, "the permissions")
	if stdout, _, code := run("", "export"); code != 0 ||
		len(strings.Split(stdout, "\n")) != len(strings.Split(string(text), "\n")) {
		t.Errorf("to standard output: exit %d\n%s", code, stdout)
	}
	before := fingerprint(t, g)
	for name, c := range map[string]struct {
		stdin, file    string
		code           int
		stdout, stderr string
	}{
		"all of it again":         {"", file, 0, "nodes: 0 created, ", ""},
		"from standard input":     {string(text), "-", 0, "nodes: 0 created, ", ""},
		"cut":                     {string(text)[:len(text)/2], "-", 2, "", "--skip-broken"},
		"not there":               {"", filepath.Join(dir, "nosuch.jsonl"), 3, "", "Cannot read"},
		"not a Nomograph archive": {"{}", "-", 2, "", "not a Nomograph archive"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := run(c.stdin, "import", "archive", c.file)
			if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
				t.Errorf("exit %d (want %d)\nstdout: %s\nstderr: %s", code, c.code, stdout, stderr)
			}
		})
	}
	graphtest.Equal(t, fingerprint(t, g), before, "the graph")
	if _, stderr, code := run("", "export", filepath.Join(dir, "nosuch", "all.jsonl")); code != 2 ||
		!strings.Contains(stderr, "Cannot write") {
		t.Errorf("into a missing folder: exit %d, %s", code, stderr)
	}
	t.Run("the import announces that vectors are computed", func(t *testing.T) {
		g.Exec(t, "CREATE (:Decision {uid: 'd1', id: '00000001', decision: 'Use a queue for orders', status: 'pending', created_at: datetime()})", nil)
		if _, stderr, code := run("", "export", "--overwrite", file); code != 0 {
			t.Fatal(stderr)
		}
		g.Exec(t, "MATCH (d:Decision) DETACH DELETE d", nil)
		stdout, _, code := run("", "import", "archive", file)
		if waiting := g.Rows(t, "MATCH (d:Decision) WHERE d:Unindexed OR NOT EXISTS { (d)<-[:OF]-(:Embedding) } RETURN count(d) AS n", nil)[0]["n"]; code != 0 ||
			!strings.Contains(stdout, "Vectors are ready") || waiting != int64(0) {
			t.Errorf("exit %d, %v without vectors\n%s", code, waiting, stdout)
		}
	})
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); len(left) > 0 {
		t.Errorf("got the remaining files %v", left)
	}
}
