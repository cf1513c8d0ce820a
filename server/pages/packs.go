package pages

import (
	"cmp"
	"slices"

	"nomograph/internal/apperr"
	"nomograph/policies/change"
	"nomograph/policies/pack"
)

// packShown is the data of a pack's page.
type packShown struct {
	change.AppliedPack
	Shipped bool                // a pack of this name comes with Nomograph
	Planned *change.ApplyResult // what applying the shipped pack would change
}

// PageTitle returns the name.
func (p packShown) PageTitle() string { return p.Name }

// lastKinds are listed after policies.
var lastKinds = []string{"threshold", "decision table"}

func showPack(v *Visit) (any, error) {
	name := v.PathValue("id")
	list, err := Call[change.PackList](v, "list_packs", change.PacksQuery{Name: name})
	if err != nil {
		return nil, err
	}
	if len(list.Packs) == 0 {
		return nil, apperr.Newf(apperr.NotFound, "Pack '%s' is not applied", name).WithHint("Open the list of packs")
	}
	shown := list.Packs[0]
	shown.Contents = slices.DeleteFunc(shown.Contents,
		func(n change.PackNode) bool { return n.Kind == "decision row" }) // the page of their table shows the rows
	slices.SortStableFunc(shown.Contents, func(a, b change.PackNode) int {
		return cmp.Compare(slices.Index(lastKinds, a.Kind), slices.Index(lastKinds, b.Kind))
	})
	return packShown{AppliedPack: shown, Shipped: slices.Contains(pack.Shipped(), name), Planned: v.planned}, nil
}

// previewPack shows what applying the shipped pack would change. It changes nothing.
func previewPack(v *Visit) (string, error) {
	planned, err := Call[change.ApplyResult](v, "diff_packs",
		map[string]any{"packs": []pack.Source{{Name: v.PathValue("id")}}})
	v.planned = &planned
	return unchanged, err
}

// packFile returns the pack's current contents as YAML.
func packFile(v *Visit) (Answer, error) {
	text, err := Call[pack.Text](v, "export_pack", pack.Query{Name: v.PathValue("id")})
	return File(text.Pack+".yaml", "application/yaml", text.Text), err
}
