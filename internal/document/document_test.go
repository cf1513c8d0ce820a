package document

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

func billionLaughs() string {
	var b strings.Builder
	b.WriteString("a: &a [x, x, x, x, x, x, x, x, x, x]\n")
	for c := 'b'; c <= 'j'; c++ {
		b.WriteString(string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+", ", 9) + "*" +
			string(c-1) + "]\n")
	}
	return b.String()
}

// TestYAML_HostileText_IsRefused: the limits must refuse a text before the time limit, which is long here for busy
// machines.
func TestYAML_HostileText_IsRefused(t *testing.T) {
	t.Parallel()
	const size = 300_000
	for name, text := range map[string]string{
		"billion laughs": billionLaughs(),
		"blanks and :":   strings.Repeat(": ", size/2),
		"lines of :":     strings.Repeat(":\n", size/2),
		"colons":         strings.Repeat(":", size),
		"brackets":       strings.Repeat("[", size),
		"braces":         strings.Repeat("{a: ", size/4),
		"dashes":         strings.Repeat("- ", size/2),
		"questions":      strings.Repeat("? ", size/2),
		"commas":         "[" + strings.Repeat("a,", size/2-1),
		"empty lists":    "[" + strings.Repeat("[],", size-1) + "]",
		"anchors":        strings.Repeat("&a ", size/3),
		"aliases":        "a: &a x\nb: [" + strings.Repeat("*a,", size/4) + "]",
		"documents":      strings.Repeat("---\n", size/4),
		"one key":        strings.Repeat("a: b\n", size/5),
		"quotes":         strings.Repeat(`"`, size),
		"comments":       strings.Repeat("a: 1 # c\n", size/10),
		"circle":         "a: &a [*a]",
		"too long":       strings.Repeat("x", DefaultBytes+1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			_, err := parse(ctx, text, DefaultLimits())
			var refusal *Error
			if !errors.As(err, &refusal) {
				t.Errorf("got %v, want an *Error", err)
			}
		})
	}
}

func TestYAML_Scalar_IsNumberOnlyAsDecimal(t *testing.T) {
	for text, want := range map[string]any{
		"0": int64(0), "10": int64(10), "9223372036854775807": int64(9223372036854775807),
		"-9223372036854775808": int64(-9223372036854775808),
		"0.5":                  0.5, "-.5": -0.5, "1.0": 1.0, "1.5e3": 1500.0, "1e-05": 0.00001, "1e+06": 1e6,
		".inf":                math.Inf(1),
		"9223372036854775808": uint64(9223372036854775808),
		"010":                 "010", "09": "09", "0x1F": "0x1F", "0o17": "0o17", "0b11": "0b11", "1_000": "1_000",
		"+5": "+5", "5.": "5.", "1e5": "1e5", "61e9540": "61e9540", "9509425349e4": "9509425349e4",
		"12:30": "12:30", "1.2.3": "1.2.3", "2026-01-31": "2026-01-31", "true": true, "~": nil, "!!int 0x1F": int64(31),
		`"5"`: "5",
	} {
		root, err := YAML(context.Background(), "a: "+text, DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		golden.Equal(t, text, root.Value().(map[string]any)["a"], want)
	}
}

func TestRead_CanceledCall_Stops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := YAML(ctx, "a: b", DefaultLimits()); !apperr.Is(err, apperr.Unavailable) {
		t.Error(err)
	}
	if err := JSON(ctx, []byte("["+strings.Repeat("1,", checkEvery)+"1]"), DefaultLimits()); !apperr.Is(err,
		apperr.Unavailable) {
		t.Error(err)
	}
}

