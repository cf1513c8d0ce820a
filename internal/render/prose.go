package render

import (
	"fmt"
	"strings"
	"unicode"
)

// MaxTitleLength is how many characters a title has at most.
const MaxTitleLength = 80

// Title is the first line of a text, cut.
func Title(text string) string { return Cut(FirstLine(text), MaxTitleLength) }

// FirstLine is the first line that says something, without the spaces around it, and without what cannot be seen: whatever breaks a
// line ends it.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(Clean(text)), "\n")
	return strings.TrimSpace(line)
}

// Cut gives the first n characters of a text.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	runes := []rune(text)
	return string(runes[:min(n, len(runes))])
}

// Shorten gives a text of n characters at most. What is longer ends at a word, or at a part of a name, with an ellipsis.
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
	return strings.TrimRightFunc(cut, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:-_./", r) }) + "…"
}

// OneLine puts a text on one line. What is no sign becomes a space. What only turns or hides text goes: it could say something
// to a program that its reader does not know of. Joiners stay, which are part of words and of emoji.
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

// Plural counts things: 1 review, 2 reviews.
func Plural[N int | int64](n N, word string) string {
	if stem, ok := strings.CutSuffix(word, "y"); ok && n != 1 && !strings.ContainsAny(stem[max(len(stem)-1, 0):], "aeiou") {
		word = stem + "ies"
	} else if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

// OrDash is a text, or a dash where there is none.
func OrDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// WriteNonEmpty writes what is there, and nothing for what is empty.
func WriteNonEmpty[T comparable](b *strings.Builder, format string, value T) {
	var none T
	if value != none {
		fmt.Fprintf(b, format, value)
	}
}

// Section writes a heading and what stands under it, if anything does.
func Section(b *strings.Builder, name, text string) {
	if text = strings.TrimSpace(text); text != "" {
		fmt.Fprintf(b, "%s\n  %s\n", name, strings.ReplaceAll(text, "\n", "\n  "))
	}
}

// QuotedSection is Section of a recorded text, whose lines but the first Quoted has marked already.
func QuotedSection(b *strings.Builder, name, text string) {
	if text = strings.TrimSpace(text); text != "" {
		Section(b, name, quote+text)
	}
}

// Printable leaves out what is no text: control characters, with which a pack could write over a terminal or break XML.
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
