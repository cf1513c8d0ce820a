package render_test

import (
	"strings"
	"testing"

	"nomograph/internal/golden"
	"nomograph/internal/render"
)

func TestProse_Texts_AreShortened(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{render.Title(" \n First line \n second"), "First line"},
		{render.Title(strings.Repeat("ä", 100)), strings.Repeat("ä", render.MaxTitleLength-1) + "…"},
		{render.Title(strings.Repeat("words ", 20)), strings.TrimSpace(strings.Repeat("words ", 13)) + "…"},
		{render.Shorten("short enough", 12), "short enough"},
		{render.Shorten("Keep the orders in PostgreSQL", 20), "Keep the orders in…"},
		{render.Shorten("Keep the orders, in one", 16), "Keep the orders…"},
		{render.Shorten(strings.Repeat("ä", 30), 10), strings.Repeat("ä", 9) + "…"}, {render.Shorten("", 3), ""},
		{render.Shorten("no-high-stakes-low-confidence", 26), "no-high-stakes-low…"},
		{render.Shorten("critical_stakes_min_confidence", 26), "critical_stakes_min…"},
		{render.Cut("häuser", 2), "hä"},
		{render.OneLine("a\tb\r\nc\u2028d\u202e\ufeffe \xff f\u200dg\u200ch \ue000"), "a b c de f\u200dg\u200ch"},
		{render.Plural(1, "review"), "1 review"},
		{render.Plural(int64(0), "review"), "0 reviews"},
		{render.OrDash(""), "-"},
	} {
		golden.Equal(t, "the text", c.got, c.want)
	}
	var b strings.Builder
	render.Section(&b, "empty", " \n")
	render.Section(&b, "context", "one\ntwo\n")
	render.WriteNonEmpty(&b, "by %s\n", "")
	render.WriteNonEmpty(&b, "in %d\n", 3)
	golden.Equal(t, "the text", b.String(), "context\n  one\n  two\nin 3\n")
}
