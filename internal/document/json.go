package document

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const checkEvery = 4096 // tokens between checks of the context

// JSON checks whether a JSON value may be parsed. It returns an *Error that lists all duplicate keys or names the
// exceeded limit, and an error if ctx ends. It refuses an escape of half a surrogate pair, which parsers replace.
// Other syntax errors, such as more than one value, are left to the parser.
func JSON(ctx context.Context, text []byte, l Limits) error {
	if len(text) > l.Bytes {
		return tooLong(l.Bytes)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	at := func() Position { return positionIn(text, decoder.InputOffset()) }
	var open []object
	var found []Problem
	for n := 1; ; n++ {
		before := decoder.InputOffset()
		if n%checkEvery == 0 && ctx.Err() != nil {
			return endError(ctx)
		}
		token, err := decoder.Token()
		switch {
		case errors.Is(err, io.EOF):
			return refused(at(), "the text ends too early")
		case err != nil:
			return &Error{Problems: []Problem{{Position: at(), Message: "invalid JSON"}}, cause: err}
		case n > 2*l.Nodes: // keys and ends count like values
			return refused(at(), "it has more than %d values", l.Nodes)
		}
		inside := len(open) - 1
		if letters, ok := token.(string); ok {
			if escape := halfPair(letters, text[before:decoder.InputOffset()]); escape != "" {
				return refused(at(), "%s is half of a character: send both halves, or leave it out", escape)
			}
		}
		switch delim, ok := token.(json.Delim); {
		case ok && (delim == '}' || delim == ']'):
			open = open[:inside]
			inside--
		case inside >= 0 && open[inside].keyNext():
			key, _ := token.(string) // object keys are always strings
			if first, again := open[inside].keys[key]; !again {
				open[inside].keys[key] = decoder.InputOffset()
			} else if len(found) < maxProblems {
				found = append(found, repeatedKey(at(), append(pathOf(open[:inside]), key), key,
					positionIn(text, first)))
			}
			open[inside].key = &key
			continue
		case ok:
			next := object{}
			if delim == '{' {
				next.keys = map[string]int64{}
			}
			if open = append(open, next); len(open) > l.Depth {
				return refused(at(), "it is nested more than %d levels deep", l.Depth)
			}
			continue
		}
		switch {
		case inside >= 0:
			open[inside].next()
		case len(found) > 0:
			return &Error{Problems: found}
		default:
			return nil
		}
	}
}

// halfPair returns the first escape in a string that is half of a surrogate pair. Parsers read it as U+FFFD.
func halfPair(parsed string, written []byte) string {
	if !strings.ContainsRune(parsed, utf8.RuneError) {
		return ""
	}
	for at := 0; at < len(written); at++ {
		if written[at] != '\\' {
			continue
		}
		if half := unit(written[at:]); utf16.IsSurrogate(half) {
			if utf16.DecodeRune(half, unit(written[at+6:])) == utf8.RuneError {
				return string(written[at : at+6])
			}
			at += 6
		}
		at++ // the escaped character, which can be a backslash
	}
	return ""
}

// unit returns the value of an escape \uXXXX at the start of a text, or -1.
func unit(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	value, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(value)
}

// object is an object or list that is not closed yet.
type object struct {
	keys  map[string]int64 // byte offsets of the ends of keys; nil in a list
	key   *string          // key whose value follows
	count int              // number of values in a list
}

func (o *object) keyNext() bool { return o.keys != nil && o.key == nil }

func (o *object) next() {
	o.key = nil
	o.count++
}

// pathOf returns the path to the innermost open value.
func pathOf(open []object) []string {
	var path []string
	for _, o := range open {
		if o.keys == nil {
			path = append(path, index(o.count))
		} else if o.key != nil {
			path = append(path, *o.key)
		}
	}
	return path
}

// positionIn returns the position of the end of a token that ends at a byte offset.
func positionIn(text []byte, offset int64) Position {
	before := text[:min(int(offset), len(text))]
	line := bytes.Count(before, []byte{'\n'})
	return Position{line + 1, max(len(bytes.Runes(before[bytes.LastIndexByte(before, '\n')+1:])), 1)}
}
