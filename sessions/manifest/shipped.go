package manifest

import (
	"embed"
	"io/fs"

	"nomograph/policies/pack"
)

//go:embed shipped/*.yaml
var embedded embed.FS

var shipped = func() pack.Library {
	folder, err := fs.Sub(embedded, "shipped")
	if err != nil { // embedded
		panic(err)
	}
	return pack.Library{Files: folder, One: "atlas", Own: "file or folder"}
}()

// Shipped are the names of the atlases that come with Nomograph.
func Shipped() []string { return shipped.Names() }

// ShippedText gives the manifest of a shipped atlas, or not_found with the names there are.
func ShippedText(name string) (string, error) { return shipped.Text(name) }
