package search

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mostTerms   = 64     // of a question
	mostClauses = 300    // of a question: Lucene allows 1,024, and each term stands in three fields
	mostText    = 24_000 // bytes of a text that are embedded or searched: about 8,000 tokens
	longestTerm = 100    // bytes
)

// stopWords are those that the english analyzer drops.
var stopWords = wordSet(`a an and are as at be but by for if in into is it no not of on or such that the their then there
	these they this to was will with`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// term is a word to search for, and how often the question has it.
type term struct {
	word  string
	count int
}

// terms gives the first words of text that full text can find, each once, in lower case. They hold letters, digits and,
// between these, the marks that the analyzer does not split at, so no operator of Lucene's gets through. A word with such
// marks comes with its parts: for node.js also node and js.
func terms(text string) []term {
	var found []term
	place, clauses := map[string]int{}, 0
	add := func(word string, times int) {
		if at, had := place[word]; had {
			found[at].count += times
		} else if many := clausesOf(word); word != "" && len(word) <= longestTerm && !stopWords[word] && len(found) < mostTerms && clauses+many <= mostClauses {
			place[word] = len(found)
			found, clauses = append(found, term{word, 1}), clauses+many
		}
	}
	letter := func(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.Nd) }
	joint := func(r rune) bool { return r == '.' || r == '_' || r == '\'' || r == '’' }
	for word := range strings.FieldsFuncSeq(cut(text), func(r rune) bool { return !letter(r) && !joint(r) }) {
		word = strings.ToLower(strings.TrimFunc(word, joint))
		word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s") // as the analyzer does
		add(word, 1)
		if strings.ContainsFunc(word, joint) {
			for part := range strings.FieldsFuncSeq(word, joint) {
				add(part, 0) // what a link to a file repeats is not said twice
			}
		}
	}
	return found
}

// clausesOf says how many clauses the analyzer makes of a word: one, or one for each character of a script without blanks.
func clausesOf(word string) int {
	alone := 0
	for _, r := range word {
		if unicode.In(r, unicode.Han, unicode.Hiragana) {
			alone++
		}
	}
	return max(alone, 1)
}

// cut shortens text to mostText bytes at the border of a character, and drops what is no UTF-8.
func cut(text string) string {
	if len(text) > mostText {
		end := mostText
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	return strings.ToValidUTF8(text, " ")
}

// What a word counts by where it stands, beside one in the context: a decision is about what it says itself, and the terms
// hold much that many decisions share.
const (
	decisionBoost = 2.0
	termsBoost    = 0.5
)

// fullText is the Lucene query for any of the terms, under the clauses of a filter. What a long question says again and
// again is what it is about, so a term counts by the square root of how often it is there.
func fullText(terms []term, clauses string) string {
	words := make([]string, len(terms))
	for i, t := range terms {
		words[i] = t.word
		if t.count > 1 {
			words[i] = fmt.Sprintf("%s^%.2f", t.word, math.Sqrt(float64(t.count)))
		}
	}
	return strings.TrimSpace(fmt.Sprintf("+(decision:(%s)^%g context:(%[1]s) terms:(%[1]s)^%[3]g) %[4]s", strings.Join(words, " "), decisionBoost, termsBoost, clauses))
}
