package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// JSON encodes a value with <, > and & unescaped and with terminal control characters escaped.
func JSON(value any) ([]byte, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Grow(len(raw))
	for i := 0; i < len(raw); {
		from := i
		for i < len(raw) && raw[i] < 0x7f && raw[i] != '\\' { // JSON contains no control characters
			i++
		}
		if out.Write(raw[from:i]); i == len(raw) {
			break
		}
		if raw[i] == '\\' { // copy the backslash with the escaped character
			if i+6 <= len(raw) {
				if as, ok := unescaped[string(raw[i:i+6])]; ok {
					out.WriteByte(as)
					i += 6
					continue
				}
			}
			out.Write(raw[i : i+2])
			i += 2
			continue
		}
		r, size := utf8.DecodeRune(raw[i:])
		if isControl(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.Write(raw[i : i+size])
		}
		i += size
	}
	return out.Bytes(), nil
}

// IndentedJSON is JSON with indentation.
func IndentedJSON(value any) (string, error) {
	raw, err := JSON(value)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = json.Indent(&out, raw, "", "  ")
	return out.String(), err
}

var unescaped = map[string]byte{`\u003c`: '<', `\u003e`: '>', `\u0026`: '&'}
