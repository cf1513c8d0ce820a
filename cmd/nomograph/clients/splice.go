package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"github.com/tidwall/pretty"
)

var errNoObject = errors.New("no object")

// objectMember returns the value of a key of an object, or nil. Of duplicate keys it returns the last one, like JSON
// parsers. It returns an error if the value is not an object.
func objectMember(value *hujson.Value, key string) (*hujson.Value, error) {
	object, ok := value.Value.(*hujson.Object)
	if !ok {
		return nil, errNoObject
	}
	for i := range slices.Backward(object.Members) {
		if object.Members[i].Name.Value.(hujson.Literal).String() == key {
			return &object.Members[i].Value, nil
		}
	}
	return nil, nil
}

// splicer changes parts of a text and preserves all other bytes.
type splicer struct {
	text  []byte
	edits []splice
}

type splice struct {
	start, end int
	text       string
}

func (t *splicer) replace(start, end int, text string) {
	t.edits = append(t.edits, splice{start, end, text})
}

// add appends a member to an object, after the last member and its trailing comment. depth is the nesting depth of the
// members.
func (t *splicer) add(to *hujson.Value, depth int, key, raw string) {
	object := to.Value.(*hujson.Object)
	newline := "\n"
	if bytes.Contains(t.text, []byte("\r\n")) {
		newline = "\r\n"
	}
	unit := t.unit()
	inner, outer := strings.Repeat(unit, depth), strings.Repeat(unit, depth-1)
	if own, on := t.indentOf(object); on {
		inner = own
		outer = strings.TrimSuffix(own, unit)
	}
	name, _ := json.Marshal(key) // strings always encode
	text := newline + inner + string(name) + ": " + strings.ReplaceAll(indent(raw, unit, inner), "\n", newline)
	brace := to.EndOffset - 1
	end := brace
	for end > to.StartOffset+1 && strings.IndexByte(" \t\r\n", t.text[end-1]) >= 0 {
		end--
	}
	if n := len(object.Members); n > 0 {
		last := object.Members[n-1].Value
		if last.AfterExtra == nil {
			t.replace(last.EndOffset, last.EndOffset, ",")
		}
	}
	t.replace(end, brace, text+newline+outer)
}

// remove removes a member of an object with the text between it and its predecessor, or its successor if it is the
// first.
func (t *splicer) remove(from *hujson.Value, key string) {
	members := from.Value.(*hujson.Object).Members
	i := slices.IndexFunc(members, func(m hujson.ObjectMember) bool {
		return m.Name.Value.(hujson.Literal).String() == key
	})
	switch {
	case i < 0:
	case i > 0:
		t.replace(members[i-1].Value.EndOffset, members[i].Value.EndOffset, "")
	case len(members) > 1:
		t.replace(members[0].Name.StartOffset, members[1].Name.StartOffset, "")
	default:
		t.replace(members[0].Name.StartOffset, members[0].Value.EndOffset, "")
	}
}

// indentOf returns the indentation of the first member of an object, and false if it does not start a line.
func (t *splicer) indentOf(object *hujson.Object) (string, bool) {
	if len(object.Members) == 0 {
		return "", false
	}
	before := t.text[:object.Members[0].Name.StartOffset]
	line := string(before[bytes.LastIndexByte(before, '\n')+1:])
	return line, strings.TrimLeft(line, " \t") == "" && bytes.Contains(before, []byte("\n"))
}

// unit returns the indentation unit of the text: the indentation of its first indented line.
func (t *splicer) unit() string {
	for line := range bytes.Lines(t.text) {
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && len(bytes.TrimSpace(rest)) > 0 &&
			rest[0] != '*' {
			return string(line[:len(line)-len(rest)])
		}
	}
	return "  "
}

func (t *splicer) done() []byte {
	slices.SortStableFunc(t.edits, func(a, b splice) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, e := range t.edits {
		out = append(append(out, t.text[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, t.text[at:]...)
}

// indent formats JSON with an indentation.
func indent(raw, indent, prefix string) string {
	options := *pretty.DefaultOptions
	options.Indent, options.Prefix = indent, prefix
	return strings.TrimSpace(string(pretty.PrettyOptions([]byte(raw), &options)))
}
