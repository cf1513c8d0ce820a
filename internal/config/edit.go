package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"nomograph/internal/apperr"
)

// Find returns the setting with this key. It returns not_found with similar keys.
func Find(key string) (Setting, error) {
	at := slices.IndexFunc(Settings, func(s Setting) bool { return s.Key == key })
	if at >= 0 {
		return Settings[at], nil
	}
	f := apperr.Newf(apperr.NotFound, "Setting '%s' not found", key).
		WithHint("List settings with `nomograph config list`")
	if near := apperr.Nearest(key, keys()); len(near) > 0 {
		return Setting{}, f.WithHint("Did you mean %s?", strings.Join(near, ", "))
	}
	return Setting{}, f.WithHint("`nomograph config list` shows all settings")
}

// EditSetting returns the text of a config file with one setting changed. Comments and all other content remain. It
// returns not_found for an unknown key, and a validation_error for an invalid value, a secret or an invalid file.
func EditSetting(text []byte, key, value string) ([]byte, error) {
	setting, err := Find(key)
	if err != nil {
		return nil, err
	}
	if setting.Secret {
		return nil, apperr.Newf(apperr.Validation, "%s is a secret and must not be in the config file", key).
			WithHint("Set %s in the environment, or in the .env next to the config file", setting.Env)
	}
	if err := setting.set(&Config{}, value); err != nil {
		return nil, apperr.Newf(apperr.Validation, "%s: %v", key, err).
			WithHint("Show the current value with `nomograph config get %s`", key)
	}
	parts := strings.Split(key, ".")
	file, err := parser.ParseBytes(text, parser.ParseComments)
	if err != nil {
		return nil, apperr.New(apperr.Validation, "The config file is not valid YAML").
			WithHint("Correct it by hand first: %v", err)
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil || file.Docs[0].Body.Type() == ast.NullType ||
		file.Docs[0].Body.Type() == ast.CommentType {
		return slices.Concat(bytes.TrimRight(text, "\n"), lineEnd(text), []byte(nestedMapping(parts, value))), nil
	}
	for depth := len(parts); depth >= 0; depth-- {
		path, err := yaml.PathString("$" + strings.Join(append([]string{""}, parts[:depth]...), "."))
		if err != nil {
			return nil, err
		}
		found, err := path.FilterFile(file)
		switch {
		case err != nil || found == nil:
			continue
		case depth == len(parts):
			err = path.ReplaceWithReader(file, strings.NewReader(scalarText(value)))
		case found.Type() == ast.NullType:
			err = path.ReplaceWithReader(file, strings.NewReader(inline(parts[depth:], value)))
		default:
			err = path.MergeFromReader(file, strings.NewReader(nestedMapping(parts[depth:], value)))
		}
		if err != nil {
			return nil, apperr.Newf(apperr.Validation, "%s cannot be set in the config file: %v", key, err).
				WithHint("Edit the file by hand")
		}
		return []byte(strings.TrimRight(file.String(), "\n") + "\n"), nil
	}
	return nil, apperr.New(apperr.Validation, "The config file is not a mapping of settings").
		WithHint("Edit the file by hand")
}

func lineEnd(before []byte) []byte {
	if len(bytes.TrimSpace(before)) == 0 {
		return nil
	}
	return []byte("\n")
}

// nestedMapping returns a YAML mapping with one value below these keys.
func nestedMapping(keys []string, value string) string {
	var b strings.Builder
	for i, key := range keys {
		fmt.Fprintf(&b, "%s%s:", strings.Repeat("  ", i), key)
		if i < len(keys)-1 {
			b.WriteString("\n")
		}
	}
	return b.String() + " " + scalarText(value) + "\n"
}

// inline returns the same mapping on one line.
func inline(keys []string, value string) string {
	return "{" + strings.Join(keys, ": {") + ": " + scalarText(value) + strings.Repeat("}", len(keys))
}

// scalarText encodes a value as YAML: numbers and booleans plain, everything else as text that is read back unchanged.
func scalarText(value string) string {
	var plain any
	if err := yaml.Unmarshal([]byte(value), &plain); err == nil {
		switch plain.(type) {
		case bool, uint64, int64, float64:
			if fmt.Sprint(plain) == value {
				return value
			}
		}
	}
	text, err := yaml.Marshal(value)
	if err != nil { // strings always encode
		panic(err)
	}
	return strings.TrimSpace(string(text))
}
