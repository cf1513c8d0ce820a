package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// cells measures text that can contain color sequences, which have no width.
var cells = displaywidth.Options{ControlSequences: true}

const (
	noBreakSpace = '\u00a0'
	lineBreak    = "\n"
)

// broken wraps a text at a number of columns: between words, after hyphens, and within words longer than a line.
func broken(text string, width int) string {
	b := breaking{limit: width}
	for glyphs := cells.StringGraphemes(text); glyphs.Next(); {
		glyph := glyphs.Value()
		r, _ := utf8.DecodeRuneInString(glyph)
		switch {
		case glyph == lineBreak:
			b.endLine()
		case r == '\x1b':
			b.word.WriteString(glyph)
		case unicode.IsSpace(r) && r != noBreakSpace:
			b.addWord()
			b.space.WriteString(glyph)
			b.spaceWidth += max(glyphs.Width(), 1)
		case glyph == "-":
			b.addHyphen()
		default:
			b.addGlyph(glyph, glyphs.Width())
		}
	}
	b.endText()
	return b.out.String()
}

// breaking is the state of wrapping: the output, and the pending space and word.
type breaking struct {
	limit                            int
	out, word, space                 strings.Builder
	lineWidth, wordWidth, spaceWidth int
}

func (b *breaking) addSpace() {
	b.lineWidth += b.spaceWidth
	b.out.WriteString(b.space.String())
	b.dropSpace()
}

func (b *breaking) dropSpace() {
	b.space.Reset()
	b.spaceWidth = 0
}

func (b *breaking) addWord() {
	if b.word.Len() == 0 {
		return
	}
	b.addSpace()
	b.lineWidth += b.wordWidth
	b.out.WriteString(b.word.String())
	b.word.Reset()
	b.wordWidth = 0
}

func (b *breaking) newLine() {
	b.out.WriteString(lineBreak)
	b.lineWidth = 0
	b.dropSpace()
}

func (b *breaking) addGlyph(glyph string, width int) {
	if b.wordWidth+width > b.limit {
		b.addWord()
	}
	b.word.WriteString(glyph)
	b.wordWidth += width
	if b.lineWidth+b.wordWidth+b.spaceWidth > b.limit {
		b.newLine()
	}
	if b.wordWidth == b.limit {
		b.addWord()
	}
}

// addHyphen ends a word where the line can break. A hyphen that does not fit is treated as part of the word.
func (b *breaking) addHyphen() {
	if b.lineWidth+b.spaceWidth+b.wordWidth >= b.limit {
		b.addGlyph("-", 1)
		return
	}
	b.addWord()
	b.addSpace()
	b.out.WriteByte('-')
	b.lineWidth++
}

// endText writes the pending word. Trailing spaces remain if they fit.
func (b *breaking) endText() {
	if b.wordWidth == 0 {
		if b.lineWidth+b.spaceWidth <= b.limit {
			b.out.WriteString(b.space.String())
		}
		b.dropSpace()
	}
	b.addWord()
}

func (b *breaking) endLine() {
	b.endText()
	b.newLine()
}
