package cstp

import (
	"context"
	"fmt"

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
	i := guardrailImport{first: map[string]string{}}
	for _, file := range files {
		if err := i.read(ctx, file); err != nil {
			return ImportedPack{}, err
		}
	}
	text, err := pack.Generated{Pack: pack.Words(as), Description: "Guardrails imported from CSTP",
		Thresholds: i.thresholds, Policies: i.policies}.Text(ctx)
	if err != nil {
		return ImportedPack{}, apperr.From(err)
	}
	return ImportedPack{Pack: as, Text: text, Policies: len(i.policies), Notes: i.notes, LeftOut: i.leftOut},
		nil
}

// guardrailImport collects the contents of files.
type guardrailImport struct {
	policies   []pack.GeneratedPolicy
	thresholds []pack.GeneratedThreshold
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
	if !body.IsMap() {
		return i.list(file.Name, body.At(), body)
	}
	guardrails := body.Get("guardrails") // else the file is a single guardrail, a template, or circuit breakers
	if guardrails == nil {
		i.guardrail(file.Name, body)
		return nil
	}
	i.breakers(file.Name, body)
	return i.list(file.Name, body.At("guardrails"), guardrails)
}

const guardrailHint = "A guardrail begins with `id: NAME`"

func (i *guardrailImport) list(file string, at document.Position, list *document.Node) error {
	if !list.IsList() {
		return pack.NewError(file, at, guardrailHint, "guardrails must be a list or a mapping, not a %s",
			formOf(list.Value()))
	}
	for _, item := range list.Items {
		if !item.IsMap() {
			return pack.NewError(file, item.At(), guardrailHint, "a guardrail must be a mapping, not a %s",
				formOf(item.Value()))
		}
		i.guardrail(file, item)
	}
	return nil
}

// guardrail converts one guardrail to a policy, or adds a note.
func (i *guardrailImport) guardrail(file string, fields *document.Node) {
	place := fmt.Sprintf("%s:%d", file, fields.At().Line)
	id := textOf(fields, "id")
	switch {
	case i.breakers(file, fields):
		return
	case id == "" || len([]rune(id)) > 200:
		i.leave("%s: a guardrail was left out: its id is missing or too long", place)
		return
	case i.first[id] != "":
		i.note("%s: '%s' was left out: it already exists at %s, and the first one counts", place, id, i.first[id])
		return
	}
	i.first[id] = place
	r := importedRule{fields: fields, id: id}
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
	if _, whole := value.(uint64); whole {
		return "number"
	}
	return policies.JSONType(value)
}

// textOf reads a scalar as a string; "" for any other value.
func textOf(fields *document.Node, key string) string {
	switch value := fields.Get(key).Value(); value.(type) {
	case nil, []any, map[string]any:
		return ""
	default:
		return fmt.Sprint(value)
	}
}
