package main

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

func TestDoctorChangesNothingAndStartsNothing(t *testing.T) {
	environ := graphtest.BareEnviron(t)
	home := strings.TrimPrefix(environ[1], "HOME=")
	stdout, stderr, _ := graphtest.Run(t, environ, nil, graphtest.Binary(t), "doctor")
	if !strings.Contains(stdout, "the engine is stopped") || !strings.Contains(stdout, "doctor --start") {
		t.Errorf("%s\n%s", stdout, stderr)
	}
	_ = filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			t.Errorf("it left %s", path)
		}
		return err
	})

	// An engine that runs is looked at, and its graph is left as it is.
	g := graphtest.Unmigrated(t)
	environ = append(environ, "NOMOGRAPH_ENGINE_DIR="+g.Engine.Dir)
	stdout, stderr, _ = graphtest.Run(t, environ, nil, graphtest.Binary(t), "doctor")
	version := g.Rows(t, "CALL dbms.components() YIELD versions RETURN versions[0] AS version", nil)[0]["version"].(string)
	if !strings.Contains(stdout, "Neo4j "+version) || !strings.Contains(stdout, "migration 0 of") {
		t.Errorf("%s\n%s", stdout, stderr)
	}
	if n := g.Rows(t, "MATCH (n) RETURN count(n) AS n", nil)[0]["n"]; n != int64(0) {
		t.Errorf("%v nodes", n)
	}
}
