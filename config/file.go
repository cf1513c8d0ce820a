package config

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"nomograph/fault"
)

// readFile gives the settings of a YAML file by their dotted keys. Unknown keys are refused: a misspelt setting that is
// silently ignored would leave a person with a server that is not the one they configured.
func readFile(path string) (map[string]string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseBytes(content, 0)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if err := collect(doc.Body, "", values); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func collect(node ast.Node, prefix string, values map[string]string) error {
	mapping, ok := node.(*ast.MappingNode)
	if !ok {
		if node.Type() == ast.NullType || node.Type() == ast.CommentType {
			return nil
		}
		return at(node, "a mapping of settings is expected here")
	}
	for _, entry := range mapping.Values {
		key := prefix + entry.Key.String()
		known := slices.ContainsFunc(Settings, func(s Setting) bool { return s.Key == key })
		section := slices.ContainsFunc(Settings, func(s Setting) bool { return strings.HasPrefix(s.Key, key+".") })
		switch {
		case section:
			if err := collect(entry.Value, key+".", values); err != nil {
				return err
			}
		case !known:
			return at(entry.Key, fmt.Sprintf("%q is not a setting; there are %s", key, strings.Join(keys(), ", ")))
		default:
			value, err := scalar(entry.Value)
			if err != nil {
				return err
			}
			values[key] = value
		}
	}
	return nil
}

func scalar(node ast.Node) (string, error) {
	var value any
	if err := yaml.NodeToValue(node, &value); err != nil {
		return "", err
	}
	switch v := value.(type) {
	case nil:
		return "", nil
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = fmt.Sprint(item)
		}
		return strings.Join(parts, ","), nil
	case map[string]any:
		return "", at(node, "a single value is expected here")
	default:
		return fmt.Sprint(v), nil
	}
}

func keys() []string {
	names := make([]string, len(Settings))
	for i, s := range Settings {
		names[i] = s.Key
	}
	return names
}

func at(node ast.Node, message string) error {
	position := node.GetToken().Position
	return fmt.Errorf("line %d, column %d: %s", position.Line, position.Column, message)
}

func unreadable(path string, err error) error {
	message := err.Error()
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) {
		// Only the position: the parser's message shows the lines around it, which may hold a password.
		message = at(&ast.NullNode{BaseNode: &ast.BaseNode{}, Token: syntax.Token}, syntax.Message).Error()
	}
	return fault.Newf(fault.Validation, "The config file %s cannot be used: %s", path, message).
		WithHint("docs/configuration.md lists the settings; --config names another file")
}
