package render

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxTitleLength is the maximum number of characters of a title.
const MaxTitleLength = 80

// Title returns the first line of a text. A long title ends at a word.
func Title(text string) string { return Shorten(FirstLine(text), MaxTitleLength) }

// FirstLine returns the first non-empty line, trimmed and without invisible characters. All kinds of line breaks end
// it.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(Clean(text)), "\n")
	return strings.TrimSpace(line)
}

// Cut returns the first n characters of a text.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	runes := []rune(text)
	return string(runes[:min(n, len(runes))])
}

// Prefix returns at most the first n bytes of a text, cut between characters.
func Prefix(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Shorten returns a text of at most n characters. Longer texts are cut at a word or name part and end with an ellipsis.
func Shorten(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n || n < 1 {
		return text
	}
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }
	cut := string(runes[:n-1])
	if at := strings.LastIndexFunc(cut, between); !between(runes[n-1]) && at > len(cut)/2 {
		cut = cut[:at]
	}
	return strings.TrimRightFunc(cut, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;:-_./", r)
	}) + "…"
}

// OneLine puts a text on one line. White space and control characters become spaces. Invisible and bidirectional
// characters are removed, because they could carry text that the reader does not see. Joiners remain, as parts of words
// and emoji.
func OneLine(text string) string {
	const joiner, nonJoiner = '\u200d', '\u200c'
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case r == joiner || r == nonJoiner:
			return r
		case r == unicode.ReplacementChar || unicode.In(r, unicode.Cf, unicode.Co, unicode.Noncharacter_Code_Point):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.Join(strings.Fields(text), " ")
}

// PluralOf returns a number with a word whose plural is irregular.
func PluralOf[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Plural returns a count with its noun: 1 review, 2 reviews.
func Plural[N int | int64](n N, word string) string {
	if stem, ok := strings.CutSuffix(word, "y"); ok && n != 1 &&
		!strings.ContainsAny(stem[max(len(stem)-1, 0):], "aeiou") {
		word = stem + "ies"
	} else if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

// OrDash returns a text, or a dash if it is empty.
func OrDash(text string) string {
	return cmp.Or(text, "-")
}

// WriteNonEmpty writes a value unless it is the zero value.
func WriteNonEmpty[T comparable](b *strings.Builder, format string, value T) {
	var none T
	if value != none {
		fmt.Fprintf(b, format, value)
	}
}

// Section writes a heading and an indented text, unless the text is empty.
func Section(b *strings.Builder, name, text string) {
	if text = strings.TrimSpace(text); text != "" {
		fmt.Fprintf(b, "%s\n  %s\n", name, strings.ReplaceAll(text, "\n", "\n  "))
	}
}

// QuotedSection is Section for a recorded text. QuoteValue already marked its lines except the first.
func QuotedSection(b *strings.Builder, name, text string) {
	if text = strings.TrimSpace(text); text != "" {
		Section(b, name, quote+text)
	}
}

// Printable removes control characters, with which a pack could overwrite a terminal or break XML.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
