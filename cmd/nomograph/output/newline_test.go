package output_test

import (
	"bytes"
	"testing"

	"nomograph/cmd/nomograph/output"
)

type spoken string

func (t spoken) String() string { return string(t) }

func TestPrint_Text_EndsWithANewline(t *testing.T) {
	for text, want := range map[string]string{"one": "one\n", "one\n": "one\n", "": ""} {
		var out bytes.Buffer
		if err := (output.Form{}).Print(&out, spoken(text)); err != nil || out.String() != want {
			t.Errorf("%q: got %q (%v), want %q", text, out.String(), err, want)
		}
	}
}
