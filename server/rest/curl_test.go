package rest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

var curlBlock = regexp.MustCompile("(?s)```sh\n(curl .*?)```")

// TestDocs_HTTPCommands_Run runs the commands of docs/reference/http.md and the HTTP commands of README.md in a shell.
func TestDocs_HTTPCommands_Run(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("LOUD: curl is not installed, so the lines of README.md and docs/reference/http.md are not run")
	}
	var lines []string
	for _, name := range []string{"README.md", "docs/reference/http.md"} {
		page := graphtest.Must(os.ReadFile(filepath.Join(toolstest.Root(t), filepath.FromSlash(name))))(t)
		block := curlBlock.FindSubmatch(page)
		if block == nil {
			t.Fatalf("%s has no commands", name)
		}
		lines = append(lines, strings.Split(strings.TrimSpace(string(block[1])), "\n")...)
	}
	g, d := open(t)
	toolstest.ApplyShipped(t, g, "core", "releases")
	for _, line := range lines {
		environ := append(os.Environ(), "URL="+d.URL)
		stdout, stderr, code := graphtest.Run(t, environ, nil, "sh", "-c",
			strings.Replace(line, "curl ", "curl -H 'Authorization: Bearer ada' ", 1))
		if code != 0 || stdout == "" {
			t.Errorf("%s ends with %d: %s%s", line, code, stdout, stderr)
		}
	}
	if len(lines) < 10 {
		t.Errorf("only %d lines", len(lines))
	}
}
