package decisions

import (
	"strings"
	"unicode"

	"nomograph/graph"
)

// minNameLength is the minimum length of an identifier in a text: "v2" mentions no decision.
const minNameLength = 4

// MentionedIDs is a normalized text in which ids of decisions are searched.
type MentionedIDs string

// MentionsIn normalizes texts. Punctuation between letters and digits is ignored: EIP-721, EIP 721 and eip:721 are
// equal.
func MentionsIn(texts ...string) MentionedIDs {
	return MentionedIDs(" " + plainWordList(strings.Join(texts, "\n")) + " ")
}

// Names reports whether the text mentions a decision by its id or external id, as whole words. An external id must
// contain letters and digits, since a number or a word alone is ambiguous. An id of eight digits also counts, as one id
// in forty is: texts rarely contain the same digits by chance.
func (n MentionedIDs) Names(id, externalID string) bool {
	return len(id) == IDLength && n.contains(id) ||
		len(externalID) >= minNameLength && strings.ContainsFunc(externalID, unicode.IsLetter) &&
			strings.ContainsFunc(externalID, unicode.IsDigit) && n.contains(externalID)
}

func (n MentionedIDs) contains(id string) bool {
	return strings.Contains(string(n), " "+plainWordList(id)+" ")
}

func plainWordList(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// ownTexts returns the text of a draft and of its agent's earlier thoughts.
func (d *Draft) ownTexts() MentionedIDs {
	texts := []string{d.Decision, d.Context}
	for _, reason := range d.Reasons {
		texts = append(texts, reason.Text)
	}
	for _, e := range d.deliberated() {
		if e.Type != "thought" && e.Type != "input" && e.Type != "step" {
			continue
		}
		for _, name := range []string{"id", "text", "thought"} {
			texts = append(texts, graph.Text(e.Payload, name))
		}
		texts = append(texts, graph.Texts(e.Payload["inputs_used"])...)
	}
	return MentionsIn(texts...)
}

// searchResults returns the results of the searches in the session and of the caller.
func (d *Draft) searchResults() []map[string]any {
	var found []map[string]any
	for _, e := range d.deliberated() {
		results, _ := e.Payload["results"].([]any)
		for _, item := range results {
			if result, ok := item.(map[string]any); ok && e.Type == "query" {
				found = append(found, result)
			}
		}
	}
	return found
}
