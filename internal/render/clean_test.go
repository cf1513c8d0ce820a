package render_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"nomograph/internal/golden"
	"nomograph/internal/render"
)

func TestClean_HiddenCharacters_AreRemoved(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b[31mred\x1b[0m \u009b1mbold":                                "red bold",
		"\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\":           "link",
		"\x1b]52;c;cm0gLXJm\x07copied":                                   "copied",
		"\x1b]0;title without an end":                                    "0;title without an end",
		"\x1bP1$r\x1b\\dcs \x1b_apc\x1b\\\u009dosc\u009c":                "dcs ",
		"\x1bcreset \x1b(Bset \x1b":                                      "reset set ",
		"\x1b\x1b[31m[31mnested":                                         "[31mnested",
		"one\r\ntwo\rthree\vfour\ffive\u0085six\u2028seven\u2029eight":   "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight",
		"nul\x00bell\abs\bdel\x7fc1\u0080\u009f":                         "nulbellbsdelc1",
		"\u202eevil\u202c \u2066a\u2069\u2067b\u2068 \u200e\u200f\u061c": "evil ab ",
		"zero\u200bwidth\u2060\ufeff in\u00advisible\u180e\u3164\uffa0":  "zerowidth invisible",
		"ig\u200cnore\u200d":                                             "ignore",
		"tags\U000e0001\U000e0049\U000e0067\U000e007f":                   "tags",
		"🏴\U000e0067\U000e0062\U000e0061\U000e0062\U000e007f":            "🏴",
		"a\ufe0fb\U000e0100c 😀\ufe0f\ufe0f\ufe01":                        "abc 😀\ufe0f",
		"bad \xff\xc3utf8 \ufdd0\U0001fffe":                              "bad utf8 ",
	} {
		golden.Equal(t, text, render.Clean(text), want)
	}
}

var legitimate = []string{
	"plain text,\n\tcode := `x < y && z`\n```go\nfunc main() {}\n```\n> quoted\n",
	"Häuser, naïve, e\u0301, żółć, 日本語のデータ, 한국어, ไทย",
	"مرحبا بالعالم", "שלום עולם (C++) 123", "می\u200cخواهم خانه\u200cی بزرگ", "क्\u200dष र्\u200d", "ന്\u200d ",
	"👩\u200d💻 👨\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈 ❤\ufe0f 1\ufe0f\u20e3 ☎\ufe0e ℹ\ufe0f 👍🏽 🇩🇪",
	"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
	"葛\U000e0100城市 ᠠ\u180b", "\u0600١٢", "≨\ufe00", "\ue0a0 private use",
}

func TestClean_LegitimateText_StaysUnchanged(t *testing.T) {
	for _, text := range legitimate {
		golden.Equal(t, text, render.Clean(text), text)
	}
}

func FuzzClean(f *testing.F) {
	for _, text := range legitimate {
		f.Add(text)
	}
	f.Add("\x1b]8;;x\x1b\\\x1b\x1b[31m[31m\r\x00\n\u202e\u009d\xff🏴\U000e0067\u200d\ufe0f")
	f.Fuzz(func(t *testing.T, text string) {
		got := render.Clean(text)
		switch {
		case len(got) > len(text):
			t.Errorf("%q is cleaned to %q, which is longer", text, got)
		case !utf8.ValidString(got):
			t.Errorf("%q is cleaned to %q, which is not UTF-8", text, got)
		case render.Clean(got) != got:
			t.Errorf("%q is cleaned to %q, and then to %q", text, got, render.Clean(got))
		case strings.ContainsFunc(got, func(r rune) bool {
			return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
		}):
			t.Errorf("%q becomes %q", text, got)
		}
	})
}

func TestCleaned_EveryText_IsCleanedInACopy(t *testing.T) {
	type inner struct{ Text string }
	type kind string
	type value struct {
		inner
		Kind    kind
		Pointer *inner
		List    []inner
		Any     any
		Map     map[string]any
		JSON    json.RawMessage
		Bytes   []byte
		Exact   string `recorded:"exact"`
		At      time.Time
		own     string
	}
	const dirty, cleaned = "a\u202eb", "ab"
	made := func(text, exact string) *value {
		return &value{inner{text}, kind(text), &inner{text}, []inner{{"x"}, {text}}, []string{text},
			map[string]any{text: []any{text, 1, nil}, "z": nil},
			json.RawMessage(`{"` + text + `":[12345678901234567890,"` + text + `"]}`), []byte(exact), exact,
			time.Unix(1, 0), exact}
	}
	all := cmp.AllowUnexported(value{}, inner{})
	original := made(dirty, dirty)
	if diff := cmp.Diff(made(cleaned, dirty), render.CleanValue(original), all); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(made(dirty, dirty), original, all); diff != "" {
		t.Errorf("the original changed: %s", diff)
	}
	clean := made(cleaned, cleaned)
	golden.Equal(t, "a value without hidden characters", render.CleanValue(clean), any(clean))
	if render.CleanValue(nil) != nil {
		t.Error("nil does not stay nil")
	}
}

func TestCleaned_ListsThatJSONShows_AreNeverNull(t *testing.T) {
	type item struct {
		Rules []string `json:"rules"`
	}
	type answer struct {
		item
		Items   []item   `json:"items"`
		Counts  []int    `json:"counts"`
		LeftOut []string `json:"left_out,omitempty"`
		Own     []string `json:"-"`
	}
	got := render.CleanValue(answer{Items: []item{{}}}).(answer)
	if got.Rules == nil || got.Counts == nil || got.Items[0].Rules == nil || got.LeftOut != nil || got.Own != nil {
		t.Errorf("got %#v, want empty rules, and nil in place of what JSON leaves out", got)
	}
}
