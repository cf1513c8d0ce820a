package tools

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/internal/schema"
)

// Question is what an operation asks the person behind its caller.
type Question struct {
	About   string // what it asks about, the same each time that it is asked; empty: Message says it
	Message string
	Schema  *jsonschema.Schema // an object of plain fields: text, numbers, truth values, choices
}

// Asker puts questions to a person: each door has its own way. What it returns need not fit the schema.
type Asker interface {
	// Ask waits for the answer. It returns ErrNobody where there is no one to ask, ErrNoAnswer where the person does not want to
	// answer, and any other error as the answer of the operation.
	Ask(ctx context.Context, q Question) (map[string]any, error)
}

// What an Asker returns instead of an answer.
var (
	ErrNobody   = errors.New("nobody can be asked")
	ErrNoAnswer = errors.New("the question was declined")
)

func declined(form *jsonschema.Schema) error {
	return apperr.New(apperr.Validation, "The question was declined, so nothing was written").
		WithHint("Ask the person in your own words; do not guess. Call again with %s", strings.Join(form.Required, ", "))
}

// Later is the Asker of a door that has nobody at hand: the question is the answer of the operation, and its caller, who said that it can
// ask, calls again with what it was told among the arguments (Again).
type Later struct{}

// question is the detail of the error that Later answers with.
const question = "question"

// Ask gives the question as an error.
func (Later) Ask(_ context.Context, q Question) (map[string]any, error) {
	return nil, apperr.New(apperr.Validation, q.Message).WithHint("Call again with %s", strings.Join(q.Schema.Required, ", ")).
		With(question, map[string]any{"message": q.Message, "schema": q.Schema, "fields": q.Schema.PropertyOrder})
}

// CanAsk tells whether somebody can be asked under ctx.
func CanAsk(ctx context.Context) bool {
	_, can := ctx.Value(askerKey{}).(Asker)
	return can
}

// Again puts the question of an error that Later gave to whoever can be asked under ctx, and gives the arguments with the answer, to call
// again with. Any other error is given back as it is; so is this one where nobody can be asked.
func Again(ctx context.Context, o Operation, arguments json.RawMessage, refused error) (json.RawMessage, error) {
	asker, can := ctx.Value(askerKey{}).(Asker)
	asked, ok := apperr.From(refused).Details[question]
	if !can || !ok {
		return nil, refused
	}
	var q struct {
		Message string
		Schema  *jsonschema.Schema
		Fields  []string
	}
	text, err := json.Marshal(asked)
	if err == nil {
		err = json.Unmarshal(text, &q)
	}
	if err != nil || q.Schema == nil {
		return nil, refused
	}
	q.Schema.PropertyOrder = q.Fields
	for _, name := range q.Fields {
		if o.Input().Properties[name] == nil || q.Schema.Properties[name] == nil {
			return nil, refused
		}
	}
	given, err := asker.Ask(ctx, Question{Message: render.Clean(q.Message), Schema: q.Schema})
	switch {
	case errors.Is(err, ErrNobody):
		return nil, refused
	case errors.Is(err, ErrNoAnswer):
		return nil, declined(q.Schema)
	case err != nil:
		return nil, err
	}
	all := map[string]any{}
	if err := json.Unmarshal(arguments, &all); err != nil {
		return nil, err
	}
	maps.Copy(all, given)
	return json.Marshal(all)
}

type askerKey struct{}

// WithAsker notes who can be asked by the operations run under ctx.
func WithAsker(ctx context.Context, asker Asker) context.Context {
	return context.WithValue(ctx, askerKey{}, asker)
}

// asksUser tells whether the person who can be asked is another than who calls: the user of the client of an agent. At a terminal they are
// one and the same.
func asksUser(ctx context.Context) bool {
	asker, can := ctx.Value(askerKey{}).(interface {
		AsksUser(ctx context.Context) bool
	})
	return can && asker.AsksUser(ctx)
}

// ask asks for the fields of T. It returns false where nobody can be asked, a validation_error for an answer that does not
// fit, and one that says that nothing was written where there is no answer: an operation asks before it writes.
func ask[T any](ctx context.Context, about, message string) (answer T, asked bool, err error) {
	asker, can := ctx.Value(askerKey{}).(Asker)
	if !can {
		return answer, false, nil
	}
	form := schemaOf(reflect.TypeFor[T]())
	form.AdditionalProperties = nil // clients are shown plain fields, and nothing else
	given, err := asker.Ask(ctx, Question{about, render.Clean(message), form})
	switch {
	case errors.Is(err, ErrNobody):
		return answer, false, nil
	case errors.Is(err, ErrNoAnswer):
		return answer, true, declined(form)
	case err != nil:
		return answer, true, err
	}
	if given == nil {
		given = map[string]any{}
	}
	maps.DeleteFunc(given, func(_ string, value any) bool { return value == nil || value == "" }) // a field that was left empty
	text, err := json.Marshal(given)
	if err != nil {
		return answer, true, err
	}
	value, err := unmarshal(text)
	if err != nil {
		return answer, true, err
	}
	rules, err := json.Marshal(form)
	if err != nil {
		return answer, true, err
	}
	if problems := schema.MustCompile(rules).Check(value); len(problems) > 0 {
		return answer, true, apperr.Newf(apperr.Validation, "Invalid answer, so nothing was written: %s", problems[0].Message).
			WithHint("Call again with %s", strings.Join(form.Required, ", "))
	}
	return answer, true, json.Unmarshal(text, &answer)
}
