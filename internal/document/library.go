package document

import (
	"io/fs"
	"slices"
	"strings"

	"nomograph/internal/apperr"
)

// Library are YAML documents that come with Nomograph, by the names of their files without the ending.
type Library struct {
	Files fs.FS  // with the files at its top
	One   string // what one of them is called
	Own   string // what to give for one of one's own: its file
}

// Embedded gives the library of a folder that is embedded in the program.
func Embedded(files fs.FS, folder, one, own string) Library {
	in, err := fs.Sub(files, folder)
	if err != nil { // embedded
		panic(err)
	}
	return Library{Files: in, One: one, Own: own}
}

// Names are what there is.
func (l Library) Names() []string {
	entries, err := fs.ReadDir(l.Files, ".")
	if err != nil { // embedded
		panic(err)
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = strings.TrimSuffix(entry.Name(), ".yaml")
	}
	slices.Sort(names)
	return names
}

// Text gives the YAML of a document, or not_found with the names there are.
func (l Library) Text(name string) (string, error) {
	text, err := fs.ReadFile(l.Files, name+".yaml")
	if err != nil {
		return "", apperr.Newf(apperr.NotFound, "No shipped %s is called '%s'", l.One, name).
			WithHint("Shipped: %s. For %s of your own pass its %s, for example ./%s.yaml", strings.Join(l.Names(), ", "), withArticle(l.One), l.Own, name)
	}
	return string(text), nil
}

func withArticle(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}
