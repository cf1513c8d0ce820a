package document

import (
	"context"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"nomograph/internal/apperr"
	"nomograph/internal/lists"
)

// Library holds YAML documents shipped with Nomograph, by file name without extension.
type Library struct {
	Files fs.FS  // files in its root directory
	One   string // singular noun for a document
	Own   string // noun for the file to pass instead of a shipped document
}

// Embedded returns the library in a directory embedded in the program.
func Embedded(files fs.FS, folder, one, own string) Library {
	in, err := fs.Sub(files, folder)
	if err != nil { // impossible for embedded files
		panic(err)
	}
	return Library{Files: in, One: one, Own: own}
}

// Shipped decodes a YAML document shipped with Nomograph. It panics if that fails, which every test would show.
func Shipped(text string, into any) {
	root, err := YAML(context.Background(), text, DefaultLimits())
	var encoded []byte
	if err == nil {
		encoded, err = json.Marshal(root.Value())
	}
	if err == nil {
		err = json.Unmarshal(encoded, into)
	}
	if err != nil {
		panic(err)
	}
}

// ShippedJSON returns a JSON document shipped with Nomograph, which it decodes at the first call. It panics like Shipped.
func ShippedJSON[T any](text []byte) func() T {
	return sync.OnceValue(func() (value T) {
		if err := json.Unmarshal(text, &value); err != nil {
			panic(err)
		}
		return value
	})
}

// Names returns the names of all documents.
func (l Library) Names() []string {
	entries, err := fs.ReadDir(l.Files, ".")
	if err != nil { // impossible for embedded files
		panic(err)
	}
	names := lists.Map(entries, func(entry fs.DirEntry) string { return strings.TrimSuffix(entry.Name(), ".yaml") })
	slices.Sort(names)
	return names
}

// Text returns the YAML of a document, or not_found with the available names.
func (l Library) Text(name string) (string, error) {
	text, err := fs.ReadFile(l.Files, name+".yaml")
	if err != nil {
		return "", apperr.Newf(apperr.NotFound, "No shipped %s is called '%s'", l.One, name).
			WithHint("Shipped: %s. For %s of your own pass its %s, for example ./%s.yaml",
				strings.Join(l.Names(), ", "), withArticle(l.One), l.Own, name)
	}
	return string(text), nil
}

func withArticle(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}
