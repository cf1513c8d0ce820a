package trace

import "strings"

// MaskText is a text without its secrets.
func MaskText(text string) string {
	text, _ = RedactText(text)
	return text
}

// MaskTexts is a list of texts without their secrets. It is seen as a whole, since one item may say what the next is.
func MaskTexts(texts []string) []string {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	hidden, _ := Redact(list)
	out := make([]string, len(texts))
	for i, text := range hidden.([]any) {
		out[i], _ = text.(string)
	}
	return out
}

// Actor is who acts: what the call says, else the caller. What looks like a secret is no name.
func Actor(agentID, by string) string {
	for _, name := range []string{agentID, by} {
		if name = strings.TrimSpace(name); name != "" {
			return MaskText(name)
		}
	}
	return "unknown"
}
