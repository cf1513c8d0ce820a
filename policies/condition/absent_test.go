package condition

import (
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

func TestUnguardedFacts_ReadWithoutHas_AreListed(t *testing.T) {
	for _, row := range golden.Rows(t, "testdata/unguarded.txt") {
		program, err := Rule(row[0])
		if err != nil {
			t.Fatal(row[0], err)
		}
		var before *Program
		if len(row) > 2 {
			before = graphtest.Must(Rule(row[2]))(t)
		}
		graphtest.Equal(t, strings.Join(program.Unguarded(before), " "), row[1], row[0])
	}
}
