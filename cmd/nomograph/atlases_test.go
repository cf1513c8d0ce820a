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
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("broken/atlas.json", `{"atlas_version": "1.0", "atlas_id": "a.b", "version": "1.0.0"}`)
	_, stderr, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "serve", "--atlases",
		filepath.Join(dir, "broken"))
	if code != 2 || !strings.Contains(stderr, filepath.Join(dir, "broken", "atlas.json")+":1:2: name is required") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	write("atlases/team/rollback.md", "---\nkeywords: [rollback]\n---\n# How we roll back\nTo the last good release.\n")
	write("atlases/team/README.md", "# No front matter\n")
	input := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`
	stdout, stderr, code := graphtest.Run(t, g.Environ(t), strings.NewReader(input), graphtest.Binary(t), "serve",
		"--atlases", filepath.Join(dir, "atlases"))
	if code != 0 || !strings.Contains(stdout, `"cra_list_atlases"`) || !strings.Contains(stdout, `"check_action"`) {
		t.Errorf("exit %d: %.300s %s", code, stdout, stderr)
	}
	// The server may have loaded the atlases already.
	stdout, stderr, code = graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "atlas", "load",
		filepath.Join(dir, "atlases"))
	if code != 0 || !strings.Contains(stdout, "atlas:team 1.0.0: 2 ") ||
		!strings.Contains(stdout, "left out, having no front matter: ") {
		t.Errorf("exit %d: %s %s", code, stdout, stderr)
	}
	stdout, stderr, code = graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "atlas", "list", "-o", "json")
	if code != 0 || !strings.Contains(stdout, `"atlas_id": "team"`) {
		t.Errorf("exit %d: %s %s", code, stdout, stderr)
	}
	write("needs/atlas.yaml", "atlas_version: \"1.0\"\natlas_id: needs.another\nversion: 1.0.0\nname: N\ndependencies: {no.such: \"*\"}\ncontext_blocks: [{context_id: n, name: N, content: a}]\n")
	waiting, end, err := os.Pipe() // input of a client that stays connected
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errors.Join(waiting.Close(), end.Close()) }()
	_, stderr, code = graphtest.Run(t, g.Environ(t), waiting, graphtest.Binary(t), "serve", "--atlases",
		filepath.Join(dir, "needs"))
	if code != 2 || !strings.Contains(stderr, "no.such") {
		t.Errorf("an atlas whose dependency is missing: exit %d: %s", code, stderr)
	}
}
