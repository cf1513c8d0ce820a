package cstp

import (
	"context"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"

	"nomograph/internal/apperr"
	"nomograph/internal/document"
	"nomograph/internal/pattern"
	"nomograph/policies"
	"nomograph/policies/pack"
)

// GuardrailFiles are guardrail files of another system.
type GuardrailFiles struct {
	Files []pack.Source `json:"files" jsonschema:"the files, with their text" rule:"minItems=1,maxItems=50"`
	As    string        `json:"as" jsonschema:"name of the resulting pack" rule:"minLength=1,maxLength=63"`
}

// ImportedPack is a pack made from guardrail files, with notes for the person who applies it.
type ImportedPack struct {
	Pack     string   `json:"pack"`
	Text     string   `json:"text" jsonschema:"the pack's YAML" recorded:"exact"`
	Policies int      `json:"policies" jsonschema:"number of guardrails in the pack"`
	Notes    []string `json:"notes" jsonschema:"omissions with their reasons, and lines to check by hand"`
	LeftOut  []string `json:"left_out" jsonschema:"guardrails that could not be translated, with the reasons"`
}

var packName = pattern.New(`^[a-z][a-z0-9-]{0,62}$`)

// Import converts CSTP guardrail files to a pack with the given name: lists of guardrails, single guardrails,
// templates, and circuit breakers. Each guardrail has the same effect as in CSTP. A guardrail that cannot be translated
// is omitted and listed. It returns a validation_error with line and column for a file that is not a guardrail file,
// and for an invalid name.
func Import(ctx context.Context, files []pack.Source, as string) (ImportedPack, error) {
	if !packName.MatchString(as) {
		return ImportedPack{}, apperr.Newf(apperr.Validation, "'%s' is not a valid pack name", as).
			WithHint("Use lower-case letters, digits and dashes, starting with a letter")
	}
	i := guardrailImport{first: map[string]string{}, notes: []string{}, leftOut: []string{}}
	for _, file := range files {
		if err := i.read(ctx, file); err != nil {
			return ImportedPack{}, err
		}
	}
	root := yaml.MapSlice{{Key: "pack", Value: as}, {Key: "version", Value: "1.0.0"}, {Key: "description", Value: pack.Line("Guardrails imported from CSTP")}}
	if len(i.thresholds) > 0 {
		root = append(root, yaml.MapItem{Key: "thresholds", Value: i.thresholds})
	}
	if len(i.policies) > 0 {
		root = append(root, yaml.MapItem{Key: "policies", Value: i.policies})
	}
	text, err := yaml.MarshalWithOptions(root, yaml.IndentSequence(true))
	if err != nil {
		return ImportedPack{}, apperr.From(err)
	}
	if _, err := pack.Parse(ctx, as+".yaml", string(text)); err != nil {
		return ImportedPack{}, apperr.From(err)
	}
	return ImportedPack{Pack: as, Text: string(text), Policies: len(i.policies), Notes: i.notes, LeftOut: i.leftOut}, nil
}

// guardrailImport collects the contents of files.
type guardrailImport struct {
	policies   []yaml.MapSlice
	thresholds []yaml.MapSlice
	notes      []string
	leftOut    []string          // notes about guardrails that were left out
	first      map[string]string // position of each id
}

func (i *guardrailImport) note(format string, args ...any) {
	i.notes = append(i.notes, fmt.Sprintf(format, args...))
}

// leave records that a guardrail cannot be translated.
func (i *guardrailImport) leave(format string, args ...any) {
	i.note(format, args...)
	i.leftOut = append(i.leftOut, i.notes[len(i.notes)-1])
}

func (i *guardrailImport) read(ctx context.Context, file pack.Source) error {
	body, err := document.YAML(ctx, file.Text, document.DefaultLimits())
	if err != nil {
		return pack.Unreadable(file.Name, err)
	}
	if body == nil {
		i.note("%s is empty", file.Name)
		return nil
	}
	tree := inOrderOf(body)
	if mapping, single := tree.(yaml.MapSlice); single {
		return i.readMapping(file.Name, body, mapping)
	}
	return i.list(file.Name, body, tree)
}

