package policies

import "embed"

// Packs are the packs that come with Nomograph, each in NAME.yaml.
//
//go:embed *.yaml
var Packs embed.FS
