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
	tests := map[string]struct{ files, want string }{
		"nothing":      {"", "a.yaml:1:1: an atlas is one JSON or YAML document"},
		"broken JSON":  {`{"atlas_version": "1.0",`, "a.yaml:1:"},
		"not an atlas": {"pack: core\nversion: 1.0.0\n", "a.yaml:1:1: atlas_id is required"},
		"another form": {strings.Replace(head, `"1.0"`, `"2.0"`, 1), "a.yaml:1:1: atlas_version"},
		"an odd version": {strings.Replace(head, "1.0.0", "next", 1),
			"a.yaml:3:1: version 'next' is not a semantic version"},
		"a context twice": {head + "context_blocks:\n  - {context_id: x, name: X, content: a}\n  - {context_id: x, name: Y, content: b}\n", "a.yaml:7:6: the context 'x' already exists"},
		"an action twice": {head + "actions:\n  - {action_id: x}\n  - {action_id: x}\n",
			"a.yaml:7:6: the action 'x' already exists"},
		"a policy twice": {head + "actions: [{action_id: x}]\npolicies:\n  - {policy_id: p, type: deny, actions: [x]}\n  - {policy_id: p, type: deny, actions: [x]}\n", "a.yaml:8:6: the policy 'p' already exists"},
		"a mode": {head + "context_blocks:\n  - {context_id: x, name: X, content: a, inject_mode: sometimes}\n",
			"a.yaml:6:"},
		"a slip": {head + "context_blocks:\n  - {context_id: x, name: X, content: a, keyword: [b]}\n",
			"did you mean keywords?"},
		"by no risk":             {head + "context_blocks:\n  - {context_id: x, name: X, content: a, inject_mode: risk_based}\n", "'x' is given by risk, so it needs risk_tiers"},
		"also a stranger":        {head + "context_blocks:\n  - {context_id: x, name: X, content: a, also_inject: [y]}\n", "the context 'x' includes 'y', which is not a context of this atlas"},
		"rules over others":      {head + "actions: [{action_id: a.get}]\npolicies:\n  - policy_id: p\n    type: deny\n    actions: [\"*.delete\"]\n", "a.yaml:9:15: the policy 'p' covers '*.delete', which the atlas does not declare"},
		"rules over a part":      {head + "actions: [{action_id: \"file.*\"}]\npolicies:\n  - {policy_id: p, type: deny, actions: [\"*.delete\"]}\n", "is only a part of the declared 'file.*'"},
		"a limit without bounds": {head + "actions: [{action_id: x}]\npolicies:\n  - {policy_id: p, type: rate_limit, actions: [x]}\n", "needs parameters.max_calls"},
		"a broken condition":     {head + "actions: [{action_id: x}]\npolicies:\n  - {policy_id: p, type: deny, actions: [x], applies_when: action.nmae == 1}\n", "applies_when"},
		"a capability": {head + "capabilities: [{capability_id: c, actions: [z]}]\n",
			"names the action 'z', which the atlas does not declare"},
		"on itself":   {head + "dependencies: {a.b: \"*\"}\n", "the atlas depends on itself"},
		"no versions": {head + "dependencies: {c.d: latest}\n", "'latest' is not a version range"},
		"a file that is missing": {head + "context_packs: [{pack_id: p, files: [x.md]}]\n",
			"the file 'x.md' is not among the given files"},
		"front matter": {"FILE b/x.md\n---\nname: X\npriority: high\n---\ntext", "b/x.md:3:1: "},
		"broken front matter": {"FILE b/x.md\n---\nname: [X\n---\ntext",
			"b/x.md:1:1: the front matter cannot be read"},
		"two atlases of one id": {head + "FILE b.yaml\n" + head,
			"b.yaml:2:1: the atlas 'a.b' already exists, in a.yaml"},
		"one context, two atlases": {head + "context_blocks: [{context_id: x, name: X, content: a}]\nFILE b.yaml\n" +
			strings.Replace(head, "a.b", "c.d", 1) + "context_blocks: [{context_id: x, name: X, content: a}]\n",
			"b.yaml:5:"},
		"a circle": {head + "dependencies: {c.d: \"*\"}\nFILE b.yaml\n" + strings.Replace(head, "a.b", "c.d", 1) +
			"dependencies: {a.b: \"*\"}\n", "depend on each other in a cycle: a.b -> c.d -> a.b"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := manifest.ParseAll(t.Context(), sourcesOf(test.files))
			if !apperr.Is(err, apperr.Validation) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
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
	checked, err := manifest.ParseAll(t.Context(),
		[]pack.Source{{Name: "n/unix.md", Text: unix},
			{Name: "w/windows.md", Text: strings.ReplaceAll(unix, "\n", "\r\n")}})
	if err != nil || checked.Atlases[1].Items[1].Properties["name"] != "A heading" ||
		checked.Atlases[1].Items[1].Properties["content"] != checked.Atlases[0].Items[1].Properties["content"] {
		t.Errorf("a checkout on Windows says something else: %+v %v", checked.Atlases, err)
	}
	_, err = manifest.ParseAll(t.Context(), sourcesOf(head+"dependencies: {a.b: \"*\", c.d: latest}\n"))
	golden.Contains(t, "the hint for an atlas with several problems", apperr.From(err).Hint, "get_atlas_schema")
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
