package spelling_test

import (
	"strconv"
	"strings"
	"testing"
	"unicode"

	"nomograph/internal/golden"
	"nomograph/internal/spelling"
)

func TestName_Spellings_AreEqual(t *testing.T) {
	for _, row := range golden.Rows(t, "testdata/names.txt") {
		if written, want := unquoted(row[0]), unquoted(row[1]); spelling.Name(written) != want {
			t.Errorf("%q: %q, want %q", written, spelling.Name(written), want)
		}
	}
}

// unquoted reads a text of a test file, which is in quotation marks if it has blanks or invisible characters.
func unquoted(text string) string {
	if value, err := strconv.Unquote(text); err == nil {
		return value
	}
	return text
}

func TestProject_AddressSpellings_AreEqual(t *testing.T) {
	for _, row := range golden.Rows(t, "testdata/projects.txt") {
		if written, want := unquoted(row[0]), unquoted(row[1]); spelling.Project(written) != want {
			t.Errorf("%q: %q, want %q", written, spelling.Project(written), want)
		}
	}
	if forms := spelling.Forms("https://my.host/A/b"); strings.Join(forms, " ") != "https://my.host/a/b a/b" {
		t.Error(forms)
	}
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
			if again := made(once); again != once {
				t.Errorf("%s of %q is %q, and of that %q", name, text, once, again)
			}
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
