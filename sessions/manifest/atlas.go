package manifest

import (
	"cmp"
	"context"
	_ "embed" // the schema of manifests
	"slices"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"nomograph/graph"
	"nomograph/internal/document"
	"nomograph/internal/schema"
	"nomograph/policies"
	"nomograph/policies/pack"
)

// Schema is the JSON Schema of manifests, for editors and for validation.
//
//go:embed atlas.schema.json
var Schema string

// Owner returns the name of the pack that stores an atlas. No other pack can have this name.
func Owner(atlasID string) string { return ownerPrefix + atlasID }

const ownerPrefix = "atlas:"

// Atlas is a parsed atlas.
type Atlas struct {
	pack.Pack
	ID string
	// Dependencies maps the ids of required atlases to version ranges.
	Dependencies map[string]string
	// Elsewhere lists contexts that the atlas names but does not contain; its dependencies must contain them.
	Elsewhere []Reference
	Contexts  int
	Policies  int
	Actions   []string

	problems *pack.Problems
	files    []*pack.Problems // problems of its Markdown files
	root     *document.Node
}

// Reference is an id that a manifest names, with its position.
type Reference struct {
	ID string
	At document.Position
}

// Problem adds a problem found outside of the text of the atlas, at the position of a key of the manifest.
func (a *Atlas) Problem(path []string, hint, format string, args ...any) error {
	return a.ProblemAt(a.root.At(path...), hint, format, args...)
}

// ProblemAt is like Problem with a known position.
func (a *Atlas) ProblemAt(at document.Position, hint, format string, args ...any) error {
	return pack.NewError(a.File, at, hint, format, args...)
}

const manifestHint = "Correct the manifest; nothing was loaded. `get_atlas_schema` prints its JSON Schema"

// read decodes the tree of a manifest. Contexts in separate files are added later.
func read(file, text string, root *document.Node) *Atlas {
	a := &Atlas{problems: &pack.Problems{File: file, Mend: manifestHint}, root: root}
	if root == nil {
		a.problems.Add(root.At(), `Begin with {"atlas_version": "1.0", "atlas_id": "..."}`,
			"an atlas is one JSON or YAML document, and this file has none")
		return a
	}
	a.File, a.Checksum = file, policies.Hash(text)
	tree := pack.Bolt(root.Value())
	for _, p := range append(parsedSchema().Check(tree), misspelled(tree)...) {
		a.problems.Add(root.At(p.Path...), manifestHint, "%s", p.Message)
	}
	fields, _ := tree.(map[string]any)
	a.ID, a.Version = graph.Text(fields, "atlas_id"), graph.Text(fields, "version")
	a.Description = graph.Text(fields, "description")
	a.Name = Owner(a.ID)
	if _, err := semver.StrictNewVersion(a.Version); err != nil && a.Version != "" {
		a.problems.Add(root.At("version"), manifestHint, "version '%s' is not a semantic version such as 1.2.0",
			a.Version)
	}
	a.takeDependencies(fields)
	a.takeActions(fields)
	a.takeContexts(fields)
	a.takePolicies(fields)
	a.Items = append(a.Items, a.node(fields))
	return a
}

// node returns the atlas's own node. Structures without a form in the graph are stored as JSON text.
func (a *Atlas) node(fields map[string]any) pack.Item {
	item := pack.Item{Section: pack.SectionOf("atlases"), Key: a.ID, Properties: map[string]any{}, Node: a.root}
	for key, value := range fields {
		switch v := value.(type) {
		case map[string]any:
			item.Properties[key] = policies.CanonicalText(v)
		case []any:
			if slices.Contains(plainLists, key) {
				item.Properties[key] = graph.List(graph.Texts(v))
			} else if key != "context_blocks" && key != "context_packs" {
				item.Properties[key] = policies.CanonicalText(v)
			}
		case nil:
		default:
			item.Properties[key] = v
		}
	}
	return item
}

// Project returns the project that the manifest names; an empty name with stated true means everybody.
func (a *Atlas) Project() (name string, stated bool) {
	name, stated = a.Item("atlases", a.ID).Properties[projectKey].(string)
	return strings.TrimSpace(name), stated
}

// SetProject assigns the atlas and its contexts to a project, or with an empty name to everybody. Without a change of
// project the contexts and their versions stay the same.
func (a *Atlas) SetProject(name string) {
	for _, item := range a.Items {
		switch {
		case name != "" && (item.Section.Name == "atlases" || item.Section.Name == "contexts"):
			item.Properties[projectKey] = name
		case item.Section.Name == "atlases":
			delete(item.Properties, projectKey)
		}
	}
}

