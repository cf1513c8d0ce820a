package redact

import "strings"

// verbs can occur between the name of a secret and its value.
var verbs = map[string]bool{"is": true, "was": true, "be": true, "ist": true, "war": true, "lautet": true, "to": true}

// findInProse adds machine-generated words that follow the name of a secret without a separator: "the password is x",
// "machine example.com password x", "vault login x".
func findInProse(text string, spans []span) []span {
	name := "" // last word that is not a verb
	for start := 0; start < len(text); {
		end := start
		for end < len(text) && !isSpace(text[end]) {
			end++
		}
		word := strings.Trim(text[start:end], "\"'`(),;:[]{}<>")
		switch {
		case word == "", verbs[strings.ToLower(word)]:
		case len(word) >= 10 && looksGenerated(word):
			if secretName(name) || name == "login" {
				at := start + strings.Index(text[start:end], word)
				spans = append(spans, span{at, at + len(word)})
			}
			name = word
		default:
			name = word
		}
		start = end + 1
	}
	return spans
}
