package redact

import (
	"strings"
	"testing"
)

// TestShapes_Rows_NameKnownAlphabetsAndChecks would fail for a misspelled check, which would accept every text.
func TestShapes_Rows_NameKnownAlphabetsAndChecks(t *testing.T) {
	for row := range rowsOf(tokens) {
		s := shapeOf(row)
		name, _, _ := strings.Cut(row[1], " ")
		if tokenAlphabets[name] == "" || s.min <= 0 || s.max != 0 && s.max < s.min {
			t.Errorf("%q: unknown alphabet or length", row)
		}
		if len(row) > 3 && row[3] != "" && row[3] != "-" && s.accept == nil {
			t.Errorf("%q: unknown check", row)
		}
		if len(row) > 4 && row[4] != "keep" && row[4] != "" {
			t.Errorf("%q: the last column is keep or empty", row)
		}
	}
}
