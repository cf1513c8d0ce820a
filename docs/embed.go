// Package docs embeds the documentation, which the server shows. The demo imports its decision records.
package docs

import "embed"

// Pages holds README.md and the pages of each part, such as guides/hooks.md and decisions/NNNN-*.md.
//
//go:embed README.md tutorial/*.md guides/*.md reference/*.md reference/tools/*.md concepts/*.md contributing/*.md decisions/*.md
var Pages embed.FS
