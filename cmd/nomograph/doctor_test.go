package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

func TestDoctor_ChangesAndStartsNothing(t *testing.T) {
	environ := graphtest.BareEnviron(t)
	home := strings.TrimPrefix(environ[1], "HOME=")
	stdout, stderr, _ := graphtest.Run(t, environ, nil, graphtest.Binary(t), "doctor")
	if !strings.Contains(stdout, "the engine is stopped") || !strings.Contains(stdout, "doctor --start") {
		t.Errorf("doctor prints %s\n%s", stdout,
			stderr)
	}
	_ = filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			t.Errorf("got the files %s", path)
		}
		return err
	})

	// doctor examines a running engine and does not change its graph.
	g := graphtest.Unmigrated(t)
	environ = append(environ, "NOMOGRAPH_ENGINE_DIR="+g.Engine.Dir)
	stdout, stderr, _ = graphtest.Run(t, environ, nil, graphtest.Binary(t), "doctor")
	version := g.Rows(t, "CALL dbms.components() YIELD versions RETURN versions[0] AS version",
		nil)[0]["version"].(string)
	if !strings.Contains(stdout, "Neo4j "+version) || !strings.Contains(stdout, "migration 0 of") {
		t.Errorf("doctor prints %s\n%s", stdout, stderr)
	}
	if n := g.Rows(t, "MATCH (n) RETURN count(n) AS n", nil)[0]["n"]; n != int64(0) {
		t.Errorf("%v nodes", n)
	}
}

func TestDoctor_FolderThatCannotBeWritten_Fails(t *testing.T) {
	for name, detail := range map[string]string{"NOMOGRAPH_ENGINE_DIR": "The engine's folder",
		"NOMOGRAPH_ENGINE_CACHE": "The folder for what is fetched"} {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, code := graphtest.Run(t, append(graphtest.BareEnviron(t), name+"="+
			filepath.Join(file, "below")), nil, graphtest.Binary(t), "doctor")
		if code != exitFailed || !strings.Contains(stdout, "fail  folders") || !strings.Contains(stdout, detail) ||
			!strings.Contains(stdout, name) {
			t.Errorf("%s: exit %d\n%s%s", name, code, stdout, stderr)
		}
	}
}

func TestDoctor_EntryThatStartsAnotherProgram_IsAWarning(t *testing.T) {
	environ := graphtest.BareEnviron(t)
	path := filepath.Join(strings.TrimPrefix(environ[1], "HOME="), ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"mcpServers": {"nomograph": {"command": "/usr/bin/other", "args": ["x"]}}}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	output, _, _ := graphtest.Run(t, environ, nil, graphtest.Binary(t), "install", "cursor")
	if strings.Contains(output, "already") || !strings.Contains(output, "it starts: /usr/bin/other x") {
		t.Errorf("install prints %q", output)
	}
	if stdout, _, _ := graphtest.Run(t, environ, nil, graphtest.Binary(t), "doctor"); !strings.Contains(stdout,
		"starts another program: /usr/bin/other x") {
		t.Errorf("doctor prints %s", stdout)
	}
}
