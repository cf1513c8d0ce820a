package pack

import (
	"nomograph/internal/document"
	"nomograph/policies"
)

var shipped = document.Library{Files: policies.Packs, One: "pack", Own: "file"}

// Shipped are the names of the packs that come with Nomograph.
func Shipped() []string { return shipped.Names() }

// ShippedText gives the YAML of a shipped pack, or not_found with the names there are.
func ShippedText(name string) (string, error) { return shipped.Text(name) }
