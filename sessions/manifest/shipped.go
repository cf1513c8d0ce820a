package manifest

import (
	"embed"
	"slices"
	"strings"

	"nomograph/fault"
)

//go:embed shipped/*.yaml
var shipped embed.FS

// Shipped are the names of the atlases that come with Nomograph.
func Shipped() []string {
	entries, err := shipped.ReadDir("shipped")
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

// ShippedText gives the manifest of a shipped atlas, or not_found with the names there are.
func ShippedText(name string) (string, error) {
	text, err := shipped.ReadFile("shipped/" + name + ".yaml")
	if err != nil {
		return "", fault.Newf(fault.NotFound, "There is no shipped atlas '%s'", name).
			WithHint("Shipped are %s; for an atlas of your own give its file or folder, for example ./%s.yaml", strings.Join(Shipped(), ", "), name)
	}
	return string(text), nil
}
