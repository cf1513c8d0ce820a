package spelling_test

import (
	"strings"
	"testing"
	"unicode"

	"nomograph/internal/golden"
	"nomograph/internal/spelling"
)

func TestName_Spellings_AreEqual(t *testing.T) {
	for written, want := range map[string]string{
		"git.push": "git.push", "git.push ": "git.push", "\tgit.push\r\n": "git.push", "git.push\u2028": "git.push", "Git.Push": "git.push", "git.pu\u200bsh": "git.push",
		"\ufeffgit.push": "git.push", "git.push\u0000": "git.push", "ｇｉｔ．ｐｕｓｈ": "git.push", "git\u2024push": "git.push", "git.pu\u00adsh": "git.push", "git.push\ufe0f": "git.push",
		"git.push\u3164": "git.push", "git.push\u2800": "git.push", "git.\u034fpush": "git.push", "𝐠𝐢𝐭.push": "git.push", "git.push\U000e0041": "git.push",
		"Straße": "strasse", "STRASSE": "strasse", "ﬁre": "fire", "K": "k", "e\u0301": "é", "É": "é", "  roll \u00a0 out ": "roll out", "": "", " \u200b\n": "", "İ": "i̇",
	} {
		golden.Equal(t, written, spelling.Name(written), want)
	}
}

func TestProject_AddressSpellings_AreEqual(t *testing.T) {
	for _, written := range []string{"a/b", " a/b", "a/b\n", "A/B", "a/b.git", "a/b.git/", "a//b", "a/b/", "/a/b", "./a/b", "a / b", `a\b`, "a/\u200bb", "ａ／ｂ", "a/x/../b",
		"https://host/a/b", "https://host/a/b.git", "http://host.example:8080/a/b/", "HTTPS://Host/A/B.GIT", "https://user:secret@host/a/b", "https://u@e:x@host/a/b", "ssh://git@host:22/a/b.git",
		"git+ssh://git@host/a/b", "git://host/a/b", "git@host:a/b.git", "git@host:/a/b", "host.example:a/b", "github.com/a/b", "www.github.com/a/b.git", "https://host/a%2fb", "https://host/%61/b",
		"https://host/a/b?tab=readme", "https://host/a/b#readme", "https://host/a/b/tree/main/x", "https://host/a/b/-/blob/main/x", "https://host/a/b/pull/7", "https://host/a/b?x", "https://host/a/b/?x", "https://host/a/b/compare/v1...v2", "https://host/a/b/releases/tag/v1", "host.example:8443/a/b.git", "https://host//a/b", "https://host/a/b.git.git"} {
		golden.Equal(t, written, spelling.Project(written), "a/b")
	}
	for written, want := range map[string]string{"": "", "shop": "shop", "*": "*", "acme/*": "acme/*", "https://host/acme/*": "acme/*", "a?/b": "a?/b", "c#/x": "c#/x", "https://gitlab.example/g/sub/r.git": "g/sub/r",
		"my notes": "my notes", "file:///home/x": "file:/home/x", "a:b": "a:b"} {
		golden.Equal(t, written, spelling.Project(written), want)
	}
	golden.Equal(t, "forms", strings.Join(spelling.Forms("https://my.host/A/b"), " "), "https://my.host/a/b a/b")
	if forms := spelling.Forms(" \u200b "); forms != nil {
		t.Error(forms)
	}
}

// FuzzSpelling checks what rules rely on: normalizing a name twice changes nothing more, and invisible characters, case and
// surrounding blanks do not change the result.
func FuzzSpelling(f *testing.F) {
	for _, seed := range []string{"git.push", "a/b", "https://host/a/b.git", "Straße ﬁ İ", "x\u200by", "git@host:a/b", "a\u0345\u0301", "\u0301\u0345", "\u1e9e", "h.c/a.b/c.d/e", `\\h\a\b`, "%25%32%66", "a/b.git/.git", "\xff"} {
		f.Add(seed, 1)
	}
	hidden := []string{"\u200b", "\u2060", "\ufeff", "\u00ad", "\ufe0f", "\u180e", "\U000e0061", "\x01"}
	f.Fuzz(func(t *testing.T, text string, at int) {
		if len(text) > 300 {
			return
		}
		for name, made := range map[string]func(string) string{"Fold": spelling.Fold, "Name": spelling.Name, "Project": spelling.Project} {
			once := made(text)
			golden.Equal(t, name+" of "+text, made(once), once)
			if name == "Fold" {
				continue
			}
			if strings.ContainsFunc(once, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) || strings.TrimSpace(once) != once {
				t.Errorf("%s of %q is %q", name, text, once)
			}
			runes := []rune(text)
			cut := min(max(at, 0), len(runes))
			spelled := " \t" + string(runes[:cut]) + hidden[uint(at)%uint(len(hidden))] + string(runes[cut:]) + "\n"
			if got := made(spelled); got != made(string(runes)) {
				t.Errorf("%s of %q is %q, of %q %q", name, string(runes), made(string(runes)), spelled, got)
			}
			if ascii := strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0; ascii && made(strings.ToUpper(text)) != once {
				t.Errorf("%s of %q and its capitals differ: %q, %q", name, text, once, made(strings.ToUpper(text)))
			}
		}
	})
}
