package tools_test

import (
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/lab"
	"nomograph/tools/toolstest"
)

// TestPrograms_OfAPack_SayWhatACommandDoes: a command of a caller without a hook is denied by what the pack says about
// its program. Other unknown programs are listed.
func TestPrograms_OfAPack_SayWhatACommandDoes(t *testing.T) {
	g, env := toolstest.Open(t)
	text := `pack: team
version: 1.0.0
programs:
  - {name: shopctl, aliases: [shop], deletes_elsewhere: [env delete]}
policies:
  - {name: environments-stay, active: true, actions: [shell.run], requires: "size(action.params.remote) == 0", severity: block, message: no}
`
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(text)})
	run := func(command string) check.Verdict {
		v := graphtest.Must(env.Checks.Check(t.Context(),
			check.ActionCheck{Name: "shell.run", Description: "Run", AgentID: "ada",
				Params: map[string]any{"command": command}}))(t)
		return v
	}
	for command, allowed := range map[string]bool{"shop env delete prod": false, "shop env list": true,
		"wipectl all": true, "wipectl list": true} {
		graphtest.Equal(t, run(command).Allowed, allowed, command+": allowed")
	}
	token := "ghp_" + strings.Repeat("aB3x", 9) // pasted as a command
	run(token + " list")
	graphtest.Equal(t, toolstest.Count(t, g, "MATCH (v:Verdict) WHERE any(p IN v.unknown_programs WHERE p STARTS WITH '"+token+
		"') RETURN count(v)"), 0, "verdicts that name the token as a program")

	c, err := env.Checks.Coverage(t.Context(), check.CoverageQuery{})
	if err != nil || len(c.UnknownPrograms) != 1 || c.UnknownPrograms[0].Program != "wipectl" ||
		c.UnknownPrograms[0].Verdicts != 2 {
		t.Errorf("the unknown programs are %+v, %v, want wipectl twice", c.UnknownPrograms, err)
	}
	trial, err := env.Lab.Replay(t.Context(), lab.Request{Change: lab.Change{Packs: toolstest.Packs(text)}})
	if err != nil || !slices.ContainsFunc(trial.Notes,
		func(note string) bool { return strings.Contains(note, "wipectl (2)") }) ||
		!strings.Contains(trial.Summary, "wipectl (2)") {
		t.Errorf("the notes of the trial are %q, %v, want wipectl twice", trial.Notes, err)
	}
	if changes := toolstest.Changes(t, g, "SYS_Program", "shopctl"); len(changes) != 1 {
		t.Errorf("the changes of the program are %v, want one", changes)
	}
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(strings.Replace(text, "env delete", "env remove",
		1))})
	if v := run("shop env delete prod"); !v.Allowed {
		t.Errorf("after the change of the pack, the verdict is %+v, want allowed", v)
	}
}
