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
)

// NPM returns a Node.js of version 22 or newer and the folder of the npm packages of server/mcp/testdata/clients, which
// scripts/clients.sh installs into the user's cache folder. If they are missing, the test is skipped with a message.
func NPM(t testing.TB) (node, modules string) {
	t.Helper()
	there := cached(t, "npm")
	lock := "package-lock.json"
	wanted, err := os.ReadFile(filepath.Join(Root(t), "server", "mcp", "testdata", "clients", lock))
	if err != nil {
		t.Fatal(err)
	}
	if had, err := os.ReadFile(filepath.Join(there, lock)); err != nil || !bytes.Equal(had, wanted) {
		t.Skip("LOUD: the clients from npm are not there, so the server is not tried with them; scripts/clients.sh fetches them")
	}
	modules = filepath.Join(there, "node_modules")
	machine := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if machine == "" {
		machine = runtime.GOARCH
	}
	for _, node := range []string{filepath.Join(modules, "node-"+runtime.GOOS+"-"+machine, "bin", "node"), "node"} {
		reply, err := exec.CommandContext(t.Context(), node, "--version").Output()
		major, _, _ := strings.Cut(strings.TrimPrefix(string(reply), "v"), ".")
		if n, _ := strconv.Atoi(major); err == nil && n >= 22 {
			return node, modules
		}
	}
	t.Skip("LOUD: Node 22 is not here, so the server is not tried with clients that need it")
	return "", ""
}

// Python returns the folder with the programs of a Python package that scripts/clients.sh installs into the user's cache
// folder. If it is missing, the test is skipped with a message.
func Python(t testing.TB, name string) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(Root(t), "scripts", "clients.sh"))
	if err != nil {
		t.Fatal(err)
	}
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
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cache, "nomograph-tests", name)
}
