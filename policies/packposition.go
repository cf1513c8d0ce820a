package policies

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"nomograph/fault"
)

func packSyntax(file string, err error) error {
	line, column, message := 1, 1, err.Error()
	var y yaml.Error
	if errors.As(err, &y) {
		message = y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			line, column = t.Position.Line, t.Position.Column
		}
	}
	return fault.Newf(fault.Validation, "%s:%d:%d: %s", file, line, column, message).
		WithHint("The file is not valid YAML here; nothing was applied").Because(err)
}

// itemNode finds the i-th item of a section.
func itemNode(body ast.Node, sec section, i int) ast.Node {
	if node := positionNode(valueOf(body, sec.Name), i); node != nil {
		return node
	}
	return body
}

// within gives what stands behind an anchor or a tag.
func within(node ast.Node) ast.Node {
	for {
		switch n := node.(type) {
		case *ast.AnchorNode:
			node = n.Value
		case *ast.TagNode:
			node = n.Value
		default:
			return node
		}
	}
}

// positionNode gives the i-th node of a list; nil where there is none.
func positionNode(node ast.Node, i int) ast.Node {
	if list, ok := within(node).(*ast.SequenceNode); ok && i < len(list.Values) {
		return list.Values[i]
	}
	return nil
}

func valueOf(node ast.Node, key string) ast.Node {
	mapping, ok := within(node).(*ast.MappingNode)
	if !ok {
		return nil
	}
	for _, entry := range mapping.Values {
		if keyText(entry) == key {
			return entry.Value
		}
	}
	return nil
}

type filePosition struct{ Line, Column int }

// positionOf finds where a place in the document stands, or the nearest place above it that is there.
func positionOf(node ast.Node, path []string) filePosition {
	at := filePosition{1, 1}
	if node = within(node); node == nil {
		return at
	}
	if token := node.GetToken(); token != nil && token.Position != nil {
		at = filePosition{token.Position.Line, token.Position.Column}
	}
	if mapping, ok := node.(*ast.MappingNode); ok && len(mapping.Values) > 0 {
		start := mapping.Values[0].Key.GetToken().Position
		at = filePosition{start.Line, start.Column}
	}
	if len(path) == 0 {
		return at
	}
	switch n := node.(type) {
	case *ast.MappingNode:
		for _, entry := range n.Values {
			if keyText(entry) == path[0] {
				if len(path) == 1 {
					start := entry.Key.GetToken().Position
					return filePosition{start.Line, start.Column}
				}
				return positionOf(entry.Value, path[1:])
			}
		}
	case *ast.MappingValueNode:
		if keyText(n) == path[0] {
			return positionOf(n.Value, path[1:])
		}
	case *ast.SequenceNode:
		for i, item := range n.Values {
			if fmt.Sprint(i) == path[0] {
				return positionOf(item, path[1:])
			}
		}
	}
	return at
}

func keyText(entry *ast.MappingValueNode) string {
	return strings.Trim(entry.Key.GetToken().Value, `"'`)
}
