package main_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

func TestDoctor_ChangesAndStartsNothing(t *testing.T) {
	environ := graphtest.BareEnviron(t)
	home := strings.TrimPrefix(environ[1], "HOME=")
	session(t, environ, "$ doctor\nout the engine is stopped\nout doctor --start")
	_ = filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			t.Errorf("got the files %s", path)
		}
		return err
	})

	// doctor examines a running engine and does not change its graph.
	g := graphtest.Unmigrated(t)
	environ = append(environ, "NOMOGRAPH_ENGINE_DIR="+g.Engine.Dir)
	version := g.Rows(t, "CALL dbms.components() YIELD versions RETURN versions[0] AS version",
		nil)[0]["version"].(string)
	session(t, append(environ, "VERSION="+version), "$ doctor\nout Neo4j $VERSION\nout migration 0 of")
	golden.Equal[any](t, "nodes", g.Rows(t, "MATCH (n) RETURN count(n) AS n", nil)[0]["n"], int64(0))
}

func TestDoctor_FolderThatCannotBeWritten_Fails(t *testing.T) {
	for name, detail := range map[string]string{"NOMOGRAPH_ENGINE_DIR": "The engine's folder",
		"NOMOGRAPH_ENGINE_CACHE": "The folder for what is fetched"} {
		file := filepath.Join(t.TempDir(), "file")
		graphtest.OK(t, os.WriteFile(file, nil, 0o600))
		session(t, append(graphtest.BareEnviron(t), name+"="+filepath.Join(file, "below")),
			"$ doctor # 1\nout fail  folders\nout "+detail+"\nout "+name)
	}
}

func TestDoctor_EntryThatStartsAnotherProgram_IsAWarning(t *testing.T) {
	environ := graphtest.BareEnviron(t)
	path := filepath.Join(strings.TrimPrefix(environ[1], "HOME="), ".cursor", "mcp.json")
	graphtest.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	graphtest.OK(t, os.WriteFile(path, []byte(`{"mcpServers": {"nomograph": {"command": "/usr/bin/other", "args": ["x"]}}}`),
		0o600))
	session(t, environ, `
$ install cursor
out it starts: /usr/bin/other x
not already
$ doctor
out starts another program: /usr/bin/other x`)
}

// TestDoctor_AllRulesInAnotherMode_NamesTheCommandToStoreIt: a mode that was chosen before packs stored the choice
// looks like drift.
func TestDoctor_AllRulesInAnotherMode_NamesTheCommandToStoreIt(t *testing.T) {
	g := graphtest.New(t)
	environ := append(g.Environ(t), "KEEPS=nomograph policy apply git --mode enforce keeps the mode of its rules")
	session(t, environ, "$ policy apply git --mode enforce\n$ doctor\nnot $KEEPS")
	g.Exec(t, "MATCH (:SYS_Pack {name: 'git'})-[o:OWNS]->() REMOVE o.mode", nil)
	session(t, environ, `
$ doctor
out $KEEPS
$ policy apply git --mode enforce
$ doctor
not $KEEPS`)
}
