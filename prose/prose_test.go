package prose_test

import (
	"strings"
	"testing"

	"nomograph/prose"
)

func TestTextsOnLines(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{prose.Title(" \n First line \n second"), "First line"},
		{prose.Title(strings.Repeat("ä", 100)), strings.Repeat("ä", prose.LongestTitle)},
		{prose.Shorten("short enough", 12), "short enough"}, {prose.Shorten("Keep the orders in PostgreSQL", 20), "Keep the orders in…"}, {prose.Shorten("Keep the orders, in one", 16), "Keep the orders…"},
		{prose.Shorten(strings.Repeat("ä", 30), 10), strings.Repeat("ä", 9) + "…"}, {prose.Shorten("", 3), ""}, {prose.Shorten("no-high-stakes-low-confidence", 26), "no-high-stakes-low…"}, {prose.Shorten("critical_stakes_min_confidence", 26), "critical_stakes_min…"},
		{prose.Cut("häuser", 2), "hä"},
		{prose.OneLine("a\tb\r\nc\u2028d\u202e\ufeffe \xff f\u200dg\u200ch \ue000"), "a b c de f\u200dg\u200ch"},
		{prose.Plural(1, "review"), "1 review"},
		{prose.Plural(int64(0), "review"), "0 reviews"},
		{prose.OrDash(""), "-"},
	} {
		if c.got != c.want {
			t.Errorf("%q instead of %q", c.got, c.want)
		}
	}
	var b strings.Builder
	prose.Section(&b, "empty", " \n")
	prose.Section(&b, "context", "one\ntwo\n")
	prose.Tell(&b, "by %s\n", "")
	prose.Tell(&b, "in %d\n", 3)
	if b.String() != "context\n  one\n  two\nin 3\n" {
		t.Errorf("%q", b.String())
	}
}
