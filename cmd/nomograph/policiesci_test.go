package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

// inCI runs the script of action.yml as a step of GitHub Actions does, and returns its output and its summary.
func inCI(t *testing.T, environ ...string) (printed, summary string, code int) {
	t.Helper()
	for _, program := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	file := filepath.Join(t.TempDir(), "summary.md")
	cmd := exec.Command("bash", filepath.Join(toolstest.Root(t), "scripts", "policies.sh"))
	cmd.Env, cmd.Dir = append(environ, "GITHUB_STEP_SUMMARY="+file), t.TempDir()
	out, _ := cmd.CombinedOutput()
	text, _ := os.ReadFile(file)
	return string(out), string(text), cmd.ProcessState.ExitCode()
}

func TestPoliciesInCI_Packs_GiveAnnotationsAndASummary(t *testing.T) {
	dir := writePacks(t)
	environ := graphtest.BareEnviron(t)
	for _, tt := range []struct {
		pack             string
		code             int
		printed, summary string
	}{
		{"good.yaml", 0, "", "1 passed, 0 failed"},
		{"bad.yaml", 1, "::error file=" + dir + "/bad.yaml,line=13,col=5,title=team%3A below the bar::allowed: expected true, got false%0A", "| team | below the bar | **failed**"},
		{"torn.yaml", 2, "::error file=" + dir + "/torn.yaml,line=6,col=5,title=Invalid policy pack::",
			"could not be tested"},
		{"none.yaml", 3, "::error title=Policies::Cannot read", "could not be tested"},
	} {
		printed, summary, code := inCI(t, append(environ, "PACKS="+filepath.Join(dir, tt.pack))...)
		if code != tt.code || !strings.Contains(printed, tt.printed) || tt.printed == "" && printed != "" ||
			!strings.Contains(summary, tt.summary) {
			t.Errorf("%s: exit %d: %s\n%s", tt.pack, code, printed, summary)
		}
	}
}

func TestPoliciesInCI_ActionThatCannotBeChecked_Fails(t *testing.T) {
	environ := append(graphtest.BareEnviron(t), "PACKS="+filepath.Join(writePacks(t), "good.yaml"),
		"NOMOGRAPH_URL=http://127.0.0.1:1", "ACTION=deploy")
	if printed, summary, code := inCI(t, environ...); code != 1 ||
		!strings.Contains(printed, "::error title=Policy check::") || !strings.Contains(summary, "## Not checked") ||
		!strings.Contains(summary, "Cannot reach the server") {
		t.Errorf("exit %d: %s\n%s", code, printed, summary)
	}
}

func TestPoliciesInCI_ActionThatIsDenied_IsAnnotated(t *testing.T) {
	g := graphtest.New(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'frozen', active: true, severity: 'block', requires: 'action.name != "deploy"', message: 'Nothing is deployed now'})`)
	environ := append(g.Environ(t), "PACKS="+filepath.Join(writePacks(t), "good.yaml"))
	if printed, summary, code := inCI(t, append(environ, "ACTION=deploy")...); code != 1 ||
		!strings.Contains(printed, "::error title=Policy frozen::Nothing is deployed now") ||
		!strings.Contains(summary, "## Denied") {
		t.Errorf("exit %d: %s\n%s", code, printed, summary)
	}
	if printed, summary, code := inCI(t, append(environ, "ACTION=test")...); code != 0 ||
		!strings.Contains(summary, "## Allowed") {
		t.Errorf("exit %d: %s\n%s", code, printed, summary)
	}
}

// TestPoliciesInCI_Files_NameExistingCommands parses action.yml and .pre-commit-hooks.yaml.
func TestPoliciesInCI_Files_NameExistingCommands(t *testing.T) {
	var action struct {
		Inputs map[string]any
		Runs   struct {
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(toolstest.Root(t), "action.yml"))
	if err == nil {
		err = yaml.Unmarshal(text, &action)
	}
	if err != nil || len(action.Runs.Steps) != 3 || !strings.Contains(action.Runs.Steps[2].Run, "scripts/policies.sh") {
		t.Fatalf("%v: the action is %+v", err, action)
	}
	script, _ := os.ReadFile(filepath.Join(toolstest.Root(t), "scripts", "policies.sh"))
	for name, value := range action.Runs.Steps[2].Env {
		input, _, ok := strings.Cut(strings.TrimPrefix(value, "${{ inputs."), " ")
		if !strings.Contains(string(script), "$"+name) && !strings.Contains(string(script), "${"+name) || ok &&
			strings.Contains(value, "inputs.") && action.Inputs[input] == nil {
			t.Errorf("%s: %s is not a command", name, value)
		}
	}
	var hooks []struct{ ID, Entry string }
	text, err = os.ReadFile(filepath.Join(toolstest.Root(t), ".pre-commit-hooks.yaml"))
	if err == nil {
		err = yaml.Unmarshal(text, &hooks)
	}
	if err != nil || len(hooks) != 3 {
		t.Fatalf("got %v, %+v, want length 3", err, hooks)
	}
	for _, hook := range hooks {
		words := strings.Fields(hook.Entry)
		if _, output, code := graphtest.Run(t, graphtest.BareEnviron(t), nil, graphtest.Binary(t),
			append(words[1:min(3, len(words))], "--help")...); words[0] != "nomograph" || code != 0 {
			t.Errorf("%s: %s: exit %d: %s", hook.ID, hook.Entry, code, output)
		}
	}
}
