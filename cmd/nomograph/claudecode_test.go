package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

// model answers like Anthropic's API: a prompt runs its text as a shell command, and the result of the command ends the turn.
type model struct {
	mu      sync.Mutex
	results []string // what the client reported of the commands
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model    string
		Tools    []struct{ Name string }
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || !strings.HasPrefix(r.URL.Path, "/v1/messages") {
		http.NotFound(w, r)
		return
	}
	block, delta, stop := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": "done"}, "end_turn"
	command, result := "", ""
	m.mu.Lock()
	for _, message := range request.Messages {
		var parts []struct {
			Type, Text string
			Content    json.RawMessage
		}
		if err := json.Unmarshal(message.Content, &parts); err != nil {
			continue
		}
		for _, part := range parts {
			if _, after, found := strings.Cut(part.Text, "run: "); found && message.Role == "user" {
				command = strings.TrimSpace(after)
			}
			if part.Type == "tool_result" {
				result = string(part.Content)
			}
		}
	}
	if result != "" {
		m.results = append(m.results, result)
	}
	m.mu.Unlock()
	if len(request.Tools) > 0 && command != "" && result == "" {
		input, _ := json.Marshal(map[string]any{"command": command, "description": "Run"})
		block = map[string]any{"type": "tool_use", "id": "toolu_" + fmt.Sprint(len(command)), "name": "Bash", "input": map[string]any{}}
		delta, stop = map[string]any{"type": "input_json_delta", "partial_json": string(input)}, "tool_use"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range []map[string]any{
		{"type": "message_start", "message": map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": request.Model, "content": []any{}, "stop_reason": nil, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1}}},
		{"type": "content_block_start", "index": 0, "content_block": block},
		{"type": "content_block_delta", "index": 0, "delta": delta},
		{"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 5}},
		{"type": "message_stop"},
	} {
		text, _ := json.Marshal(event)
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event["type"], text)
	}
}

// TestClaudeCode_RealClient_IsCheckedAndRecorded starts Claude Code with the hooks that `hook install` writes. A model on this machine
// takes the place of Anthropic's, so no account is needed.
func TestClaudeCode_RealClient_IsCheckedAndRecorded(t *testing.T) {
	program := toolstest.ClaudeCode(t)
	g := enforcing(t)
	environ := g.Environ(t)
	home := ""
	for _, variable := range environ {
		if value, found := strings.CutPrefix(variable, "HOME="); found {
			home = value
		}
	}
	if _, messages, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), "hook", "install", "claude-code", "--via", "command"); code != 0 {
		t.Fatal(messages)
	}
	if _, err := os.Stat(filepath.Join(home, ".claude", "settings.json")); err != nil {
		t.Fatal(err)
	}
	m := &model{}
	api := httptest.NewServer(m)
	defer api.Close()
	dir := t.TempDir()
	precious := filepath.Join(home, "precious", "file")
	if err := os.MkdirAll(filepath.Dir(precious), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(precious, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(command string, variables ...string) string {
		t.Helper()
		variables = append(append(environ[:len(environ):len(environ)], "PWD="+dir, "ANTHROPIC_BASE_URL="+api.URL, "ANTHROPIC_API_KEY=test", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"), variables...)
		out, messages, code := graphtest.Run(t, variables, nil, program, "-p", "run: "+command, "--allowedTools", "Bash")
		m.mu.Lock()
		defer m.mu.Unlock()
		if code != 0 || len(m.results) == 0 {
			t.Fatalf("exit %d: %s%s", code, out, messages)
		}
		last := m.results[len(m.results)-1]
		m.results = nil
		return last
	}

	made := filepath.Join(dir, "made")
	if result := run("echo made > " + made); strings.Contains(result, "Nomograph") {
		t.Errorf("an honest command: got %s", result)
	}
	if _, err := os.Stat(made); err != nil {
		t.Errorf("an honest command did not run: %v", err)
	}
	if result := run("rm -rf ~/precious ~"); !strings.Contains(result, "shell-keeps-the-system") {
		t.Errorf("a harmful command: got %s, want the reason of the denial", result)
	}
	if result := run("echo again > "+made+"2", "NEO4J_URI=bolt://127.0.0.1:1"); !strings.Contains(result, "could not be checked") {
		t.Errorf("without a database: got %s, want the reason of the denial", result)
	}
	if _, err := os.Stat(made + "2"); err == nil {
		t.Error("a command ran although no policy could be read")
	}
	if _, err := os.Stat(precious); err != nil {
		t.Errorf("a harmful command ran: %v", err)
	}
	rows := g.Rows(t, "MATCH (v:Verdict {name: 'shell.run'}) RETURN v.allowed AS allowed, count(v) AS n ORDER BY allowed", nil)
	if got := fmt.Sprint(rows); got != "[map[allowed:false n:1] map[allowed:true n:1]]" {
		t.Errorf("got verdicts %s, want one denial and one allowed command", got)
	}
	rows = g.Rows(t, "MATCH (e:Execution) OPTIONAL MATCH (e)-->(v:Verdict) RETURN e.client AS client, e.kind AS kind, e.outcome AS outcome, v.allowed AS allowed", nil)
	if got := fmt.Sprint(rows); got != "[map[allowed:true client:claude-code kind:shell.run outcome:success]]" {
		t.Errorf("got executions %s, want the command that ran, with its verdict", got)
	}
}
