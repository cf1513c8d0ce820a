package terminal

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestBreakLines_ManyTexts_MatchTheLibrary: the program does not use the library itself, which builds tables at
// every start.
func TestBreakLines_ManyTexts_MatchTheLibrary(t *testing.T) {
	parts := []string{"a", "word", "well-known", "wide 世界", "世界", " ", " ", " ", "  ", "\n", "é", "naïve", "👩‍🚀",
		"\x1b[32m", "\x1b[0m", "-", "averylongwordthatfillslines", "1,000.5", "\u00a0", "…"}
	draw := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		var b strings.Builder
		for range draw.IntN(14) {
			b.WriteString(parts[draw.IntN(len(parts))])
		}
		text, width := b.String(), 2+draw.IntN(30)
		got, want := broken(text, width), ansi.Wrap(text, width, "")
		if trimmed(got) != trimmed(want) && widest(want) <= width &&
			!strings.Contains(text, "-") { // the library breaks differently after a hyphen, and at a word that fills a line
			t.Fatalf("%q in %d columns: %q, want %q", text, width, got, want)
		}
		if widest(got) > max(width, widest(want)) {
			t.Fatalf("%q in %d columns: %q is wider", text, width, got)
		}
	}
}

func widest(text string) int {
	limit := 0
	for line := range strings.Lines(text) {
		limit = max(limit, ansi.StringWidth(strings.TrimRight(line, " \n")))
	}
	return limit
}

func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
