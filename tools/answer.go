package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
)

// Fits checks arguments against the input schema, as Run does before it does anything else.
func (o Operation) Fits(ctx context.Context, arguments json.RawMessage) error {
	_, err := o.decode(ctx, arguments)
	return err
}

// Recorded tells whether an answer can hold text that somebody recorded: other agents, people, files, other servers.
func (o Operation) Recorded() bool { return o.Ours == "" }

// JSON writes an answer of this operation. One that can hold recorded text begins with a field that says what such text is.
func (o Operation) JSON(answer any) ([]byte, error) {
	text, err := render.JSON(answer)
	if err != nil || !o.Recorded() {
		return text, err
	}
	return render.MarkRecorded(text), nil
}

// Answered reads an answer of this operation that came from another process, in the type that Run gives. What a newer version has
// added to it is left out, and so is what its reader cannot see.
func (o Operation) Answered(answer json.RawMessage) (any, error) {
	out := reflect.New(o.out)
	decoder := json.NewDecoder(bytes.NewReader(render.UnmarkRecorded(answer)))
	decoder.UseNumber()
	if err := decoder.Decode(out.Interface()); err != nil {
		return nil, apperr.Newf(apperr.Unavailable, "This version does not understand the answer of `%s`", o.Name).
			WithHint("Use the same version of nomograph on both sides; `nomograph version` shows yours").Because(err)
	}
	return render.CleanValue(out.Elem().Interface()), nil
}
