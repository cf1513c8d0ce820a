package clients

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"github.com/tidwall/gjson"
	"github.com/tidwall/pretty"
)

// tree is a file's JSON. Changes to its values preserve every other byte.
type tree struct {
	*hujson.Value
	newline, unit string // as the file has them; unit indents by one level
}

// value is a value of a tree. Its zero value does not exist.
type value struct {
	*hujson.Value
	of    tree
	depth int // of its members
}

// parse returns the JSON of a file, {} for an empty one. It returns a conflict if the file has something else.
func parse(f file) (tree, error) {
	text := slices.Clone(f.text)
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return tree{}, notJSON(f.path, err)
	}
	d := tree{&root, "\n", "  "}
	if bytes.Contains(text, []byte("\r\n")) {
		d.newline = "\r\n"
	}
	for line := range bytes.Lines(text) { // the first indented line that is no part of a comment
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && len(bytes.TrimSpace(rest)) > 0 &&
			rest[0] != '*' {
			d.unit = string(line[:len(line)-len(rest)])
			break
		}
	}
	return d, nil
}

// plain returns the JSON of a file without comments and trailing commas.
func (f file) plain() (gjson.Result, error) {
	d, err := parse(f)
	if err != nil {
		return gjson.Result{}, err
	}
	return d.at().plain(), nil
}

// at returns the value at a path of keys.
func (d tree) at(keys ...string) value { return value{d.Value, d, 1}.at(keys...) }

// at returns the value of a key in an object in it, and so on. Of duplicate keys it is the last one, like JSON parsers.
func (v value) at(keys ...string) value {
	for _, key := range keys {
		if i := v.index(key); i >= 0 {
			v.Value = &v.object().Members[i].Value
		} else {
			v.Value = nil
		}
		v.depth++
	}
	return v
}

func (v value) exists() bool { return v.Value != nil }

func (v value) isObject() bool { return v.object() != nil }

func (v value) object() *hujson.Object {
	if v.Value == nil {
		return nil
	}
	object, _ := v.Value.Value.(*hujson.Object)
	return object
}

// keys returns the keys of an object in their order.
func (v value) keys() (keys []string) {
	if object := v.object(); object != nil {
		for _, m := range object.Members {
			keys = append(keys, m.Name.Value.(hujson.Literal).String())
		}
	}
	return keys
}

func (v value) index(key string) int {
	for i, name := range slices.Backward(v.keys()) {
		if name == key {
			return i
		}
	}
	return -1
}

// plain returns the value without comments and trailing commas.
func (v value) plain() gjson.Result {
	copied := v.Clone()
	copied.Standardize()
	return gjson.ParseBytes(bytes.TrimSpace(copied.Pack()))
}

// set sets a member of an object. A new one is on a line of its own, after the last member and its trailing comment.
func (v value) set(key, raw string) {
	if at := v.at(key); at.exists() {
		made, _ := hujson.Parse([]byte(raw)) // encoded by this program
		at.Value.Value = made.Value
		return
	}
	object, unit := v.object(), v.of.unit
	inner, outer := strings.Repeat(unit, v.depth), strings.Repeat(unit, v.depth-1)
	if len(object.Members) > 0 {
		lines := string(object.Members[0].Name.BeforeExtra)
		if at := strings.LastIndex(lines, "\n"); at >= 0 && strings.TrimLeft(lines[at:], " \t\n") == "" {
			inner, outer = lines[at+1:], strings.TrimSuffix(lines[at+1:], unit)
		}
	}
	options := *pretty.DefaultOptions
	options.Indent, options.Prefix = unit, inner
	text := strings.TrimSpace(string(pretty.PrettyOptions([]byte(raw), &options)))
	made, _ := hujson.Parse([]byte(strings.ReplaceAll(text, "\n", v.of.newline)))
	made.BeforeExtra = hujson.Extra(" ")
	before := append(bytes.TrimRight(object.AfterExtra, " \t\r\n"), v.of.newline+inner...)
	object.Members = append(object.Members,
		hujson.ObjectMember{Name: hujson.Value{BeforeExtra: before, Value: hujson.String(key)}, Value: made})
	object.AfterExtra = hujson.Extra(v.of.newline + outer)
}

// remove removes a member of an object with the text between it and its predecessor, or its successor if it is the
// first.
func (v value) remove(key string) {
	i, object := v.index(key), v.object()
	if i < 0 {
		return
	}
	gone := object.Members[i]
	object.Members = slices.Delete(object.Members, i, i+1)
	switch {
	case i > 0 && i == len(object.Members):
		object.Members[i-1].Value.AfterExtra = gone.Value.AfterExtra
	case i == 0 && len(object.Members) > 0:
		object.Members[0].Name.BeforeExtra = gone.Name.BeforeExtra
	case i == 0:
		object.AfterExtra = append(slices.Clone(gone.Name.BeforeExtra), object.AfterExtra...)
	}
}
