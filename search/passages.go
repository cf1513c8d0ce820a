package search

import (
	"strings"
	"unicode/utf8"
)

const (
	maxPassageLength = 1600   // bytes that one vector stands for: some 250 words, which fit into what small models read
	maxTitleLength   = 300    // bytes of a title that each passage begins with
	maxTextLength    = 48_000 // bytes of a text that have vectors: 30 passages
)

// Passages cuts a text that is longer than one vector can stand for into passages of at most maxPassageLength bytes: between
// paragraphs where it can, else between lines or sentences, else between words. Together they say what the text says, but for
// the blanks between them. Each begins with the title, which says what all of it is about. A text that fits stays whole.
func Passages(title, text string) []string {
	title, text = strings.TrimSpace(firstOf(title, maxTextLength)), strings.TrimSpace(firstOf(text, maxTextLength))
	whole := strings.TrimSpace(title + "\n" + text)
	if len(whole) <= maxPassageLength {
		return []string{whole}
	}
	if len(title) > maxTitleLength {
		title, text = strings.TrimSpace(firstOf(title, maxTitleLength)), whole
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

// ends are what a passage may end with, the best first. Where none stands in the second half of it, the next is looked for.
var ends = [][]string{{"\n\n"}, {".\n", "!\n", "?\n", ". ", "! ", "? ", "。", "！", "？"}, {"\n"}, {" ", "\t"}}

// cutAt gives the length of the passage that a longer text begins with, at most size bytes.
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

// firstOf gives at most the first n bytes of a text, cut at the border of a character, without what is no UTF-8.
func firstOf(text string, n int) string {
	if len(text) > n {
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n]
	}
	return strings.ToValidUTF8(text, " ")
}
