package pack

import (
	"nomograph/internal/document"
	"nomograph/policies"
)

var shipped = document.Library{Files: policies.Packs, One: "pack", Own: "file"}

// Shipped returns the names of the packs that come with Nomograph.
func Shipped() []string { return shipped.Names() }

// ShippedText returns the YAML of a shipped pack, or not_found with the existing names.
func ShippedText(name string) (string, error) { return shipped.Text(name) }
