package engine

import (
	"testing"
)

func TestOlder_Versions_AreCompared(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"5.26.30", "5.26.30", false},
		{"5.26.4", "5.26.30", true},
		{"5.26.30", "5.26.4", false},
		{"5.26.30", "2025.01.0", true},
		{"5.26", "5.26.1", true},
		{"5.26.1", "5.26", false},
		{"5.26.0-drop01", "5.26.1", false}, // unknown version format: open it
	} {
		if got := isOlder(c.a, c.b); got != c.want {
			t.Errorf("older(%s, %s) is %v", c.a, c.b, got)
		}
	}
}
