package tools

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/fault"
	"nomograph/schema"
)

// Question is what an operation asks the person behind its caller.
type Question struct {
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
func ask[T any](ctx context.Context, message string) (answer T, asked bool, err error) {
	asker, can := ctx.Value(askerKey{}).(Asker)
	if !can {
		return answer, false, nil
	}
	form := schemaOf(reflect.TypeFor[T]())
	form.AdditionalProperties = nil // clients are shown plain fields, and nothing else
	given, err := asker.Ask(ctx, Question{message, form})
	switch {
	case errors.Is(err, ErrNobody):
		return answer, false, nil
	case errors.Is(err, ErrNoAnswer):
		return answer, true, fault.New(fault.Validation, "The question was declined, so nothing was written").
			WithHint("Ask the person in your own words, and do not guess: call again with %s", strings.Join(form.Required, ", "))
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
		return answer, true, fault.Newf(fault.Validation, "The answer does not fit, so nothing was written: %s", problems[0].Message).
			WithHint("Call again with %s", strings.Join(form.Required, ", "))
	}
	return answer, true, json.Unmarshal(text, &answer)
}
