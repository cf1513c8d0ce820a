package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	longestWord  = 100 // runes; BERT's limit, beyond which a word has no tokens
	continuation = "##"
)

// vocabulary gives the rows of the pieces that begin a word, and of those that go on with one, without their "##".
type vocabulary struct {
	begins, goesOn map[string]int32
	longest        int // bytes of the longest piece
}

func newVocabulary(words []string) *vocabulary {
	v := &vocabulary{begins: make(map[string]int32, len(words)), goesOn: map[string]int32{}}
	for row, word := range words {
		piece, inner := strings.CutPrefix(word, continuation)
		if inner && piece != "" {
			v.goesOn[piece] = int32(row)
		} else {
			v.begins[word] = int32(row)
		}
		v.longest = max(v.longest, len(word))
	}
	return v
}

// tokens gives the rows of text's WordPiece tokens, as BERT's uncased tokenizer cuts them. A word that cannot be put
// together from pieces gives none.
func (v *vocabulary) tokens(text string) []int32 {
	var rows []int32
	for _, word := range bertWords(text) {
		rows = v.split(rows, word)
	}
	return rows
}

// split appends the longest pieces that make up word, from its left, or nothing.
func (v *vocabulary) split(rows []int32, word string) []int32 {
	if utf8.RuneCountInString(word) > longestWord {
		return rows
	}
	start, pieces := len(rows), v.begins
	for word != "" {
		end := min(len(word), v.longest)
		row, found := pieces[word[:end]]
		for !found && end > 1 {
			end--
			row, found = pieces[word[:end]]
		}
		if !found {
			return rows[:start]
		}
		rows, word, pieces = append(rows, row), word[end:], v.goesOn
	}
	return rows
}

// bertWords normalises text (no control characters, no accents, lower case) and splits it at blanks; punctuation marks
// and CJK characters are words of their own.
func bertWords(text string) []string {
	var words []string
	var word []byte
	flush := func() {
		if len(word) > 0 {
			words, word = append(words, string(word)), word[:0]
		}
	}
	for _, r := range norm.NFD.String(text) {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || unicode.Is(unicode.Zs, r):
			flush()
		case r == 0 || r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Mn):
		case punctuation(r) || ideograph(r):
			flush()
			words = append(words, string(r))
		default:
			word = utf8.AppendRune(word, unicode.ToLower(r))
		}
	}
	flush()
	return words
}

// punctuation counts symbols of ASCII such as $ and + as well, as BERT does.
func punctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r != 0x7f && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return unicode.IsPunct(r)
}

// ideograph tells the CJK blocks that BERT separates; Hangul and kana are words like any other.
func ideograph(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2CEAF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}
