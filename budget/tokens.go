package budget

import (
	"sync"
	"unicode"

	"github.com/tiktoken-go/tokenizer/codec"
)

// vocabulary is read when something is counted first, which takes 17 ms.
var vocabulary = sync.OnceValue(codec.NewCl100kBase)

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

func (w words) one(word string) int {
	n, known := w[word]
	if !known {
		n = Tokens(word)
		w[word] = n
	}
	return n
}

// Tokens counts a text by cl100k_base.
func Tokens(text string) int {
	n, err := vocabulary().Count(text)
	if err != nil { // its pattern did not match in time; a token has a byte at least
		return len(text)
	}
	return n
}
