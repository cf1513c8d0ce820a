package targets

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nomograph/internal/golden"
)

func TestForcePushed_AnySpelling_NamesBranches(t *testing.T) {
	for _, row := range golden.Columns(t, "testdata/pushes.txt", 4) {
		var params map[string]any
		if err := json.Unmarshal([]byte(row[3]), &params); err != nil {
			t.Fatalf("%s: %v", row[3], err)
		}
		if got := fmt.Sprint(ForcePushed(strings.Trim(row[0], "-"), row[1], params)); got != row[2] {
			t.Errorf("%s: got %s", row, got)
		}
	}
}
