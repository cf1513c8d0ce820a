package mcp

import (
	"encoding/json"
	"fmt"
)

// tooLong is the error for a request above the limit.
var tooLong = fmt.Sprintf("The message has more than %d MB, which is the limit of a line. Send less at once, such as a page of a list", maxLineLength>>20)

// maxIDLength limits the size of an id in an answer.
const maxIDLength = 512

// messageScanner scans a message without storing it and extracts only what an answer needs: the id at the top level,
// and whether it has a method. It is reliable for well-formed messages only.
type messageScanner struct {
	depth   int
	text    bool // within quotes
	escaped bool
	value   bool // after the colon of a top-level member
	kept    []byte
	key     string
	members map[string]string // texts of the top-level members that an answer needs
}

func newPassing() *messageScanner { return &messageScanner{members: map[string]string{}} }

// Write scans the next part of the message.
func (o *messageScanner) Write(part []byte) (int, error) {
	for _, c := range part {
		o.consume(c)
	}
	return len(part), nil
}

func (o *messageScanner) consume(c byte) {
	top := o.depth == 1
	switch {
	case o.text:
		if top {
			o.capture(c)
		}
		switch {
		case o.escaped:
			o.escaped = false
		case c == '\\':
			o.escaped = true
		case c == '"':
			o.text = false
		}
		return
	case c == '"':
		o.text = true
		if top {
			o.capture(c)
		}
		return
	case c == '{' || c == '[':
		o.depth++
		return
	case c == '}' || c == ']':
		if top {
			o.endMember()
		}
		o.depth--
		return
	case !top:
		return
	case c == ':' && !o.value:
		if json.Unmarshal(o.kept, &o.key) != nil {
			o.key = ""
		}
		o.kept, o.value = o.kept[:0], true
	case c == ',':
		o.endMember()
	case c != ' ' && c != '\t' && c != '\r' && c != '\n':
		o.capture(c)
	}
}

// capture stores the beginning of a name or value, one byte more than an id may have.
func (o *messageScanner) capture(c byte) {
	if len(o.kept) <= maxIDLength {
		o.kept = append(o.kept, c)
	}
}

func (o *messageScanner) endMember() {
	if o.value && (o.key == "id" || o.key == "method") && len(o.kept) <= maxIDLength {
		o.members[o.key] = string(o.kept)
	}
	o.kept, o.key, o.value = o.kept[:0], "", false
}

// request returns a minimal request with the same id, to be refused; nil for a notification or an unknown id.
func (o *messageScanner) request() []byte {
	id := json.RawMessage(o.members["id"])
	if o.members["method"] == "" || !json.Valid(id) || id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9') {
		return nil
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": ""})
	if err != nil {
		return nil
	}
	return text
}
