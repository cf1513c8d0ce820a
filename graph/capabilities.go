package graph

import (
	"strconv"
	"strings"
)

// Capabilities are features that the oldest supported server lacks. Without them, other statements return the same
// results.
type Capabilities struct {
	Cypher25      bool // accepts statements that begin with CYPHER 25
	SearchInIndex bool // CYPHER 25 has SEARCH, which filters by properties inside a vector index
}

// First versions with a feature, as year and month:
// https://neo4j.com/docs/cypher-manual/25/deprecations-additions-removals-compatibility/
var (
	firstCypher25 = [2]int{2025, 6}
	firstSearch   = [2]int{2026, 1}
)

// capabilitiesOf returns the capabilities of a version such as 5.26.30, 2026.08.1 or 2026.08-aura, or none for a
// version that cannot be parsed.
func capabilitiesOf(version string) Capabilities {
	return Capabilities{Cypher25: atLeast(version, firstCypher25), SearchInIndex: atLeast(version, firstSearch)}
}

// atLeast compares the first two numbers of a version.
func atLeast(version string, minimum [2]int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(strings.SplitN(parts[1], "-", 2)[0])
	return err1 == nil && err2 == nil && (major > minimum[0] || major == minimum[0] && minor >= minimum[1])
}
