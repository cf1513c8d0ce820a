package pattern

import "testing"

func TestWords_Has_WholeWordsOnly(t *testing.T) {
	w := Words{Text: "one two\n\tthree"}
	for word, want := range map[string]bool{"one": true, "two": true, "three": true, "thr": false, "one two": false,
		"": false} {
		if got := w.Has(word); got != want {
			t.Errorf("Has(%q): got %t, want %t", word, got, want)
		}
	}
	if new(Words).Has("") {
		t.Error("an empty set has a word, want none")
	}
}
