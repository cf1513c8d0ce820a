package decisions

import (
	"strings"
	"unicode"

	"nomograph/graph"
)

// minNameLength is how long an identifier is that a text can name: "v2" names no decision.
const minNameLength = 4

// MentionedIDs is a text in which identifiers of decisions are looked for.
type MentionedIDs string

// MentionsIn reads texts. Marks between letters and digits do not count: EIP-721, EIP 721 and eip:721 are one.
func MentionsIn(texts ...string) MentionedIDs {
	return MentionedIDs(" " + plainWords(strings.Join(texts, "\n")) + " ")
}

// Names reports whether the text names one of the identifiers as a whole. An identifier has letters and digits, as ours and those of most
// sources do: a number alone, or a word, says nothing.
func (n MentionedIDs) Names(ids ...string) bool {
	for _, id := range ids {
		if len(id) >= minNameLength && strings.ContainsFunc(id, unicode.IsLetter) && strings.ContainsFunc(id, unicode.IsDigit) && strings.Contains(string(n), " "+plainWords(id)+" ") {
			return true
		}
	}
	return false
}

func plainWords(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// naming is all that a draft says, and what its agent thought before.
func (d *Draft) naming() MentionedIDs {
	texts := []string{d.Decision, d.Context}
	for _, reason := range d.Reasons {
		texts = append(texts, reason.Text)
	}
	said := func(payload map[string]any) {
		for _, name := range []string{"id", "text", "thought"} {
			texts = append(texts, graph.Text(payload, name))
		}
		used, _ := payload["inputs_used"].([]any)
		texts = append(texts, graph.Texts(used)...)
	}
	for _, e := range d.told {
		if e.Type == "input" || e.Type == "step" {
			said(e.Payload)
		}
	}
	for _, e := range d.known.events {
		if e.Type == "thought" || e.Type == "input" || e.Type == "step" {
			said(e.Payload)
		}
	}
	return MentionsIn(texts...)
}

// found are the results of the searches that the session and the caller made.
func (d *Draft) found() []map[string]any {
	var found []map[string]any
	read := func(kind string, payload map[string]any) {
		results, _ := payload["results"].([]any)
		for _, item := range results {
			if result, ok := item.(map[string]any); ok && kind == "query" {
				found = append(found, result)
			}
		}
	}
	for _, e := range d.known.events {
		read(e.Type, e.Payload)
	}
	for _, e := range d.told {
		read(e.Type, e.Payload)
	}
	return found
}
