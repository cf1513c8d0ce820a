package readonly

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a full-text query. In Lucene's query language a few characters can make the server build an automaton with
// millions of states, or visit every word of an index, without a possible interruption.
const (
	maxTextLength  = 4_000 // bytes
	maxGroupDepth  = 20    // brackets
	maxWildcards   = 20
	maxPhraseGap   = 10 // words between the words of a phrase
	adviceFullText = `Search for words, for beginnings such as data*, or for "a phrase"; put a backslash before * ? ~ / to mean the character.`
)

// fullText checks the text of a full-text query, which must be known.
func (p *parser) fullText(t *token, text value) {
	if !text.known {
		p.refuse(t, "searches for a text that is not known before the query runs",
			"Give the text as a literal or a parameter, or as literals and parameters joined with +.")
		return
	}
	if why := checkFullText(text.str); why != "" {
		p.refuse(t, why, adviceFullText)
	}
}

// checkFullText returns what is wrong with a text in the syntax of Lucene's classic parser, or "". Regular expressions,
// leading wildcards and fuzzy words make Lucene visit all words of an index.
func checkFullText(text string) string {
	if len(text) > maxTextLength {
		return "searches for a text longer than 4,000 characters"
	}
	inWord, depth, wildcards := false, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			i++
			inWord = true
		case '"':
			end := endOfPhrase(text, i+1)
			i = end
			if slop := strings.TrimLeft(text[min(end+1, len(text)):], "~"); end+1 < len(text) && text[end+1] == '~' {
				digits := len(slop) - len(strings.TrimLeft(slop, "0123456789"))
				if digits > 2 || digits == 2 && slop[:2] > "10" {
					return "searches for a phrase that may have more than ten other words in it"
				}
				i += 1 + digits
			}
			inWord = false
		case '/':
			return "searches by a regular expression of Lucene's"
		case '~':
			return "searches for words that are like a word"
		case '*', '?':
			if strings.HasPrefix(text[i:], "*:*") && !inWord {
				i += 2 // *:* matches everything
				continue
			}
			if wildcards++; !inWord {
				return "searches for words that begin with a wildcard"
			}
			if wildcards > maxWildcards {
				return "searches with more than twenty wildcards"
			}
		case '(':
			if depth++; depth > maxGroupDepth {
				return "nests brackets more than twenty deep"
			}
			inWord = false
		case ')':
			depth--
			inWord = false
		case ':', '!', '^', '[', ']', '{', '}', '&', '|':
			inWord = false
		case '+', '-': // an operator before a word, a character inside it
		default:
			if utf8.RuneStart(c) {
				inWord = !startsSpace(text[i:])
			}
		}
	}
	return ""
}

// endOfPhrase returns the index of the quotation mark that ends the phrase, or of the end.
func endOfPhrase(text string, i int) int {
	for ; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

func startsSpace(text string) bool {
	for _, r := range text {
		return unicode.IsSpace(r)
	}
	return false
}
