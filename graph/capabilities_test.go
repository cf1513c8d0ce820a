package graph

import (
	"testing"

	"nomograph/internal/golden"
)

func TestCapabilities_EachVersion_AreKnown(t *testing.T) {
	for version, want := range map[string]Capabilities{
		"5.26.30":      {},
		"5.27-aura":    {},
		"2025.01.0":    {},
		"2025.05.1":    {},
		"2025.06.0":    {Cypher25: true},
		"2025.12.1":    {Cypher25: true},
		"2026.01.0":    {Cypher25: true, SearchInIndex: true},
		"2026.08.1":    {Cypher25: true, SearchInIndex: true},
		"2026.08-aura": {Cypher25: true, SearchInIndex: true},
		"2027.01.0":    {Cypher25: true, SearchInIndex: true},
		"":             {},
		"next":         {},
		"2026":         {},
	} {
		golden.Equal(t, version, capabilitiesOf(version), want)
	}
}
