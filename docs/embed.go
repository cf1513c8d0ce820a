// Package docs carries the decision records of Nomograph itself, which the demo brings into an empty graph: something true
// to explore.
package docs

import "embed"

// Decisions holds decisions/NNNN-*.md.
//
//go:embed decisions/*.md
var Decisions embed.FS
