package condition

import (
	"strings"
	"testing"

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
			if before, err = Rule(row[2]); err != nil {
				t.Fatal(err)
			}
		}
		golden.Equal(t, row[0], strings.Join(program.Unguarded(before), " "), row[1])
	}
}
