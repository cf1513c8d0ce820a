package manifest

import (
	"embed"

	"nomograph/internal/document"
)

//go:embed shipped/*.yaml
var embedded embed.FS

var shipped = document.Embedded(embedded, "shipped", "atlas", "file or folder")

// Shipped returns the names of the atlases that come with Nomograph.
func Shipped() []string { return shipped.Names() }

// ShippedText returns the manifest of a shipped atlas, or not_found with the existing names.
func ShippedText(name string) (string, error) { return shipped.Text(name) }
