package transcripts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	bounds "nomograph/internal/document"
)

const (
	deepest           = 100      // maximum nesting of objects and lists
	maxDocumentLength = 64 << 20 // bytes of a conversation object, unless documents.max_bytes is larger
)

// nesting tracks the depth of a JSON text byte by byte.
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

// tooDeep reports whether a JSON text is nested more than deepest levels. Parsing reads inner values once per level, so
// deep texts would take too long.
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

// nextValue reads an object or list that starts at the next byte. A value that is too long or too deep is skipped
// without being stored; refused says why. An error ends the reading.
func nextValue(in *bufio.Reader) (raw []byte, refused string, err error) {
	limit := max(maxDocumentLength, bounds.DefaultLimits().Bytes)
	var n nesting
	for size := 0; ; {
		if _, err := in.Peek(1); errors.Is(err, io.EOF) {
			return nil, "", errors.New("the file is truncated")
		} else if err != nil {
			return nil, "", errors.New(reason(err))
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
		if size += len(part); size <= limit {
			raw = append(raw, part...)
		} else {
			raw = nil
		}
		_, _ = in.Discard(len(part)) // the bytes are buffered, so this cannot fail
		switch {
		case end < 0:
		case size > limit:
			return nil, fmt.Sprintf("it is longer than %d MB (documents.max_bytes)", limit>>20), nil
		case n.most > deepest:
			return nil, fmt.Sprintf("it is nested more than %d levels deep", deepest), nil
		default:
			return raw, "", nil
		}
	}
}

// nextByte returns the next byte that is not white space, without consuming it.
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
