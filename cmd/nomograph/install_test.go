package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

func TestInstall_ExistingFile_KeepsOtherEntries(t *testing.T) {
	self := graphtest.Binary(t)
	named := strings.NewReplacer("PROGRAM", self, `\n`, "\n", `\r`, "\r", `\t`, "\t").Replace
	for _, row := range golden.Rows(t, "testdata/installs.txt") {
		flags, wantCode, before, after := strings.Fields(row[1]), row[2], named(row[3]), named(row[4])
		t.Run(row[0], func(t *testing.T) {
			c := newClone(t)
			path, real := filepath.Join(c.home, ".cursor", "mcp.json"), filepath.Join(c.home, "dotfiles", "mcp.json")
			c.write(t, real, before, 0o640)
			graphtest.OK(t, os.Mkdir(filepath.Dir(path), 0o700))
			graphtest.OK(t, os.Symlink("../dotfiles/mcp.json", path))
			args := append([]string{"install", "cursor"}, flags...)
			shown, _ := c.run(t, append(args, "--show")...)
			if text, _ := os.ReadFile(real); string(text) != before {
				t.Errorf("--show writes %s", text)
			}
			output, code := c.run(t, args...)
			text, _ := os.ReadFile(real)
			if strconv.Itoa(code) != wantCode || string(text) != after {
				t.Errorf("exit %d, %s\n%q\nwant\n%q", code, output, text, after)
			}
			for _, words := range strings.Split(row[5], " ; ") {
				if !strings.Contains(output, named(words)) ||
					!strings.Contains(shown, strings.TrimSuffix(named(words), "already")) {
					t.Errorf("%q is not in %s\n%s", words, output, shown)
				}
			}
			if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("the link is gone: %v", err)
			}
			graphtest.Equal(t, graphtest.Must(os.Stat(real))(t).Mode().Perm(), 0o640, "permissions")
			if code != 0 {
				return
			}
			if again, code := c.run(t, args...); code != 0 || !strings.Contains(again, "already") &&
				!strings.Contains(again, "stays") {
				t.Errorf("again: exit %d, %s", code, again)
			}
			if twice, _ := os.ReadFile(real); string(twice) != string(text) {
				t.Errorf("the second time: got %s, want %s", twice, text)
			}
		})
	}
}

func TestInstall_Project_WritesNoAbsolutePath(t *testing.T) {
	c := newClone(t)
	shown, _ := c.run(t, "install", "cursor", "--workspace", "--show")
	output, code := c.run(t, "install", "cursor", "--workspace", "--toolsets", "core")
	text, err := os.ReadFile(filepath.Join(c.dir, ".cursor", "mcp.json"))
	if err != nil || code != 0 || !strings.Contains(string(text), `"command": "nomograph"`) ||
		strings.Contains(string(text)+shown, c.home) ||
		!strings.Contains(string(text), `["serve", "--toolsets", "core"]`) {
		t.Errorf("exit %d, %s: %s, %v", code, output, text, err)
	}
	// A repository with links to other folders cannot choose a file of the user.
	theirs := filepath.Join(c.home, "settings.json")
	c.write(t, theirs, "{}", 0o600)
	for name, link := range map[string]string{"the file": filepath.Join(c.dir, ".vscode", "mcp.json"),
		"the temporary file": filepath.Join(c.dir, ".cursor", "mcp.json.nomograph-new")} {
		graphtest.OK(t, os.MkdirAll(filepath.Dir(link), 0o700))
		graphtest.OK(t, os.Symlink(theirs, link))
		client := map[string]string{"the file": "vscode", "the temporary file": "cursor"}[name]
		output, code := c.run(t, "install", client, "--workspace", "--agent", "ada")
		if text, _ := os.ReadFile(theirs); string(text) != "{}" {
			t.Errorf("%s: exit %d, %s wrote %s", name, code, output, text)
		}
		if name == "the file" && code != 1 {
			t.Errorf("exit %d: %s", code, output)
		}
	}
}

