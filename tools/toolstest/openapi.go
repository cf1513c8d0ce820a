package toolstest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"nomograph/graph/graphtest"
)

// openAPIValidator runs as a program of its own: its package imports a JSON Schema library that this module replaces
// (docs/contributing/mcp-go.md).
const openAPIValidator = "github.com/getkin/kin-openapi/cmd/validate@v0.152.0"

// CheckOpenAPI fails the test if a document, or an example in it, does not conform to OpenAPI.
func CheckOpenAPI(t *testing.T, document []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "openapi.json")
	graphtest.OK(t, os.WriteFile(file, document, 0o600))
	if out, err := exec.Command("go", "run", openAPIValidator, "-multi", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
