package main_test

import (
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

func TestThresholdSet_UnusualChange_NeedsYes(t *testing.T) {
	g := withPacks(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'limit', value: 10}), (:SYS_Threshold {name: 'odd', value: 500, unit: 'percent'})", nil)
	for _, step := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{[]string{"threshold", "set", "limit", "200", "--reason", "r"}, 2, "",
			"would go from 10 to 200, which is more than ten times as much"},
		{[]string{"threshold", "set", "limit", "200", "--reason", "r"}, 2, "", "--yes"},
		{[]string{"threshold", "get", "limit", "--value"}, 0, "10", ""},
		{[]string{"threshold", "set", "limit", "200", "--reason", "r", "--yes"}, 0, "200", ""},
		{[]string{"threshold", "get", "limit", "--value"}, 0, "200", ""},
		{[]string{"threshold", "set", "odd", "-5", "--reason", "r", "--yes"}, 2, "",
			"value -5 is below 0, the min of the unit percent"},
		{[]string{"threshold", "get", "odd", "--value"}, 0, "500\n",
			"note: out of bounds: value 500 is above 100, the max of the unit percent"},
	} {
		stdout, stderr, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), step.args...)
		if code != step.code || !strings.Contains(stdout, step.stdout) || !strings.Contains(stderr, step.stderr) ||
			step.stdout == "500\n" && stdout != step.stdout {
			t.Errorf("%v: exit %d, %q, %q; want %d, %q, %q", step.args, code, stdout, stderr, step.code, step.stdout,
				step.stderr)
		}
	}
}
