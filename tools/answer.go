package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
)

// Fits validates arguments with the input schema, as Run does first.
func (o Operation) Fits(ctx context.Context, arguments json.RawMessage) error {
	_, err := o.decode(ctx, arguments)
	return err
}

// Recorded reports whether an answer can contain recorded text: text of other agents, people, files or servers.
func (o Operation) Recorded() bool { return o.Ours == "" }

// JSON encodes an answer. If it can contain recorded text, the first field is a notice about such text.
func (o Operation) JSON(answer any) ([]byte, error) {
	text, err := render.JSON(answer)
	if err != nil || !o.Recorded() {
		return text, err
	}
	return render.MarkRecorded(text), nil
}

// Answered decodes an answer of this operation from another process into the type that Run returns. It drops fields
// that a newer version added, and invisible characters.
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
