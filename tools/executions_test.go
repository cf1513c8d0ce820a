package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"nomograph/internal/caller"
	"nomograph/policies/check"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// TestImportSessions_ToolCalls_CountOnceInCoverage: calls with a result are executed, a refused one and one without a result are not.
func TestImportSessions_ToolCalls_CountOnceInCoverage(t *testing.T) {
	_, env := toolstest.Open(t)
	folder := t.TempDir()
	const at = `"sessionId":"s1","version":"2.1.300","cwd":"/nowhere","timestamp":"`
	now := time.Now().UTC().Format(time.RFC3339)
	text := `{"type":"user","uuid":"u1",` + at + now + `","message":{"role":"user","content":"Build it"}}
{"type":"assistant","uuid":"u2",` + at + now + `","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}},{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"rm -rf /"}},{"type":"tool_use","id":"t3","name":"Read","input":{"file_path":"/a"}},{"type":"tool_use","id":"t4","name":"TodoWrite","input":{}}]}}
{"type":"user","uuid":"u3",` + at + now + `","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"built"},{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"Policy x: no.\nIf this is wrong, tell the user: nomograph verdict explain 1"},{"type":"tool_result","tool_use_id":"t4","content":"ok"}]}}
`
	if err := os.WriteFile(filepath.Join(folder, "s1.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := env.Checks.Check(t.Context(), check.ActionCheck{Name: "shell.run", Description: "Run", Context: map[string]any{"client": "claude-code", "client_session": "s1", "tool_use_id": "t1"}}); err != nil {
		t.Fatal(err)
	}
	arguments, _ := json.Marshal(map[string]any{"path": folder})
	for range 2 {
		o, _ := tools.Find(tools.Catalog, "import_sessions")
		if _, err := o.Run(caller.With(t.Context(), caller.Local("ann")), env, arguments); err != nil {
			t.Fatal(err)
		}
		c, err := env.Checks.Coverage(t.Context(), check.CoverageQuery{})
		if err != nil || c.Executed != 1 || c.Checked != 1 {
			t.Errorf("got %+v, %v, want one executed call with a verdict", c, err)
		}
	}
}