// projectKey is the manifest key and the property of atlases and contexts for their project.
const projectKey = "project"

// plainLists are manifest keys that are lists of strings in the graph, too.
var plainLists = []string{"authors", "domains"}

func (a *Atlas) takeDependencies(fields map[string]any) {
	wanted, _ := fields["dependencies"].(map[string]any)
	if len(wanted) == 0 {
		return
	}
	a.Dependencies = map[string]string{}
	for id, value := range wanted {
		constraint, _ := value.(string)
		if _, err := semver.NewConstraint(constraint); err != nil {
			a.problems.Add(a.root.At("dependencies", id), manifestHint,
				"'%s' is not a version range such as ^1.2.0 or >=1.0.0", constraint)
			continue
		}
		if id == a.ID {
			a.problems.Add(a.root.At("dependencies", id), "Remove it; nothing was loaded",
				"the atlas depends on itself")
			continue
		}
		a.Dependencies[id] = constraint
	}
}

// Satisfies reports whether a version satisfies the range of a dependency, such as ^1.0.0.
func Satisfies(dependency, version string) bool {
	constraint, err := semver.NewConstraint(dependency)
	if err != nil {
		return false
	}
	v, err := semver.NewVersion(version)
	return err == nil && constraint.Check(v)
}

func (a *Atlas) takeActions(fields map[string]any) {
	list, _ := fields["actions"].([]any)
	for i, raw := range list {
		action, _ := raw.(map[string]any)
		id, _ := action["action_id"].(string)
		if id == "" {
			continue
		}
		if slices.Contains(a.Actions, id) {
			a.problems.Add(a.root.At("actions", strconv.Itoa(i), "action_id"), "Keep one of the two",
				"the action '%s' already exists", id)
			continue
		}
		a.Actions = append(a.Actions, id)
	}
	capabilities, _ := fields["capabilities"].([]any)
	seen := map[string]bool{}
	for i, raw := range capabilities {
		capability, _ := raw.(map[string]any)
		id, _ := capability["capability_id"].(string)
		if id != "" && seen[id] {
			a.problems.Add(a.root.At("capabilities", strconv.Itoa(i), "capability_id"), "Keep one of the two",
				"the capability '%s' already exists", id)
		}
		seen[id] = true
		for n, name := range graph.Texts(capability["actions"]) {
			if !slices.Contains(a.Actions, name) {
				a.problems.Add(a.root.At("capabilities", strconv.Itoa(i), "actions", strconv.Itoa(n)), manifestHint,
					"the capability '%s' names the action '%s', which the atlas does not declare", id, name)
			}
		}
	}
}

// finish makes the checks that need all contexts, compiles the rules, and returns the problems.
func (a *Atlas) finish(ctx context.Context) error {
	itself := a.Item("atlases", a.ID)
	if itself == nil { // nothing could be read
		return a.problems.Err()
	}
	for _, item := range a.Items {
		if item.Section.Name != "contexts" {
			continue
		}
		a.Contexts++
		itself.Links = append(itself.Links, pack.Link{Type: "HAS_CONTEXT", Section: "contexts", Key: item.Key})
		for n, id := range graph.Texts(item.Properties["also_inject"]) {
			at := item.Node.At("also_inject", strconv.Itoa(n))
			switch {
			case a.Item("contexts", id) != nil:
			case len(a.Dependencies) == 0:
				a.problems.Add(at, "Correct the id, or add the atlas that contains it to dependencies",
					"the context '%s' includes '%s', which is not a context of this atlas", item.Key, id)
			default:
				a.Elsewhere = append(a.Elsewhere, Reference{id, at})
			}
		}
	}
	return cmp.Or(a.Compile(ctx, a.problems), a.problems.Err())
}

// misspelled finds keys that resemble a key of the schema: they would be ignored.
func misspelled(tree any) []schema.Problem {
	fields, _ := tree.(map[string]any)
	problems := pack.Misspelled(parsedSchema(), fields)
	for _, list := range []string{"context_blocks", "context_packs", "policies", "actions"} {
		items, _ := fields[list].([]any)
		for i, item := range items {
			problems = append(problems, pack.Misspelled(parsedSchema(), item, list, strconv.Itoa(i))...)
		}
	}
	return problems
}
