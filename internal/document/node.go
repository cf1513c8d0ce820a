package document

import "strconv"

// Node is a value in a document: a map, a list, or a scalar (nil, bool, int64, uint64 where that is too small, float64 or
// string). Dates are text.
type Node struct {
	Position
	Entries []Entry // of a map
	Items   []*Node // of a list
	scalar  any
	kind    kind
}

// Entry is one key of a map, where it stands, and its value.
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

// IsMap tells whether the node is a map.
func (n *Node) IsMap() bool { return n != nil && n.kind == mapping }

// IsList tells whether the node is a list.
func (n *Node) IsList() bool { return n != nil && n.kind == list }

// Get gives the value of a key; nil where the node is no map or has no such key.
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

// Item gives the i-th node of a list; nil where there is none.
func (n *Node) Item(i int) *Node {
	if n == nil || i < 0 || i >= len(n.Items) {
		return nil
	}
	return n.Items[i]
}

// At tells where a place stands: of a key, where the key is written. Where the place is not there, it is the nearest one above.
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

// Value gives the node as map[string]any, []any and scalars, which belong to the caller.
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
