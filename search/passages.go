package search

import (
	"strings"

	"nomograph/internal/render"
)

const (
	maxPassageLength = 1600   // bytes per vector, about 250 words, within the input limit of small models
	maxTitleLength   = 300    // bytes of the title repeated in each passage
	maxTextLength    = 48_000 // bytes of a text that are embedded: 30 passages
)

// Passages splits a text that is too long for one vector into passages of at most maxPassageLength bytes. It splits at
// paragraphs if possible, else at lines or sentences, else at words. Together the passages contain the whole text,
// except white space between them. Each starts with the title, which gives the context. A text that fits is not split.
func Passages(title, text string) []string {
	title, text = strings.TrimSpace(firstOf(title, maxTextLength)), strings.TrimSpace(firstOf(text, maxTextLength))
	full := strings.TrimSpace(title + "\n" + text)
	if len(full) <= maxPassageLength {
		return []string{full}
	}
	if len(title) > maxTitleLength {
		title, text = strings.TrimSpace(firstOf(title, maxTitleLength)), full
	}
	size := maxPassageLength - len(title) - 1
	var made []string
	for text != "" {
		end := len(text)
		if end > size {
			end = cutAt(text, size)
		}
		made = append(made, strings.TrimSpace(title+"\n"+strings.TrimSpace(text[:end])))
		text = strings.TrimSpace(text[end:])
	}
	return made
}

// ends are the separators at which a text is split, best first. A separator counts only in the second half of a
// passage.
var ends = [][]string{{"\n\n"}, {".\n", "!\n", "?\n", ". ", "! ", "? ", "。", "！", "？"}, {"\n"}, {" ", "\t"}}

// cutAt returns the length of the first passage of a longer text, at most size bytes.
func cutAt(text string, size int) int {
	head := firstOf(text, size)
	for _, marks := range ends {
		best := -1
		for _, mark := range marks {
			if at := strings.LastIndex(head, mark); at >= 0 {
				best = max(best, at+len(mark))
			}
		}
		if best > size/2 {
			return best
		}
	}
	return len(head)
}

// firstOf returns at most n bytes of a text, cut between characters, with invalid UTF-8 replaced by spaces.
func firstOf(text string, n int) string { return strings.ToValidUTF8(render.Prefix(text, n), " ") }
