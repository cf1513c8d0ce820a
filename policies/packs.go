package policies

import "embed"

// Packs are the packs that come with Nomograph: NAME.yaml each.
//
//go:embed *.yaml
var Packs embed.FS
