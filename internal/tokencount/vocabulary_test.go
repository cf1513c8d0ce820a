package tokencount

import (
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"

	"nomograph/graph/graphtest"
)

// TestVocabulary_File_HoldsTheTokensOfTheLibrary: UPDATE_GOLDEN=1 writes the file.
func TestVocabulary_File_HoldsTheTokensOfTheLibrary(t *testing.T) {
	library := codec.NewCl100kBase()
	var file strings.Builder
	for rank := uint(0); ; rank++ {
		token, err := library.Decode([]uint{rank})
		if err != nil {
			break
		}
		if len(token) > 255 {
			t.Fatalf("the token %d has %d bytes", rank, len(token))
		}
		file.WriteByte(byte(len(token)))
		file.WriteString(token)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		graphtest.OK(t, os.WriteFile("cl100k.bin", []byte(file.String()), 0o600))
		return
	}
	graphtest.Equal(t, file.String(), tokensOfBase, "cl100k.bin", "bytes and is not what the library", file.Len())
}

// blankBetweenLineEnds matches texts that the library splits too early: the pattern includes blanks up to the last
// line end.
var blankBetweenLineEnds = regexp.MustCompile(`[\r\n][\t\pZ\x{85}]+[\r\n]`)

func TestTokens_ManyTexts_MatchTheLibrary(t *testing.T) {
	library := codec.NewCl100kBase()
	parts := []string{"word", "Deployment", "naïve", "don't", "WE'LL", "'", "'s", " ", " ", "  ", "\n", "\r\n", "\t",
		"\u00a0", "\u2003", "12", "123456", "½", "٣", "->", "...", "!?", "世界", "안녕", "👩‍🚀", "é", "\u0301", "{\"a\": 1}",
		"snake_case",
		"CamelCase", "https://example.com/a?b=c", "\xff", "\x00", "ſ", "K", "\u200b", "\u0085", "\u1680",
		strings.Repeat("-", 90), strings.Repeat(" ", 30), "ǅ", "ⅷ"}
	draw := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		var b strings.Builder
		for range draw.IntN(12) {
			b.WriteString(parts[draw.IntN(len(parts))])
		}
		want := graphtest.Must(library.Count(b.String()))(t)
		if got := Tokens(b.String()); got != want && !blankBetweenLineEnds.MatchString(b.String()) {
			t.Fatalf("%q has %d tokens, want %d", b.String(), got, want)
		}
	}
}
