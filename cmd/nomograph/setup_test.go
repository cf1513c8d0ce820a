package main_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// filesBelow returns the paths of all files below a folder, relative to it, except those of caches.
func filesBelow(t *testing.T, folder string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.Contains(path, ".cache") {
			relative, _ := filepath.Rel(folder, path)
			found = append(found, relative)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestInit_Repository_WritesOnceAndKeepsWhatExists(t *testing.T) {
	for name, tt := range map[string]struct {
		before map[string]string
		want   []string
	}{
		"empty": {nil, []string{".cursor/hooks.json", ".cursor/mcp.json", "policies/NAME.yaml"}},
		"with others' files": {map[string]string{"policies/ours.yaml": "pack: ours\nversion: 1.0.0\n",
			".cursor/mcp.json": `{"mcpServers": {"other": {"url": "x"}}}`, ".github/CODEOWNERS": "", ".claude/x": "",
			".vscode/x": ""},
			[]string{".claude/settings.json", ".claude/x", ".cursor/hooks.json", ".cursor/mcp.json",
				".github/CODEOWNERS", ".github/workflows/policies.yml", ".mcp.json", ".vscode/mcp.json", ".vscode/x",
				"policies/ours.yaml"}},
	} {
		c := newClone(t)
		for path, text := range tt.before {
			c.write(t, path, text, 0o644)
		}
		if output, code := c.run(t, "init"); code != 0 || !strings.Contains(output, "Nothing was changed") ||
			len(filesBelow(t, c.dir)) != len(tt.before) {
			t.Errorf("%s, without an answer: exit %d, %v\n%s", name, code, filesBelow(t, c.dir), output)
		}
		if output, code := c.run(t, "init", "--yes"); code != 0 || !strings.Contains(output, "Next: ") {
			t.Errorf("%s: exit %d\n%s", name, code, output)
		}
		for i, path := range tt.want {
			tt.want[i] = strings.Replace(path, "NAME", "project", 1) // a temporary folder's name is a number
		}
		if got := filesBelow(t, c.dir); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
		entry, _ := os.ReadFile(filepath.Join(c.dir, ".cursor", "mcp.json"))
		if !strings.Contains(string(entry), `"nomograph"`) ||
			strings.Contains(tt.before[".cursor/mcp.json"], "other") != strings.Contains(string(entry), "other") {
			t.Errorf("%s: the entry is %s", name, entry)
		}
		if output, code := c.run(t, "init", "--yes"); code != 0 || strings.Contains(output, "Next: ") ||
			strings.Count(output, "unchanged") != strings.Count(output, "\n") {
			t.Errorf("%s, again: exit %d\n%s", name, code, output)
		}
	}
}

// TestInit_LinkOutOfTheRepository_WritesNothingThere: the author of a repository cannot choose where init writes.
func TestInit_LinkOutOfTheRepository_WritesNothingThere(t *testing.T) {
	for name, link := range map[string]string{"packs": "policies", "workflows": ".github/workflows",
		"a file instead of a folder": ""} {
		c, elsewhere := newClone(t), t.TempDir()
		if link == "" {
			c.write(t, "policies", "", 0o600)
		} else if err := errors.Join(os.MkdirAll(filepath.Join(c.dir, ".github"), 0o755),
			os.Symlink(elsewhere, filepath.Join(c.dir, link))); err != nil {
			t.Fatal(err)
		}
		output, code := c.run(t, "init", "--yes")
		if code == 0 || strings.Contains(output, "Internal error") || len(filesBelow(t, elsewhere)) > 0 {
			t.Errorf("%s: exit %d, %v\n%s", name, code, filesBelow(t, elsewhere), output)
		}
	}
}

func TestPolicyNew_Scaffold_PassesItsCases(t *testing.T) {
	c := newClone(t)
	if output, code := c.run(t, "policy", "new", "shop"); code != 0 {
		t.Fatalf("exit %d: %s", code, output)
	}
	output, code := c.run(t, "policy", "test", "./shop.yaml", "--without-graph", "--min-coverage", "100")
	if code != 0 || !strings.Contains(output, "3 of 3 cases passed") {
		t.Errorf("exit %d: %s", code, output)
	}
	for _, tt := range []struct {
		args []string
		says string
		code int
	}{
		{[]string{"shop"}, "already exists", 1},
		{[]string{"../shop"}, "lower-case letters", 2},
		{[]string{"Shop"}, "lower-case letters", 2},
		{nil, "name the pack", 2},
	} {
		if output, code := c.run(t, append([]string{"policy", "new"}, tt.args...)...); code != tt.code ||
			!strings.Contains(output, tt.says) {
			t.Errorf("%v: exit %d: %s", tt.args, code, output)
		}
	}
}

func TestUninstall_InstalledThings_AreListedThenRemoved(t *testing.T) {
	c := newClone(t)
	for _, args := range [][]string{{"install", "cursor"}, {"install", "claude-code"},
		{"hook", "install", "claude-code"}, {"hook", "install", "copilot"}} {
		if output, code := c.run(t, args...); code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, output)
		}
	}
	c.write(t, filepath.Join(c.home, ".config", "nomograph", "config.yaml"), "log: {level: warn}\n", 0o600)
	c.write(t, filepath.Join(c.home, ".codex", "hooks.json"),
		`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "other"}]}]}}`, 0o600)
	before := filesBelow(t, c.home)
	output, code := c.run(t, "uninstall")
	for _, want := range []string{".cursor/mcp.json: entry", ".claude.json: entry", ".claude/settings.json: hooks",
		".copilot/hooks/nomograph.json: hooks", "stays (--data", "Nothing was changed"} {
		if code != 0 || !strings.Contains(output, want) {
			t.Errorf("exit %d, %q is missing:\n%s", code, want, output)
		}
	}
	if after := filesBelow(t, c.home); !slices.Equal(before, after) || strings.Contains(output, ".codex") {
		t.Errorf("got %v, want %v\n%s", after, before, output)
	}
	if output, code = c.run(t, "uninstall", "--yes"); code != 0 || !strings.Contains(output, "Removed.") {
		t.Errorf("exit %d: %s", code, output)
	}
	if output, _ = c.run(t, "uninstall"); strings.Contains(output, "entry") || strings.Contains(output, "hooks") {
		t.Errorf("got\n%s", output)
	}
	if _, err := os.Stat(filepath.Join(c.home, ".config", "nomograph", "config.yaml")); err != nil {
		t.Error("the settings are gone without --data")
	}
	if output, code = c.run(t, "uninstall", "--data", "--yes"); code != 0 {
		t.Errorf("exit %d: %s", code, output)
	}
	if output, _ = c.run(t, "uninstall"); output != "Nothing is installed for this user.\n" {
		t.Errorf("got %s", output)
	}
}

