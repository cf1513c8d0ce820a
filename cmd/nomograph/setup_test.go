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
	graphtest.OK(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.Contains(path, ".cache") {
			relative, _ := filepath.Rel(folder, path)
			found = append(found, relative)
		}
		return err
	}))
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
	c.session(t, `
$ policy new shop
out shop.yaml
$ policy test ./shop.yaml --without-graph --min-coverage 100
out 3 of 3 cases passed
$ policy new shop # 1
err already exists
$ policy new ../shop # 2
err lower-case letters
$ policy new Shop # 2
err lower-case letters
$ policy new # 2
err name the pack`)
}

func TestUninstall_InstalledThings_AreListedThenRemoved(t *testing.T) {
	c := newClone(t)
	c.session(t, `
$ install cursor
$ install claude-code
$ hook install claude-code
$ hook install copilot`)
	c.write(t, filepath.Join(c.home, ".config", "nomograph", "config.yaml"), "log: {level: warn}\n", 0o600)
	c.write(t, filepath.Join(c.home, ".codex", "hooks.json"),
		`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "other"}]}]}}`, 0o600)
	before := filesBelow(t, c.home)
	c.session(t, `
$ uninstall
out .cursor/mcp.json: entry
out .claude.json: entry
out .claude/settings.json: hooks
out .copilot/hooks/nomograph.json: hooks
out stays (--data
out Nothing was changed
not .codex`)
	if after := filesBelow(t, c.home); !slices.Equal(before, after) {
		t.Errorf("got %v, want %v", after, before)
	}
	c.session(t, `
$ uninstall --yes
out Removed.
$ uninstall
not entry
not hooks`)
	if _, err := os.Stat(filepath.Join(c.home, ".config", "nomograph", "config.yaml")); err != nil {
		t.Error("the settings are gone without --data")
	}
	c.session(t, `
$ uninstall --data --yes
out Removed.
$ uninstall
= Nothing is installed for this user.`)
}

func TestUnknownCommand_WithFlags_IsNamed(t *testing.T) {
	session(t, graphtest.BareEnviron(t), `
$ polcy check x --reason y # 2
err unknown command "polcy"
$ policy chek x --reason y # 2
err unknown command "chek" for "nomograph policy"; did you mean check?
$ threshold foo --to x # 2
err unknown command "foo"
$ policy check x --nonsense y # 2
err unknown flag: --nonsense
$ policy --nonsense check # 2
err unknown flag: --nonsense
$ engine path --nonsense # 2
err unknown flag: --nonsense`)
}

// TestEngineCypher_Statement_Writes: the statement runs on the private engine, here the one of the tests.
func TestEngineCypher_Statement_Writes(t *testing.T) {
	g := graphtest.New(t)
	session(t, append(graphtest.BareEnviron(t), "NOMOGRAPH_ENGINE_DIR="+g.Engine.Dir), `
$ engine cypher "CREATE (t:SYS_Threshold {name: 'by_hand', value: 3}) RETURN t.value AS value, date('2026-01-02') AS day"
out 2026-01-02
$ engine cypher "MATCH (t:SYS_Threshold {name: 'by_hand'}) SET t.value = 4"
$ engine cypher "MATCH (t:SYS_Threshold {name: 'by_hand'}) RETURN t.value AS value"
out 4
$ engine cypher 'MATCH (t' # 1
err Invalid input
$ NEO4J_URI=bolt://127.0.0.1:1 engine cypher 'RETURN 1' # 2
err Use cypher-shell for that database`)
}
