package manifest_test

import (
	"strings"
	"testing"

	"nomograph/internal/apperr"
	"nomograph/policies/pack"
	"nomograph/sessions/manifest"
)

func TestContextPacks_Patterns_MatchFilesBesideTheManifest(t *testing.T) {
	read := func(files string) (manifest.Result, error) {
		return manifest.ParseAll(t.Context(), []pack.Source{
			{Name: "a/atlas.yaml", Text: "atlas_version: '1.0'\natlas_id: com.acme.guides\nversion: 1.0.0\nname: Guides\ncontext_packs: [{pack_id: p, files: [" + files + "], priority: 7}]\n"},
			{Name: "a/guides/one.md", Text: "# One\ntext"}, {Name: "a/guides/two.md", Text: "# Two\ntext"},
			{Name: "a/guides/deep/three.md", Text: "# Three\ntext"}, {Name: "b/four.md", Text: "# Four"}})
	}
	for files, want := range map[string]int{`"guides/*.md"`: 2, `"guides/**/*.md"`: 3, `"**"`: 3,
		`guides/two.md, "guides/*.md"`: 2, `"guides/t?o.md"`: 1, `"**/*.md", guides/one.md`: 3} {
		got, err := read(files)
		if strings.HasSuffix(files, "one.md") { // named twice, which is an error in the manifest
			if err == nil {
				t.Errorf("%s: a file is two contexts", files)
			}
			continue
		}
		if err != nil || got.Atlases[0].Contexts != want {
			t.Errorf("%s: got %+v (%v), want %d contexts", files, got, err, want)
		}
	}
	_, err := read(`"docs/*.md"`)
	if f := apperr.From(err); err == nil || !strings.Contains(f.Message, "no given file matches 'docs/*.md'") ||
		!strings.Contains(f.Message+f.Hint, "relative to the manifest") {
		t.Errorf(`got %v: %s, want an error, Message with "no given file matches 'docs/*.md'", f.Message + f.Hint with "relative to the manifest"`, err, f.Hint)
	}
}