func TestRead_DuplicateKey_NamesThePosition(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb: {c: 1, d: 2, c: 3}\na: 2\n": "line 2, column 17: the key \"c\" already exists, at line 2, column 5\nline 3, column 1: the key \"a\" already exists, at line 1, column 1",
		"a: 1\n\"a\": 2\n":                    "line 2, column 1: the key \"a\" already exists, at line 1, column 1",
	} {
		if _, err := YAML(context.Background(), text, DefaultLimits()); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want an error, error=%v", text, err, want)
		}
	}
	for text, path := range map[string][]string{
		`{"a": 1, "b": [{}, {"c": 1, "\u0063": 2}]}`: {"b", "1", "c"},
		`{"a": {"a": 1}, "b": [], "a": 2}`:           {"a"},
	} {
		var refusal *Error
		if err := JSON(context.Background(), []byte(text), DefaultLimits()); !errors.As(err, &refusal) ||
			!reflect.DeepEqual(refusal.Problems[0].Path, path) {
			t.Errorf("%s: got %v, want errors.As(err, &refusal)=true, Path=%v", text, err, path)
		}
	}
	for _, text := range []string{`{"a": {"b": 1}, "b": {"b": [1, {"a": 1}, {"a": 2}]}}`, `"x"`, `[[], {}]`} {
		if err := JSON(context.Background(), []byte(text), DefaultLimits()); err != nil {
			t.Errorf("%s: got %v, want no error", text, err)
		}
	}
}

// TestJSON_Escapes_AreText: parsers would store U+FFFD instead of half of a pair.
func TestJSON_Escapes_AreText(t *testing.T) {
	for text, refused := range map[string]string{
		`"caf\u00e9"`: "", `"\ud83d\ude00"`: "", `"\uD83D\uDE00\n\""`: "", `"\\ud800"`: "", `"\\\\ud800\ufffd"`: "",
		`"\ufffd"`: "", `"�"`: "", `{"\u0061": 1}`: "",
		`"\ud800"`: `\ud800`, `"x\ud800 y"`: `\ud800`, `"\udc00\ud800"`: `\udc00`, `"\ud83d\ud83d\ude00"`: `\ud83d`,
		`"\ud83d\ude00\ude00"`: `\ude00`, `"\ud83d\\ude00"`: `\ud83d`, `"\\\udfff"`: `\udfff`,
		`"a\ud83"`:                      "", // other syntax errors are left to the parser
		`{"a": {"b": ["c", "\uDBFF"]}}`: `\uDBFF`, `{"\ud800": 1}`: `\ud800`, `"a\u0000b"`: "",
	} {
		err := JSON(context.Background(), []byte(text), DefaultLimits())
		var problem *Error
		if escape := errors.As(err, &problem) && strings.Contains(problem.Problems[0].Message,
			"is half of"); escape != (refused != "") || refused != "" &&
			!strings.Contains(err.Error(), refused+" is half of") {
			t.Errorf("%s: got %v, want an error about %q", text, err, refused)
		}
	}
}

func TestRead_LargeJSON_IsRefused(t *testing.T) {
	l := Limits{Bytes: 100, Depth: 3, Nodes: 10}
	for _, text := range []string{`[[[[]]]]`, `[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1]`, `"` +
		strings.Repeat("x", 100) + `"`, `{"a": [}`, `[1`, ``} {
		var refusal *Error
		if err := JSON(context.Background(), []byte(text), l); !errors.As(err, &refusal) {
			t.Errorf("%s: got %v, want errors.As(err, &refusal)=true", text, err)
		}
	}
}

func TestRead_Values_FollowYAML(t *testing.T) {
	root, err := YAML(context.Background(), `
base: &base {a: 1, b: two}
more: {<<: *base, b: 2.0, c: [true, ~, -3, 18446744073709551615]}
date: 2026-01-31
1: "1"
yes: no
text: |
  one
  two
again: *base
`, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	base := map[string]any{"a": int64(1), "b": "two"}
	want := map[string]any{"base": base, "more": map[string]any{"a": int64(1), "b": 2.0,
		"c": []any{true, nil, int64(-3), uint64(18446744073709551615)}},
		"date": "2026-01-31", "1": "1", "yes": "no", "text": "one\ntwo\n", "again": base}
	if got := root.Value(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %v", got, want)
	}
	for path, at := range map[string]Position{"more.c.2": {3, 40}, "more.b": {3, 19}, "text": {7, 1},
		"more.nothing": {3, 19}} {
		golden.Equal(t, path, root.At(strings.Split(path, ".")...), at)
	}
	for _, text := range []string{"", "# only this\n", "---\n"} {
		if root, err := YAML(context.Background(), text, DefaultLimits()); root != nil || err != nil {
			t.Errorf("%q: got %v, %v, want nil", text, root, err)
		}
	}
}
