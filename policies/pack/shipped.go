package pack

import (
	"io/fs"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/policies"
)

// Library are documents that come with Nomograph, by the names of their files without the ending.
type Library struct {
	Files fs.FS  // with the files at its top
	One   string // what one of them is called
	Own   string // what to give for one of one's own: its file
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
		return "", apperr.Newf(apperr.NotFound, "There is no shipped %s '%s'", l.One, name).
			WithHint("Shipped are %s; for %s of your own give its %s, for example ./%s.yaml", strings.Join(l.Names(), ", "), withArticle(l.One), l.Own, name)
	}
	return string(text), nil
}

func withArticle(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

var shipped = Library{policies.Packs, "pack", "file"}

// Shipped are the names of the packs that come with Nomograph.
func Shipped() []string { return shipped.Names() }

// ShippedText gives the YAML of a shipped pack, or not_found with the names there are.
func ShippedText(name string) (string, error) { return shipped.Text(name) }
