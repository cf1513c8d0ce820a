package archive

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"nomograph/internal/document"
)

// line is one line of a file. Exactly one of its members is set.
type line struct {
	Nomograph    string        `json:"nomograph,omitempty"` // "export"; in the header only, with the next three fields
	Format       int           `json:"format,omitempty"`
	At           string        `json:"at,omitempty"` // by the database's clock
	Server       string        `json:"server,omitempty"`
	Node         *node         `json:"node,omitempty"`
	Vectors      *vectors      `json:"vectors,omitempty"`
	Relationship *relationship `json:"relationship,omitempty"`
	End          *end          `json:"end,omitempty"`

	number int64 // line number in the file, from 1
}

type node struct {
	Key        string         `json:"key"`
	Labels     []string       `json:"labels"`
	Properties map[string]any `json:"properties"`
}

type vectors struct {
	Of         string         `json:"of"`
	Properties map[string]any `json:"properties"`
}

type relationship struct {
	Type       string         `json:"type"`
	From       string         `json:"from"`
	To         string         `json:"to"`
	Properties map[string]any `json:"properties"`
}

type end struct {
	Nodes         int64  `json:"nodes"`
	Vectors       int64  `json:"vectors,omitempty"`
	Relationships int64  `json:"relationships"`
	SHA256        string `json:"sha256"`
}

// count counts a line for the end of the file.
func (e *end) count(l line) {
	switch {
	case l.Node != nil:
		e.Nodes++
	case l.Vectors != nil:
		e.Vectors++
	case l.Relationship != nil:
		e.Relationships++
	}
}

// writer writes lines and counts them for the end of the file.
type writer struct {
	w    *bufio.Writer
	json *json.Encoder
	sum  hash.Hash
	end  end
}

func newWriter(w io.Writer) *writer {
	out := &writer{w: bufio.NewWriterSize(w, 1<<16), sum: sha256.New()}
	out.json = json.NewEncoder(io.MultiWriter(out.w, out.sum))
	out.json.SetEscapeHTML(false)
	return out
}

func (w *writer) write(l line) error {
	w.end.count(l)
	return w.json.Encode(l)
}

func (w *writer) close() error {
	w.end.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	return errors.Join(w.json.Encode(line{End: &w.end}), w.w.Flush())
}

// maxLineLength is the maximum length of a line in bytes.
const maxLineLength = 64 << 20

// lineLimits bound one line. The number of lines is not limited.
var lineLimits = document.Limits{Bytes: maxLineLength, Depth: 20, Nodes: 1_000_000}

// parseLine parses one line of a file and converts properties to Bolt's types.
func parseLine(text []byte) (line, error) {
	if _, err := document.Decode(text); err != nil {
		return line{}, fmt.Errorf("invalid archive line: %w", err)
	}
	if err := document.JSON(context.Background(), text, lineLimits); err != nil {
		return line{}, fmt.Errorf("invalid archive line: %w", err)
	}
	if err := checkSpelling(text); err != nil {
		return line{}, fmt.Errorf("invalid archive line: %w", err)
	}
	var l line
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&l); err != nil {
		return line{}, fmt.Errorf("invalid archive line: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return line{}, errors.New("more than one value in a line")
	}
	members := 0
	for _, present := range []bool{l.Nomograph != "", l.Node != nil, l.Vectors != nil, l.Relationship != nil,
		l.End != nil} {
		if present {
			members++
		}
	}
	if members != 1 {
		return line{}, errors.New("unknown kind of line: use a node, vectors, a relationship, the header or the end")
	}
	var err error
	switch {
	case l.Node != nil:
		err = l.Node.check()
	case l.Vectors != nil:
		err = decodeProperties(l.Vectors.Properties)
	case l.Relationship != nil:
		err = l.Relationship.check()
	}
	return l, err
}

// checkSpelling refuses keys of the format with other capitals. Property names can have any spelling.
func checkSpelling(text []byte) error {
	var members struct{ Node, Vectors, Relationship, End json.RawMessage }
	_ = json.Unmarshal(text, &members) // the decoder refuses an unexpected form below
	return errors.Join(
		document.CheckKeySpelling(text, "nomograph", "format", "at", "server", "node", "vectors", "relationship",
			"end"),
		document.CheckKeySpelling(members.Node, "key", "labels", "properties"),
		document.CheckKeySpelling(members.Vectors, "of", "properties"),
		document.CheckKeySpelling(members.Relationship, "type", "from", "to", "properties"),
		document.CheckKeySpelling(members.End, "nodes", "vectors", "relationships", "sha256"))
}

func (n *node) check() error {
	for _, label := range n.Labels {
		if !slices.Contains(labels, label) {
			return fmt.Errorf("the label %q is not one of Nomograph's", label)
		}
	}
	k, ok := kindOf(n.Labels)
	if !ok {
		return fmt.Errorf("the labels %q do not identify the kind of the node", n.Labels)
	}
	if n.Properties == nil {
		n.Properties = map[string]any{}
	}
	if err := decodeProperties(n.Properties); err != nil {
		return err
	}
	switch {
	case n.Key == "":
		return errors.New("the key is missing")
	case k.by == byUID && n.Properties["uid"] != n.Key:
		return fmt.Errorf("the key of a %s is its uid, and %q is not", k.label, n.Key)
	}
	for _, key := range k.keys {
		if k.by == byKey && n.Properties[key] == nil {
			return fmt.Errorf("a %s needs the property %s", k.label, key)
		}
	}
	return nil
}

func (r *relationship) check() error {
	if !slices.Contains(types, r.Type) {
		return fmt.Errorf("the relationship type %q is not one of Nomograph's", r.Type)
	}
	if r.From == "" || r.To == "" {
		return errors.New("from and to are missing")
	}
	if r.Properties == nil {
		r.Properties = map[string]any{}
	}
	return decodeProperties(r.Properties)
}

// encodeProperties converts properties to the form of a file.
func encodeProperties(properties map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(properties))
	for name, value := range properties {
		var err error
		if out[name], err = encodeValue(value); err != nil {
			return nil, fmt.Errorf("the property %s: %w", name, err)
		}
	}
	return out, nil
}

// decodeProperties converts properties in the form of a file to values.
func decodeProperties(properties map[string]any) error {
	for name, value := range properties {
		v, err := decodeValue(value)
		if err != nil {
			return fmt.Errorf("the property %s: %w", name, err)
		}
		properties[name] = v
	}
	return nil
}
