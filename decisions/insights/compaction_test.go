package insights_test

import (
	"testing"

	"nomograph/tools/toolstest"
)

func TestCompaction_OlderDecisions_AreShorter(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Stage{Graph: g, App: env}.Play(t, "testdata/calls/compaction.txt")
}
