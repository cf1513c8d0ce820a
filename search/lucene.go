package search

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"

	"nomograph/internal/lists"
	"nomograph/internal/pattern"
)

const (
	maxTerms      = 64     // terms of a question
	maxClauses    = 300    // clauses of a question: Lucene allows 1,024, and each term occurs in three fields
	maxText       = 24_000 // bytes of a question, about 8,000 tokens
	maxTermLength = 100    // bytes
)

// stopWords are the stop words of Lucene's english analyzer.
var stopWords = pattern.Words{Text: `a an and are as at be but by for if in into is it no not of on or such that the their then there
	these they this to was will with`}

// term is a search word with its number of occurrences in the question.
type term struct {
	word  string
	count int
}

// joinsWord reports whether a mark inside a word is a part of it.
func joinsWord(r rune) bool { return r == '.' || r == '_' || r == '\'' || r == '’' }

// words visits the words of a text in lower case: letters, digits and inner marks.
func words(text string) iter.Seq[string] {
	letter := func(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.Nd) }
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(cut(text), func(r rune) bool { return !letter(r) && !joinsWord(r) }) {
			if !yield(strings.ToLower(strings.TrimFunc(word, joinsWord))) {
				return
			}
		}
	}
}

// terms returns the first words of a text that the full-text index can contain, in lower case, without duplicates.
// Words consist of letters, digits and inner marks at which the analyzer does not split, so they contain no Lucene
// operators. The parts of a word with such marks are added: for node.js also node and js.
func terms(text string) []term {
	var found []term
	place, clauses := map[string]int{}, 0
	add := func(word string, times int) {
		if at, ok := place[word]; ok {
			found[at].count += times
		} else if many := clausesOf(word); word != "" && len(word) <= maxTermLength && !stopWords.Has(word) &&
			len(found) < maxTerms && clauses+many <= maxClauses {
			place[word] = len(found)
			found, clauses = append(found, term{word, 1}), clauses+many
		}
	}
	for word := range words(text) {
		word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s") // like the analyzer
		add(word, 1)
		if strings.ContainsFunc(word, joinsWord) {
			for part := range strings.FieldsFuncSeq(word, joinsWord) {
				add(part, 0) // parts do not count as repetitions
			}
		}
	}
	return found
}

const (
	maxCompounded = 24 // words of a question whose compounds are searched
	minFirstPart  = 3  // bytes of the first part of a compound
)

// compounds returns the other spellings of a question's words: two adjacent words written as one, the phrases of two
// words that make up a word, both known to the embedder, and the beginnings of foreign words. So rollout finds roll
// out, and the reverse, and Sitzungen finds Sitzung.
func compounds(text string) (found []term) {
	all, foreign := slices.Collect(Words(text)), isForeign(text)
	if len(all) > maxCompounded {
		return nil
	}
	for i, word := range all {
		if i > 0 && !isPair(word) && !isPair(all[i-1]) && !(IsQuestionWord(word) && IsQuestionWord(all[i-1])) &&
			len(all[i-1])+len(word) <= maxTermLength {
			found = append(found, term{all[i-1] + word, 1})
		}
		if IsQuestionWord(word) || len(word) > maxTermLength {
			continue
		}
		if letters := []rune(word); foreign && len(letters) > minPrefixLength && inflected(word) && !isPair(word) &&
			!strings.ContainsFunc(word, unicode.IsDigit) {
			found = append(found, term{string(letters[:max(minPrefixLength, (len(letters)+1)/2)]) + "*", 1})
		}
		for at := minFirstPart; at <= len(word)-2; at++ {
			if !inflected(word[:at]) && !inflected(word[at:]) {
				found = append(found, term{`"` + word[:at] + " " + word[at:] + `"`, 1})
			}
		}
	}
	return found
}

// LuceneQuery returns a Lucene query for any word of the texts in any of the fields, or "" if there is no searchable
// word.
func LuceneQuery(texts []string, fields ...string) string {
	found := terms(strings.Join(texts, "\n"))
	if len(found) == 0 {
		return ""
	}
	return fullText(found, "", fields...)
}

// LuceneQueryLacking returns a Lucene query for texts whose field lacks at most missing words of a text. It requires
// one word of each group of missing+1 words, so it also matches some texts that lack more. Lucene then reads far fewer
// texts than for a query of optional words. Words with inner marks are optional, because the analyzer may split them.
func LuceneQueryLacking(missing int, text, field string) string {
	var plain []string
	for word := range words(text) {
		if !strings.ContainsFunc(word, joinsWord) {
			plain = append(plain, word)
		}
	}
	found := terms(strings.Join(plain, " "))
	if len(found) == 0 {
		return LuceneQuery([]string{text}, field)
	}
	var groups []string
	for size := missing + 1; len(found) > 0; {
		if len(found) < 2*size { // all words of a smaller group could be missing
			size = len(found)
		}
		groups = append(groups, fullText(found[:size], "", field))
		found = found[size:]
	}
	return strings.Join(groups, " ")
}

// clausesOf returns the number of clauses that the analyzer creates for a word: one, or one per character in scripts
// without spaces.
func clausesOf(word string) int {
	alone := 0
	for _, r := range word {
		if unicode.In(r, unicode.Han, unicode.Hiragana) {
			alone++
		}
	}
	return max(alone, 1)
}

// cut limits a question to maxText bytes.
func cut(text string) string { return firstOf(text, maxText) }

// fullText returns the Lucene query for any of the terms in any of the fields, combined with filter clauses. The weight
// of a term is the square root of its frequency in the question, because long questions repeat their subject. BM25
// accounts for the length of fields; measured, other field weights are not better.
func fullText(terms []term, clauses string, fields ...string) string {
	words := make([]string, len(terms))
	for i, t := range terms {
		words[i] = t.word
		if t.count > 1 {
			words[i] = fmt.Sprintf("%s^%.2f", t.word, math.Sqrt(float64(t.count)))
		}
	}
	of := lists.Map(fields, func(field string) string { return field + ":(" + strings.Join(words, " ") + ")" })
	return strings.TrimSpace("+(" + strings.Join(of, " ") + ") " + clauses)
}
