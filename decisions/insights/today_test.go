package insights_test

import (
	"testing"

	"nomograph/tools/toolstest"
)

func TestToday_Decisions_AreListedWithOutcomes(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Stage{Graph: g, App: env}.Play(t, "testdata/calls/today.txt")
}
