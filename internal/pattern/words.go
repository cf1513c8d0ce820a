package pattern

import (
	"strings"
	"sync"
)

// Words is a set of words, such as stop words. The set is built on first use. It is safe for concurrent use.
type Words struct {
	Text string // the words, separated by white space
	once sync.Once
	set  map[string]struct{}
}

// Has reports whether the set contains a word.
func (w *Words) Has(word string) bool {
	w.once.Do(func() {
		w.set = map[string]struct{}{}
		for one := range strings.FieldsSeq(w.Text) {
			w.set[one] = struct{}{}
		}
	})
	_, ok := w.set[word]
	return ok
}
