package main_test

import (
	"os"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

// TestLab_FortyFailures_CommandsStateTheirEvidence runs the commands of the lab on the history of a typical user.
func TestLab_FortyFailures_CommandsStateTheirEvidence(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	h := toolstest.FortyFailures(t, g)
	script := graphtest.Must(os.ReadFile("testdata/lab.txt"))(t)
	session(t, append(g.Environ(t), "NOMOGRAPH_AGENT=ann", "FAILED="+h.Failed, "UNREVIEWED="+h.Unreviewed),
		string(script))
}
