package insights_test

import (
	"testing"

	"nomograph/tools/toolstest"
)

func TestWisdom_Reviews_BecomeLessons(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Stage{Graph: g, App: env}.Play(t, "testdata/calls/wisdom.txt")
}
