package render

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// sequences match what a terminal obeys as a whole: colors, cursor movements, titles, links (OSC 8), the clipboard (OSC 52).
var sequences = sync.OnceValue(func() *regexp.Regexp {
	const (
		control = "(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]"
		text    = "(?:\x1b[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)"
		short   = "\x1b[ -/]*[0-~]"
	)
	return regexp.MustCompile(control + "|" + text + "|" + short)
})

// flags are the three emoji that Unicode recommends to write with tags. Any other tag is hidden text.
var flags = [...]string{tagged("gbeng"), tagged("gbsct"), tagged("gbwls")}

const (
	blackFlag = '\U0001f3f4'
	tags      = '\U000e0000' // the tag of NUL; those of the other ASCII characters follow
	lastTag   = '\U000e007f'
)

func tagged(region string) string {
	return string(blackFlag) + strings.Map(func(r rune) rune { return tags + r }, region) + string(lastTag)
}

// Clean removes from a recorded text what its reader cannot see: escape sequences as a whole, control characters except newline and
// tab, characters that change the direction of writing or are invisible, and bytes that are not UTF-8. Other line breaks become
// newlines. Joiners and variation selectors stay where scripts and emoji need them. The result is never longer, and Clean of it is
// the same text.
func Clean(text string) string {
	if isPlain(text) {
		return text
	}
	text = strings.ToValidUTF8(text, "")
	if strings.ContainsAny(text, "\x1b\u0090\u0098\u009b\u009d\u009e\u009f") {
		text = sequences().ReplaceAllLiteralString(text, "")
	}
	var b strings.Builder
	b.Grow(len(text))
	before := rune(0) // the last character that stays
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		rest := text[i+size:]
		if r == blackFlag {
			for _, flag := range flags {
				if strings.HasPrefix(text[i:], flag) {
					size = len(flag)
				}
			}
		}
		written := text[i : i+size]
		i += size
		switch {
		case r == '\r' && strings.HasPrefix(rest, "\n"):
			continue
		case strings.ContainsRune("\r\v\f\u0085\u2028\u2029", r):
			r, written = '\n', "\n"
		case hidden(r) && !needed(before, r):
			continue
		}
		b.WriteString(written)
		before = r
	}
	return b.String()
}

// isPlain tells whether a text is printable ASCII, newlines and tabs. Most are.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// hidden tells whether the character has no shape of its own.
func hidden(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point) &&
			!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// needed tells whether a hidden character changes how the one before it is shown, as scripts and emoji use it.
func needed(before, r rune) bool {
	const (
		nonJoiner, joiner    = '\u200c', '\u200d'
		asText, asEmoji      = '\ufe0e', '\ufe0f'
		emojiAmongCharacters = "#*0123456789‼⁉〰ℹ"
	)
	switch {
	case r == joiner || r == nonJoiner: // Persian, the scripts of India, families of emoji
		return before > unicode.MaxASCII && unicode.In(before, unicode.L, unicode.M, unicode.So, unicode.Sk) && !unicode.In(before, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han)
	case r == asText || r == asEmoji:
		return unicode.In(before, unicode.So, unicode.Sm) || strings.ContainsRune(emojiAmongCharacters, before)
	case unicode.Is(unicode.Variation_Selector, r):
		return unicode.In(before, unicode.Han, unicode.Mongolian, unicode.Myanmar, unicode.Phags_Pa, unicode.Sm)
	}
	return false
}
