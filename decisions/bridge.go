package decisions

import (
	"cmp"
	"strings"

	"nomograph/graph"
	"nomograph/internal/pattern"
	"nomograph/internal/render"
)

// Bridge holds the structure and the function of a decision, so that a search can find it by either.
type Bridge struct {
	Structure   string   `json:"structure" jsonschema:"what it looks like" rule:"minLength=1,maxLength=2000"`
	Function    string   `json:"function" jsonschema:"what problem it solves" rule:"minLength=1,maxLength=2000"`
	Tolerance   []string `json:"tolerance,omitempty" jsonschema:"irrelevant features" rule:"maxItems=50"`
	Enforcement []string `json:"enforcement,omitempty" jsonschema:"required features" rule:"maxItems=50"`
	Prevention  []string `json:"prevention,omitempty" jsonschema:"forbidden features" rule:"maxItems=50"`
}

// particular matches text that is specific to one case: paths, references, identifiers in code, numbers.
var particular = pattern.New("`[^`]*`|\\S*/\\S+|#\\d+|\\b(?i:pr|issue)\\s*#?\\d+\\b|\\b[0-9a-f]{7,40}\\b|\\bv?\\d[\\d.,:%]*\\w*\\b|\\b[a-z]+(?:[A-Z]\\w*)+\\b")

// bridge derives missing sides: the structure is the title without what is specific to this case; the function is the
// pattern, else the longest reason of type analysis, constraint or pattern. A given bridge without a structure, which
// some sources have, gets the derived structure.
func (d *Draft) bridge() {
	d.bridgeMethod = "explicit"
	if d.Bridge != nil && d.Bridge.Structure != "" {
		return
	}
	general := strings.Join(strings.Fields(particular.ReplaceAllString(render.FirstLine(d.Decision), " ")), " ")
	structure := render.Cut(cmp.Or(general, render.Title(d.Decision)), 500)
	if d.Bridge != nil {
		bridge := *d.Bridge
		bridge.Structure = structure
		d.Bridge = &bridge
		return
	}
	d.bridgeMethod = "rule"
	d.Bridge = &Bridge{Structure: structure, Function: d.Pattern}
	for _, r := range d.Reasons {
		speaks := r.Type == "analysis" || r.Type == "constraint" || r.Type == "pattern"
		if d.Pattern == "" && speaks && len(r.Text) > len(d.Bridge.Function) {
			d.Bridge.Function = r.Text
		}
	}
}

// properties returns the stored sides; an empty one is nil.
func (b Bridge) properties() map[string]any {
	p := map[string]any{"structure": graph.NullIfEmpty(b.Structure), "function": graph.NullIfEmpty(b.Function)}
	for name, list := range map[string][]string{"tolerance": b.Tolerance, "enforcement": b.Enforcement,
		"prevention": b.Prevention} {
		if p[name] = nil; len(list) > 0 {
			p[name] = graph.List(list)
		}
	}
	return p
}

// BridgeOf returns the stated bridge.
func BridgeOf(p map[string]any) *Bridge {
	if p["bridge_method"] != "explicit" {
		return nil
	}
	var b Bridge
	graph.Fill(p, &b)
	return &b
}
