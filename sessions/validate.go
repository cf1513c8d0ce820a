package sessions

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/internal/render"
	"nomograph/policies/pack"
	"nomograph/sessions/manifest"
)

// ValidateRequest names atlases to be validated.
type ValidateRequest struct {
	Atlases []pack.Source `json:"atlases" jsonschema:"manifests as JSON or YAML, Markdown files with front matter, or names of shipped atlases" rule:"minItems=1,maxItems=5000"`
}

// Validation counts the contents of valid atlases.
type Validation struct {
	Valid   bool       `json:"valid"`
	Atlases []Contents `json:"atlases"`
	LeftOut []string   `json:"left_out,omitempty" jsonschema:"Markdown files without front matter, which were skipped"`
	Summary string     `json:"summary" jsonschema:"readable summary"`
}

// Contents counts the contents of an atlas.
type Contents struct {
	AtlasID  string   `json:"atlas_id"`
	Version  string   `json:"version"`
	Contexts int      `json:"contexts"`
	Policies int      `json:"policies"`
	Actions  int      `json:"actions"`
	Needs    []string `json:"needs" jsonschema:"dependencies that the graph must provide"`
}

// Validate parses atlases. It returns a validation_error that lists all problems with file, line and column. It needs
// no database.
func Validate(ctx context.Context, r ValidateRequest) (Validation, error) {
	read, err := manifest.ParseAll(ctx, r.Atlases)
	if err != nil {
		return Validation{}, err
	}
	v := Validation{Valid: true, Atlases: make([]Contents, len(read.Atlases)), LeftOut: read.LeftOut}
	var b strings.Builder
	for i, a := range read.Atlases {
		c := Contents{AtlasID: a.ID, Version: a.Version, Contexts: a.Contexts, Policies: a.Policies,
			Actions: len(a.Actions)}
		for _, id := range slices.Sorted(maps.Keys(a.Dependencies)) {
			if !slices.ContainsFunc(read.Atlases, func(other *manifest.Atlas) bool { return other.ID == id }) {
				c.Needs = append(c.Needs, id+" "+a.Dependencies[id])
			}
		}
		v.Atlases[i] = c
		fmt.Fprintf(&b, "%s %s: %s, %s over %s\n", c.AtlasID, c.Version, render.Plural(c.Contexts, "context"),
			render.Plural(c.Policies, "policy"), render.Plural(c.Actions, "action"))
		if len(c.Needs) > 0 {
			fmt.Fprintf(&b, "  the graph must have %s\n", render.Printable(strings.Join(c.Needs, ", ")))
		}
	}
	if len(read.LeftOut) > 0 {
		fmt.Fprintf(&b, "left out, having no front matter: %s\n", render.Printable(strings.Join(read.LeftOut, ", ")))
	}
	v.Summary = b.String()
	return v, nil
}
