package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
)

// leanProgram builds nomograph-hook in the folder of nomograph.
func leanProgram(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	lean := filepath.Join(dir, "nomograph-hook")
	if out, err := exec.Command("go", "build", "-o", lean, "nomograph/cmd/nomograph-hook").
		CombinedOutput(); err != nil {
		t.Fatalf("got %v: %s, want no error", err, out)
	}
	graphtest.OK(t, os.Symlink(graphtest.Binary(t), filepath.Join(dir, "nomograph")))
	return lean
}

// executed is the event of an executed command.
func executed(id string) string {
	return strings.Replace(bash("make test", id), "PreToolUse", "PostToolUse", 1)
}

func TestHook_RunningServer_AnswersOverItsSocket(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := enforcing(t)
	environ := g.Environ(t)
	lean := leanProgram(t)
	server := graphtest.Start(t, environ, graphtest.Binary(t), "serve")
	server.Initialize("2025-06-18")
	sockets := func() []string {
		found, _ := filepath.Glob(filepath.Join(valueIn(environ, "HOME"), ".cache", "nomograph", "run", "*.sock"))
		return found
	}
	graphtest.Until(t, "the server has a socket", func() bool { return len(sockets()) > 0 })
	locked := append(environ, "NEO4J_PASSWORD=wrong") // only the server can reach the database
	programs := map[string][]string{"nomograph-hook": {lean}, "nomograph hook": {graphtest.Binary(t), "hook"}}
	type call struct {
		name, args, input, env string
		code                   int
		stdout                 string
	}
	check := func(when, program string, environ []string, tt call) {
		t.Helper()
		word := append([]string{}, programs[program]...)
		if tt.env != "" {
			environ = append(environ, tt.env)
		}
		out, output, code := graphtest.Run(t, environ, strings.NewReader(tt.input), word[0],
			append(word[1:], strings.Fields(tt.args)...)...)
		if code != tt.code || !strings.Contains(out, tt.stdout) || tt.stdout == "" && out != "" {
			t.Errorf("%s: %s %s: got exit %d, want %d: %s%s", when, program, tt.name, code, tt.code, out, output)
		}
	}
	for program := range programs {
		for _, tt := range []call{
			{name: "allowed", args: "claude-code --budget 1m", input: bash("make test", program)},
			{name: "denied", args: "claude-code --budget 1m", input: bash("rm -rf /", program), code: 2,
				stdout: `"permissionDecision":"deny"`},
			{name: "exit code only", args: "windsurf --budget 1m",
				input: `{"agent_action_name":"pre_run_command","tool_info":{"command_line":"rm -rf /"}}`, code: 2},
			{name: "no JSON", args: "claude-code", input: "no JSON", code: 2, stdout: `"permissionDecision":"deny"`},
			{name: "unknown client", args: "emacs", input: "{}", code: 2},
			{name: "of another database", args: "claude-code --budget 20s", input: bash("make elsewhere", program),
				env: "NEO4J_URI=bolt://127.0.0.1:1", code: 2, stdout: "could not be checked"},
			{name: "with another home", args: "claude-code --budget 20s", input: bash("make home", program),
				env: "XDG_CONFIG_HOME=" + t.TempDir()},
			{name: "of another project", args: "claude-code --budget 1m", input: bash("make shop", program),
				env: "NOMOGRAPH_PROJECT=acme/shop"},
		} {
			check("running", program, locked, tt)
		}
	}
	graphtest.Equal[any](t, g.Rows(t,
		"MATCH (v:Verdict) WHERE v.project = 'acme/shop' RETURN count(v) AS n",
		nil)[0]["n"], int64(2), "verdicts of the project")

	stdin, open, err := os.Pipe()
	graphtest.OK(t, err)
	defer func() { _, _ = stdin.Close(), open.Close() }()
	endless := exec.Command(lean, "windsurf", "--budget", "500ms") // its input never ends
	endless.Env, endless.Dir, endless.Stdin = environ, t.TempDir(), stdin
	if err := endless.Run(); endless.ProcessState.ExitCode() != 2 {
		t.Errorf("without an end of the input: got %v, want exit code 2", err)
	}
	server.Suspend()
	for program := range programs {
		started := time.Now()
		check("hung", program, environ, call{name: "within the budget", args: "windsurf --budget 500ms",
			input: `{"agent_action_name":"pre_run_command","tool_info":{"command_line":"ls"}}`, code: 2})
		if took := time.Since(started); took > 15*time.Second { // a process starts in seconds on a busy machine
			t.Errorf("hung: %s took %v", program, took)
		}
		check("hung", program, environ, call{name: "executed", args: "claude-code --budget 3s",
			input: executed(program)})
		passed := bash("make unchecked", "unchecked with "+program)
		check("hung", program, environ, call{name: "not checked", args: "claude-code --fail-open shell.run --budget 3s",
			input: passed, stdout: "was not checked"})
		check("hung", program, environ, call{name: "executed without a check", args: "claude-code --budget 3s",
			input: strings.Replace(passed, "PreToolUse", "PostToolUse", 1)})
	}
	server.Kill() // the socket stays behind
	if len(sockets()) != 1 {
		t.Errorf("got sockets %v, want one that nobody listens at", sockets())
	}
	for program := range programs {
		check("killed", program, environ, call{name: "own check", args: "claude-code --budget 1m",
			input: bash("make again", program)})
		check("killed", program, locked, call{name: "without database", args: "claude-code --budget 20s",
			input: bash("make locked", program), code: 2, stdout: `"permissionDecision":"deny"`})
	}
	check("killed", "nomograph hook", environ, call{name: "executed", args: "claude-code --budget 1m",
		input: executed("after")})
	graphtest.Equal[any](t, g.Rows(t, "MATCH (e:Execution) RETURN count(e) AS n", nil)[0]["n"], int64(5),
		"executed calls")
	if rows := g.Rows(t, "MATCH (e:Execution {reason: 'timed_out'}) RETURN count(e) AS n",
		nil); rows[0]["n"] != int64(len(programs)) {
		t.Errorf("got %v executed calls whose check timed out, want %d", rows[0]["n"], len(programs))
	}
	graphtest.OK(t, os.Remove(filepath.Join(filepath.Dir(lean), "nomograph")))
	check("without nomograph", "nomograph-hook", environ, call{args: "claude-code", input: bash("make", "x"), code: 2})
}

