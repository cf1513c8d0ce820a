package redact

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"nomograph/graph/graphtest"
)

// readCounter counts the characters that a regular expression reads of a text.
type readCounter struct {
	text string
	read *int
}

func (r *readCounter) ReadRune() (rune, int, error) {
	if r.text == "" {
		return 0, 0, io.EOF
	}
	*r.read++
	char, size := utf8.DecodeRuneInString(r.text)
	r.text = r.text[size:]
	return char, size, nil
}

// readsOf counts the characters that a rule reads to find all its matches, as FindAll does.
func readsOf(rule *leak, text string) (reads int) {
	for at := 0; at < len(text); {
		found := rule.find().FindReaderIndex(&readCounter{text[at:], &reads})
		if found == nil {
			break
		}
		at += max(found[1], 1)
	}
	return reads
}

// TestKeywords_LoopAndTrie_FindSameKeywords compares both searches for keywords in the texts of the corpus.
func TestKeywords_LoopAndTrie_FindSameKeywords(t *testing.T) {
	texts, _ := corpus(t, "testdata/secrets.txt")
	bytesRead.Store(maxWithoutTrie)
	for _, text := range append(texts, strings.Join(leaks().keywords, " ")) {
		got, want := map[int]bool{}, map[int]bool{}
		text = strings.ToLower(text)
		eachKeyword(text, func(keyword int) { got[keyword] = true })
		keywordsIn(text, func(keyword int) { want[keyword] = true })
		graphtest.Equal(t, got, want, text, "keywords")
	}
}

// TestLeaks_RepeatedMatches_TakeLinearTime repeats each text of the corpus for the rules that match it. A rule that
// reads past each match to the end of the text would read 16 times as many characters of 4 times as many copies.
func TestLeaks_RepeatedMatches_TakeLinearTime(t *testing.T) {
	texts, _ := corpus(t, "testdata/secrets.txt")
	rules, tried := leaks().rules, 0
	for n := range rules {
		rule := &rules[n]
		for _, text := range texts {
			if !rule.find().MatchString(text) {
				continue
			}
			tried++
			for _, between := range []string{" ", "\n"} {
				few, many := readsOf(rule, strings.Repeat(text+between, 4)),
					readsOf(rule, strings.Repeat(text+between, 16))
				if many > 6*few {
					t.Errorf("%s reads %d characters of 4 times %q and %d of 16 times, want at most 6 times as many",
						rule.ID, few, text+between, many)
				}
			}
		}
	}
	if tried < 150 {
		t.Errorf("only %d pairs of a rule and a text that it matches", tried)
	}
}
