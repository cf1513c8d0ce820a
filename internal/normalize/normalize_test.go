package normalize_test

import (
	"strings"
	"testing"
	"unicode"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/internal/normalize"
)

func TestName_Spellings_AreEqual(t *testing.T) {
	for written, want := range map[string]string{
		"git.push": "git.push", "git.push ": "git.push", "\tgit.push\r\n": "git.push", "git.push\u2028": "git.push", "Git.Push": "git.push", "git.pu\u200bsh": "git.push",
		"\ufeffgit.push": "git.push", "git.push\u0000": "git.push", "ｇｉｔ．ｐｕｓｈ": "git.push", "git\u2024push": "git.push", "git.pu\u00adsh": "git.push", "git.push\ufe0f": "git.push",
		"git.push\u3164": "git.push", "git.push\u2800": "git.push", "git.\u034fpush": "git.push", "𝐠𝐢𝐭.push": "git.push", "git.push\U000e0041": "git.push",
		"Straße": "strasse", "STRASSE": "strasse", "ﬁre": "fire", "K": "k", "e\u0301": "é", "É": "é", "  roll \u00a0 out ": "roll out", "": "", " \u200b\n": "", "İ": "i̇",
	} {
		graphtest.Equal(t, normalize.Name(written), want, written)
	}
}

func TestProject_AddressSpellings_AreEqual(t *testing.T) {
	for _, row := range golden.Columns(t, "testdata/projects.txt", 1) {
		for _, written := range []string{row[0], " " + row[0], row[0] + "\n", strings.Replace(row[0], "/", "/\u200b", 1)} {
			graphtest.Equal(t, normalize.Project(written), "a/b", written)
		}
	}
	for written, want := range map[string]string{"": "", "shop": "shop", "*": "*", "acme/*": "acme/*", "https://host/acme/*": "acme/*", "a?/b": "a?/b", "c#/x": "c#/x", "https://gitlab.example/g/sub/r.git": "g/sub/r",
		"my notes": "my notes", "file:///home/x": "file:/home/x", "a:b": "a:b"} {
		graphtest.Equal(t, normalize.Project(written), want, written)
	}
	graphtest.Equal(t, strings.Join(normalize.Forms("https://my.host/A/b"), " "), "https://my.host/a/b a/b")
	if forms := normalize.Forms(" \u200b "); forms != nil {
		t.Error(forms)
	}
}

// FuzzNormalize checks what rules rely on: normalizing a name twice changes nothing more, and invisible characters, case and
// surrounding blanks do not change the result.
func FuzzNormalize(f *testing.F) {
	for _, seed := range []string{"git.push", "a/b", "https://host/a/b.git", "Straße ﬁ İ", "x\u200by", "git@host:a/b", "a\u0345\u0301", "\u0301\u0345", "\u1e9e", "h.c/a.b/c.d/e", `\\h\a\b`, "%25%32%66", "a/b.git/.git", "\xff"} {
		f.Add(seed, 1)
	}
	hidden := []string{"\u200b", "\u2060", "\ufeff", "\u00ad", "\ufe0f", "\u180e", "\U000e0061", "\x01"}
	f.Fuzz(func(t *testing.T, text string, at int) {
		if len(text) > 300 {
			return
		}
		for name, made := range map[string]func(string) string{"Fold": normalize.Fold, "Name": normalize.Name, "Project": normalize.Project} {
			once := made(text)
			graphtest.Equal(t, made(once), once, name, text, "and of that")
			if name == "Fold" {
				continue
			}
			if strings.ContainsFunc(once, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) || strings.TrimSpace(once) != once {
				t.Errorf("%s of %q is %q", name, text, once)
			}
			runes := []rune(text)
			cut := min(max(at, 0), len(runes))
			spelled := " \t" + string(runes[:cut]) + hidden[uint(at)%uint(len(hidden))] + string(runes[cut:]) + "\n"
			graphtest.Equal(t, made(spelled), made(string(runes)), name, string(runes), spelled)
			if ascii := strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0; ascii && made(strings.ToUpper(text)) != once {
				t.Errorf("%s of %q and its capitals differ: %q, %q", name, text, once, made(strings.ToUpper(text)))
			}
		}
	})
}
