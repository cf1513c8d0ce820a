package pack

import (
	"slices"
	"strings"

	"nomograph/fault"
	"nomograph/policies"
)

// Shipped are the names of the packs that come with Nomograph.
func Shipped() []string {
	entries, err := policies.Packs.ReadDir(".")
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

// ShippedText gives the YAML of a shipped pack, or not_found with the names there are.
func ShippedText(name string) (string, error) {
	text, err := policies.Packs.ReadFile(name + ".yaml")
	if err != nil {
		return "", fault.Newf(fault.NotFound, "There is no shipped pack '%s'", name).
			WithHint("Shipped are %s; for a pack of your own give its file, for example ./%s.yaml", strings.Join(Shipped(), ", "), name)
	}
	return string(text), nil
}