func TestHookInstall_LeanProgramBesideIt_IsCalled(t *testing.T) {
	lean := leanProgram(t)
	program := filepath.Join(filepath.Dir(lean), "nomograph")
	graphtest.OK(t, os.Remove(program))
	if err := os.Link(graphtest.Binary(t), program); err != nil { // os.Executable follows symbolic links
		if out, err := exec.Command("cp", graphtest.Binary(t), program).CombinedOutput(); err != nil {
			t.Fatalf("got %v: %s, want no error", err, out)
		}
	}
	environ := graphtest.BareEnviron(t)
	file := filepath.Join(valueIn(environ, "HOME"), ".cursor", "hooks.json")
	run := func(args ...string) string {
		t.Helper()
		out, output, code := graphtest.Run(t, environ, nil, program, append([]string{"hook"}, args...)...)
		graphtest.Equal(t, code, 0, fmt.Sprint("the exit code: ", out, output))
		return out
	}
	run("install", "cursor")
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), lean+" cursor") {
		t.Errorf("got %s (%v), want a call of %s", text, err, lean)
	}
	graphtest.Contains(t, run("status"), "beforeShellExecution")
	run("remove", "cursor")
	if text, _ := os.ReadFile(file); strings.Contains(string(text), "nomograph") {
		t.Errorf("got %s, want no call of Nomograph", text)
	}
}
