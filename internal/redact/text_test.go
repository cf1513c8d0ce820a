package redact

import (
	"strings"
	"testing"
)

// TestText_Secret_LeavesTheRest: each line of the file is a text and its masked form.
func TestText_Secret_LeavesTheRest(t *testing.T) {
	rows, parts := corpus(t, "testdata/masked.txt")
	for i, row := range rows {
		text, want, _ := strings.Cut(row, " | ")
		got, changed := Text(text)
		if got != want || !changed {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
		for _, part := range parts[i] {
			if leftover(got, part) > 0 {
				t.Errorf("%s survives in %s", part, got)
			}
		}
		clean().Purge() // without the cache, a second call scans the text again
		if again, changed := Text(got); again != got || changed {
			t.Errorf("%s\nbecame %s in a second call", got, again)
		}
	}
	const crlf = "user: ada\npassword: [redacted] # note\r\nx: y"
	if got, _ := Text(strings.Replace(crlf, mask, "two "+secret+" words", 1)); got != crlf {
		t.Errorf("got %q, want %q", got, crlf)
	}
}

func TestText_NoText_StaysUnchanged(t *testing.T) {
	for _, text := range []string{"", "password: ", "\xff\xfe"} {
		if got, changed := Text(text); got != text || changed {
			t.Errorf("%q became %q", text, got)
		}
	}
}
