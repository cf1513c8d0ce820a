package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Subject holds the words of a question that name its subject, to show where texts contain them.
type Subject struct {
	Words []string // in lower case, in the question's order, without duplicates
	stems []string
}

// SubjectOf returns the subject of a question. If a question has only question words, these are the subject.
func SubjectOf(question string) Subject {
	s := subjectWords(question, IsQuestionWord)
	if len(s.Words) == 0 {
		s = subjectWords(question, func(string) bool { return false })
	}
	return s
}

func subjectWords(question string, omit func(string) bool) Subject {
	var s Subject
	seen := map[string]bool{}
	for word := range wordsWithin(cut(question)) {
		if stem := stemOf(word); !omit(word) && !seen[stem] {
			seen[stem] = true
			s.Words, s.stems = append(s.Words, word), append(s.stems, stem)
		}
	}
	return s
}

// Beginning returns the beginning that the forms of a word share: "retr" of "retries".
func (s Subject) Beginning(i int) string {
	return strings.TrimRight(s.stems[i], "iy")
}

// In returns the byte ranges of the words of a text that are words of the subject, and for each word of the subject
// whether the text contains it. The relevance of texts compares words in the same way.
func (s Subject) In(text string) (spans [][2]int, has []bool) {
	has = make([]bool, len(s.stems))
	letter := func(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.Nd) }
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !letter(r) {
			at += size
			continue
		}
		end := at + size
		for !ideograph(r) && end < len(text) {
			next, size := utf8.DecodeRuneInString(text[end:])
			if !letter(next) || ideograph(next) {
				break
			}
			end += size
		}
		word := strings.ToLower(text[at:end])
		stem := stemOf(word)
		for i, want := range s.stems {
			if stem == want || len(want) >= minPrefixLength && strings.HasPrefix(word, want) {
				has[i] = true
				spans = append(spans, [2]int{at, end})
				break
			}
		}
		at = end
	}
	return spans, has
}
