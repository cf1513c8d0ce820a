package recall

import (
	"cmp"
	"slices"

	"nomograph/search"
)

// stemsOf returns the stems of the words in a text.
func stemsOf(text string) (all []string) {
	for word := range wordsOf(text) {
		all = append(all, search.Stem(word))
	}
	return all
}

// readChunk splits the text of a row into messages and stems.
func readChunk(r row) foundChunk {
	c := foundChunk{row: r, messages: messagesOf(r.Text)}
	for i := range c.messages {
		m := &c.messages[i]
		all := stemsOf(m.text)
		m.stems = all
		if spoken := c.answerText(*m); spoken != m.text {
			m.stems = stemsOf(spoken)
		}
		c.words = append(c.words, all...)
	}
	c.words = append(c.words, stemsOf(c.subject())...)
	slices.Sort(c.words)
	c.words = slices.Compact(c.words)
	return c
}

// jaccard returns the Jaccard similarity of two sorted word lists.
func jaccard(a, b []string) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b) == 0 || len(a)*10 < len(b) {
		return 0
	}
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch cmp.Compare(a[i], b[j]) {
		case 0:
			both++
			i, j = i+1, j+1
		case -1:
			i++
		default:
			j++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
