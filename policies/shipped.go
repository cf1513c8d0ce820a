package policies

import (
	"embed"
	"slices"
	"strings"

	"nomograph/fault"
)

//go:embed *.yaml
var shipped embed.FS

// ShippedPacks are the names of the packs that come with Nomograph.
func ShippedPacks() []string {
	entries, err := shipped.ReadDir(".")
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

// ShippedPack gives the YAML of a shipped pack, or not_found with the names there are.
func ShippedPack(name string) (string, error) {
	text, err := shipped.ReadFile(name + ".yaml")
	if err != nil {
		return "", fault.Newf(fault.NotFound, "There is no shipped pack '%s'", name).
			WithHint("Shipped are %s; for a pack of your own give its file, for example ./%s.yaml", strings.Join(ShippedPacks(), ", "), name)
	}
	return string(text), nil
}
