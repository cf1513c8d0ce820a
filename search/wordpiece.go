package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxWordLength = 100 // runes; like BERT, longer words have no tokens
	continuation  = "##"
)

// vocabulary maps WordPiece tokens to table rows. Continuation pieces are stored without "##".
type vocabulary struct {
	words, inner map[string]int32
	maxLength    int // bytes of the longest piece
}

// newVocabulary reads a vocabulary with one piece per line.
func newVocabulary(text string) *vocabulary {
	v := &vocabulary{words: map[string]int32{}, inner: map[string]int32{}}
	row := int32(0)
	for word := range strings.SplitSeq(text, "\n") {
		v.maxLength = max(v.maxLength, len(word))
		if piece, inner := strings.CutPrefix(word, continuation); inner && piece != "" {
			v.inner[piece] = row
		} else {
			v.words[word] = row
		}
		row++
	}
	return v
}

// row returns the row of a piece, if it exists.
func (v *vocabulary) row(piece string, inner bool) (row int32, found bool) {
	if inner {
		row, found = v.inner[piece]
	} else {
		row, found = v.words[piece]
	}
	return row, found
}

// tokens returns the rows of a text's WordPiece tokens, as BERT's uncased tokenizer splits it. Words that cannot be
// split into pieces are omitted.
func (v *vocabulary) tokens(text string) []int32 {
	var rows []int32
	for _, word := range bertWords(text) {
		rows = v.split(rows, word)
	}
	return rows
}

// split appends the rows of a word by longest match from the left, or nothing.
func (v *vocabulary) split(rows []int32, word string) []int32 {
	if utf8.RuneCountInString(word) > maxWordLength {
		return rows
	}
	start, inner := len(rows), false
	for word != "" {
		end := min(len(word), v.maxLength)
		row, found := v.row(word[:end], inner)
		for !found && end > 1 {
			end--
			row, found = v.row(word[:end], inner)
		}
		if !found {
			return rows[:start]
		}
		rows, word, inner = append(rows, row), word[end:], true
	}
	return rows
}

// bertWords normalizes a text (no control characters, no accents, lower case) and splits it at white space. Punctuation
// marks and CJK characters are separate words.
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

// punctuation also includes ASCII symbols such as $ and +, as BERT does.
func punctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r != 0x7f && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return unicode.IsPunct(r)
}

// ideograph reports whether a rune is in the CJK blocks that BERT separates. Hangul and kana are ordinary letters.
func ideograph(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2CEAF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}
