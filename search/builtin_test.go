package search

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"nomograph/graph/graphtest"
)

func embedOne(t testing.TB, text string) []float32 {
	t.Helper()
	vectors := graphtest.Must(Builtin().Embed(t.Context(), []string{text}))(t)
	return vectors[0]
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestBuiltinEmbedder_RelatedTexts_AreNear(t *testing.T) {
	store := embedOne(t, "use postgres for storage")
	if len(store) != 256 || math.Abs(dot(store, store)-1) > 1e-5 {
		t.Fatalf("%d dimensions, length² %v", len(store), dot(store, store))
	}
	near, far := dot(store, embedOne(t, "persist data in a database")), dot(store, embedOne(t, "paint the door green"))
	if near <= far+0.1 {
		t.Errorf("storage is as near to a database (%.3f) as to a green door (%.3f)", near, far)
	}
	graphtest.Equal(t, store, embedOne(t, "  Use POSTGRES\tfor\n storage "), "case or blanks change the vector")
	graphtest.Equal(t, embedOne(t, "café"), embedOne(t, "cafe\u0301"), "two ways to write one accent differ")
	for _, empty := range []string{"", " \n\t", "\x00\u200b", strings.Repeat("x", 101)} {
		if v := embedOne(t, empty); v != nil {
			t.Errorf("%q has a vector", empty)
		}
	}
}

func TestBuiltin_WordPieces_MatchTheVocabulary(t *testing.T) {
	v := newVocabulary(strings.Join([]string{"un", "##aff", "##able", "aff", "$", "5", "中", "##", "e"}, "\n"))
	for text, want := range map[string][]int32{
		"unaffable":    {0, 1, 2},
		"UN un":        {0, 0},
		"unaffabl":     nil, // "aff" is a piece but "abl" is not, so the word has no tokens
		"$5 中中":        {4, 5, 6, 6},
		"é":            {8},
		"un\u00adaff":  {0, 1}, // a soft hyphen is ignored
		"##":           nil,
		"":             nil,
		"able":         nil,
		"aff\u00a0aff": {3, 3},
	} {
		graphtest.Equal(t, fmt.Sprint(v.tokens(text)), fmt.Sprint(want), text)
	}
}

func FuzzWordPieces(f *testing.F) {
	for _, seed := range []string{"use postgres", "\xff\xfe", "日本語 text", "a\u0301\u0301", strings.Repeat("##", 99),
		"\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := table().words
		for _, row := range v.tokens(text) {
			if row < 0 || int(row) >= len(table().scales)/scaleBytes {
				t.Fatalf("row %d", row)
			}
		}
		for _, word := range bertWords(text) {
			if word == "" || !utf8.ValidString(word) {
				t.Fatalf("the word %q", word)
			}
		}
		vector := table().embed(text)
		if vector != nil && math.Abs(dot(vector, vector)-1) > 1e-4 {
			t.Fatalf("length² %v", dot(vector, vector))
		}
	})
}

func BenchmarkBuiltin(b *testing.B) {
	text := strings.Repeat("we keep decisions in one graph because people ", 8)
	table()
	for b.Loop() {
		table().embed(text)
	}
}
