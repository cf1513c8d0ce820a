package recall

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// asking are words that questions are made of, and that say nothing of what is asked for.
var asking = set(`what when where who whom whose which why how did do does doing done has have had having he she his her him hers its i you your my
	me we our us were been being am can could would should may might must shall about from than so some any both between during after before
	tell show please remember recall`)

// silent are those that the full text index leaves out, too.
var silent = set(`a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with`)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

// keywords are the words of a question that say what is asked for; all of it where none does.
func keywords(question string) string {
	var kept []string
	for word := range strings.FieldsSeq(question) {
		if bare := strings.ToLower(strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })); !asking[bare] {
			kept = append(kept, word)
		}
	}
	if len(stems(strings.Join(kept, " "))) == 0 {
		return question
	}
	return strings.Join(kept, " ")
}

// stems are the words of a text as the english analyzer makes them, about: in lower case, without endings and without the most frequent words.
func stems(text string) []string {
	var all []string
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' }) {
		word = strings.Trim(strings.ReplaceAll(word, "’", "'"), "'")
		if word = strings.TrimSuffix(word, "'s"); word != "" && !silent[word] {
			all = append(all, stem(word))
		}
	}
	return all
}

// longestStem in bytes: what is longer is no word.
const longestStem = 40

func stem(word string) string {
	if len(word) > longestStem {
		return word
	}
	return english.Stem(word, true)
}
