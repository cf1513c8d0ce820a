package recall

import (
	"cmp"
	"slices"
	"strings"

	"nomograph/internal/tokencount"
	"nomograph/search"
)

// tokenizer caches the token counts and stems of words for one question at a time, because chunks repeat words.
type tokenizer struct {
	tokens *tokencount.Counter
	stems  map[string]string // by word
}

const maxStems = 50_000 // maximum number of cached words

// tokenizer returns a free tokenizer. The caller returns it to the pool.
func (s *Store) tokenizer() *tokenizer {
	d, ok := s.desks.Get().(*tokenizer)
	if !ok {
		d = &tokenizer{tokens: tokencount.NewCounter()}
	}
	if len(d.stems) > maxStems || d.stems == nil {
		d.stems = map[string]string{}
	}
	return d
}

// words returns the stems of the words in a text.
func (d *tokenizer) words(text string) (all []string) {
	for word := range wordsOf(text) {
		its, ok := d.stems[word]
		if !ok {
			word = strings.Clone(word) // so that the map does not keep the whole text in memory
			its = search.Stem(word)
			d.stems[word] = its
		}
		all = append(all, its)
	}
	return all
}

// read splits the text of a row into messages and stems.
func (d *tokenizer) read(r row) foundChunk {
	c := foundChunk{row: r, messages: messagesOf(r.Text)}
	for i := range c.messages {
		m := &c.messages[i]
		all := d.words(m.text)
		m.stems = all
		if spoken := c.answerText(*m); spoken != m.text {
			m.stems = d.words(spoken)
		}
		c.words = append(c.words, all...)
	}
	c.words = append(c.words, d.words(c.subject())...)
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
