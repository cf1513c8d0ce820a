package rest_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/tools/toolstest"
)

// TestREST_Schemathesis_FindsNothing sends valid and invalid requests and checks every response: no 5xx, and only
// documented responses. Operations that call other servers are excluded. scripts/clients.sh, which `make test` runs,
// installs the program.
func TestREST_Schemathesis_FindsNothing(t *testing.T) {
	program := filepath.Join(toolstest.Python(t, "schemathesis"), "schemathesis")
	g, d := open(t)
	toolstest.ApplyShipped(t, g, "core")
	cmd := exec.CommandContext(t.Context(), program, "run", d.URL+"/openapi.json", "--header",
		"Authorization: Bearer ada", "--exclude-path-regex", "^/api/v1/agents",
		"--phases", "examples,coverage,fuzzing", "--max-examples", "3", "--max-time", "12", "--request-timeout", "60",
		"--seed", "1", "--workers", "1",
		"--no-color", "--generation-database", "none", "--warnings", "off",
		"--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,negative_data_rejection,unsupported_method")
	cmd.Dir = t.TempDir() // Schemathesis writes files there
	out, err := cmd.CombinedOutput()
	if err != nil {
		text := string(out)
		if at := strings.Index(text, "FAILURES"); at > 0 {
			text = text[at:]
		}
		t.Errorf("got %v, want no error\n%s", err, text[:min(len(text), 20_000)])
	}
}
