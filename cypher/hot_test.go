package cypher_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nomograph/cypher"
	"nomograph/graph/graphtest"
)

var parameter = regexp.MustCompile(`\$([a-z_]+)`)

// TestHotStatements_Parameters_MatchTheStatement: with other parameters the server would create plans that are never
// used.
func TestHotStatements_Parameters_MatchTheStatement(t *testing.T) {
	for _, hot := range cypher.Hot() {
		taken := map[string]bool{}
		for line := range strings.Lines(hot.Text()) {
			if !strings.HasPrefix(strings.TrimSpace(line), "//") {
				for _, found := range parameter.FindAllStringSubmatch(line, -1) {
					taken[found[1]] = true
				}
			}
		}
		graphtest.Equal(t, slices.Sorted(maps.Keys(hot.Parameters)), slices.Sorted(maps.Keys(taken)), hot.Name, "takes",
			"and is given")
	}
}
