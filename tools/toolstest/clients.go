package toolstest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// NPM returns a Node.js of version 22 or newer and the folder of the npm packages of server/mcp/testdata/clients, which
// scripts/clients.sh installs into the user's cache folder. If they are missing, the test is skipped with a message.
func NPM(t testing.TB) (node, modules string) {
	t.Helper()
	modules = packages(t, "npm", "server/mcp/testdata/clients")
	for _, node := range []string{filepath.Join(modules, "node-"+machine(), "bin", "node"), "node"} {
		reply, err := exec.CommandContext(t.Context(), node, "--version").Output()
		major, _, _ := strings.Cut(strings.TrimPrefix(string(reply), "v"), ".")
		if n, _ := strconv.Atoi(major); err == nil && n >= 22 {
			return node, modules
		}
	}
	t.Skip("LOUD: Node 22 is not installed, so tests with clients that need it are skipped")
	return "", ""
}

// ClaudeCode returns the program of Claude Code, which scripts/clients.sh installs into the user's cache folder. If it
// is missing, the test is skipped with a message.
func ClaudeCode(t testing.TB) string {
	t.Helper()
	program := filepath.Join(packages(t, "agents", "hooks/testdata/clients"), "@anthropic-ai", "claude-code-"+machine(),
		"claude")
	if _, err := os.Stat(program); err != nil {
		t.Skip("LOUD: Claude Code is not there for this machine, so hooks are not tried with it")
	}
	return program
}

// Gemini returns the words that start Gemini CLI, which scripts/clients.sh installs. It needs Node.js.
func Gemini(t testing.TB) []string {
	t.Helper()
	program := filepath.Join(packages(t, "agents", "hooks/testdata/clients"), "@google", "gemini-cli", "bundle",
		"gemini.js")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("LOUD: Node.js is not installed, so the tests with Gemini CLI are skipped")
	}
	return []string{node, program}
}

// Codex, Copilot and OpenCode return the words that start these clients, which scripts/clients.sh installs if its
// argument is all.
func Codex(t testing.TB) []string {
	t.Helper()
	return large(t, "Codex", "@openai", "codex-"+machine(), "vendor", "*", "bin", "codex")
}

// Copilot: see Codex.
func Copilot(t testing.TB) []string {
	t.Helper()
	return large(t, "Copilot CLI", "@github", "copilot-"+machine(), "copilot")
}

// OpenCode: see Codex.
func OpenCode(t testing.TB) []string {
	t.Helper()
	return large(t, "OpenCode", "opencode-"+machine(), "bin", "opencode")
}

func large(t testing.TB, title string, path ...string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(append([]string{packages(t, "large-agents",
		"hooks/testdata/clients/large")}, path...)...))
	if err != nil || len(found) != 1 {
		t.Skipf("LOUD: %s is not there for this machine, so hooks are not tried with it", title)
	}
	return found
}

// packages returns the folder of the npm packages that a lock file in the repository lists.
func packages(t testing.TB, name, folder string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	const lock = "package-lock.json"
	wanted := graphtest.Must(os.ReadFile(filepath.Join(Root(t), filepath.FromSlash(folder), lock)))(t)
	at := cached(t, name)
	if had, err := os.ReadFile(filepath.Join(at, lock)); err != nil || !bytes.Equal(had, wanted) {
		t.Skip("LOUD: the clients from npm are not there, so nothing is tried with them; scripts/clients.sh fetches them, the large ones with the argument all")
	}
	return filepath.Join(at, "node_modules")
}

// machine returns the system and the architecture as npm packages name them.
func machine() string {
	if runtime.GOARCH == "amd64" {
		return runtime.GOOS + "-x64"
	}
	return runtime.GOOS + "-" + runtime.GOARCH
}

// Python returns the folder with the programs of a Python package that scripts/clients.sh installs into the user's
// cache folder. If it is missing, the test is skipped with a message.
func Python(t testing.TB, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	script := graphtest.Must(os.ReadFile(filepath.Join(Root(t), "scripts", "clients.sh")))(t)
	version := regexp.MustCompile(`(?m)^venv ` + name + ` (\S+)$`).FindSubmatch(script)
	if version == nil {
		t.Fatalf("scripts/clients.sh fetches no %s", name)
	}
	venv := cached(t, name+"-"+string(version[1]))
	if _, err := os.Stat(filepath.Join(venv, "whole")); err != nil {
		t.Skipf("LOUD: %s is not there, so the server is not tried with it; scripts/clients.sh fetches it", name)
	}
	return filepath.Join(venv, "bin")
}

func cached(t testing.TB, name string) string {
	t.Helper()
	cache := graphtest.Must(os.UserCacheDir())(t)
	return filepath.Join(cache, "nomograph-tests", name)
}
