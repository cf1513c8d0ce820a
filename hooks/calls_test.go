package hooks_test

import (
	"testing"

	"nomograph/hooks"
)

// A tool runs the code in its arguments unless its name says that it only shows or checks it. Tools of git take
// options in many forms.
func TestTool_NamesOfToolsAndArguments_TellTheEffect(t *testing.T) {
	rules := enforced(t)
	for _, tt := range []struct {
		server, tool string
		arguments    map[string]any
		stopped      bool
	}{
		{"server", "review_code", map[string]any{"code": "import os; os.system('rm -rf ~')"}, false},
		{"server", "format_code", map[string]any{"code": "import os; os.system('rm -rf ~')"}, false},
		{"server", "explain_code", map[string]any{"code": "import os; os.system('rm -rf ~')"}, false},
		{"server", "lint", map[string]any{"code": "import os; os.system('rm -rf ~')"}, false},
		{"server", "eslint", map[string]any{"code": "require('child_process').execSync('rm -rf ~')"}, false},
		{"server", "run_python", map[string]any{"script": "print(sum(range(10)))"}, false},
		{"server", "execute", map[string]any{"code": "!ls"}, false},
		{"server", "execute", map[string]any{"code": "%%bash\nmake test"}, false},
		{"git", "git_push", map[string]any{"remote": "origin", "branch": "feature", "force": "false"}, false},
		{"git", "git_push", map[string]any{"remote": "origin", "flags": "--set-upstream"}, false},
		{"git", "push", map[string]any{"branch": "feature"}, false},
		{"git", "gitReset", map[string]any{"soft": true}, false},
		{"github", "push_files", map[string]any{"branch": "main", "force": true}, false},
		{"server", "run", map[string]any{"source": "src/a.py"}, false},
		{"server", "run", map[string]any{"input": "hello"}, false},
		{"git", "git_commit", map[string]any{"message": "--force"}, false},
		{"server", "run_npm_script", map[string]any{"script": "test"}, false},
		{"server", "run_python", map[string]any{"script": "import shutil; shutil.rmtree('/home/dev')"}, true},
		{"server", "evaluate", map[string]any{"code": "import shutil; shutil.rmtree('/home/dev')"}, true},
		{"server", "review_and_run", map[string]any{"code": "import os; os.system('rm -rf ~')"}, true},
		{"server", "run_python_code", map[string]any{"python_code": "import shutil; shutil.rmtree('/home/dev')"}, true},
		{"server", "run", map[string]any{"source": "import shutil; shutil.rmtree('/home/dev')"}, true},
		{"server", "execute_cell", map[string]any{"code": "!rm -rf ~"}, true},
		{"server", "execute_cell", map[string]any{"code": "files = !rm -rf ~"}, true},
		{"server", "execute_cell", map[string]any{"code": "%%bash\nrm -rf ~"}, true},
		{"server", "execute_cell", map[string]any{"source": "%%sh\nrm -rf ~"}, true},
		{"shell", "run", map[string]any{"input": "rm -rf ~"}, true},
		{"server", "evaluate_script", map[string]any{"script": "rm -rf ~"}, true},
		{"git", "git_push", map[string]any{"branch": "main", "force": "true"}, true},
		{"git", "git_push", map[string]any{"branch": "main", "force": float64(1)}, true},
		{"git", "git_push", map[string]any{"branch": "main", "flags": "--force"}, true},
		{"git", "git_push", map[string]any{"args": []any{"--force"}}, true},
		{"git", "push", map[string]any{"force": true}, true},
		{"git", "gitReset", map[string]any{"hard": true}, true},
		{"git", "git-reset", map[string]any{"mode": "hard"}, true},
		{"web", "fetch", map[string]any{"url": "FILE:///home/dev/.ssh/id_rsa"}, true},
		{"web", "fetch", map[string]any{"uri": "File:/home/dev/.ssh/id_rsa"}, true},
		{"fs", "read", map[string]any{"path": "FILE:///home/dev/.ssh/id_rsa"}, true},
		{"web", "fetch", map[string]any{"uri": "docs://a/b"}, false},
		{"fs", "read", map[string]any{"path": "src/a.go"}, false},
	} {
		if v := verdictOf(t, rules, hooks.Tool(tt.server, tt.tool, tt.arguments,
			"/home/dev/project")); stopped(v) != tt.stopped {
			t.Errorf("%s %s %v: stopped %v, want %v", tt.server, tt.tool, tt.arguments, stopped(v), tt.stopped)
		}
	}
}