// inOrderOf returns a node with its keys in the order of the file.
func inOrderOf(n *document.Node) any {
	switch {
	case n.IsMap():
		m := make(yaml.MapSlice, len(n.Entries))
		for i, e := range n.Entries {
			m[i] = yaml.MapItem{Key: e.Key, Value: inOrderOf(e.Value)}
		}
		return m
	case n.IsList():
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = inOrderOf(item)
		}
		return list
	}
	return n.Value()
}

// readMapping reads a file with one mapping: a template, circuit breakers, or a single guardrail.
func (i *guardrailImport) readMapping(file string, body *document.Node, m yaml.MapSlice) error {
	if at := indexOfKey(m, "guardrails"); at >= 0 {
		if breakers, are := lookUp(m, "circuit_breakers"); are {
			i.breakers(file, body, breakers, "circuit_breakers")
		}
		return i.list(file, body, m[at].Value, "guardrails")
	}
	i.guardrail(file, body, m)
	return nil
}

const guardrailHint = "A guardrail begins with `id: NAME`"

func (i *guardrailImport) list(file string, body *document.Node, tree any, path ...string) error {
	list, ok := tree.([]any)
	if !ok {
		return pack.NewError(file, body.At(path...), guardrailHint, "guardrails must be a list or a mapping, not a %s", formOf(tree))
	}
	for n, item := range list {
		at := append(slices.Clone(path), fmt.Sprint(n))
		m, ok := item.(yaml.MapSlice)
		if !ok {
			return pack.NewError(file, body.At(at...), guardrailHint, "a guardrail must be a mapping, not a %s", formOf(item))
		}
		i.guardrail(file, body, m, at...)
	}
	return nil
}

// guardrail converts one guardrail to a policy, or adds a note.
func (i *guardrailImport) guardrail(file string, body *document.Node, m yaml.MapSlice, path ...string) {
	place := fmt.Sprintf("%s:%d", file, body.At(path...).Line)
	id := textOf(m, "id")
	breakers, are := lookUp(m, "circuit_breakers")
	switch {
	case are:
		i.breakers(file, body, breakers, append(slices.Clone(path), "circuit_breakers")...)
		return
	case id == "" || len([]rune(id)) > 200:
		i.leave("%s: a guardrail was left out: its id is missing or too long", place)
		return
	case i.first[id] != "":
		i.note("%s: '%s' was left out: it already exists at %s, and the first one counts", place, id, i.first[id])
		return
	}
	i.first[id] = place
	r := importedRule{fields: m, id: id}
	if err := r.translate(); err != nil {
		i.leave("%s: '%s' was left out: %s", place, id, err)
		return
	}
	for _, note := range r.notes {
		i.note("%s: '%s' %s", place, id, note)
	}
	i.policies = append(i.policies, r.policy())
}

// formOf describes an unexpected value.
func formOf(value any) string {
	switch value.(type) {
	case yaml.MapSlice:
		return "map"
	case uint64:
		return "number"
	}
	return policies.JSONType(value)
}

func indexOfKey(m yaml.MapSlice, key string) int {
	return slices.IndexFunc(m, func(item yaml.MapItem) bool { return fmt.Sprint(item.Key) == key })
}

func lookUp(m yaml.MapSlice, key string) (any, bool) {
	if at := indexOfKey(m, key); at >= 0 {
		return m[at].Value, true
	}
	return nil, false
}

// textOf reads a scalar as a string; "" for any other value.
func textOf(m yaml.MapSlice, key string) string {
	switch value, _ := lookUp(m, key); value.(type) {
	case nil, []any, yaml.MapSlice:
		return ""
	default:
		return fmt.Sprint(value)
	}
}
