package caller_test

import (
	"strings"
	"testing"

	"nomograph/internal/caller"
	"nomograph/internal/golden"
)

func TestNameProblem_InvisibleCharacters_AreRefused(t *testing.T) {
	for _, name := range []string{"ada", "release-bot", "Ada Lovelace", "ada@example.org", "Åsa", "王芳", "Ольга",
		" ada ", "https://id.example.org/ada", strings.Repeat("x", 200)} {
		golden.Equal(t, name, caller.NameProblem(name), "")
	}
	for _, name := range []string{"", "  ", "ad\u200ba", "\ufeffada", "ad\u00ada", "ada\u202egnp", "\u2066ada\u2069",
		"ada\u0000", "ad\ta", "ad\na", "a\x1b[31mda", "ada\ufe0f", "ada\u3164", "a\u034fda", "ad\u2800a",
		"ada\U000e0041",
		"ad\u2028a", "ad\u00a0a", "ａｄａ", "𝐚da", "A\u030asa", "ad\xffa", "ada\ue000", "ad\ufffda",
		strings.Repeat("x", 201)} {
		if caller.NameProblem(name) == "" {
			t.Errorf("%q is accepted as a name", name)
		}
	}
}
