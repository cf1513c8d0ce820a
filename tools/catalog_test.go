package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
)

// maxToolNameLength leaves room for the server's name in front: Cursor allows 60 characters for both.
const maxToolNameLength = 60 - len("nomograph:")

func TestCatalog_EveryOperation_IsComplete(t *testing.T) {
	operations, problems := Operations(t.TempDir())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	seen := map[string]string{}
	once := func(t *testing.T, kind, value string, o Operation) {
		t.Helper()
		if first, again := seen[kind+value]; again {
			t.Errorf("%s %q is also used by %s", kind, value, first)
		}
		seen[kind+value] = o.Name
	}
	for _, o := range operations {
		t.Run(o.Name, func(t *testing.T) {
			once(t, "name", o.Name, o)
			once(t, "title", o.Title, o)
			if o.Name == "" || len(o.Name) > maxToolNameLength || o.Name != strings.ToLower(o.Name) {
				t.Errorf("the name is not a short snake_case word")
			}
			if !slices.ContainsFunc(Toolsets, func(s Toolset) bool { return s.Name == o.Toolset }) {
				t.Errorf("the toolset %q is unknown", o.Toolset)
			}
			if !strings.HasSuffix(o.Use, ".") || o.Title == "" {
				t.Errorf("the prompt needs a title and a sentence")
			}
			if !slices.Contains([]Kind{Call, Stream, Job}, o.Kind) ||
				!slices.Contains(caller.Permissions, o.Permission) {
				t.Errorf("kind %q or permission %q is not one", o.Kind, o.Permission)
			}
			if !o.Hints.ReadOnly && (o.Permission == Read || o.Permission == Query) || o.Hints.ReadOnly &&
				o.Hints.Destructive {
				t.Errorf("an operation that writes needs more than read")
			}
			if o.Command == "" || o.REST == "" {
				t.Errorf("every transport needs a spelling for it")
			}
			once(t, "command", o.Command, o)
			once(t, "REST", o.REST, o)
			opened, _ := o.Opened()
			for _, name := range append(slices.Clone(o.CLI.Args), o.CLI.Documents) {
				if name != "" && opened.Input().Properties[name] == nil {
					t.Errorf("the command line names %q, which is not an argument", name)
				}
			}
			for name := range o.CLI.Flags {
				if opened.Input().Properties[name] == nil {
					t.Errorf("a flag sets %q, which is not an argument", name)
				}
			}
			for _, name := range []string{o.CLI.Print, o.CLI.Document, o.CLI.Value} {
				if name != "" && o.Output().Properties[name] == nil && o.Output().AdditionalProperties == nil {
					t.Errorf("%q is not in the answer", name)
				}
			}
			if _, named := Names[o.Names]; o.Names != "" && !named {
				t.Errorf("names of %q have no completion", o.Names)
			}
		})
	}
}

// TestSchemas_SuitEveryClient checks the schemas against the strictest clients and models.
func TestSchemas_SuitEveryClient(t *testing.T) {
	for _, o := range Catalog {
		t.Run(o.Name, func(t *testing.T) {
			for side, s := range map[string]*jsonschema.Schema{"input": o.Input(), "output": o.Output()} {
				if s.Type != "object" || s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil {
					t.Errorf("%s: a top level that is not a plain object is refused by some", side)
				}
				text := graphtest.Must(json.Marshal(s))(t)
				if side == "input" && !strings.Contains(string(text), `"additionalProperties":false`) {
					t.Errorf("an unknown argument must be refused, not ignored")
				}
				if strings.Contains(string(text), `":true,"`) && side == "input" ||
					strings.Contains(string(text), `"$ref"`) {
					t.Errorf("%s: boolean schemas and references are refused by some: %s", side, text)
				}
				if strings.Contains(string(text), `["null"`) {
					t.Errorf("%s: an absent list is left out, not null: %s", side, text)
				}
			}
			for name, property := range o.Input().Properties {
				if property.Description == "" && property.Items == nil && property.Enum == nil {
					t.Errorf("%s has no description", name)
				}
				if property.Type == "string" && property.MaxLength == nil && property.Enum == nil {
					t.Errorf("%s has no maximum length", name)
				}
			}
		})
	}
}

func TestSelect_Toolsets_GivesTheirOperations(t *testing.T) {
	standard := graphtest.Must(Select(Catalog, []string{"default"}))(t)
	if len(standard) == 0 || len(standard) == len(Catalog) {
		t.Errorf("default is %d of %d operations", len(standard), len(Catalog))
	}
	graphtest.Equal(t, len(graphtest.Must(Select(Catalog, []string{"all"}))(t)), len(Catalog), "operations of all")
	want := 0
	for _, o := range Catalog {
		if o.Toolset == "policy" || o.Toolset == "manage" {
			want++
		}
	}
	graphtest.Equal(t, len(graphtest.Must(Select(Catalog, []string{"policy", "manage"}))(t)), want,
		"operations of two names")

	core := graphtest.Must(Select(Catalog, []string{"core"}))(t)
	var names []string
	for _, o := range core {
		names = append(names, o.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"check_action", "get_decision", "get_policy", "get_session_context", "get_threshold",
		"log_decision", "pre_action",
		"query_decisions", "ready", "record_thought", "review_outcome", "update_decision"}, names); diff != "" {
		t.Errorf("core: %s", diff)
	}
	if both, err := Select(Catalog, []string{"core", "policy"}); err != nil || len(both) <= len(core) {
		t.Errorf("core and policy give %d operations and %v", len(both), err)
	}
	if _, err := Select(Catalog, []string{"polcy"}); err == nil || !strings.Contains(err.Error(), "policy") {
		t.Errorf("an unknown toolset: got %v, want an error, Error with policy", err)
	}
}

func TestToolsPage_Catalog_MatchesTheGoldenFile(t *testing.T) {
	for path, page := range Pages() {
		golden.Check(t, "../docs/reference/"+path, page)
	}
}
