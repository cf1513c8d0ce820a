package output

import (
	"bytes"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

type told string

func (t told) String() string { return string(t) }

// TestRecordedTextsDoNotCommandTheTerminal: whoever records a decision writes what others' terminals show.
func TestRecordedTextsDoNotCommandTheTerminal(t *testing.T) {
	evil := "ship it \x1b[2J\x1b]0;title\x07 \u202etxt.exe\r\u009b31m👩‍💻 ok"
	for name, answer := range map[string]any{"in words": told("1. " + evil + "\n\tmore\n"), "as a table": map[string]any{"rows": []any{map[string]any{"title": evil}}, "note": evil}} {
		var out bytes.Buffer
		if err := (Form{}).Print(&out, answer); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); strings.ContainsAny(text, "\x1b\x07\r\u009b\u202e") || !strings.Contains(text, "👩‍💻 ok") || !strings.Contains(text, "\n") {
			t.Errorf("%s: %q", name, text)
		}
	}
	for _, form := range []string{"json", "yaml", "csv", "tsv", "name", "wide"} {
		var out bytes.Buffer
		answer := map[string]any{"rows": []any{map[string]any{"name": evil}}}
		if err := (Form{Name: form}).Print(&out, answer); err != nil || strings.ContainsAny(out.String(), "\x1b\x07\r\u009b\u202e") {
			t.Errorf("%s: %q, %v", form, out.String(), err)
		}
		var back struct{ Rows []struct{ Name string } }
		if form == "json" || form == "yaml" { // both escape, and lose nothing
			if err := yaml.Unmarshal(out.Bytes(), &back); err != nil || back.Rows[0].Name != evil {
				t.Errorf("%s is read as %q, %v", form, back, err)
			}
		}
	}
}
