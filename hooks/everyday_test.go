package hooks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/hooks"
	"nomograph/internal/golden"
)

// everyday are the lines of a file in testdata/everyday with the decision for each, which is the strictest of its
// actions.
func everyday(t *testing.T, name string) (lines []string, decisions []hooks.Decision) {
	t.Helper()
	text := graphtest.Must(os.ReadFile("testdata/everyday/" + name + ".tsv"))(t)
	rules := enforced(t)
	for text := range strings.Lines(string(text)) {
		text = strings.TrimSuffix(text, "\n")
		tool, given, ok := strings.Cut(text, "\t")
		if strings.HasPrefix(text, "#") {
			continue
		} else if !ok {
			t.Fatalf("got the line %q, want a tool and a tab", text)
		}
		field := "command"
		if tool == "Read" || tool == "Write" {
			field = "file_path"
		}
		event := graphtest.Must(json.Marshal(map[string]any{"tool_name": tool, "cwd": "/home/dev/project",
			"tool_input": map[string]string{field: given}}))(t)
		actions, _, err := client(t, "generic").Read(hooks.Input{Stdin: event})
		if err != nil || len(actions) == 0 {
			t.Fatalf("%q: got %d actions, %v, want one", text, len(actions), err)
		}
		worst := hooks.Verdict{Decision: hooks.Allow}
		for _, action := range actions {
			worst = worst.Add(hooks.Verdict{Decision: line{verdict: verdictOf(t, rules, action)}.decision()})
		}
		lines, decisions = append(lines, text), append(decisions, worst.Decision)
	}
	return lines, decisions
}

// The bounds of everyday lines. Denied and asked lines count apart, because some clients turn a question into a denial.
const (
	minDangersStopped = 0.95
	maxWorkDenied     = 0.01
	maxWorkAsked      = 0.02
)

func TestEveryday_Dangers_AreStopped(t *testing.T) {
	lines, decisions := everyday(t, "dangers")
	count := map[hooks.Decision]int{}
	for i, decision := range decisions {
		if count[decision]++; decision == hooks.Allow {
			t.Logf("passes: %s", lines[i])
		}
	}
	t.Logf("%d dangers: %d denied, %d asked", len(lines), count[hooks.Deny], count[hooks.Ask])
	if share := 1 - float64(count[hooks.Allow])/float64(len(lines)); len(lines) < 60 || share < minDangersStopped {
		t.Errorf("got %.3f of %d stopped, want %v of at least 60", share, len(lines), minDangersStopped)
	}
}

func TestEveryday_Work_Passes(t *testing.T) {
	lines, decisions := everyday(t, "work")
	count := map[hooks.Decision]int{}
	for i, decision := range decisions {
		if count[decision]++; decision != hooks.Allow {
			t.Logf("%s: %s", decision, lines[i])
		}
	}
	all := float64(len(lines))
	t.Logf("%.0f lines of work: %d denied, %d asked", all, count[hooks.Deny], count[hooks.Ask])
	if denied, asked := float64(count[hooks.Deny])/all, float64(count[hooks.Ask])/all; all < 200 ||
		denied > maxWorkDenied || asked > maxWorkAsked {
		t.Errorf("got %.3f denied and %.3f asked of %.0f, want at most %v and %v of at least 200", denied, asked, all,
			maxWorkDenied, maxWorkAsked)
	}
}

func TestTools_NameAndMachine_ChooseTheDialect(t *testing.T) {
	rules := enforced(t)
	for _, tt := range []struct {
		tool, cwd, command string
		want               hooks.Decision
	}{
		{"PowerShell", "/home/dev/project", "gc .env", hooks.Deny},
		{"run_terminal_cmd", `C:\work\app`, "gc .env", hooks.Deny},
		{"run_terminal_cmd", `C:\work\app`, `ri ..\..\Users -r -fo`, hooks.Deny},
		{"Bash", `C:\work\app`, "rm -rf /c/Users/dev", hooks.Deny},
		{"Bash", `C:\work\app`, "rm -rf /c/work/app/dist", hooks.Allow},
		{"cmd", `C:\work\app`, `del /s /q %USERPROFILE%\*`, hooks.Deny},
		{"Bash", "/home/dev/project", "Remove-Item -Recurse -Force ~", hooks.Deny},
	} {
		event := graphtest.Must(json.Marshal(map[string]any{"tool_name": tt.tool, "cwd": tt.cwd,
			"tool_input": map[string]string{"command": tt.command}}))(t)
		actions, _, err := client(t, "generic").Read(hooks.Input{Stdin: event})
		if err != nil || len(actions) != 1 {
			t.Fatalf("%s: got %d actions, %v, want one", tt.command, len(actions), err)
		}
		golden.Equal(t, fmt.Sprint(tt.tool, " in ", tt.cwd, ": ", tt.command),
			(line{verdict: verdictOf(t, rules, actions[0])}).decision(), tt.want)
	}
}
