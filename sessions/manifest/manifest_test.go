package manifest_test

import (
	"context"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/pack"
	"nomograph/sessions/manifest"
)

const head = "atlas_version: \"1.0\"\natlas_id: a.b\nversion: 1.0.0\nname: A\n"

func TestShippedAtlases_AreValid(t *testing.T) {
	var sources []pack.Source
	for _, name := range manifest.Shipped() {
		sources = append(sources, pack.Source{Name: name})
	}
	read, err := manifest.ParseAll(t.Context(), sources)
	if err != nil || len(read.Atlases) < 2 {
		t.Fatalf("%d atlases: %v", len(read.Atlases), err)
	}
	for _, a := range read.Atlases {
		if a.Contexts < 5 {
			t.Errorf("%s has %d contexts", a.ID, a.Contexts)
		}
	}
	if _, err := manifest.ShippedText("nosuch"); !apperr.Is(err, apperr.NotFound) ||
		!strings.Contains(apperr.From(err).Hint, "nomograph") {
		t.Errorf("got %v, want %s, Hint with nomograph", err, apperr.NotFound)
	}
}

// TestParse_Problem_NamesItsPosition: each invalid file, with the line and message of its error.
func TestParse_Problem_NamesItsPosition(t *testing.T) {
	for _, c := range golden.Cases(t, "testdata/invalid.txt") {
		t.Run(c.Name, func(t *testing.T) {
			_, err := manifest.ParseAll(t.Context(), sourcesOf(strings.ReplaceAll(c.Text, "HEAD",
				strings.TrimSpace(head))))
			if !apperr.Is(err, apperr.Validation) || !strings.Contains(err.Error(), c.Want) {
				t.Errorf("got %v, want %s", err, c.Want)
			}
		})
	}
}

// sourcesOf splits a text at lines that begin with FILE; text before the first is a.yaml.
func sourcesOf(text string) []pack.Source {
	var sources []pack.Source
	for i, part := range strings.Split("\n"+text, "\nFILE ") {
		if i == 0 {
			if part = strings.TrimPrefix(part, "\n"); part != "" || text == "" {
				sources = append(sources, pack.Source{Name: "a.yaml", Text: part + " "})
			}
			continue
		}
		name, rest, _ := strings.Cut(part, "\n")
		sources = append(sources, pack.Source{Name: name, Text: rest})
	}
	return sources
}

// TestFolder_Markdown_BecomesAnAtlas: missing front matter is derived from the file, and a manifest in a parent
// directory includes the files.
func TestFolder_Markdown_BecomesAnAtlas(t *testing.T) {
	read := graphtest.Must(manifest.ParseAll(t.Context(), sourcesOf(`FILE team/Our Notes/Rolling Back.md
---
keywords: [rollback, revert]
priority: 7
---
# How we roll back

Go to the last release that was good.
FILE team/Our Notes/plain.md
# No front matter
FILE docs/atlas.yaml
`+head+`context_packs: [{pack_id: p, files: [guide/plain.md], priority: 9, inject_mode: always}]
FILE docs/guide/plain.md
Nothing but text.
FILE docs/guide/deep/other.md
---
id: deep-one
title: Deep
---
Text.`)))(t)
	if len(read.Atlases) != 2 || len(read.LeftOut) != 1 || read.LeftOut[0] != "team/Our Notes/plain.md" {
		t.Fatalf("%d atlases, left out %v", len(read.Atlases), read.LeftOut)
	}
	stated := map[string]map[string]any{}
	for _, a := range read.Atlases {
		for _, item := range a.Items {
			if item.Section.Name == "contexts" {
				stated[a.ID+" "+item.Key] = item.Properties
			}
		}
	}
	back := stated["our-notes rolling-back"]
	if back == nil || back["name"] != "How we roll back" || back["priority"] != int64(7) ||
		back["inject_mode"] != "on_match" || !strings.HasPrefix(back["content"].(string), "# How we") {
		t.Errorf(`got %v, want non-nil back, name="How we roll back", priority=7, inject_mode=on_match, content starting with "# How we"`, stated)
	}
	if plain := stated["a.b plain"]; plain == nil || plain["priority"] != int64(9) ||
		plain["inject_mode"] != "always" || plain["content"] != "Nothing but text." {
		t.Errorf(`got %v, want non-nil plain, priority=9, inject_mode=always, content="Nothing but text."`, stated)
	}
	const unix = "---\nkeywords: [x]\n---\n# A heading\n\nText."
	checked := graphtest.Must(manifest.ParseAll(t.Context(),
		[]pack.Source{{Name: "n/unix.md", Text: unix},
			{Name: "w/windows.md", Text: strings.ReplaceAll(unix, "\n", "\r\n")}}))(t)
	graphtest.Values(t, "a checkout on Windows says something else", checked.Atlases[1].Items[1].Properties["name"],
		"A heading", checked.Atlases[1].Items[1].Properties["content"],
		checked.Atlases[0].Items[1].Properties["content"])
	_, err := manifest.ParseAll(t.Context(), sourcesOf(head+"dependencies: {a.b: \"*\", c.d: latest}\n"))
	graphtest.Contains(t, apperr.From(err).Hint, "get_atlas_schema")
	if deep := stated["a.b deep-one"]; deep == nil || deep["name"] != "Deep" {
		t.Errorf("got %v, want non-nil deep, name=Deep", stated)
	}
}

