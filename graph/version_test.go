package graph

import "testing"

func TestCheckVersion_EachVersion_IsAcceptedFromTheOldest(t *testing.T) {
	for version, accepted := range map[string]bool{"5.26.30": true, "5.27-aura": true, "2025.01.0": true,
		"2026.08-aura": true, "5.25.1": false, "4.4.0": false, "": false, "next": false, "2026": false} {
		if err := checkVersion(version); (err == nil) != accepted {
			t.Errorf("%q: got %v, want accepted %v", version, err, accepted)
		}
	}
}
