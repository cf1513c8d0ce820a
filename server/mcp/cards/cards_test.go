package cards_test

import (
	"regexp"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/server/mcp/cards"
)

// TestHTML_Cards_AreSelfContained: a card loads nothing, and hosts get it with each conversation.
func TestHTML_Cards_AreSelfContained(t *testing.T) {
	address := regexp.MustCompile(`(src|href|action)=|\burl\(|@import|\bimport\b.*from|https?://[^"]*`)
	for _, name := range cards.Names {
		text := cards.HTML(name)
		for _, found := range address.FindAllString(text, -1) {
			graphtest.Equal(t, found, "http://www.w3.org/2000/svg", name+" contains")
		}
		if len(text) > 100_000 || !strings.Contains(text, "default-src 'none'") || strings.Contains(text, "innerHTML") {
			t.Errorf("%s has %d bytes: want at most 100,000, its own policy, and texts set as texts", name, len(text))
		}
	}
}
