package transcripts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	bounds "nomograph/internal/document" // document is a conversation here
)

const (
	deepest           = 100      // objects and lists within each other
	maxDocumentLength = 64 << 20 // bytes of a conversation that is one object, unless documents may be longer
)

// nesting counts how deep a JSON text is, byte by byte.
type nesting struct {
	depth, most   int
	text, escaped bool
}

func (n *nesting) add(b byte) {
	switch {
	case n.escaped:
		n.escaped = false
	case n.text:
		n.escaped, n.text = b == '\\', b != '"'
	case b == '"':
		n.text = true
	case b == '{' || b == '[':
		n.depth++
		n.most = max(n.most, n.depth)
	case b == '}' || b == ']':
		n.depth--
	}
}

// tooDeep reports whether a JSON text is so deep that reading it takes too long: what is within is read once for each level.
func tooDeep(raw []byte) bool {
	if bytes.Count(raw, []byte("{"))+bytes.Count(raw, []byte("[")) <= deepest {
		return false
	}
	var n nesting
	for _, b := range raw {
		n.add(b)
	}
	return n.most > deepest
}

// errRefused is why one value is left out, while the next can be read.
type errRefused struct{ why string }

func (e errRefused) Error() string { return e.why }

// nextValue reads an object or a list, of which the next byte is the first. A value that is too long or too deep is read over, without
// keeping it, and is an errRefused. Any other error ends the reading.
func nextValue(in *bufio.Reader) ([]byte, error) {
	most := max(maxDocumentLength, bounds.DefaultLimits().Bytes)
	var raw []byte
	var n nesting
	for size := 0; ; {
		if _, err := in.Peek(1); errors.Is(err, io.EOF) {
			return nil, errors.New("the file ends in the middle of it")
		} else if err != nil {
			return nil, errors.New(reason(err))
		}
		part, _ := in.Peek(in.Buffered())
		end := -1
		for i, b := range part {
			if n.add(b); n.depth == 0 {
				end = i + 1
				break
			}
		}
		if end >= 0 {
			part = part[:end]
		}
		if size += len(part); size <= most {
			raw = append(raw, part...)
		} else {
			raw = nil
		}
		_, _ = in.Discard(len(part)) // they are buffered
		switch {
		case end < 0:
		case size > most:
			return nil, errRefused{fmt.Sprintf("it is longer than %d MB; documents.max_bytes sets how long one may be", most>>20)}
		case n.most > deepest:
			return nil, errRefused{fmt.Sprintf("it is more than %d deep", deepest)}
		default:
			return raw, nil
		}
	}
}

// nextByte gives the next byte that is no blank, and leaves it to be read again.
func nextByte(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case b == ' ' || b == '\t' || b == '\r' || b == '\n':
			continue
		}
		return b, in.UnreadByte()
	}
}
