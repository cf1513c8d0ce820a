package search

import "strings"

// Subject holds the words of a question that name its subject, to show where texts contain them.
type Subject struct {
	Words  []string // in lower case, in the question's order, without duplicates
	wanted []wanted
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
	for word := range Words(cut(question)) {
		if stem := Stem(word); !omit(word) && !seen[stem] {
			seen[stem] = true
			s.Words, s.wanted = append(s.Words, word), append(s.wanted,
				wanted{word: word, stem: stem, inflected: inflected(word), of: []int{0}})
		}
	}
	return s
}

// Beginning returns the beginning that the forms of a word share: "retr" of "retries".
func (s Subject) Beginning(i int) string {
	return strings.TrimRight(s.wanted[i].stem, "iy")
}

// In returns the byte ranges of the words of a text that are words of the subject, and for each word of the subject
// whether the text contains it. The relevance of texts compares words in the same way.
func (s Subject) In(text string) (spans [][2]int, has []bool) {
	has = make([]bool, len(s.wanted))
	for at, word := range wordsAt(text) {
		stem := Stem(word)
		for i, want := range s.wanted {
			if !want.in(word, stem) {
				continue
			}
			if has[i] = true; len(spans) > 0 && spans[len(spans)-1][1] > at[0] { // pairs of characters overlap
				spans[len(spans)-1][1] = at[1]
			} else {
				spans = append(spans, at)
			}
			break
		}
	}
	return spans, has
}
