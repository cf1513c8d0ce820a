package search

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

const (
	maxTerms      = 64     // of a question
	maxClauses    = 300    // of a question: Lucene allows 1,024, and each term stands in three fields
	maxText       = 24_000 // bytes of a question: about 8,000 tokens
	maxTermLength = 100    // bytes
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
		if at, ok := place[word]; ok {
			found[at].count += times
		} else if many := clausesOf(word); word != "" && len(word) <= maxTermLength && !stopWords[word] && len(found) < maxTerms && clauses+many <= maxClauses {
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

// LuceneQuery is a Lucene query for any word of the texts in any of the fields; "" where full text can find none of them.
func LuceneQuery(texts []string, fields ...string) string {
	found := terms(strings.Join(texts, "\n"))
	if len(found) == 0 {
		return ""
	}
	return fullText(found, "", fields...)
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

// cut shortens a question to what is searched for.
func cut(text string) string { return firstOf(text, maxText) }

// fullText is the Lucene query for any of the terms in any of the fields, under the clauses of a filter. What a long question says again and
// again is what it is about, so a term counts by the square root of how often it is there. A word of the decision counts more
// than one of the context by itself, since BM25 takes a field's length into account; measured, no other weights are better.
func fullText(terms []term, clauses string, fields ...string) string {
	words := make([]string, len(terms))
	for i, t := range terms {
		words[i] = t.word
		if t.count > 1 {
			words[i] = fmt.Sprintf("%s^%.2f", t.word, math.Sqrt(float64(t.count)))
		}
	}
	of := make([]string, len(fields))
	for i, field := range fields {
		of[i] = field + ":(" + strings.Join(words, " ") + ")"
	}
	return strings.TrimSpace("+(" + strings.Join(of, " ") + ") " + clauses)
}
