// Package documenttest holds encodings of a text that every reader must accept or refuse. A new row applies to each of
// them.
package documenttest

import (
	"strings"
	"unicode/utf16"
)

// Accepted encodes a text in all encodings that readers accept.
//
// UTF-16 with a mark is what PowerShell 5 writes with > and Out-File, and UTF-8 with a mark what its Set-Content
// -Encoding UTF8 and Notepad write: github.com/anthropics/claude-code/issues/5049,
// github.com/modelcontextprotocol/python-sdk/issues/671.
var Accepted = map[string]func(text string) []byte{
	"UTF-8":                 func(text string) []byte { return []byte(text) },
	"UTF-8 with a mark":     func(text string) []byte { return []byte("\ufeff" + text) },
	"UTF-8 with CRLF":       func(text string) []byte { return []byte(crlf(text)) },
	"mark and CRLF":         func(text string) []byte { return []byte("\ufeff" + crlf(text)) },
	"UTF-16 little-endian":  func(text string) []byte { return units("\ufeff"+text, 0) },
	"UTF-16 big-endian":     func(text string) []byte { return units("\ufeff"+text, 1) },
	"UTF-16 LE with CRLF":   func(text string) []byte { return units("\ufeff"+crlf(text), 0) },
	"UTF-16 LE without one": func(text string) []byte { return units(text, 0) },
	"UTF-16 BE without one": func(text string) []byte { return units(text, 1) },
}

// Refused are the bytes of é, or instead of it, in encodings that readers refuse.
var Refused = map[string]string{
	"Latin-1":          "\xe9",
	"half a character": "\xc3",
	"an overlong form": "\xc1\xa9",
	"half a surrogate": "\xed\xa0\xbd",
	"code page 932":    "\x83\x5c",
	"zero":             "\x00",
}

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// units encodes a text as UTF-16; high is the index of the low byte in a unit.
func units(text string, high int) []byte {
	var raw []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		pair := []byte{byte(unit), byte(unit >> 8)}
		raw = append(raw, pair[high], pair[1-high])
	}
	return raw
}
