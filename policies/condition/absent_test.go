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
		if got := strings.Join(program.Unguarded(before), " "); got != row[1] {
			t.Errorf("%s: %q, want %q", row[0], got, row[1])
		}
	}
}
