// Package docs embeds the decision records of Nomograph, which the demo imports into an empty graph.
package docs

import "embed"

// Decisions holds decisions/NNNN-*.md.
//
//go:embed decisions/*.md
var Decisions embed.FS
