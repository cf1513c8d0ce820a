package config

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/disk"
	"nomograph/internal/document"
	"nomograph/internal/lists"
)

// readFile returns the settings of a YAML file by dotted key. Unknown keys are an error, because a misspelled setting
// that is silently ignored would leave the server in an unintended configuration.
func readFile(path string) (map[string]string, error) {
	content, err := disk.Read(path, document.DefaultBytes)
	if err != nil {
		return nil, err
	}
	if content, err = document.Decode(content); err != nil {
		return nil, err
	}
	root, err := document.YAML(context.Background(), string(content), document.DefaultLimits())
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	if err := collect(root, "", values); err != nil {
		return nil, err
	}
	tokensIn(root, path, values)
	return values, nil
}

func collect(node *document.Node, prefix string, values map[string]string) error {
	if !node.IsMap() {
		if node.Value() == nil {
			return nil
		}
		return at(node.At(), "a mapping of settings is expected here")
	}
	for _, entry := range node.Entries {
		key := prefix + entry.Key
		known := slices.ContainsFunc(Settings, func(s Setting) bool { return s.Key == key })
		section := slices.ContainsFunc(Settings, func(s Setting) bool { return strings.HasPrefix(s.Key, key+".") })
		switch {
		case section:
			if err := collect(entry.Value, key+".", values); err != nil {
				return err
			}
		case !known:
			return at(entry.Position, fmt.Sprintf("%q is not a setting; allowed: %s", key, strings.Join(keys(), ", ")))
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

func scalar(node *document.Node) (string, error) {
	switch v := node.Value().(type) {
	case nil:
		return "", nil
	case []any:
		parts := lists.Map(v, func(item any) string { return fmt.Sprint(item) })
		return strings.Join(parts, ","), nil
	case map[string]any:
		return "", at(node.At(), "a single value is expected here")
	default:
		return fmt.Sprint(v), nil
	}
}

func keys() []string {
	return lists.Map(Settings, func(s Setting) string { return s.Key })
}

func at(place document.Position, message string) error {
	return fmt.Errorf("%s: %s", place, message)
}

func readError(path string, err error) error {
	message := err.Error()
	return apperr.Newf(apperr.Validation, "Invalid config file %s: %s", path, message).
		WithHint("docs/reference/settings.md lists the settings; --config names another file")
}
