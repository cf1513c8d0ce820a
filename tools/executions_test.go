package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/hooks"
	"nomograph/internal/caller"
	"nomograph/policies/check"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// TestImportSessions_ToolCalls_CountOnceInCoverage: a call with a result is executed; a refused call and a call
// without a result are not.
func TestImportSessions_ToolCalls_CountOnceInCoverage(t *testing.T) {
	_, env := toolstest.Open(t)
	folder := t.TempDir()
	const at = `"sessionId":"s1","version":"2.1.300","cwd":"/nowhere","timestamp":"`
	now := time.Now().UTC().Format(time.RFC3339)
	text := `{"type":"user","uuid":"u1",` + at + now + `","message":{"role":"user","content":"Build it"}}
{"type":"assistant","uuid":"u2",` + at + now + `","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}},{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"rm -rf /"}},{"type":"tool_use","id":"t3","name":"Read","input":{"file_path":"/a"}},{"type":"tool_use","id":"t4","name":"TodoWrite","input":{}}]}}
{"type":"user","uuid":"u3",` + at + now + `","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"built"},{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"Policy x: no.\nIf this is wrong, tell the user: nomograph verdict explain 1"},{"type":"tool_result","tool_use_id":"t4","content":"ok"}]}}
`
	graphtest.OK(t, os.WriteFile(filepath.Join(folder, "s1.jsonl"), []byte(text), 0o600))
	graphtest.Must(env.Checks.Check(t.Context(), check.ActionCheck{Name: "shell.run", Description: "Run",
		Context: map[string]any{"client": "claude-code", "client_session": "s1", "tool_use_id": "t1"}}))(t)
	arguments, _ := json.Marshal(map[string]any{"path": folder})
	for range 2 {
		o, _ := tools.Find(tools.Catalog, "import_sessions")
		graphtest.Must(o.Run(caller.With(t.Context(), caller.Local("ann")), env, arguments))(t)
		c, err := env.Checks.Coverage(t.Context(), check.CoverageQuery{})
		if err != nil || c.Executed != 1 || c.Checked != 1 {
			t.Errorf("got %+v, %v, want one executed call with a verdict", c, err)
		}
	}
}

// TestImportSessions_HooksWithoutIDs_CountOnceWithTheTranscript: hooks of Gemini CLI give no id of a call, but its
// transcript does.
func TestImportSessions_HooksWithoutIDs_CountOnceWithTheTranscript(t *testing.T) {
	g, env := toolstest.Open(t)
	env.Checks.Settings.Project = "ada/shop" // the file does not name it
	folder, now := t.TempDir(), time.Now().UTC()
	line := func(id, command string, at time.Time) string {
		return `{"id":"m` + id + `","timestamp":"` + at.Format(time.RFC3339Nano) +
			`","type":"gemini","content":"","toolCalls":[{"id":"` + id +
			`","name":"run_shell_command","args":{"command":"` + command + `"},"status":"success","timestamp":"` +
			at.Format(time.RFC3339Nano) + `","result":[{"functionResponse":{"response":{"output":"x"}}}]}]}` + "\n"
	}
	text := `{"sessionId":"s1","projectHash":"h","startTime":"` + now.Format(time.RFC3339Nano) + `","kind":"main"}` +
		"\n" + line("c1", "make", now) + line("c2", "make test", now) + line("c3", "ls", now) + line("c4", "make",
		now) // again within a minute
	graphtest.OK(t, os.WriteFile(filepath.Join(folder, "session-1.jsonl"), []byte(text), 0o600))
	gemini := graphtest.Must(hooks.Find("gemini"))(t)
	for _, command := range []string{"make", "make test"} {
		event := func(name string) hooks.Input {
			return hooks.Input{Stdin: []byte(`{"session_id":"s1","hook_event_name":"` + name +
				`","tool_name":"run_shell_command","tool_input":{"command":"` + command + `"}}`)}
		}
		actions, _, err := gemini.Read(event("BeforeTool"))
		graphtest.OK(t, err)
		facts, _ := actions[0].Arguments("gemini")["context"].(map[string]any)
		graphtest.Must(env.Checks.Check(t.Context(), check.ActionCheck{Name: "shell.run", Description: "Run",
			Context: facts}))(t)
		if command == "make" { // the hook after the other call was not received
			graphtest.Must(env.Checks.RecordExecutions(t.Context(),
				check.Executions{Executions: gemini.Executed(event("AfterTool"))}))(t)
		}
	}
	arguments, _ := json.Marshal(map[string]any{"path": folder})
	for range 2 {
		o, _ := tools.Find(tools.Catalog, "import_sessions")
		graphtest.Must(o.Run(caller.With(t.Context(), caller.Local("ann")), env, arguments))(t)
		c, err := env.Checks.Coverage(t.Context(), check.CoverageQuery{})
		if err != nil || c.Executed != 4 || c.Checked != 3 || len(c.GapList) != 1 || c.GapList[0].Client != "gemini" ||
			c.GapList[0].Event != "run_shell_command" || c.GapList[0].Reason != check.HookFailed {
			t.Errorf("got %+v (%v), want four calls, one without a verdict", c, err)
		}
	}
	rows := g.Rows(t, "MATCH (e:Execution) RETURN e.source AS source, count(e) AS n ORDER BY source", nil)
	if len(rows) != 2 || rows[0]["source"] != "post_hook" || rows[0]["n"] != int64(1) || rows[1]["n"] != int64(3) {
		t.Errorf("got sources %v, want one call that the hook reported", rows)
	}
}
