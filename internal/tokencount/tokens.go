package tokencount

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// words are the tokens of words that were counted. What is fitted says the same words again and again, and to count them is
// most of the work.
type words map[string]int

// tokens counts a text by its words: no token goes on from a letter to what is none, so none is in two of them.
func (w words) tokens(text string) int {
	n, from, letter := 0, 0, false
	for i, r := range text {
		is := unicode.IsLetter(r)
		if letter && !is {
			n += w.one(text[from:i])
			from = i
		}
		letter = is
	}
	return n + w.one(text[from:])
}

// maxWordLength in bytes that is counted whole: what a word costs to count grows with the square of its length. The pieces of a longer one have
// a few tokens more than itself.
const maxWordLength = 128

func (w words) one(word string) int {
	if len(word) > maxWordLength {
		n := 0
		for len(word) > maxWordLength {
			end := maxWordLength
			for end > maxWordLength-utf8.UTFMax && !utf8.RuneStart(word[end]) { // a character is in one piece, or would not be counted
				end--
			}
			n += Tokens(word[:end])
			word = word[end:]
		}
		return n + Tokens(word)
	}
	n, known := w[word]
	if !known {
		n = Tokens(word)
		w[strings.Clone(word)] = n // and not all of the text
	}
	return n
}

// Tokens counts a text by cl100k_base. Where more than 4096 bytes have no blank, letter or digit among them, it says slightly more.
func Tokens(text string) int { return base().count(text) }

// Counter counts tokens as Tokens does, sooner where the same words come again. It is for one goroutine at a time.
type Counter struct{ words words }

const maxWords = 50_000 // that a counter remembers

// NewCounter gives a counter that has seen no words yet.
func NewCounter() *Counter { return &Counter{words: words{}} }

// Tokens counts a text by cl100k_base. Words of more than 128 bytes are counted in pieces, as slightly more than they are.
func (c *Counter) Tokens(text string) int {
	if len(c.words) > maxWords {
		clear(c.words)
	}
	return c.words.tokens(text)
}
