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

func TestPacks_TheirCases_HoldAloneAndTogether(t *testing.T) {
	all := []pack.Source{{Name: "shell"}, {Name: "git"}, {Name: "files"}, {Name: "mcp"}}
	for _, packs := range [][]pack.Source{all, all[:1], all[1:2], all[2:3], all[3:]} {
		report, err := cases.Run(t.Context(), cases.Request{Packs: packs, MinCoverage: 100}, nil)
		if err != nil || report.Failed() {
			t.Errorf("%v: %v\n%s", packs, err, report.Summary)
		}
	}
}

func TestPacks_OwnExamples_AreJudgedAsWritten(t *testing.T) {
	rules := enforced(t)
	for file, want := range map[string]bool{"stopped.txt": true, "passed.txt": false} {
		for _, command := range commandsOf(t, file) {
			if v := judge(t, rules, hooks.Command(command, "/home/dev/project")); stopped(v) != want {
				names := []string{}
				for _, o := range v.Violations {
					names = append(names, o.GuardrailID)
				}
				t.Errorf("%q: stopped %v by %v", command, stopped(v), names)
			}
		}
	}
}
