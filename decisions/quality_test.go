package decisions

import (
	"strings"
	"testing"
)

// People are advised on the command line in the same words as agents, so that no advice names a tool or a field of one.
func TestAdviceReadsTheSameAtEveryDoor(t *testing.T) {
	advice := append(qualityOf(&Draft{}).Suggestions, NothingRecorded)
	if len(advice) < 9 {
		t.Fatalf("an empty record is advised only %q", advice)
	}
	for _, text := range advice {
		if strings.Contains(text, "_") {
			t.Errorf("%q names a tool", text)
		}
	}
}
