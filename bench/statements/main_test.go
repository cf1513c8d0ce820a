package main

import (
	"maps"
	"strings"
	"testing"

	"nomograph/cypher"
	"nomograph/graph/graphtest"
)

func TestMissing_Records_NamesStatementsThatDidNotRun(t *testing.T) {
	for name, test := range map[string]struct{ without, want []string }{
		"all ran":     {},
		"a statement": {[]string{firstLine(cypher.Probe.Text())}, []string{cypher.Probe.Name}},
	} {
		t.Run(name, func(t *testing.T) {
			ran := map[string]graphtest.Ran{}
			for line := range names() {
				ran[line] = graphtest.Ran{Line: line, Runs: 1}
			}
			maps.DeleteFunc(ran, func(line string, _ graphtest.Ran) bool {
				return strings.Contains(strings.Join(test.without, "\n"), line)
			})
			err := missing(ran)
			if (err == nil) != (len(test.want) == 0) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), "\n"+want) {
					t.Errorf("got %v, want %s", err, want)
				}
			}
		})
	}
}
