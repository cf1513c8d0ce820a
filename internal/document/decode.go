package document

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"nomograph/internal/apperr"
)

// Every text from outside passes Decode, Text or NewReader: UTF-8 with or without a byte order mark, or UTF-16 in
// either byte order. Other bytes are refused with their position. Replacing them silently would store a text that
// nobody wrote.

// Decode returns a text as UTF-8 without a byte order mark and with unchanged line ends. It returns an *Error for the
// first byte that is not UTF-8 or UTF-16, or that is zero.
func Decode(raw []byte) ([]byte, error) {
	order, mark := orderOf(raw)
	text := raw[mark:]
	if order != nil {
		text = fromUTF16(order, text, true)
	}
	if utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 { // faster than the loop
		return text, nil
	}
	for at := 0; at < len(text); {
		letter, size := utf8.DecodeRune(text[at:])
		if letter != 0 && (letter != utf8.RuneError || size > 1) {
			at += size
			continue
		}
		place, before, encoding := positionIn(text, int64(at)), at, "UTF-8"
		place.Column = utf8.RuneCount(text[bytes.LastIndexByte(text[:at], '\n')+1:at]) + 1
		if order != nil {
			before, encoding = 2*len(utf16.Encode([]rune(string(text[:at])))), "UTF-16"
		}
		if before += mark; letter == 0 {
			return nil, refused(place, "byte %d is zero, so it is not text", before+1)
		}
		return nil, refused(place, "byte %d (0x%02X) is not %s", before+1, raw[before], encoding)
	}
	return text, nil
}

// Text decodes a text for people and returns it with the line ends of Unix. The validation_error for other bytes
// begins with the name of the text.
func Text(name string, raw []byte) (string, error) {
	text, err := Decode(raw)
	if err != nil {
		return "", NotText(name, err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n"), nil
}

// NotText returns the validation_error for a text that Decode refused.
func NotText(name string, err error) error {
	return apperr.Newf(apperr.Validation, "%s cannot be read: %v", name, err).WithHint("Save or send it as UTF-8").
		Because(err)
}

// orderOf returns the byte order of UTF-16, or nil for UTF-8, and the length of the byte order mark. Without a mark, a
// zero as one of the first two bytes reveals UTF-16: no text starts with NUL, and most start with ASCII.
func orderOf(raw []byte) (order binary.ByteOrder, mark int) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		return nil, 3
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		return binary.LittleEndian, 2
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return binary.BigEndian, 2
	case len(raw) >= 2 && raw[0] == 0 && raw[1] >= '\t' && raw[1] < utf8.RuneSelf:
		return binary.BigEndian, 0
	case len(raw) >= 2 && raw[1] == 0 && raw[0] >= '\t' && raw[0] < utf8.RuneSelf:
		return binary.LittleEndian, 0
	}
	return nil, 0
}

// fromUTF16 returns UTF-16 as UTF-8. Half of a surrogate pair, and half of a unit at the end, become bytes that Decode
// refuses.
func fromUTF16(order binary.ByteOrder, raw []byte, ended bool) []byte {
	text := make([]byte, 0, len(raw))
	for ; len(raw) >= 2; raw = raw[2:] {
		unit := rune(order.Uint16(raw))
		if utf16.IsSurrogate(unit) && len(raw) >= 4 {
			if pair := utf16.DecodeRune(unit, rune(order.Uint16(raw[2:]))); pair != utf8.RuneError {
				text, raw = utf8.AppendRune(text, pair), raw[2:]
				continue
			}
		}
		if utf16.IsSurrogate(unit) {
			text = append(text, notUTF8)
			continue
		}
		text = utf8.AppendRune(text, unit)
	}
	if len(raw) > 0 && ended {
		text = append(text, notUTF8)
	}
	return text
}

// notUTF8 is a byte that never occurs in UTF-8.
const notUTF8 = 0xff

// NewReader returns a reader that yields UTF-8 without a byte order mark. It never waits for more than the first three
// bytes, so a peer that sends one line gets its answer. Bytes that are not text are passed on: decode each line, so
// that only that line is lost.
func NewReader(from io.Reader) io.Reader { return &reader{from: bufio.NewReaderSize(from, part)} }

type reader struct {
	from  *bufio.Reader
	begun bool
	order binary.ByteOrder // nil for UTF-8
	rest  []byte
}

func (r *reader) Read(p []byte) (int, error) {
	if !r.begun {
		r.begun = true
		head, _ := r.from.Peek(2) // the reads below return the error
		if bytes.Equal(head, []byte("\xef\xbb")) {
			head, _ = r.from.Peek(3)
		}
		order, mark := orderOf(head)
		r.order = order
		_, _ = r.from.Discard(mark)
	}
	if r.order == nil {
		return r.from.Read(p)
	}
	for len(r.rest) == 0 {
		units, err := r.from.Peek(max(2, min(r.from.Buffered()&^1, part-2)))
		if high := len(units) - 2; high >= 0 && err == nil &&
			r.order.Uint16(units[high:])&0xfc00 == 0xd800 { // its other half may follow
			if more, _ := r.from.Peek(len(units) + 2); len(more) > len(units) {
				units = more
			}
		}
		r.rest = fromUTF16(r.order, units, err != nil)
		_, _ = r.from.Discard(len(units))
		if err != nil && len(r.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
