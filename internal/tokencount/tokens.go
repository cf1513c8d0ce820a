package tokencount

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// words caches token counts of words, because answers repeat words and counting dominates the cost.
type words map[string]int

// tokens counts a text word by word. No token continues from a letter to a non-letter, so words are independent.
func (w words) tokens(text string) int {
	n, from, letter := 0, 0, false
	for i, r := range text {
		is := unicode.IsLetter(r)
		if letter && !is {
			n += w.countWord(text[from:i])
			from = i
		}
		letter = is
	}
	return n + w.countWord(text[from:])
}

// maxWordLength is the maximum length in bytes of a word that is counted as a whole, because the cost is quadratic.
// Counting longer words in parts yields slightly more tokens.
const maxWordLength = 128

func (w words) countWord(word string) int {
	if len(word) > maxWordLength {
		n := 0
		for len(word) > maxWordLength {
			end := maxWordLength
			for end > maxWordLength-utf8.UTFMax && !utf8.RuneStart(word[end]) { // do not split a character
				end--
			}
			n += Tokens(word[:end])
			word = word[end:]
		}
		return n + Tokens(word)
	}
	n, ok := w[word]
	if !ok {
		n = Tokens(word)
		w[strings.Clone(word)] = n // so that the cache does not keep the whole text in memory
	}
	return n
}

// Tokens counts a text in cl100k_base tokens. For runs of more than 4096 bytes without white space, letters and digits,
// the result is slightly too high.
func Tokens(text string) int { return base().count(text) }

// Counter counts like Tokens, but faster for repeated words. It is not safe for concurrent use.
type Counter struct{ words words }

const maxWords = 50_000 // maximum number of cached words

// NewCounter returns an empty counter.
func NewCounter() *Counter { return &Counter{words: words{}} }

// Tokens counts a text in cl100k_base tokens. Words of more than 128 bytes are counted in parts, which is slightly
// more.
func (c *Counter) Tokens(text string) int {
	if len(c.words) > maxWords {
		clear(c.words)
	}
	return c.words.tokens(text)
}
