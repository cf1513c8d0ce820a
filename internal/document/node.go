package document

import "strconv"

// Node is a value in a document: a map, a list, or a scalar (nil, bool, int64, uint64 for larger numbers, float64 or
// string). Dates are strings.
type Node struct {
	Position
	Entries []Entry // of a map
	Items   []*Node // of a list
	scalar  any
	kind    kind
}

// Entry is a key of a map with its position and value.
type Entry struct {
	Position
	Key   string
	Value *Node
}

type kind int

const (
	scalar kind = iota
	mapping
	list
)

// IsMap reports whether the node is a map.
func (n *Node) IsMap() bool { return n != nil && n.kind == mapping }

// IsList reports whether the node is a list.
func (n *Node) IsList() bool { return n != nil && n.kind == list }

// Get returns the value of a key, or nil if the node is not a map or has no such key.
func (n *Node) Get(key string) *Node {
	if n != nil {
		for _, e := range n.Entries {
			if e.Key == key {
				return e.Value
			}
		}
	}
	return nil
}

// Item returns the i-th item of a list, or nil.
func (n *Node) Item(i int) *Node {
	if n == nil || i < 0 || i >= len(n.Items) {
		return nil
	}
	return n.Items[i]
}

// At returns the position of a path; for a key, the position of the key. If the path does not exist, it returns the
// position of the nearest existing parent.
func (n *Node) At(path ...string) Position {
	if n == nil {
		return Position{1, 1}
	}
	at := n.Position
	if len(n.Entries) > 0 {
		at = n.Entries[0].Position
	}
	if len(path) == 0 {
		return at
	}
	for _, e := range n.Entries {
		switch {
		case e.Key != path[0]:
		case len(path) == 1:
			return e.Position
		default:
			return e.Value.At(path[1:]...)
		}
	}
	if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(n.Items) {
		return n.Items[i].At(path[1:]...)
	}
	return at
}

// Value returns the node as map[string]any, []any and scalars, owned by the caller.
func (n *Node) Value() any {
	switch {
	case n == nil:
		return nil
	case n.kind == mapping:
		out := make(map[string]any, len(n.Entries))
		for _, e := range n.Entries {
			out[e.Key] = e.Value.Value()
		}
		return out
	case n.kind == list:
		out := make([]any, len(n.Items))
		for i, item := range n.Items {
			out[i] = item.Value()
		}
		return out
	}
	return n.scalar
}
