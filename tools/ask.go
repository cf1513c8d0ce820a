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

// Question is a question of an operation to the person behind its caller.
type Question struct {
	About   string // identifies the subject and stays the same when the question is repeated; empty means Message
	Message string
	Schema  *jsonschema.Schema // object with plain fields: text, numbers, booleans, choices
}

// Asker asks a person a question. Each transport has its own implementation. The result may violate the schema.
type Asker interface {
	// Ask waits for the answer. It returns ErrNoPerson if nobody can be asked and ErrNoAnswer if the person declines.
	// Any other error becomes the error of the operation.
	Ask(ctx context.Context, q Question) (map[string]any, error)
}

// Errors of an Asker.
var (
	ErrNoPerson = errors.New("nobody can be asked")
	ErrNoAnswer = errors.New("the question was declined")
)

func declined(form *jsonschema.Schema) error {
	return apperr.New(apperr.Validation, "The question was declined, so nothing was written").
		WithHint("Ask the person in your own words; do not guess. Call again with %s",
			strings.Join(form.Required, ", "))
}

// DeferredAsker is the Asker of transports that cannot wait for a person. The operation returns the question as an
// error, and its caller asks the person and repeats the call with the answer in the arguments (see AskAgain).
type DeferredAsker struct{}

// question is the error detail in which DeferredAsker returns a question.
const question = "question"

// Ask returns the question as an error.
func (DeferredAsker) Ask(_ context.Context, q Question) (map[string]any, error) {
	return nil, apperr.New(apperr.Validation, q.Message).
		WithHint("Call again with %s", strings.Join(q.Schema.Required, ", ")).
		With(question, map[string]any{"message": q.Message, "schema": q.Schema, "fields": q.Schema.PropertyOrder})
}

// CanAsk reports whether ctx has an Asker.
func CanAsk(ctx context.Context) bool {
	_, ok := ctx.Value(askerKey{}).(Asker)
	return ok
}

// AskAgain asks the question in an error of DeferredAsker with the Asker of ctx, and returns the arguments with the
// answer added for another call. It returns any other error unchanged, and also this one if nobody can be asked.
func AskAgain(ctx context.Context, o Operation, arguments json.RawMessage, refused error) (json.RawMessage, error) {
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
	values, err := asker.Ask(ctx, Question{Message: render.Clean(q.Message), Schema: q.Schema})
	switch {
	case errors.Is(err, ErrNoPerson):
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
	maps.Copy(all, values)
	return json.Marshal(all)
}

type askerKey struct{}

// WithAsker sets the Asker for operations that run with ctx.
func WithAsker(ctx context.Context, asker Asker) context.Context {
	return context.WithValue(ctx, askerKey{}, asker)
}

// asksUser reports whether the person who can be asked differs from the caller, as with the user of an agent's client.
// At a terminal, both are the same person.
func asksUser(ctx context.Context) bool {
	asker, ok := ctx.Value(askerKey{}).(interface {
		AsksUser(ctx context.Context) bool
	})
	return ok && asker.AsksUser(ctx)
}

// ask asks for the fields of T. It returns false if nobody can be asked, and a validation_error for an invalid or
// declined answer. The error says that nothing was written, because operations ask before they write.
func ask[T any](ctx context.Context, about, message string) (answer T, asked bool, err error) {
	asker, ok := ctx.Value(askerKey{}).(Asker)
	if !ok {
		return answer, false, nil
	}
	form := schemaOf(reflect.TypeFor[T]())
	form.AdditionalProperties = nil // clients support only plain fields
	values, err := asker.Ask(ctx, Question{about, render.Clean(message), form})
	switch {
	case errors.Is(err, ErrNoPerson):
		return answer, false, nil
	case errors.Is(err, ErrNoAnswer):
		return answer, true, declined(form)
	case err != nil:
		return answer, true, err
	}
	if values == nil {
		values = map[string]any{}
	}
	maps.DeleteFunc(values, func(_ string, value any) bool { return value == nil || value == "" }) // field left empty
	text, err := json.Marshal(values)
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
		return answer, true, apperr.Newf(apperr.Validation, "Invalid answer, so nothing was written: %s",
			problems[0].Message).
			WithHint("Call again with %s", strings.Join(form.Required, ", "))
	}
	return answer, true, json.Unmarshal(text, &answer)
}
