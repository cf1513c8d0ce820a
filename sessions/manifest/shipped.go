package manifest

import (
	"embed"

	"nomograph/internal/document"
)

//go:embed shipped/*.yaml
var embedded embed.FS

var shipped = document.Embedded(embedded, "shipped", "atlas", "file or folder")

// Shipped are the names of the atlases that come with Nomograph.
func Shipped() []string { return shipped.Names() }

// ShippedText gives the manifest of a shipped atlas, or not_found with the names there are.
func ShippedText(name string) (string, error) { return shipped.Text(name) }
