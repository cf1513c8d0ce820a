package main_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// TestServe_AtlasFolder_IsLoaded: a folder is read before anything starts, is loaded, and its toolset is served.
func TestServe_AtlasFolder_IsLoaded(t *testing.T) {
	g := graphtest.New(t)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		graphtest.OK(t, os.MkdirAll(filepath.Dir(name), 0o700))
		graphtest.OK(t, os.WriteFile(name, []byte(text), 0o600))
	}
	write("broken/atlas.json", `{"atlas_version": "1.0", "atlas_id": "a.b", "version": "1.0.0"}`)
	write("atlases/team/rollback.md", "---\nkeywords: [rollback]\n---\n# How we roll back\nTo the last good release.\n")
	write("atlases/team/README.md", "# No front matter\n")
	// The server may have loaded the atlases before they are loaded.
	session(t, append(g.Environ(t), "BROKEN="+filepath.Join(dir, "broken"), "DIR="+filepath.Join(dir, "atlases"),
		"FILE="+filepath.Join(dir, "broken", "atlas.json")), `
$ serve --atlases $BROKEN # 2
err $FILE:1:2: name is required
$ serve --atlases $DIR
< {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
< {"jsonrpc":"2.0","id":2,"method":"tools/list"}
out "cra_list_atlases"
out "check_action"
$ atlas load $DIR
out atlas:team 1.0.0: 2 
out left out, having no front matter: 
$ atlas list -o json
out "atlas_id": "team"`)
	write("needs/atlas.yaml", "atlas_version: \"1.0\"\natlas_id: needs.another\nversion: 1.0.0\nname: N\ndependencies: {no.such: \"*\"}\ncontext_blocks: [{context_id: n, name: N, content: a}]\n")
	waiting, end, err := os.Pipe() // input of a client that stays connected
	graphtest.OK(t, err)
	defer func() { _ = errors.Join(waiting.Close(), end.Close()) }()
	_, stderr, code := graphtest.Run(t, g.Environ(t), waiting, graphtest.Binary(t), "serve", "--atlases",
		filepath.Join(dir, "needs"))
	if code != 2 || !strings.Contains(stderr, "no.such") {
		t.Errorf("an atlas whose dependency is missing: exit %d: %s", code, stderr)
	}
}
