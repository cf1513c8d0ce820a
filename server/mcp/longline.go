package mcp

import (
	"encoding/json"
	"fmt"
)

// tooLong is what a request over the limit is answered with.
var tooLong = fmt.Sprintf("The message has more than %d MB, which is the limit of a line. Send less at once, such as a page of a list", maxLineLength>>20)

// maxOfID bounds the text of an id that is answered.
const maxOfID = 512

// passing reads a message as it passes by, and holds of it only what an answer needs: the id at its top, and whether it has a method. It
// takes what is written well; of what is not it may know nothing.
type passing struct {
	depth   int
	text    bool // within quotes
	escaped bool
	value   bool // behind the colon of a member at the top
	kept    []byte
	key     string
	members map[string]string // of those at the top that an answer needs: the text of the value
}

func newPassing() *passing { return &passing{members: map[string]string{}} }

// Write takes the next part of the message.
func (o *passing) Write(part []byte) (int, error) {
	for _, c := range part {
		o.take(c)
	}
	return len(part), nil
}

func (o *passing) take(c byte) {
	top := o.depth == 1
	switch {
	case o.text:
		if top {
			o.keep(c)
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
			o.keep(c)
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
		o.keep(c)
	}
}

// keep holds the beginning of a name or value, and one byte more than an id may have.
func (o *passing) keep(c byte) {
	if len(o.kept) <= maxOfID {
		o.kept = append(o.kept, c)
	}
}

func (o *passing) endMember() {
	if o.value && (o.key == "id" || o.key == "method") && len(o.kept) <= maxOfID {
		o.members[o.key] = string(o.kept)
	}
	o.kept, o.key, o.value = o.kept[:0], "", false
}

// request is a message of the same id that has nothing else, to be refused; nil where the message asks nothing or its id is not known.
func (o *passing) request() []byte {
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