func TestUnknownCommand_WithFlags_IsNamed(t *testing.T) {
	c := newClone(t)
	for line, want := range map[string]string{
		"polcy check x --reason y":    `unknown command "polcy"`,
		"policy chek x --reason y":    `unknown command "chek" for "nomograph policy"; did you mean check?`,
		"threshold foo --to x":        `unknown command "foo"`,
		"policy check x --nonsense y": "unknown flag: --nonsense",
		"policy --nonsense check":     "unknown flag: --nonsense",
		"engine path --nonsense":      "unknown flag: --nonsense",
	} {
		if output, code := c.run(t, strings.Fields(line)...); code != 2 || !strings.Contains(output, want) {
			t.Errorf("%s: exit %d: %s", line, code, output)
		}
	}
}

// TestEngineCypher_Statement_Writes: the statement runs on the private engine, here the one of the tests.
func TestEngineCypher_Statement_Writes(t *testing.T) {
	g := graphtest.New(t)
	environ := append(graphtest.BareEnviron(t), "NOMOGRAPH_ENGINE_DIR="+g.Engine.Dir)
	for _, tt := range []struct {
		environ         []string
		statement, says string
		code            int
	}{
		{environ, "CREATE (t:SYS_Threshold {name: 'by_hand', value: 3}) RETURN t.value AS value, date('2026-01-02') AS day", "2026-01-02", 0},
		{environ, "MATCH (t:SYS_Threshold {name: 'by_hand'}) SET t.value = 4", "", 0},
		{environ, "MATCH (t:SYS_Threshold {name: 'by_hand'}) RETURN t.value AS value", "4", 0},
		{environ, "MATCH (t", "Invalid input", 1},
		{append(environ, "NEO4J_URI=bolt://127.0.0.1:1"), "RETURN 1", "Use cypher-shell for that database", 2},
	} {
		stdout, stderr, code := graphtest.Run(t, tt.environ, nil, graphtest.Binary(t), "engine", "cypher", tt.statement)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.says) {
			t.Errorf("%s: exit %d\n%s%s", tt.statement, code, stdout, stderr)
		}
	}
}
