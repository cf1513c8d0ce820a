package hooks_test

import (
	"os"
	"strings"
	"testing"

	"nomograph/hooks"
	"nomograph/policies/cases"
	"nomograph/policies/pack"
)

func commandsOf(t testing.TB, file string) (commands []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			commands = append(commands, strings.ReplaceAll(line, `\n`, "\n"))
		}
	}
	return commands
}

func TestPacks_Cases_PassAloneAndTogether(t *testing.T) {
	all := []pack.Source{{Name: "shell"}, {Name: "git"}, {Name: "files"}, {Name: "mcp"}}
	for _, packs := range [][]pack.Source{all, all[:1], all[1:2], all[2:3], all[3:]} {
		report, err := cases.Run(t.Context(), cases.Request{Packs: packs, MinCoverage: 100}, nil)
		if err != nil || report.Failed() {
			t.Errorf("got %v: %v, want report.Failed()=false\n%s", packs, err, report.Summary)
		}
	}
}

func TestPacks_Examples_GetTheirExpectedVerdicts(t *testing.T) {
	wantStopped(t, "", 1000, 1000)
}

// TestPacks_Techniques_AreDistinguishedFromHarmlessCommands: each technique has commands to stop, and harmless ones of the
// same form.
func TestPacks_Techniques_AreDistinguishedFromHarmlessCommands(t *testing.T) {
	for _, technique := range []string{"obfuscated", "exfiltration", "persistence", "channels", "indirect", "footholds", "inputs", "replaced"} {
		wantStopped(t, "techniques/"+technique+"-", 40, 15)
	}
}

// wantStopped checks that the packs stop all commands of one file and none of another, and that each file has a minimum of commands.
func wantStopped(t *testing.T, files string, minStopped, minPassed int) {
	t.Helper()
	rules := enforced(t)
	for _, file := range []struct {
		name    string
		stopped bool
		min     int
	}{{"stopped.txt", true, minStopped}, {"passed.txt", false, minPassed}} {
		commands := commandsOf(t, files+file.name)
		if len(commands) < file.min {
			t.Errorf("%s%s has %d commands, want at least %d", files, file.name, len(commands), file.min)
		}
		for _, command := range commands {
			if v := verdictOf(t, rules, hooks.Command(command, "/home/dev/project")); stopped(v) != file.stopped {
				names := []string{}
				for _, o := range v.Violations {
					names = append(names, o.GuardrailID)
				}
				t.Errorf("%s%s: %q: got stopped %v by %v, want %v", files, file.name, command, stopped(v), names, file.stopped)
			}
		}
	}
}
