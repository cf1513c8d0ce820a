package search

import (
	"hash/maphash"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxWordLength = 100 // runes; BERT's limit, beyond which a word has no tokens
	continuation  = "##"
)

// vocabulary gives the rows of the pieces that begin a word, and of those that go on with one, without their "##". Their texts stay where
// they are: a map of them would take six times as much.
type vocabulary struct {
	text    string   // one piece a line
	starts  []uint32 // where each line begins, and where one behind the last would
	slots   []uint32 // rows and one, at the hashes of their pieces or behind; 0 is free
	seed    maphash.Seed
	longest int // bytes of the longest piece
}

func newVocabulary(text string) *vocabulary {
	rows := strings.Count(text, "\n") + 1
	v := &vocabulary{text: text, starts: make([]uint32, 1, rows+1), slots: make([]uint32, 1<<bits.Len(uint(2*rows))), seed: maphash.MakeSeed()}
	for word := range strings.SplitSeq(text, "\n") {
		v.longest = max(v.longest, len(word))
		v.starts = append(v.starts, v.starts[len(v.starts)-1]+uint32(len(word))+1)
		piece, inner := v.piece(len(v.starts) - 2)
		slot := v.slot(piece, inner)
		for v.slots[slot] != 0 {
			slot = (slot + 1) % len(v.slots)
		}
		v.slots[slot] = uint32(len(v.starts) - 1)
	}
	return v
}

// piece is the one of a row, and whether it goes on with a word.
func (v *vocabulary) piece(row int) (piece string, inner bool) {
	word := v.text[v.starts[row] : v.starts[row+1]-1]
	if len(word) > len(continuation) && strings.HasPrefix(word, continuation) {
		return word[len(continuation):], true
	}
	return word, false
}

func (v *vocabulary) slot(piece string, inner bool) int {
	hash := maphash.String(v.seed, piece)
	if inner {
		hash = ^hash
	}
	return int(hash % uint64(len(v.slots)))
}

// row is that of a piece, where it is one.
func (v *vocabulary) row(piece string, inner bool) (row int32, found bool) {
	for slot := v.slot(piece, inner); v.slots[slot] != 0; slot = (slot + 1) % len(v.slots) {
		row := int(v.slots[slot]) - 1
		if other, goesOn := v.piece(row); goesOn == inner && other == piece {
			return int32(row), true
		}
	}
	return 0, false
}

// tokens gives the rows of text's WordPiece tokens, as BERT's uncased tokenizer cuts them. A word that cannot be put
// together from pieces gives none.
func (v *vocabulary) tokens(text string) []int32 {
	var rows []int32
	for _, word := range bertWords(text) {
		rows = v.split(rows, word)
	}
	return rows
}

// split appends the longest pieces that make up word, from its left, or nothing.
func (v *vocabulary) split(rows []int32, word string) []int32 {
	if utf8.RuneCountInString(word) > maxWordLength {
		return rows
	}
	start, inner := len(rows), false
	for word != "" {
		end := min(len(word), v.longest)
		row, found := v.row(word[:end], inner)
		for !found && end > 1 {
			end--
			row, found = v.row(word[:end], inner)
		}
		if !found {
			return rows[:start]
		}
		rows, word, inner = append(rows, row), word[end:], true
	}
	return rows
}

// bertWords normalises text (no control characters, no accents, lower case) and splits it at blanks; punctuation marks
// and CJK characters are words of their own.
func bertWords(text string) []string {
	var words []string
	var word []byte
	flush := func() {
		if len(word) > 0 {
			words, word = append(words, string(word)), word[:0]
		}
	}
	for _, r := range norm.NFD.String(text) {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || unicode.Is(unicode.Zs, r):
			flush()
		case r == 0 || r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Mn):
		case punctuation(r) || ideograph(r):
			flush()
			words = append(words, string(r))
		default:
			word = utf8.AppendRune(word, unicode.ToLower(r))
		}
	}
	flush()
	return words
}

// punctuation counts symbols of ASCII such as $ and + as well, as BERT does.
func punctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r != 0x7f && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return unicode.IsPunct(r)
}

// ideograph tells the CJK blocks that BERT separates; Hangul and kana are words like any other.
func ideograph(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2CEAF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}
