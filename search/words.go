package search

import (
	_ "embed"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/kljensen/snowball/english"

	"nomograph/internal/pattern"
)

// The list has words that form questions and requests. They say nothing about the subject. A text that shares only
// these words with a question does not match it. The file has them by language; stopWords are not repeated there.
//
//go:embed questionwords.txt
var questionWordList string

var englishList, foreignList, _ = strings.Cut(questionWordList, "\nde: ") // English stands first

var englishWords, foreignWords = pattern.Words{Text: englishList}, pattern.Words{Text: foreignList}

// isForeign reports whether a question is probably in a language that the embedder does not know: by its letters, by
// its question words beside unknown ones, or since the embedder knows none of its words.
func isForeign(question string) bool {
	subject, unknown, beyondASCII, english, foreign := 0, 0, 0, 0, 0
	for word := range Words(question) {
		en, other := englishWords.Has(word) || stopWords.Has(word), foreignWords.Has(word)
		switch {
		case en && !other:
			english++
		case other && !en:
			foreign++
		}
		if IsQuestionWord(word) {
			continue
		}
		if subject++; inflected(word) {
			unknown++
		}
		if strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
			beyondASCII++
		}
	}
	return subject > 0 && (2*beyondASCII > subject || 2*unknown >= subject && foreign > english || english == 0 &&
		unknown == subject)
}

// IsQuestionWord reports whether a word in lower case belongs to the wording of a question and not to its subject:
// question words, pronouns, auxiliary verbs, stop words and hiragana, which is mostly endings.
func IsQuestionWord(word string) bool {
	return englishWords.Has(word) || foreignWords.Has(word) || stopWords.Has(word) ||
		!strings.ContainsFunc(word, func(r rune) bool { return !unicode.Is(unicode.Hiragana, r) })
}

// unspaced are scripts whose words are compared by pairs of adjacent characters: they have no spaces between words, or
// attach particles to them.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai,
	unicode.Lao, unicode.Khmer, unicode.Myanmar}

const spaced = -1

// scriptOf returns the index in unspaced of a character's script, spaced for other letters and digits, and false for
// characters that belong to no word. Marks and the long vowel sign continue the script before them.
func scriptOf(r rune, before int) (script int, ok bool) {
	switch {
	case r < utf8.RuneSelf:
		return spaced, 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	case !unicode.In(r, unicode.L, unicode.M, unicode.Nd):
		return spaced, false
	case r == 'ー' || unicode.Is(unicode.M, r):
		return before, true
	}
	for i, table := range unspaced {
		if unicode.Is(table, r) {
			return i, true
		}
	}
	return spaced, true
}

// wordsAt yields the words of a text in lower case with their byte offsets: sequences of letters and digits, and for
// the scripts of unspaced each pair of adjacent characters.
func wordsAt(text string) iter.Seq2[[2]int, string] {
	return func(yield func([2]int, string) bool) {
		from, script := -1, spaced // start and script of the current sequence
		end := func(to int) bool {
			start := from
			if from = -1; start < 0 {
				return true
			}
			if script == spaced {
				return yield([2]int{start, to}, strings.ToLower(text[start:to]))
			}
			for at := start; ; {
				_, first := utf8.DecodeRuneInString(text[at:to])
				_, second := utf8.DecodeRuneInString(text[at+first : to])
				if at > start && second == 0 { // the last character is in the pair before
					return true
				}
				if !yield([2]int{at, at + first + second}, text[at:at+first+second]) {
					return false
				}
				at += first
			}
		}
		for at, r := range text {
			its, ok := scriptOf(r, script)
			if (!ok || its != script) && !end(at) {
				return
			}
			if ok && from < 0 {
				from, script = at, its
			}
		}
		end(len(text))
	}
}

// isPair reports whether a word of wordsAt is a pair of characters.
func isPair(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	script, _ := scriptOf(first, spaced)
	return script != spaced
}

// IsStopWord reports whether the full-text index leaves a word in lower case out.
func IsStopWord(word string) bool { return stopWords.Has(word) }

// Words yields the words of wordsAt.
func Words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, word := range wordsAt(text) {
			if !yield(word) {
				return
			}
		}
	}
}

const (
	maxStemmedLength = 40     // bytes; longer words are not stemmed
	maxStems         = 20_000 // cached stems: about 3 MB
)

// stems caches the stems of words, because texts repeat words and a stem takes a microsecond.
var stems, _ = lru.New[string, string](maxStems) // the size is positive

// Stem returns the English stem of a word.
func Stem(word string) string {
	if len(word) > maxStemmedLength {
		return word
	}
	its, ok := stems.Get(word)
	if !ok {
		its = english.Stem(word, true)
		stems.Add(strings.Clone(word), its) // a part of a text would keep all of it in memory
	}
	return its
}