func TestInstall_URL_WritesNoToken(t *testing.T) {
	c := newClone(t)
	path := filepath.Join(c.home, ".cursor", "mcp.json")
	c.environ = append(c.environ, "TEAM_TOKEN=nmg_secret", "NOMOGRAPH_TOKEN=nmg_secret")
	c.session(t, `
$ install cursor --url http://192.0.2.1:9991 --token-env TEAM_TOKEN # 2
err unencrypted
$ install cursor --url https://nomograph.example.org --token-env nmg_secret.x # 2
err not its value
not nmg_secret
$ install cursor --url https://nomograph.example.org --token-env nmg_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyMDE # 2
err not its value
$ install cursor --url https://nomograph.example.org --token-env ghp_16C7e42F292c6912E7710c838347Ae178B4a # 2
err not its value
$ install cursor --url https://nomograph.example.org --token-env 5f4dcc3b5aa765d61d8327deb882cf99 # 2
err not its value
$ install cursor --url https://nomograph.example.org --token-env d4dcc3b5aa765d61d8327deb882cf99a # 2
err not its value
$ install cursor --url https://nomograph.example.org --token-env eyJhbGciOiJIUzI1NiJ9 # 2
err not its value
$ install cursor --url https://nomograph.example.org --toolsets core # 2
err --toolsets is a setting of the running server
$ install cursor --url https://nomograph.example.org --docker n # 2
err use one of them
$ install cursor --token-env TEAM_TOKEN # 2
err needs --url`)
	for _, tt := range []struct{ args, says, file string }{
		{"--url https://nomograph.example.org", "Cursor will ask this server", "Bearer ${env:NOMOGRAPH_TOKEN}"},
		{"--url https://nomograph.example.org/mcp --token-env TEAM_TOKEN", "headers: the token's",
			`"url": "https://nomograph.example.org/mcp"`},
		{"--url http://192.0.2.1:9991 --token-env TEAM_TOKEN --allow-http", "will ask", "Bearer ${env:TEAM_TOKEN}"},
		{"--docker nomograph", "will start", `["exec", "-i", "nomograph", "nomograph", "serve"]`},
	} {
		c.session(t, "$ install cursor "+tt.args+"\nout "+tt.says+"\nnot nmg_secret")
		text, _ := os.ReadFile(path)
		plain := strings.ReplaceAll(strings.Join(strings.Fields(string(text)), " "), `","`, `", "`)
		if !strings.Contains(plain, tt.file) || strings.Contains(plain, "nmg_secret") {
			t.Errorf("%s: %s", tt.args, text)
		}
	}
}

// TestMemoryInstall_Conversations_AreImported: after memory install, the server that a client starts imports its
// conversations.
func TestMemoryInstall_Conversations_AreImported(t *testing.T) {
	c := newClone(t)
	folder := filepath.Join(c.home, ".claude", "projects")
	c.session(t, `
$ memory install claude-desktop # 2
err cannot read the conversations of
$ memory install cursor --workspace # 2
err belong to one user
$ memory install cursor --url https://nomograph.example.org # 2
err import sessions $HOME/.cursor/projects --watch
$ memory install cursor --show
out "--remember",
out "$HOME/.cursor/projects
$ memory install claude-code --toolsets core
out Claude Code will start this server
$ memory install claude-code --toolsets core --log-level warn
out --log-level`)
	text, err := os.ReadFile(filepath.Join(c.home, ".claude.json"))
	if err != nil || strings.Count(string(text), folder) != 1 || !strings.Contains(string(text), "--remember") {
		t.Errorf("got %v, %s, want the folder once", err, text)
	}

	g := graphtest.New(t)
	c.write(t, filepath.Join(folder, "-work-shop", "s1.jsonl"),
		`{"sessionId":"s1","cwd":"/nowhere/shop","type":"user","message":{"role":"user","content":"Which table is the queue of orders?"},"uuid":"u1","timestamp":"2026-05-01T10:00:00Z"}
{"sessionId":"s1","type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"The table outbox is the queue."}]},"uuid":"a1","timestamp":"2026-05-01T10:00:09Z"}
`, 0o600)
	server := graphtest.Start(t, append(g.Environ(t), "TZ=UTC"), graphtest.Binary(t), "serve", "--remember", folder)
	server.Initialize("2025-06-18")
	ask := func(tool string, arguments map[string]any) string {
		t.Helper()
		m := server.Request("tools/call", map[string]any{"name": tool, "arguments": arguments})
		if m.Error != nil {
			t.Fatalf("%s: got %+v, want nil", tool, m.Error)
		}
		return m.Result["content"].([]any)[0].(map[string]any)["text"].(string)
	}
	for ask("list-projects", nil) == "No projects found in memory." { // the installation does not wait for the import
		if t.Context().Err() != nil {
			t.Fatal("nothing was imported")
		}
	}
	if output := ask("list-sessions", map[string]any{"project": "shop"}); !regexp.MustCompile(`^Sessions for "shop" \(1 total\):\n- s1 \(May 1, 10:00 AM – 10:00 AM, 1 chunk, \d+ tokens\)$`).MatchString(output) {
		t.Error(output)
	}
	graphtest.Contains(t, ask("reconstruct", map[string]any{"project": "shop", "session_id": "s1"}),
		"The table outbox is the queue.")
}
