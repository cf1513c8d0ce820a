package readonly

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Refusal says which word of a query is not allowed, where it stands, why, and what to do instead.
type Refusal struct {
	Word    string // the word as written, shortened when it is long
	Line    int    // from 1
	Column  int    // from 1, in characters
	Offset  int    // from 0, in bytes
	Reason  string // completes "WORD at line 1, column 2 ..."
	Instead string // one sentence: what to do instead
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

// refusalAt describes src[start:end].
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