// TestExport_ParsedAgain_IsEqual exports what was parsed and parses it again.
func TestExport_ParsedAgain_IsEqual(t *testing.T) {
	for _, name := range manifest.Shipped() {
		text, _ := manifest.ShippedText(name)
		first := one(t, text)
		live := manifest.Live{}
		for _, item := range first.Items {
			switch item.Section.Name {
			case "atlases":
				live.Atlas = item.Properties
			case "contexts":
				live.Contexts = append(live.Contexts, item.Properties)
			case "policies":
				live.Policies = append(live.Policies, item.Properties)
			}
		}
		again := graphtest.Must(manifest.YAML(live.Tree()))(t)
		second := one(t, again)
		if first.Contexts != second.Contexts || first.Policies != second.Policies ||
			len(first.Items) != len(second.Items) {
			t.Fatalf("%s: %d contexts and %d policies, and again %d and %d\n%s", name, first.Contexts, first.Policies,
				second.Contexts, second.Policies, again)
		}
		for _, item := range first.Items {
			other := second.Item(item.Section.Name, item.Key)
			if other == nil {
				t.Fatalf("%s: %s is gone", name, item.Key)
			}
			for key, value := range item.Properties {
				if text, ok := value.(string); ok && key == "content" {
					value = strings.TrimSpace(text)
					other.Properties[key] = strings.TrimSpace(other.Properties[key].(string))
				}
				if !policies.Same(value, other.Properties[key]) {
					t.Errorf("%s %s: %s is %v, and was %v", name, item.Key, key, other.Properties[key], value)
				}
			}
		}
	}
}

func one(t *testing.T, text string) *manifest.Atlas {
	t.Helper()
	read, err := manifest.ParseAll(t.Context(), []pack.Source{{Name: "a.yaml", Text: text}})
	if err != nil {
		t.Fatalf("got %v, want no error\n%s", err, text)
	}
	return read.Atlases[0]
}

// FuzzManifest: every text parses to an atlas or returns a validation_error with a position.
func FuzzManifest(f *testing.F) {
	for _, name := range manifest.Shipped() {
		text, _ := manifest.ShippedText(name)
		f.Add(text, "a.yaml")
	}
	f.Add(`{"atlas_version": "1.0", "atlas_id": "a.b", "version": "1.0.0", "name": "A", "policies": [{"policy_id": "p", "type": "budget", "actions": ["*"], "parameters": {"paths": ["/prod/*"]}}], "actions": [{"action_id": "x*"}]}`, "a.json")
	f.Add("---\nname: X\n---\n# Text", "folder/x.md")
	f.Fuzz(func(t *testing.T, text, name string) {
		if text == "" || name == "" {
			return
		}
		_, err := manifest.ParseAll(context.Background(), []pack.Source{{Name: name, Text: text}})
		if err != nil && !apperr.Is(err, apperr.Validation) {
			t.Errorf("got %v, want not err != nil && !apperr.Is(err, apperr.Validation)", err)
		}
	})
}
