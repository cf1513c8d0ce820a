package live

import (
	"path"
	"regexp"
	"testing"
)

func TestReservedNames_List_IsWellFormed(t *testing.T) {
	form := regexp.MustCompile(`^\*?[A-Z0-9_]+(\*?|\*[A-Z0-9_]+)$`)
	seen := map[string]bool{}
	for _, pattern := range reservedNames() {
		if _, err := path.Match(pattern, ""); err != nil || !form.MatchString(pattern) || seen[pattern] {
			t.Errorf("%q: got %v, want form.MatchString(pattern)=true, seen[pattern]=false", pattern, err)
		}
		seen[pattern] = true
	}
}
