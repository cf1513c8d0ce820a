package hooks_test

import (
	"os"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/policies/cases"
	"nomograph/policies/pack"
)

func commandsOf(t testing.TB, file string) (commands []string) {
	t.Helper()
	text := graphtest.Must(os.ReadFile("testdata/" + file))(t)
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
	wantStopped(t, "stopped", true)
	wantStopped(t, "passed", false)
}

func TestPacks_Techniques_AreDistinguishedFromHarmlessCommands(t *testing.T) {
	for _, technique := range techniques {
		wantStopped(t, "techniques/"+technique+"-stopped", true)
		wantStopped(t, "techniques/"+technique+"-passed", false)
	}
}

// wantStopped checks that the packs stop all commands of a list, or none.
func wantStopped(t *testing.T, list string, want bool) {
	t.Helper()
	for _, l := range judge(t, list) {
		if got := stopped(l.verdict); got != want {
			t.Errorf("%s: %q: got stopped %v by %v, want %v", list, l.Command, got, rulesOf(l.verdict), want)
		}
	}
}
