package main

import (
	"bytes"
	"strings"
	"testing"
)

type told string

func (t told) String() string { return string(t) }

// TestRecordedTextsDoNotCommandTheTerminal: whoever records a decision writes what others' terminals show.
func TestRecordedTextsDoNotCommandTheTerminal(t *testing.T) {
	evil := "ship it \x1b[2J\x1b]0;title\x07 \u202etxt.exe\r\u009b31m👩‍💻 ok"
	for name, answer := range map[string]any{"in words": told("1. " + evil + "\n\tmore\n"), "as a table": map[string]any{"rows": []any{map[string]any{"title": evil}}, "note": evil}} {
		var out bytes.Buffer
		if err := (&app{}).print(&out, answer); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); strings.ContainsAny(text, "\x1b\x07\r\u009b\u202e") || !strings.Contains(text, "👩‍💻 ok") || !strings.Contains(text, "\n") {
			t.Errorf("%s: %q", name, text)
		}
	}
	var out bytes.Buffer
	if err := (&app{output: "json"}).print(&out, map[string]any{"title": evil}); err != nil || strings.ContainsRune(out.String(), '\x1b') || !strings.Contains(out.String(), `\u001b`) {
		t.Errorf("JSON escapes them itself: %q, %v", out.String(), err)
	}
}
