package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/tools/toolstest"
)

// runCommands is the prompt of these tests.
const runCommands = "nomograph-run"

// model answers like Anthropic's, OpenAI's and Google's APIs: the prompt runs the commands one after another, and the
// result of the last command ends the turn. A start of a client costs seconds of processor time, so one turn runs all
// commands.
type model struct {
	commands []string
	last     func() // runs before the last command
	answers  map[string]string

	mu      sync.Mutex
	results []string // results that the client reported, in the order of the commands
	other   []string // requests that are not answered
}

// shellTools are the names of the clients' tools for commands.
var shellTools = []string{"Bash", "bash", "run_shell_command", "exec_command", "shell_command"}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request map[string]any
	_ = json.NewDecoder(r.Body).Decode(&request)
	var tool string
	var prompted bool
	var results []string
	visit(request, func(of map[string]any) {
		if name, _ := of["name"].(string); slices.Contains(shellTools, name) &&
			(tool == "" || of["type"] == "function") {
			tool = name
		}
		for _, key := range []string{"text", "content"} {
			text, _ := of[key].(string)
			prompted = prompted || strings.Contains(text, runCommands)
		}
		output := of["functionResponse"]
		switch of["type"] {
		case "tool_result":
			output = of["content"]
		case "function_call_output":
			output = of["output"]
		}
		if output != nil {
			text, _ := json.Marshal(output)
			results = append(results, string(text))
		}
	})
	m.mu.Lock()
	if len(results) > len(m.results) {
		m.results = results
	}
	m.mu.Unlock()
	step := len(results)
	calls := prompted && tool != "" && step < len(m.commands)
	arguments := map[string]any{}
	if calls {
		if step == len(m.commands)-1 {
			m.last()
		}
		arguments = map[string]any{"command": m.commands[step], "description": "Run"}
		if tool == "exec_command" {
			arguments = map[string]any{"cmd": m.commands[step]}
		}
	}
	api, method, _ := strings.Cut(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:], ":")
	if method != "" { // Google's API
		api = "generateContent"
	}
	answer := m.answers[api+map[bool]string{true: " call", false: " end"}[calls]]
	if answer == "" {
		m.mu.Lock()
		m.other = append(m.other, r.Method+" "+r.URL.Path)
		m.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	asked, _ := json.Marshal(request["model"])
	given, _ := json.Marshal(arguments)
	text, _ := json.Marshal(string(given))
	answer = strings.NewReplacer("STEP", strconv.Itoa(step), "TOOL", tool, "MODEL", string(asked), "ARGUMENTS",
		string(given), "TEXT", string(text)).Replace(answer)
	kind := "text/event-stream"
	switch method {
	case "generateContent":
		kind = "application/json"
	case "streamGenerateContent":
		answer = "data: " + answer
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write([]byte(answer + "\n\n"))
}

func visit(value any, each func(map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		each(value)
		for _, inner := range value {
			visit(inner, each)
		}
	case []any:
		for _, inner := range value {
			visit(inner, each)
		}
	}
}

// agent is a real client with hooks from `hook install`. A fake model on this machine replaces the provider, so no
// account is needed.
type agent struct {
	client  string
	program func(t testing.TB) []string
	install []string // arguments after the client
	// transcripts is the client's folder with transcripts in the home directory; "" if Nomograph does not read them.
	transcripts string
	// settle writes the client's own settings. It returns variables of the environment, and arguments that precede the
	// prompt.
	settle func(t *testing.T, home, api string) (variables, args []string)
	// export writes the client's sessions into the folder transcripts; nil for clients that write readable transcripts
	// themselves.
	export func(t *testing.T, folder string, run func(args ...string) string)
	// trust trusts the installed hooks as a user does; nil for clients that trust their files.
	trust func(t *testing.T, environ, word []string, dir string)
}

var agents = []agent{
	{client: "claude-code", program: func(t testing.TB) []string { return []string{toolstest.ClaudeCode(t)} },
		install: []string{"--via", "command"}, transcripts: ".claude/projects",
		settle: func(_ *testing.T, _, api string) ([]string, []string) {
			return []string{"ANTHROPIC_BASE_URL=" + api, "ANTHROPIC_API_KEY=test",
					"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"},
				[]string{"--allowedTools", "Bash", "-p"}
		}},
	{client: "gemini", program: toolstest.Gemini, transcripts: ".gemini/tmp",
		settle: func(t *testing.T, home, api string) ([]string, []string) {
			write(t, filepath.Join(home, ".gemini", "settings.json"),
				`{"security":{"auth":{"selectedType":"gemini-api-key"}}}`)
			return []string{"GOOGLE_GEMINI_BASE_URL=" + api, "GEMINI_API_KEY=test", "GEMINI_CLI_TRUST_WORKSPACE=true",
					"GEMINI_TELEMETRY_ENABLED=false", "GEMINI_CLI_NO_RELAUNCH=true"},
				[]string{"--yolo", "-m", "gemini-2.5-flash", "-p"}
		}},
	{client: "codex", program: toolstest.Codex, transcripts: ".codex/sessions",
		settle: func(t *testing.T, home, api string) ([]string, []string) {
			write(t, filepath.Join(home, ".codex", "config.toml"),
				fmt.Sprintf("model = \"test\"\nmodel_provider = \"test\"\n[model_providers.test]\nname = \"test\"\nbase_url = %q\nwire_api = \"responses\"\n", api+"/v1"))
			return nil, []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"}
		}, trust: trustInCodex},
	{client: "copilot", program: toolstest.Copilot, transcripts: ".copilot/session-state",
		settle: func(_ *testing.T, _, api string) ([]string, []string) {
			return []string{"COPILOT_PROVIDER_BASE_URL=" + api, "COPILOT_PROVIDER_TYPE=anthropic",
				"COPILOT_PROVIDER_API_KEY=test", "COPILOT_MODEL=test", "COPILOT_OFFLINE=true",
				"COPILOT_AUTO_UPDATE=false"}, []string{"--allow-all-tools", "-p"}
		}},
	{client: "opencode", program: toolstest.OpenCode, transcripts: "exported",
		settle: func(t *testing.T, home, api string) ([]string, []string) {
			write(t, filepath.Join(home, ".config", "opencode", "opencode.json"),
				fmt.Sprintf(`{"model":"anthropic/claude-sonnet-4-5","small_model":"anthropic/claude-sonnet-4-5","autoupdate":false,"share":"disabled","permission":"allow","provider":{"anthropic":{"options":{"baseURL":%q,"apiKey":"test"}}}}`, api+"/v1"))
			return []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1"}, []string{"run"}
		}, export: func(t *testing.T, folder string, run func(args ...string) string) {
			var sessions []struct{ ID string }
			if err := json.Unmarshal([]byte(run("session", "list", "--format", "json")), &sessions); err != nil ||
				len(sessions) != 1 {
				t.Fatalf("got sessions %v (%v), want one", sessions, err)
			}
			for _, session := range sessions {
				write(t, filepath.Join(folder, session.ID+".json"), run("export", session.ID))
			}
		}},
}

// trustInCodex does what the command /hooks of Codex does: its server lists hooks with their hashes, and stores those
// that are trusted.
func trustInCodex(t *testing.T, environ, word []string, dir string) {
	status := func() string {
		out := printed(t, environ, "hook", "status")
		for line := range strings.Lines(out) {
			if strings.Contains(line, filepath.Join(valueIn(environ, "HOME"), ".codex")) {
				return line
			}
		}
		t.Fatalf("no line of Codex in %s", out)
		return ""
	}
	graphtest.Contains(t, status(), "not trusted yet: PostToolUse, PreToolUse, SessionStart, Stop, UserPromptSubmit")
	server := graphtest.Start(t, environ, word[0], append(word[1:], "app-server")...)
	server.Request("initialize", map[string]any{"clientInfo": map[string]any{"name": "test", "version": "1"}})
	server.Send(`{"method":"initialized"}`)
	var listed struct {
		Data []struct {
			Hooks []struct{ Key, CurrentHash string }
		}
	}
	text, _ := json.Marshal(server.Request("hooks/list", map[string]any{"cwds": []string{dir}}).Result)
	if err := json.Unmarshal(text, &listed); err != nil || len(listed.Data) != 1 || len(listed.Data[0].Hooks) != 5 {
		t.Fatalf("got hooks %+v (%v), want five", listed, err)
	}
	state := map[string]any{}
	for _, hook := range listed.Data[0].Hooks {
		state[hook.Key] = map[string]any{"trusted_hash": hook.CurrentHash}
	}
	server.Request("config/batchWrite", map[string]any{"edits": []any{map[string]any{"keyPath": "hooks.state",
		"value": state, "mergeStrategy": "upsert"}}})
	server.Close()
	if got := status(); strings.Contains(got, "not trusted") {
		t.Errorf("after: %s", got)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	graphtest.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	graphtest.OK(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestAgents_RealClients_AreCheckedAndRecorded(t *testing.T) {
	g := enforcing(t)
	answers := map[string]string{}
	for _, c := range golden.Cases(t, "testdata/model.txt") {
		answers[c.Name] = c.Text
	}
	for _, a := range agents {
		t.Run(a.client, func(t *testing.T) {
			word := a.program(t)
			g.Exec(t, "MATCH (n) WHERE n:Verdict OR n:Execution DETACH DELETE n", nil)
			environ := g.Environ(t)
			home := valueIn(environ, "HOME")
			database := graphtest.NewProxy(t, g)
			through := append(environ, "NEO4J_URI=bolt://"+database.Address)
			dir := t.TempDir()
			made := filepath.Join(dir, "made")
			m := &model{commands: []string{"rm -rf ~/precious ~", "echo made > " + made, "echo again > " + made + "2"},
				last: func() { database.StopListening(); database.Cut() }, answers: answers}
			api := httptest.NewServer(m)
			defer api.Close()
			variables, args := a.settle(t, home, api.URL)
			printed(t, environ, append([]string{"hook", "install", a.client}, a.install...)...)
			if a.trust != nil {
				a.trust(t, environ, word, dir)
			}
			precious := filepath.Join(home, "precious", "file")
			write(t, precious, "x")
			out, messages, code := graphtest.Run(t, slices.Concat(through, []string{"PWD=" + dir}, variables), nil,
				word[0], slices.Concat(word[1:], args, []string{runCommands})...)
			m.mu.Lock()
			results := m.results
			m.mu.Unlock()
			if len(results) != len(m.commands) {
				t.Fatalf("got results %q, want three; exit %d: %s%s; other requests: %v", results, code, out, messages,
					m.other)
			}
			if got := results[0]; !strings.Contains(got, "shell-keeps-the-system") ||
				strings.Contains(got, "hook "+a.client+"]") {
				t.Errorf("a harmful command: got %s, want the reason of the denial without a command line", got)
			}
			if strings.Contains(results[1], "Nomograph") {
				t.Errorf("an honest command: got %s, want results[1] without Nomograph", results[1])
			}
			if _, err := os.Stat(made); err != nil {
				t.Errorf("an honest command did not run: %v: %s", err, results[1])
			}
			graphtest.Contains(t, results[2], "could not be checked")
			if _, err := os.Stat(made + "2"); err == nil {
				t.Error("a command ran although no policy could be read")
			}
			if _, err := os.Stat(precious); err != nil {
				t.Errorf("a harmful command ran: %v", err)
			}
			rows := g.Rows(t, "MATCH (v:Verdict {name: 'shell.run'}) RETURN v.allowed AS allowed, count(v) AS n ORDER BY allowed", nil)
			graphtest.Equal(t, fmt.Sprint(rows), "[map[allowed:false n:1] map[allowed:true n:1]]", "verdicts")
			executed := func(from string) {
				t.Helper()
				rows := g.Rows(t, "MATCH (e:Execution) OPTIONAL MATCH (e)-->(v:Verdict) RETURN e.client AS client, e.kind AS kind, e.outcome AS outcome, v.allowed AS allowed", nil)
				graphtest.Equal(t, fmt.Sprint(rows), "[map[allowed:true client:"+
					a.client+
					" kind:shell.run outcome:success]]", fmt.Sprint(from, ": executions"))
			}
			executed("hook")
			if a.transcripts == "" {
				return
			}
			if a.export != nil {
				a.export(t, filepath.Join(home, a.transcripts), func(args ...string) string {
					command := exec.CommandContext(t.Context(), word[0], append(word[1:], args...)...)
					command.Dir, command.Env = dir, slices.Concat(environ, []string{"PWD=" + dir}, variables)
					out, err := command.Output()
					if err != nil {
						t.Fatalf("%v: got %v, want no error", args, err)
					}
					return string(out)
				})
			}
			transcripts := filepath.Join(home, filepath.FromSlash(a.transcripts))
			printed(t, environ, "import", "sessions", transcripts)
			executed("hook and transcript")
			g.Exec(t, "MATCH (e:Execution) DETACH DELETE e", nil)
			printed(t, environ, "import", "sessions", transcripts)
			executed("transcript")
		})
	}
}
