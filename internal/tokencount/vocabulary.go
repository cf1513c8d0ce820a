package tokencount

import (
	_ "embed"
	"hash/maphash"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// tokensOfBase holds the tokens of cl100k_base in the order of their ranks, each preceded by its length in one byte
// (NOTICE).
//
//go:embed cl100k.bin
var tokensOfBase string

// vocabulary maps tokens to ranks. It is a hash table over the embedded text, because a Go map would use 6 MB.
type vocabulary struct {
	starts []uint32 // offset of each token's text
	slots  []uint32 // open addressing: rank + 1, or 0 for a free slot
	seed   maphash.Seed
}

// base builds the vocabulary on first use.
var base = sync.OnceValue(func() *vocabulary {
	const maxTokenCount, slots = 100_300, 1 << 18
	v := &vocabulary{starts: make([]uint32, 0, maxTokenCount), slots: make([]uint32, slots), seed: maphash.MakeSeed()}
	for at := 0; at < len(tokensOfBase); at += 1 + int(tokensOfBase[at]) {
		v.starts = append(v.starts, uint32(at+1))
		text := tokensOfBase[at+1 : at+1+int(tokensOfBase[at])]
		slot := v.slot(text)
		for v.slots[slot] != 0 {
			slot = (slot + 1) % slots
		}
		v.slots[slot] = uint32(len(v.starts))
	}
	return v
})

func (v *vocabulary) slot(text string) int {
	return int(maphash.String(v.seed, text) % uint64(len(v.slots)))
}

// rank returns the rank of a token, or a negative number if the text is not a token.
func (v *vocabulary) rank(text string) int {
	for slot := v.slot(text); v.slots[slot] != 0; slot = (slot + 1) % len(v.slots) {
		rank := int(v.slots[slot]) - 1
		if start := v.starts[rank]; int(tokensOfBase[start-1]) == len(text) &&
			tokensOfBase[start:int(start)+len(text)] == text {
			return rank
		}
	}
	return -1
}

// maxPieceLength is the maximum length in bytes of a piece that is merged as a whole, because the cost is quadratic.
const maxPieceLength = 4096

// count returns the number of tokens of a text.
func (v *vocabulary) count(text string) int {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	n := 0
	for text != "" {
		end := min(pieceLength(text), maxPieceLength)
		n += v.mergedCount(text[:end])
		text = text[end:]
	}
	return n
}

// mergedCount returns the number of tokens of a piece by byte pair encoding: it repeatedly merges the two neighbors
// whose combination has the lowest rank.
func (v *vocabulary) mergedCount(piece string) int {
	if len(piece) == 1 || v.rank(piece) >= 0 {
		return 1
	}
	// from is the start of the part; rank is that of this and the next part combined, negative if they form no token
	type part struct{ from, rank int }
	parts := make([]part, len(piece)+1)
	together := func(i int) int {
		if i+2 >= len(parts) {
			return -1
		}
		return v.rank(piece[parts[i].from:parts[i+2].from])
	}
	for i := range parts {
		parts[i].from = i
	}
	for i := range parts {
		parts[i].rank = together(i)
	}
	for {
		lowest := -1
		for i := range parts {
			if parts[i].rank >= 0 && (lowest < 0 || parts[i].rank < parts[lowest].rank) {
				lowest = i
			}
		}
		if lowest < 0 {
			return len(parts) - 1
		}
		parts = append(parts[:lowest+1], parts[lowest+2:]...)
		parts[lowest].rank = together(lowest)
		if lowest > 0 {
			parts[lowest-1].rank = together(lowest - 1)
		}
	}
}

// pieceLength returns the length of the first piece of a text. Pieces are tokenized independently. It matches this
// pattern:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
func pieceLength(text string) int {
	if n := contraction(text); n > 0 {
		return n
	}
	first, size := utf8.DecodeRuneInString(text)
	switch {
	case unicode.IsLetter(first):
		return run(text, 0, unicode.IsLetter)
	case unicode.IsNumber(first):
		end := 0
		for range 3 {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !unicode.IsNumber(r) {
				break
			}
			end += size
		}
		return end
	case first != '\r' && first != '\n':
		if end := run(text, size, unicode.IsLetter); end > size {
			return end
		}
	}
	from := 0
	if first == ' ' {
		from = 1
	}
	if end := run(text, from, isMark); end > from {
		return run(text, end, isLineEnd)
	}
	end := run(text, 0, unicode.IsSpace)
	if last := strings.LastIndexAny(text[:end], "\r\n"); last >= 0 {
		return last + 1
	}
	_, size = utf8.DecodeLastRuneInString(text[:end])
	if end == len(text) || end == size {
		return end
	}
	return end - size // the last space belongs to the next piece
}

func contraction(text string) int {
	if text[0] != '\'' {
		return 0
	}
	for _, ending := range []string{"s", "t", "re", "ve", "m", "ll", "d"} {
		if end := 1 + len(ending); len(text) >= end && strings.EqualFold(text[1:end], ending) {
			return end
		}
	}
	return 0
}

// run returns the end of the run of matching runes that starts at from.
func run(text string, from int, is func(rune) bool) int {
	if end := strings.IndexFunc(text[from:], func(r rune) bool { return !is(r) }); end >= 0 {
		return from + end
	}
	return len(text)
}

func isMark(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r)
}

func isLineEnd(r rune) bool { return r == '\r' || r == '\n' }
