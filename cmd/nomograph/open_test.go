package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// TestOpen_AnotherUsersServer_IsNotOpened: /healthz answers for every server, and an invitation would be sent to it.
func TestOpen_AnotherUsersServer_IsNotOpened(t *testing.T) {
	g := graphtest.New(t)
	environ := g.Environ(t)
	at, _ := atAddress(t, environ)
	address := strings.TrimSuffix(strings.TrimPrefix(at, "http://"), "/mcp")
	own, stderr, code := graphtest.Run(t, append(environ, "NOMOGRAPH_HTTP="+address), nil, graphtest.Binary(t), "open",
		"graph", "--print")
	if code != 0 || !strings.HasPrefix(own, "http://"+address+"/graph?open=") {
		t.Errorf("one's own: exit %d, %s%s", code, own, stderr)
	}
	if again, stderr, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), "open", "--print"); code != 0 ||
		!strings.HasPrefix(again, "http://"+address+"/?open=") {
		t.Errorf("at an address that is not the default: exit %d, %s%s", code, again, stderr)
	}
	other := append(g.Environ(t), "NOMOGRAPH_HTTP="+address)
	if stdout, stderr, code := graphtest.Run(t, other, nil, graphtest.Binary(t), "open", "--print"); code == 0 ||
		stdout != "" || !strings.Contains(stderr, "Cannot listen on") {
		t.Errorf("another user's: exit %d, %s%s", code, stdout, stderr)
	}
}

// TestOut_ExistingFile_NeedsOverwrite covers export and --out; a pipe, device or folder is never replaced.
func TestOut_ExistingFile_NeedsOverwrite(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'least', value: 1})", nil)
	dir := t.TempDir()
	for name, args := range map[string][]string{"export": {"export"}, "env": {"env", "least", "--out"}} {
		path := filepath.Join(dir, name)
		args = append(args, path)
		graphtest.OK(t, os.WriteFile(path, []byte("mine"), 0o644))
		if _, stderr, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), args...); code == 0 ||
			!strings.Contains(stderr, "--overwrite") {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
			t.Errorf("%q wrote %q (%v)", args, text, err)
		}
		if _, stderr, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t),
			append(args, "--overwrite")...); code != 0 {
			t.Errorf("%q --overwrite: exit %d, %s", args, code, stderr)
		}
		if info, err := os.Stat(path); err != nil || info.Size() < 10 || info.Mode().Perm() != 0o600 {
			t.Errorf("%q --overwrite: %v %v", args, info, err)
		}
		if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
			t.Errorf("%q leaves %v", args, left)
		}
	}
	for _, path := range []string{"/dev/null", dir} {
		if stdout, _, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "export", path,
			"--overwrite"); code == 0 {
			t.Errorf("%s: exit %d, %s", path, code, stdout)
		}
	}
}

// TestTokenEnv_ATokenInPlaceOfAName_IsNotRepeated: errors may be logged, so they must not contain the token.
func TestTokenEnv_ATokenInPlaceOfAName_IsNotRepeated(t *testing.T) {
	const token = "nmg_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyMDE"
	stdout, stderr, code := graphtest.Run(t, graphtest.BareEnviron(t), nil, graphtest.Binary(t), "--url",
		"https://nomograph.example.org", "--token-env", token, "threshold", "list")
	if code != 2 || !strings.Contains(stderr, "not its value") || strings.Contains(stdout+stderr, token) {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}
