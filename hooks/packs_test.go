package hooks_test

import (
	"os"
	"strings"
	"testing"

	"nomograph/hooks"
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
