package readonly

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Refusal describes a word of a query that is not allowed: where it is, why it is refused, and what to use instead.
type Refusal struct {
	Word    string // the word as written, shortened if long
	Line    int    // from 1
	Column  int    // from 1, in characters
	Offset  int    // from 0, in bytes
	Reason  string // completes "WORD at line 1, column 2 ..."
	Instead string // what to use instead, in one sentence
}

func (r *Refusal) Error() string {
	word := r.Word
	if word == "" {
		word = "the end of the query"
	}
	s := fmt.Sprintf("%s at line %d, column %d %s.", word, r.Line, r.Column, r.Reason)
	if r.Instead != "" {
		s += " " + r.Instead
	}
	return s
}

const maxWordLength = 60

// refusalAt returns a Refusal for src[start:end].
func refusalAt(src string, start, end int, reason, instead string) *Refusal {
	before := src[:start]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	word := strings.ToValidUTF8(src[start:end], "?")
	if len(word) > maxWordLength {
		word = strings.ToValidUTF8(word[:maxWordLength], "") + "..."
	}
	if strings.ContainsFunc(word, hidden) {
		word = strings.Trim(fmt.Sprintf("%+q", word), `"`)
	}
	return &Refusal{Word: word, Line: line, Column: column, Offset: start, Reason: reason, Instead: instead}
}