// Schemes are the same in upper and lower case, and hosts may be numbers. A short value of a query is not a secret.
func TestFetch_AddressInAnySpelling_IsEvaluated(t *testing.T) {
	rules := enforced(t)
	for address, want := range map[string]bool{
		"https://example.com/docs?token=abc":                                                         false,
		"https://example.com/docs?page=2&token=example":                                              false,
		"https://example.com/docs?token=xk29Vbq7LmPz41Rt":                                            true,
		"https://example.com/?k=ghp_" + "0123456789abcdefghijklmnopqrstuvwxyzAB":                     true,
		"https://dev:hunter22@example.com/docs":                                                      true,
		"FILE:///home/dev/.ssh/id_rsa":                                                               true,
		"File:///etc/shadow":                                                                         true,
		"file:/home/dev/.ssh/id_rsa":                                                                 true,
		"view-source:file:///home/dev/.ssh/id_rsa":                                                   true,
		" file:///home/dev/.ssh/id_rsa":                                                              true,
		"file://localhost/etc/shadow":                                                                true,
		"http://0xA9FEA9FE/latest/meta-data/iam/security-credentials/":                               true,
		"http://2852039166/latest/meta-data/iam/security-credentials/":                               true,
		"http://0251.0376.0251.0376/latest/meta-data/iam/security-credentials/":                      true,
		"http://169.254.43518/latest/meta-data/iam/security-credentials/":                            true,
		"http://[::ffff:169.254.169.254]/latest/meta-data/iam/security-credentials/":                 true,
		"http://[::ffff:a9fe:a9fe]/latest/meta-data/iam/security-credentials/":                       true,
		"HTTP://METADATA.google.internal/computeMetadata/v1/instance/service-accounts/default/token": true,
		"http://169.254.169.254/latest/meta-data/iam/security-credenti%61ls/":                        true,
		"FILE:///home/dev/project/README.md":                                                         false,
		"http://0x7f000001:8080/":                                                                    false,
		"http://3232235777/token":                                                                    false,
		"https://example.com/file:///etc/shadow":                                                     false,
		"http://10.0.0.1/credentials":                                                                false,
		"https://example.com/docs?a;b=%zz&token=xk29Vbq7LmPz41Rt":                                    true,
	} {
		if v := verdictOf(t, rules, hooks.Fetch(address, "/home/dev/project")); stopped(v) != want {
			t.Errorf("%q: stopped %v, want %v", address, stopped(v), want)
		}
	}
}

// TestRead_Subagent_IsNamed: only a subagent has an id; the agent itself can have a kind.
func TestRead_Subagent_IsNamed(t *testing.T) {
	for fields, want := range map[string]string{
		`"agent_id": "a1", "agent_type": "Explore"`: "Explore",
		`"agent_id": "a1"`:                          "a1",
		`"agent_type": "reviewer"`:                  "",
		`"agent_id": 7`:                             "",
	} {
		event := `{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, ` + fields +
			`}`
		actions, _, err := client(t, "claude-code").Read(hooks.Input{Stdin: []byte(event)})
		if err != nil || len(actions) != 1 || actions[0].Subagent != want {
			t.Errorf("%s: got %+v, %v, want %q", fields, actions, err, want)
		}
		if facts := actions[0].Arguments("claude-code")["context"].(map[string]any); want != "" &&
			facts["subagent"] != want {
			t.Errorf("%s: got facts %v", fields, facts)
		}
	}
}
