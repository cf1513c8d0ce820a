package pattern

import (
	"testing"

	"nomograph/internal/golden"
)

func TestWords_Has_WholeWordsOnly(t *testing.T) {
	w := Words{Text: "one two\n\tthree"}
	for word, want := range map[string]bool{"one": true, "two": true, "three": true, "thr": false, "one two": false,
		"": false} {
		golden.Equal(t, word, w.Has(word), want)
	}
	if new(Words).Has("") {
		t.Error("an empty set has a word, want none")
	}
}
