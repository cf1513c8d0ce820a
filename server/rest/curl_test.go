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

// TestTheLinesOfThePageRun runs the lines of docs/rest.md as a shell would.
func TestTheLinesOfThePageRun(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("LOUD: curl is not installed, so the lines of docs/rest.md are not run")
	}
	page, err := os.ReadFile(filepath.Join(toolstest.Root(t), "docs", "rest.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := curlBlock.FindSubmatch(page)
	if block == nil {
		t.Fatal("docs/rest.md has no lines")
	}
	g, d := open(t)
	toolstest.ApplyShipped(t, g, "core")
	lines := strings.Split(strings.TrimSpace(string(block[1])), "\n")
	for _, line := range lines {
		environ := append(os.Environ(), "URL="+d.URL)
		stdout, stderr, code := graphtest.Run(t, environ, nil, "sh", "-c", strings.Replace(line, "curl ", "curl -H 'Authorization: Bearer ada' ", 1))
		if code != 0 || stdout == "" {
			t.Errorf("%s ends with %d: %s%s", line, code, stdout, stderr)
		}
	}
	if len(lines) < 8 {
		t.Errorf("only %d lines", len(lines))
	}
}
