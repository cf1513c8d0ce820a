package recall

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"nomograph/internal/pattern"
	"nomograph/search"
)

// questionForms are words that form questions and do not name a topic.
var questionForms = pattern.Words{Text: `what when where who whom whose which why how did do does doing done has have had having he she his her him hers its i you your my
	me we our us were been being am can could would should may might must shall about from than so some any both between during after before
	tell show please remember recall use used using`}

// eventWords are words of questions about events in general.
var eventWords = pattern.Words{Text: `happened happen happening happens went going go on said say done did new news anything everything something stuff thing things much else work worked working
	conversation conversations session sessions chat chats discussed discuss talk talked get got yet so far today's yesterday's`}

// without returns a question without the words for which drop returns true.
func without(question string, drop func(word string) bool) string {
	var stored []string
	for word := range strings.FieldsSeq(question) {
		if !drop(strings.ToLower(strings.TrimFunc(word,
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))) {
			stored = append(stored, word)
		}
	}
	return strings.Join(stored, " ")
}

// keywords returns a question without the words that form questions, or all of it if nothing remains.
func keywords(question string) string {
	spoken := without(question, questionForms.Has)
	for range wordsOf(spoken) {
		return spoken
	}
	return question
}

// content returns the words of a question that name a topic, or "".
func content(question string) string {
	return without(question, func(word string) bool {
		return word == "" || questionForms.Has(word) || eventWords.Has(word) || search.IsStopWord(word)
	})
}

func beyondASCII(r rune) bool { return r >= utf8.RuneSelf }

// wordsOf returns the words of a text approximately as Lucene's english analyzer does: in lower case, without stop
// words. Scripts without spaces are split into pairs of characters.
func wordsOf(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(strings.ToLower(text),
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' }) {
			word = strings.Trim(strings.ReplaceAll(word, "’", "'"), "'")
			word = strings.TrimSuffix(word, "'s")
			whole := strings.Contains(word, "'")
			if whole || !strings.ContainsFunc(word, beyondASCII) { // most words are whole, and checking costs least
				if word != "" && (whole || !search.IsStopWord(word)) && !yield(word) {
					return
				}
				continue
			}
			for word := range search.Words(word) {
				if !search.IsStopWord(word) && !yield(word) {
					return
				}
			}
		}
	}
}
